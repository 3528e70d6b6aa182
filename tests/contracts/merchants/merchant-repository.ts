/** The contract of MerchantRepository and its UnitOfWork. */
import { describe, expect, test } from 'bun:test';
import { changeMerchant } from '../../../src/app/merchants/manage-merchants.ts';
import type { StoredKey } from '../../../src/ports/merchants/merchant-repository.ts';
import { aKey, aMerchant, anId, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

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

    test('many merchants are found by their ids, and unknown ones left out', async () => {
      const [one, other] = [await storage.merchant(), await storage.merchant()];
      const findAll = (...ids: string[]) => storage.run((r) => r.merchants.findAll(ids));
      const found = await findAll(other.id, anId(), one.id, other.id);
      expect(Object.fromEntries(found)).toEqual({ [one.id]: one, [other.id]: other });
      expect(await findAll()).toEqual(new Map());
    });

    test('an unknown merchant is null', async () => {
      expect(await storage.run((r) => r.merchants.find(anId()))).toBeNull();
      expect(await storage.run((r) => r.merchants.lock(anId()))).toBeNull();
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

    test('changes that operators make at once all stand', async () => {
      const { id } = await storage.merchant();
      const changes = [
        ...[{ name: 'Another' }, { callbackUrl: null }, { payoutWebhooks: true }, { commissionPpm: 7n }],
        ...[{ status: 'paused' }, { allowedSubnets: ['10.0.0.0/8'] }, { defaultFeeBearer: 'merchant' }],
      ] as const;
      const change = changeMerchant(storage.ports());
      const changed = await Promise.all(changes.map((one) => change(id, one)));
      expect(changed.map(({ ok }) => ok)).not.toContain(false);
      expect(await storage.run((r) => r.merchants.find(id))).toMatchObject(Object.assign({}, ...changes));
    });

    test('its URL is told if it has one, and for payouts if it wants them, even without one', async () => {
      const callbackUrl = 'https://shop.example/hook';
      const made = [];
      for (const payoutWebhooks of [false, true])
        for (const url of [callbackUrl, null])
          made.push((await storage.merchant({ callbackUrl: url, payoutWebhooks })).id);
      const [quiet, , wanting, reading] = made as [string, string, string, string];
      const asked = [...made, anId()];
      const told = await storage.run(async ({ merchants }) => [
        await merchants.callbackUrls(asked),
        await merchants.payoutCallbacks(asked),
        await merchants.callbackUrls([]),
      ]);
      const url = (of: readonly string[]) => of.map((id) => [id, callbackUrl] as const);
      expect(told).toEqual([
        new Map(url([quiet, wanting])),
        new Map([...url([wanting]), [reading, null]]),
        new Map(),
      ]);
    });

    test('updating an unknown merchant fails', async () => {
      await expect(storage.run((r) => r.merchants.update(aMerchant()))).rejects.toThrow();
    });

    test('a new key takes the place of the earlier one of its environment only', async () => {
      const { id: merchantId } = await storage.merchant();
      const sandbox = aKey({ merchantId, environment: 'sandbox' });
      const first = aKey({ merchantId });
      const second = aKey({ merchantId, createdAt: secondsAfter(5) });
      for (const key of [sandbox, first, second]) await storage.run((r) => r.merchants.putKey(key, null));
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
      await Promise.all(keys.map((key) => storage.run((r) => r.merchants.putKey(key, null))));
      const active = await storage.run((r) => r.merchants.activeKey(merchantId, 'live'));
      expect(keys.map((key) => key.lookupHash)).toContain(active?.lookupHash ?? 'none');
    });

    test('the times of its keys are told by environment, and until when the older one works', async () => {
      const { id: merchantId } = await storage.merchant();
      const times = () => storage.run((r) => r.merchants.keyTimes(merchantId));
      expect(await times()).toEqual([]);
      const put = (given: Partial<StoredKey>, until: Date | null) =>
        storage.run((r) => r.merchants.putKey(aKey({ merchantId, ...given }), until));
      await put({ environment: 'sandbox' }, secondsAfter(60));
      for (const seconds of [1, 2]) await put({ createdAt: secondsAfter(seconds) }, secondsAfter(60));
      expect(await times()).toEqual([
        { environment: 'live', createdAt: secondsAfter(2), olderUntil: secondsAfter(60) },
        { environment: 'sandbox', createdAt: NOW, olderUntil: null },
      ]);
    });

    /** A merchant's live keys, each stored with an overlap of a minute. */
    async function overlapping(count: number): Promise<{ merchantId: string; keys: StoredKey[] }> {
      const { id: merchantId } = await storage.merchant();
      const keys = Array.from({ length: count }, () => aKey({ merchantId }));
      for (const key of keys) await storage.run((r) => r.merchants.putKey(key, secondsAfter(60)));
      return { merchantId, keys };
    }
    const signing = (merchantId: string, now = NOW) =>
      storage.run((r) => r.merchants.signingKeys(merchantId, 'live', now));
    const signedBy = (current?: StoredKey, other?: StoredKey) => ({
      current: current?.sealed ?? '',
      other: other?.sealed ?? null,
      secrets: [],
    });

    test('in an overlap the older key signs first until the newer one was used, which is noted once', async () => {
      const { merchantId, keys } = await overlapping(2);
      const [older, newer] = keys;
      expect(await signing(merchantId)).toEqual(signedBy(older, newer));
      expect(await storage.run((r) => r.merchants.activeKey(merchantId, 'live'))).toEqual(newer!);
      const noted = () => storage.run((r) => r.merchants.noteFirstUse(newer!.lookupHash, NOW));
      expect((await Promise.all([noted(), noted(), noted()])).filter(Boolean)).toHaveLength(1);
      expect(await noted()).toBe(false);
      expect(await signing(merchantId)).toEqual(signedBy(newer, older));
      expect(await storage.run((r) => r.merchants.signingKeys(merchantId, 'sandbox', NOW))).toBeNull();
    });

    test('at the end of the overlap the newer key signs alone, used or not, and an older one that was ended signs nothing', async () => {
      const { merchantId, keys } = await overlapping(2);
      const end = (now: Date, until: Date | null = null) =>
        storage.run((r) => r.merchants.endOlderKey(merchantId, 'live', { now, until }));
      expect(await signing(merchantId, secondsAfter(59.999))).toEqual(signedBy(...keys));
      expect(await signing(merchantId, secondsAfter(60))).toEqual(signedBy(keys[1]));
      expect(
        await storage.run((r) => r.merchants.endOlderKey(merchantId, 'sandbox', { now: NOW, until: null })),
      ).toBe(false);
      expect(await end(NOW)).toBe(true);
      expect(await signing(merchantId)).toEqual(signedBy(keys[1]));
      expect(await end(NOW)).toBe(false);
      const over = await overlapping(2);
      expect(
        await storage.run((r) =>
          r.merchants.endOlderKey(over.merchantId, 'live', {
            now: secondsAfter(60),
            until: secondsAfter(90),
          }),
        ),
      ).toBe(false);
    });

    test('the end of an older key can be put off while it lives, and is told of as long as the newer one is unused', async () => {
      const { merchantId, keys } = await overlapping(2);
      const end = (seconds: number, until: number) =>
        storage.run((r) =>
          r.merchants.endOlderKey(merchantId, 'live', {
            now: secondsAfter(seconds),
            until: secondsAfter(until),
          }),
        );
      const ending = async (from: number, until: number) =>
        (
          await storage.run((r) => r.merchants.keysEndingUnfollowed(secondsAfter(from), secondsAfter(until)))
        ).filter((key) => key.merchantId === merchantId);
      const told = { merchantId, environment: 'live', until: secondsAfter(60) } as const;
      expect(await ending(0, 60)).toEqual([told]);
      expect(await ending(0, 59.999)).toEqual([]);
      expect(await ending(60, 99)).toEqual([]);
      expect(await end(59, 90)).toBe(true);
      expect(await signing(merchantId, secondsAfter(89))).toEqual(signedBy(...keys));
      expect(await ending(0, 90)).toEqual([{ ...told, until: secondsAfter(90) }]);
      await storage.run((r) => r.merchants.noteFirstUse(keys[1]!.lookupHash, NOW));
      expect(await ending(0, 90)).toEqual([]);
      expect(await end(90, 120)).toBe(false);
      expect(await signing(merchantId)).toEqual(signedBy(keys[1]));
    });

    test('a third key ends the oldest, and one without an overlap all that were before', async () => {
      const { merchantId, keys } = await overlapping(2);
      const put = (key: StoredKey, until: Date | null) => storage.run((r) => r.merchants.putKey(key, until));
      const [third, fourth] = [aKey({ merchantId }), aKey({ merchantId })];
      expect(await put(third, secondsAfter(90))).toEqual({ livesOn: true, ended: 1 });
      expect(await signing(merchantId)).toEqual(signedBy(keys[1], third));
      expect(await put(fourth, null)).toEqual({ livesOn: false, ended: 2 });
      expect(await signing(merchantId)).toEqual(signedBy(fourth));
      const late = aKey({ merchantId, createdAt: secondsAfter(500) });
      expect(await put(aKey({ merchantId }), secondsAfter(100))).toEqual({ livesOn: true, ended: 0 });
      expect(await put(late, secondsAfter(600))).toEqual({ livesOn: true, ended: 0 });
      const first = aKey({ merchantId: (await storage.merchant()).id });
      expect(await put(first, secondsAfter(60))).toEqual({ livesOn: false, ended: 0 });
    });

    test('of many keys put at once with an overlap two live', async () => {
      const { id: merchantId } = await storage.merchant();
      const keys = Array.from({ length: 6 }, () => aKey({ merchantId }));
      await Promise.all(keys.map((key) => storage.run((r) => r.merchants.putKey(key, secondsAfter(60)))));
      const found = await signing(merchantId);
      const sealed = keys.map((key) => key.sealed);
      expect(found?.other).not.toBe(found?.current ?? '');
      for (const one of [found?.current, found?.other]) expect(sealed).toContain(one ?? 'none');
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
