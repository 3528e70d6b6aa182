/**
 * Jobs of money that are told to stop while a page of work is under way: what has begun is finished
 * and recorded, nothing more begins, and the next run goes on where this one ended.
 */
import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from 'bun:test';
import type { ChainSender } from '../../../src/ports/sending/chain-sender.ts';
import { anAddress } from '../../support/builders.ts';
import { usdt } from '../../support/fake/fake-journey.ts';
import { postBatch } from '../../support/payout-drill/world.ts';
import {
  ETH,
  ETHER,
  openTreasuryJourney,
  type TreasuryJourney,
  USDT,
} from '../../support/payouts/treasury-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const PAYOUTS = 150;

describe.skipIf(!needs('postgres', postgresAvailable()))('a job that is told to stop', () => {
  let journey: TreasuryJourney;
  beforeEach(async () => {
    journey = await openTreasuryJourney({ funded: true });
  });
  afterEach(() => journey.close());

  const run = <T>(work: Parameters<typeof journey.it.service.dependencies.unitOfWork.run<T>>[0]) =>
    journey.it.service.dependencies.unitOfWork.run(work);
  /** Stops at the call of the method that makes so many. */
  function stopsAt(sender: ChainSender, method: 'broadcast' | 'reportedNonces' | 'balances', calls: number) {
    const stopping = new AbortController();
    const original = sender[method] as (...given: readonly unknown[]) => Promise<unknown>;
    const spy = spyOn(sender, method as never) as unknown as Mock<typeof original>;
    spy.mockImplementation((...given) => {
      if (spy.mock.calls.length === calls) stopping.abort();
      return original(...given);
    });
    return {
      signal: stopping.signal,
      /** Ends it; returns how many calls there were. */
      end() {
        const made = spy.mock.calls.length;
        spy.mockRestore();
        return made;
      },
    };
  }

  test('records all payouts that it broadcast, and the next run sends the others, each once', async () => {
    await journey.credited('1000');
    journey.chain().fund(journey.hot, USDT, usdt('1000'));
    await journey.mineToFinality();
    await journey.bookAll();
    const owed = Array.from({ length: PAYOUTS }, (_, nth) => ({
      ...{ address: anAddress(), asset: USDT, units: usdt('1') + BigInt(nth) },
    }));
    for (const { status } of await postBatch(journey.it, journey.merchant, owed))
      expect(status).toBe('pending');
    const { sender } = journey.it.service.sending.chains.get('ethereum')!;
    const stop = stopsAt(sender, 'broadcast', 5);
    await journey.it.run('send:ethereum', stop.signal);
    const broadcasts = stop.end();
    expect(broadcasts).toBeLessThan(PAYOUTS);
    const open = await run(({ outgoing }) => outgoing.open('ethereum', 1_000));
    // No bytes may be lost: what a signer was asked for is stored.
    expect(open.filter(({ status, openAttempts }) => status !== 'signed' && openAttempts > 0)).toEqual([]);
    const signed = await run(({ outgoing }) => outgoing.signedOf(open.map((one) => one.transferBatchId)));
    expect(signed.filter(({ broadcastAt }) => broadcastAt !== null)).toHaveLength(broadcasts);
    for (let round = 0; round < 10; round += 1) {
      await journey.it.run('send:ethereum');
      await journey.mineToFinality();
    }
    const received = owed.map((one) => journey.balanceOf(one.address.toLowerCase(), USDT));
    expect(received).toEqual(owed.map(({ units }) => units));
    const transfers = await journey.transfersOf('payout', journey.hot);
    expect(transfers.map(({ status }) => status)).toEqual(Array(PAYOUTS).fill('confirmed'));
    await journey.booksAreRight();
  });

  test('ends the set of sweeps that it began, begins no other, and the next run goes on', async () => {
    const tokens = [await journey.credited('250'), await journey.credited('250')];
    const coins = [];
    for (let nth = 0; nth < 3; nth += 1) coins.push(await journey.credited(String(ETHER), ETH));
    const stop = stopsAt(journey.on.sender, 'reportedNonces', 1);
    await journey.sweep(1, stop.signal);
    stop.end();
    const statuses = async (addresses: readonly string[]) =>
      (await Promise.all(addresses.map(journey.sweepsOf))).flat().map(({ status }) => status);
    // Tokens and coins are sets of their own; which is first hangs on the ids.
    const seen = [await statuses(tokens), await statuses(coins)].map((some) => [...new Set(some)].join());
    expect([
      ['topping_up', 'planned'],
      ['planned', 'sweeping'],
    ]).toContainEqual(seen);
    await journey.sweepToTheEnd();
    expect(await statuses([...tokens, ...coins])).toEqual(Array(5).fill('done'));
    await journey.booksAreRight();
    expect(await journey.reconciled()).toMatchObject({ differences: [], unavailable: null });
  });

  test('reports no reconciliation that it did not end, and the next run makes a whole one', async () => {
    await journey.credited('250');
    const stop = stopsAt(journey.on.sender, 'balances', 1);
    await journey.it.run('reconcile', stop.signal);
    // The hot wallet: no page of addresses was asked for.
    expect(stop.end()).toBe(1);
    const newest = () => run(({ reconciliations }) => reconciliations.last());
    expect(await newest()).toBeNull();
    await journey.it.run('reconcile');
    const chains = [{ chain: 'ethereum', differences: 0, checked: true }];
    expect(await newest()).toMatchObject({ faults: 0, chains: expect.arrayContaining(chains) });
  });
});
