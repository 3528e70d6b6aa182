/** The contract of WebhookSecretRepository; signing keys include its secrets. */
import { describe, expect, test } from 'bun:test';
import type { StoredSecret } from '../../../src/ports/webhooks/webhook-secrets.ts';
import { aKey, anId, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeWebhookSecrets(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: webhook secrets`, () => {
    const storage = openedFor(open);
    const aSecret = (merchantId: string): StoredSecret => ({
      ...{ merchantId, environment: 'live', sealed: `secret ${anId()}`, createdAt: NOW },
    });
    const put = (secret: StoredSecret, until: Date | null) =>
      storage.run((r) => r.webhookSecrets.put(secret, until));
    const find = (merchantId: string) => storage.run((r) => r.webhookSecrets.find(merchantId, 'live'));
    /** The secrets that sign webhooks. */
    const signing = async (merchantId: string, now = NOW) =>
      (await storage.run((r) => r.merchants.signingKeys(merchantId, 'live', now)))?.secrets;

    async function aMerchantWithKey(): Promise<string> {
      const { id: merchantId } = await storage.merchant();
      await storage.run((r) => r.merchants.putKey(aKey({ merchantId }), null));
      return merchantId;
    }

    test('of several first ones at once the same one stays, of its environment only', async () => {
      const merchantId = await aMerchantWithKey();
      expect(await find(merchantId)).toBeNull();
      expect(await signing(merchantId)).toEqual([]);
      const secrets = Array.from({ length: 4 }, () => aSecret(merchantId));
      await Promise.all(secrets.map((secret) => storage.run((r) => r.webhookSecrets.putFirst(secret))));
      const found = await find(merchantId);
      expect(found?.older).toBeNull();
      expect(secrets.map(({ sealed }) => sealed)).toContain(found?.sealed ?? 'none');
      expect(await signing(merchantId)).toEqual([found?.sealed ?? '']);
      expect(await storage.run((r) => r.webhookSecrets.find(merchantId, 'sandbox'))).toBeNull();
    });

    test('in an overlap the newest comes first, and the one before it until its time', async () => {
      const merchantId = await aMerchantWithKey();
      const secrets = [aSecret(merchantId), aSecret(merchantId), aSecret(merchantId)] as const;
      const [first, second, third] = secrets.map(({ sealed }) => sealed) as [string, string, string];
      await put(secrets[0], secondsAfter(60));
      expect(await find(merchantId)).toEqual({ sealed: first, createdAt: NOW, older: null });
      await put(secrets[1], secondsAfter(60));
      expect(await find(merchantId)).toEqual({
        ...{ sealed: second, createdAt: NOW, older: { sealed: first, until: secondsAfter(60) } },
      });
      expect(await signing(merchantId, secondsAfter(59.999))).toEqual([second, first]);
      expect(await signing(merchantId, secondsAfter(60))).toEqual([second]);
      await put(secrets[2], secondsAfter(90));
      expect(await signing(merchantId)).toEqual([third, second]);
      await put(secrets[0], null);
      expect(await find(merchantId)).toEqual({ sealed: first, createdAt: NOW, older: null });
    });

    test('an older one can be ended, once, and while it signs', async () => {
      const merchantId = await aMerchantWithKey();
      const end = (now = NOW, until: Date | null = null) =>
        storage.run((r) => r.webhookSecrets.endOlder(merchantId, 'live', { now, until }));
      const [older, newer] = [aSecret(merchantId), aSecret(merchantId)];
      await put(older, null);
      expect(await end()).toBe(false);
      await put(newer, secondsAfter(60));
      expect(
        await storage.run((r) => r.webhookSecrets.endOlder(merchantId, 'sandbox', { now: NOW, until: null })),
      ).toBe(false);
      expect(await end(NOW, secondsAfter(90))).toBe(true);
      expect(await signing(merchantId, secondsAfter(89))).toEqual([newer.sealed, older.sealed]);
      expect([await end(), await end()]).toEqual([true, false]);
      expect(await signing(merchantId)).toEqual([newer.sealed]);
      await put(older, secondsAfter(60));
      expect(await end(secondsAfter(60), secondsAfter(90))).toBe(false);
      expect(await signing(merchantId)).toEqual([older.sealed]);
    });
  });
}
