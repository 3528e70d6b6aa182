/** The contract of UnknownTransactionRepository (safety.md K4). */
import { describe, expect, test } from 'bun:test';
import type { NotedTransaction } from '../../../src/ports/chains/unknown-transactions.ts';
import { aHash, anAddress, anId, aPayout, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

type Noted = NotedTransaction & { readonly block: { readonly height: number; readonly hash: string } };

export function describeUnknownTransactions(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: unknown transactions`, () => {
    const storage = openedFor(open);
    const payment = { to: anAddress(), asset: 'usdt_ethereum', units: 2n ** 200n };
    /** It pays once; on a chain of its own. */
    const aTransaction = (given: Partial<Noted> = {}): Noted => ({
      ...{ chain: `chain-${anId()}`, txid: aHash(), wallet: anAddress(), nonce: 3n, feeUnits: 21n },
      ...{ payments: [payment], harmless: false, block: { height: 10, hash: aHash() } },
      ...{ minedAt: NOW, notedAt: secondsAfter(9) },
      ...given,
    });
    const note = (noted: Noted) => storage.run((r) => r.unknown.note(noted));
    const lock = ({ chain, txid }: Noted) => storage.run((r) => r.unknown.lock(chain, txid));
    const paidSince = ({ chain }: Noted, since: Date) =>
      storage.run((r) => r.unknown.paidSince(chain, since));

    test('it is noted once, and seen again it takes its present block alone', async () => {
      const noted = aTransaction({ payments: [payment, { ...payment, vout: 1 }] });
      expect(await note(noted)).toBe(true);
      expect(await lock(noted)).toEqual(noted);
      expect(await note({ ...noted, chain: `${noted.chain}-2` })).toBe(true);
      const block = { height: 12, hash: aHash() };
      const times = { minedAt: secondsAfter(60), notedAt: secondsAfter(61) };
      expect(await note({ ...noted, ...times, block, nonce: 4n, payments: [], harmless: true })).toBe(false);
      expect(await lock(noted)).toEqual({ ...noted, block });
      expect(await lock(aTransaction())).toBeNull();
    });

    test('one that paid nobody and pays somebody in another block is new again, once', async () => {
      const failed = aTransaction({ nonce: null, feeUnits: null, payments: [], harmless: true });
      expect(await note(failed)).toBe(true);
      expect(await note(failed)).toBe(false);
      expect(await paidSince(failed, NOW)).toBe(false);
      const paid: Noted = { ...failed, payments: [payment], harmless: false };
      expect(await note(paid)).toBe(true);
      expect(await note(paid)).toBe(false);
      expect(await note(failed)).toBe(false);
      expect(await lock(failed)).toEqual(paid);
    });

    test('two looks in one transaction count as two', async () => {
      const failed = aTransaction({ payments: [], harmless: true });
      const looks = await storage.run(async (r) => [
        await r.unknown.note(failed),
        await r.unknown.note(failed),
        await r.unknown.note({ ...failed, payments: [payment], harmless: false }),
        await r.unknown.note({ ...failed, payments: [payment], harmless: false }),
      ]);
      expect(looks).toEqual([true, false, true, false]);
    });

    test('a reorganisation takes the blocks above it, on its chain, until they are seen again', async () => {
      const below = aTransaction();
      const above = aTransaction({ chain: below.chain, block: { height: 11, hash: aHash() } });
      const elsewhere = aTransaction({ block: above.block });
      const newest = () => storage.run((r) => r.unknown.newestBlock(below.chain));
      expect(await newest()).toBeNull();
      for (const each of [below, above, elsewhere]) await note(each);
      expect(await newest()).toBe(11);
      const orphan = (...kept: readonly string[]) =>
        storage.run((r) => r.unknown.orphanAbove(below.chain, 10, kept));
      expect(await orphan(aHash(), above.block.hash)).toBe(false);
      expect(await lock(above)).toEqual(above);
      expect([await orphan(aHash()), await orphan()]).toEqual([true, false]);
      expect(await newest()).toBe(10);
      expect(await lock(below)).toEqual(below);
      expect(await lock(above)).toEqual({ ...above, block: null });
      expect(await lock(elsewhere)).toEqual(elsewhere);
      expect(await note(above)).toBe(false);
      expect(await lock(above)).toEqual(above);
    });

    test('it may have paid more than was found for it until each of its payments is, unread ones as one', async () => {
      const { id: merchantId } = await storage.merchant();
      const payouts = [aPayout({ merchantId }), aPayout({ merchantId }), aPayout({ merchantId })];
      for (const payout of payouts) await storage.run((r) => r.payouts.insert(payout));
      const twice = aTransaction({ payments: [payment, payment] });
      const unread = aTransaction({ payments: [] });
      await note(twice);
      await note(unread);
      const found = ({ chain, txid }: Noted, payoutId: string) =>
        storage.run((r) => r.unknown.found({ chain, txid, payoutId, at: NOW }));
      const foundFor = ({ chain, txid }: Noted) => storage.run((r) => r.unknown.foundFor(chain, txid));
      const told = ({ asset, address, sentUnits }: (typeof payouts)[number]) => ({
        asset,
        address,
        sentUnits,
      });

      expect(await paidSince(twice, twice.notedAt)).toBe(true);
      expect(await paidSince(twice, secondsAfter(10))).toBe(false);
      expect(await foundFor(twice)).toEqual([]);
      await found(twice, payouts[1]!.id);
      expect(await paidSince(twice, NOW)).toBe(true);
      await found(twice, payouts[0]!.id);
      expect(await paidSince(twice, NOW)).toBe(false);
      expect(await foundFor(twice)).toEqual([told(payouts[0]!), told(payouts[1]!)]);
      expect(await paidSince(unread, NOW)).toBe(true);
      // A payout was paid by one of them alone.
      await expect(found(unread, payouts[0]!.id)).rejects.toThrow('found_paid_pkey');
      await expect(found(aTransaction(), payouts[2]!.id)).rejects.toThrow('found_paid_chain_txid');
      await found(unread, payouts[2]!.id);
      expect(await paidSince(unread, NOW)).toBe(false);
    });
  });
}
