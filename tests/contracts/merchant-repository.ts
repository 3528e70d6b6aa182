/** What every MerchantRepository and its UnitOfWork must do. */
import { describe, expect, test } from 'bun:test';
import { aKey, aMerchant, anId, secondsAfter } from '../support/builders.ts';
import { type Opened, openedFor } from './opened.ts';

export function describeMerchantRepository(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: merchants`, () => {
    const storage = openedFor(open);

    test('a merchant is found as it was inserted', async () => {
      const merchant = await storage.merchant({
        commissionPpm: 12_345n,
        allowedSubnets: [],
        callbackUrl: null,
      });
      expect(await storage.run((r) => r.merchants.find(merchant.id))).toEqual(merchant);
    });

    test('an unknown merchant is null', async () => {
      expect(await storage.run((r) => r.merchants.find(anId()))).toBeNull();
    });

    test('an update is what is found afterwards', async () => {
      const merchant = await storage.merchant();
      const changed = {
        ...merchant,
        status: 'paused',
        name: `O'Neill "quoted"`,
        allowedSubnets: ['a,b', '{}'],
      } as const;
      await storage.run((r) => r.merchants.update(changed));
      expect(await storage.run((r) => r.merchants.find(merchant.id))).toEqual(changed);
    });

    test('updating an unknown merchant fails', async () => {
      await expect(storage.run((r) => r.merchants.update(aMerchant()))).rejects.toThrow();
    });

    test('a new key takes the place of the earlier one of its environment only', async () => {
      const { id: merchantId } = await storage.merchant();
      const sandbox = aKey({ merchantId, environment: 'sandbox' });
      const first = aKey({ merchantId });
      const second = aKey({ merchantId, createdAt: secondsAfter(5) });
      for (const key of [sandbox, first, second]) await storage.run((r) => r.merchants.putKey(key));
      expect(await storage.run((r) => r.merchants.activeKey(merchantId, 'live'))).toEqual(second);
      expect(await storage.run((r) => r.merchants.activeKey(merchantId, 'sandbox'))).toEqual(sandbox);
    });

    test('a merchant without a key has none', async () => {
      const { id } = await storage.merchant();
      expect(await storage.run((r) => r.merchants.activeKey(id, 'live'))).toBeNull();
    });

    test('of many keys put at once exactly one is active', async () => {
      const { id: merchantId } = await storage.merchant();
      const keys = Array.from({ length: 8 }, () => aKey({ merchantId }));
      await Promise.all(keys.map((key) => storage.run((r) => r.merchants.putKey(key))));
      const active = await storage.run((r) => r.merchants.activeKey(merchantId, 'live'));
      expect(keys.map((key) => key.lookupHash)).toContain(active?.lookupHash ?? 'none');
    });

    test('a failing unit of work leaves no trace', async () => {
      const merchant = aMerchant();
      const failing = storage.run(async (r) => {
        await r.merchants.insert(merchant);
        throw new Error('changed my mind');
      });
      await expect(failing).rejects.toThrow('changed my mind');
      expect(await storage.run((r) => r.merchants.find(merchant.id))).toBeNull();
    });
  });
}
