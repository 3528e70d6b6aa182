/** The contract of MerchantQueries, and of the hashes of keys that Queries tell. */
import { describe, expect, test } from 'bun:test';
import { aKey, anId, anInvoice, secondsAfter } from '../../support/builders.ts';
import type { OpenedQueries } from '../lists/queries.ts';
import { openedFor } from '../opened.ts';

export function describeMerchantQueries(name: string, open: () => Promise<OpenedQueries>): void {
  describe(`${name}: what is read of merchants`, () => {
    const storage = openedFor(open);
    const queries = () => storage.ports().queries;

    test('a merchant is found as it is', async () => {
      const merchant = await storage.merchant({
        checkoutLanguage: 'zh-Hant',
        acceptedCoins: ['btc_bitcoin'],
      });
      expect(await queries().merchantById(merchant.id)).toEqual(merchant);
      expect(await queries().merchantById(anId())).toBeNull();
    });

    test('the last number of its invoices is known for each environment; of who is unknown nothing is', async () => {
      const [one, other] = [await storage.merchant(), await storage.merchant()];
      const of = { merchantId: one.id };
      await storage.run(async (r) => {
        for (const sandbox of [false, false, true]) await r.invoices.insert(anInvoice({ ...of, sandbox }));
      });
      const numbers = await queries().lastNumbers([one.id, anId()]);
      for (const [sandbox, seq] of [
        [false, 2n],
        [true, 1n],
      ] as const)
        expect(numbers).toContainEqual({ ...of, sandbox, seq, stream: 'invoices' });
      expect(new Set(numbers.map(({ merchantId }) => merchantId))).toEqual(new Set([one.id]));
      const both = await queries().lastNumbers([one.id, other.id]);
      expect(both.filter(({ seq, stream }) => stream === 'events' || seq > 0n)).toHaveLength(6);
    });

    test('the hashes of keys are told, of all or of those since a time, revoked ones too', async () => {
      const { id: merchantId } = await storage.merchant();
      const keys = [0, 10, 20].map((seconds) => aKey({ merchantId, createdAt: secondsAfter(seconds) }));
      for (const key of keys) await storage.run((r) => r.merchants.putKey(key, null));
      const hashes = keys.map(({ lookupHash }) => lookupHash);
      const told = async (since: Date | null) =>
        (await queries().keyHashes(since)).filter((hash) => hashes.includes(hash)).toSorted();
      expect(await told(null)).toEqual(hashes.toSorted());
      expect(await told(secondsAfter(10))).toEqual(hashes.slice(1).toSorted());
      expect(await told(secondsAfter(20.001))).toEqual([]);
    });
  });
}
