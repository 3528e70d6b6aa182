/**
 * An older backup is put back while the chain went on: nothing is forwarded before the chain was
 * read, and what was forwarded since is not forwarded again.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { type ForwardJourney, openForwardJourney } from '../../support/payouts/forward-journey.ts';
import { type DatabaseBackup, databaseBackup } from '../../support/postgres/database-backup.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const CASES = [
  { chain: 'ethereum', asset: 'usdt_ethereum', coin: 'eth_ethereum' },
  { chain: 'tron', asset: 'usdt_tron', coin: 'trx_tron' },
  { chain: 'solana', asset: 'sol_solana', coin: null },
  { chain: 'xrp', asset: 'xrp_xrp', coin: null },
  { chain: 'ton', asset: 'ton_ton', coin: null },
  { chain: 'bitcoin', asset: 'btc_bitcoin', coin: null },
] as const;

describe.skipIf(!needs('postgres', postgresAvailable()))('after an older backup', () => {
  let journey: ForwardJourney | null = null;
  let kept: DatabaseBackup | null = null;
  afterEach(async () => {
    await kept?.close();
    await journey?.close();
    [kept, journey] = [null, null];
  });

  async function open({ chain, asset, coin }: (typeof CASES)[number]) {
    const rules = { [asset]: { above: '100', keep: '20' } };
    journey = await openForwardJourney({ chain, asset, rules });
    kept = databaseBackup(journey.it.databaseUrl);
    if (coin !== null) await journey.fund('1000', coin);
    await journey.fund('150');
    return { on: journey, backup: kept };
  }
  /** Longer than any restart, with the chain read now and then. */
  async function minutes(on: ForwardJourney): Promise<void> {
    for (let round = 0; round < 6; round += 1) {
      on.clock.advance(120);
      await on.mine(2);
    }
  }

  test.each(CASES)(
    'G12 and K4: $asset that was ordered in it, and sent since, is not sent again',
    async (its) => {
      const { on, backup } = await open(its);
      await on.forward();
      await backup.take();
      await on.finish();
      const received = on.received();
      expect(received).toBeGreaterThan(0n);
      on.clock.advance(120);
      await backup.putBack();
      // With money enough to send it once more.
      const units = on.units('500');
      if (its.chain === 'bitcoin') on.control().pay({ to: on.hot, asset: its.asset, units });
      else on.control().fund(on.hot, its.asset, units);
      await on.it.settle();
      await on.forward();
      await minutes(on);
      await on.forward();
      await on.finish();
      expect(on.received()).toBe(received);
      expect(await on.forwards()).toMatchObject([{ status: 'failed' }]);
    },
  );

  test.each(CASES)(
    'G12 and K4: $asset that was ordered and sent since is not sent again, until somebody looked',
    async (its) => {
      const { on, backup } = await open(its);
      await on.run('reconcile');
      await backup.take();
      await on.forward();
      await on.finish();
      const received = on.received();
      expect(received).toBeGreaterThan(0n);
      on.clock.advance(120);
      await backup.putBack();
      // The gate notices at the next look; the process still has its reconciliation.
      await on.run(`send:${its.chain}`);
      await on.run(`forward:${its.chain}`);
      expect(on.bar()).toBe('start');
      await minutes(on);
      await on.run(`forward:${its.chain}`);
      await on.forward();
      expect(await on.forwards()).toEqual([]);
      await on.finish();
      expect(on.received()).toBe(received);
      if (its.chain === 'bitcoin') return;
      expect(on.bar()).toBe('books');
      // An operator has looked, and books what left.
      for (const asset of [its.asset, ...(its.coin === null ? [] : [its.coin])]) {
        const { dependencies } = on.it.service;
        expect((await bookCapital(dependencies, on.on())({ asset, note: '', dryRun: false })).ok).toBe(true);
      }
      on.clock.advance(60);
      await on.forward();
      expect(await on.forwards()).toEqual([]);
      await on.fund('120');
      await on.forward();
      await on.finish();
      expect(on.received()).toBeGreaterThan(received);
      await on.booksAreRight();
    },
  );
});
