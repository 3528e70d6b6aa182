/**
 * Money out on the fake chains of bitcoin, litecoin and bitcoincash: what utxo-payouts.test.ts does
 * on real nodes, where none is there, and what nodes cannot be told to do: fees that rise, answers
 * that stay away.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { UTXO_FAMILIES } from '../../../src/domain/catalog/family.ts';
import { type FakeCoinJourney, openFakeCoinJourney } from '../../support/fake/fake-utxo-journey.ts';
import { COINS } from '../../support/fake/fake-utxo-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const STUCK_SECONDS = 91;

for (const family of UTXO_FAMILIES)
  describe.skipIf(!needs('postgres', postgresAvailable()))(`payouts on the fake ${family}`, () => {
    const asset = COINS[family];
    const { confirmations } = chainNamed(family);
    let at: FakeCoinJourney;
    beforeAll(async () => {
      at = await openFakeCoinJourney(family);
    });
    afterAll(() => at.journey.close());

    test('leave several in one transaction, and then from its change', async () => {
      await at.earn(1_000);
      const [before] = await at.free();
      const all = [150_000n, 250_000n, 350_000n].map(at.someone);
      const ids = await at.order(...all);
      await at.settle();
      const pending = await Promise.all(ids.map(at.payout));
      expect(new Set(pending.map(({ status }) => status))).toEqual(new Set(['processing']));
      expect(at.control().waiting()).toEqual([pending[0].txid]);
      await at.mine(confirmations - 1);
      expect((await at.payout(ids[0]!)).status).toBe('processing');
      await at.mine(1);
      const paid = await Promise.all(ids.map(at.payout));
      expect(new Set(paid.map(({ status, txid }) => `${status} ${txid}`))).toEqual(
        new Set([`success ${pending[0].txid}`]),
      );
      for (const { address, units } of all) expect(at.received(address)).toBe(units);
      await at.chainIsRight();
      // All that there is to spend is the change.
      const [change, ...others] = await at.free();
      expect(others).toEqual([]);
      expect(change).toMatchObject({ txid: pending[0].txid, vout: 3, key: { role: 'change' } });
      expect(before!.units - change!.units).toBeGreaterThan(750_000n);
      expect(before!.units - change!.units).toBeLessThan(760_000n);
      const next = at.someone(150_000n);
      const [id = ''] = await at.order(next);
      await at.settle();
      await at.mine();
      expect((await at.payout(id)).status).toBe('success');
      expect(at.received(next.address)).toBe(150_000n);
      await at.chainIsRight();
    });

    test('wait while every coin is on its way, and what the operator sends to the hot wallet is booked', async () => {
      const [first = ''] = await at.order(at.someone(150_000n));
      await at.settle();
      const [second = ''] = await at.order(at.someone(150_000n));
      await at.settle();
      expect((await at.payout(first)).status).toBe('processing');
      expect((await at.payout(second)).status).toBe('pending');
      at.control().fund(at.sending().deriver.hotWallet() ?? '', asset, 100_000_000n);
      await at.mine();
      await at.settle();
      await at.mine();
      expect((await at.payout(second)).status).toBe('success');
      await at.chainIsRight();
    });

    test('are replaced or pulled along by a child when fees rise, and pay once', async () => {
      await at.earn(1_000);
      const to = at.someone(150_000n);
      const [id = ''] = await at.order(to);
      await at.settle();
      const { txid: first } = await at.payout(id);
      at.control().setFeeLevel(500);
      await at.mine();
      expect(await at.payout(id)).toMatchObject({ status: 'processing', txid: first });
      at.journey.clock.advance(STUCK_SECONDS);
      await at.settle();
      await at.settle();
      const { tx_hashes: hashes } = await at.payout(id);
      const replaced = family === 'bitcoin';
      expect(hashes).toHaveLength(replaced ? 2 : 1);
      expect(at.control().waiting().includes(first)).toBe(!replaced);
      expect(at.control().waiting()).toHaveLength(replaced ? 1 : 2);
      await at.mine();
      at.control().setFeeLevel(100);
      await at.settle();
      expect(at.control().waiting()).toEqual([]);
      expect((await at.payout(id)).status).toBe('success');
      expect(at.received(to.address)).toBe(150_000n);
      await at.chainIsRight();
    });

    test('are processing again after a reorganisation of what was final, and paid once in the end', async () => {
      await at.earn(1_000);
      const to = at.someone(150_000n);
      const [id = ''] = await at.order(to);
      await at.settle();
      await at.mine();
      expect((await at.payout(id)).status).toBe('success');
      at.control().reorg(confirmations);
      at.control().mine();
      await at.settle();
      expect(at.received(to.address)).toBe(0n);
      const before = await at.journey.balance();
      await at.mine();
      await at.mine();
      expect((await at.payout(id)).status).toBe('success');
      expect(await at.journey.balance()).toEqual(before);
      expect(at.received(to.address)).toBe(150_000n);
      await at.chainIsRight();
    });

    test('pay once when nodes lose what they took, or take it and do not answer', async () => {
      await at.earn(1_000);
      for (const fault of ['lose', 'time_out', 'refuse'] as const) {
        const to = at.someone(150_000n);
        const [id = ''] = await at.order(to);
        at.control().spoilBroadcasts(fault);
        await at.settle();
        expect((await at.payout(id)).status).toBe('processing');
        at.control().spoilBroadcasts(null);
        await at.settle();
        await at.mine();
        expect((await at.payout(id)).status).toBe('success');
        expect(at.received(to.address)).toBe(150_000n);
      }
      await at.chainIsRight();
    });
  });
