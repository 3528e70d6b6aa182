/** What payouts and gas need stays, and nothing is forwarded while something is not known. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { nonceFinder } from '../../../src/app/sending/nonces/next-nonce.ts';
import { aheadOfUs } from '../../../src/app/sending/nonces/nonce-ahead.ts';
import { startSigning, stopSigning } from '../../../src/app/sending/operate-payouts.ts';
import { lockedMoney, seeMoney } from '../../../src/app/treasury/forwards/forward-money.ts';
import type { Forwarding } from '../../../src/app/treasury/forwards/forwarding.ts';
import { requestForward } from '../../../src/app/treasury/forwards/operate-forwards.ts';
import { orderForward } from '../../../src/app/treasury/forwards/order-forward.ts';
import { type ForwardJourney, openForwardJourney } from '../../support/payouts/forward-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const ETH = 'eth_ethereum';
const USDT = 'usdt_ethereum';
const RULES = { [USDT]: { above: '100', keep: '20' }, [ETH]: { above: '5', keep: '1' } };

describe.skipIf(!needs('postgres', postgresAvailable()))('a forward', () => {
  let journey: ForwardJourney;
  beforeEach(async () => {
    journey = await openForwardJourney({ chain: 'ethereum', asset: USDT, rules: RULES });
    await journey.fund('4', ETH);
  });
  afterEach(() => journey.close());

  const deps = () => journey.it.service.dependencies;
  const alarms = (event: string) => journey.lines.filter((line) => line.event === event);

  test('G12: leaves what pending and processing payouts need, held ones too', async () => {
    await journey.earn(1_000);
    await journey.fund('200');
    await stopSigning(deps())('payouts wait');
    const [waits, held] = [await journey.order(30), await journey.order(45)];
    await deps().unitOfWork.run(async ({ payouts }) => {
      const payout = await payouts.lock(held);
      if (payout !== null) await payouts.save({ ...payout, held: { code: 'limit', text: 'a test' } });
    });
    await journey.forward();
    expect([journey.bar(), await journey.forwards()]).toEqual(['stopped', []]);
    await startSigning(deps())();
    // It has its place, and is not mined: 200 - 30 - 45 - 20.
    await journey.it.settle();
    expect((await journey.payout(waits)).status).toBe('processing');
    await journey.forward();
    expect((await journey.forwards()).map(({ units }) => units)).toEqual([journey.units('105')]);
    await journey.finish();
    expect(journey.balance()).toBe(journey.units('65'));
    await journey.booksAreRight();
  });

  test('G12: of the coin leaves the fees of payouts that wait, and of itself', async () => {
    await journey.earn(1_000);
    await journey.fund('200');
    await journey.forward();
    await journey.finish();
    await journey.fund('2', ETH);
    await stopSigning(deps())('payouts wait');
    for (let count = 0; count < 3; count += 1) await journey.order(5);
    await startSigning(deps())();
    const before = journey.balance(ETH);
    await journey.forward();
    const [forward] = await journey.forwards(ETH);
    const { maxUnits } = await journey.on().sender.price({ asset: USDT, to: null });
    // Three payouts of a token, and its own fee with room for two replacements.
    const left = before - forward!.units - journey.units('1', ETH);
    expect(left).toBeGreaterThan(3n * maxUnits);
    expect(left).toBeLessThan(6n * maxUnits);
    await journey.finish();
    await journey.booksAreRight();
  });

  test('G12: is none while a payout lacks liquidity, in any asset of the chain', async () => {
    await journey.earn(1_000);
    await journey.fund('150');
    const waits = await journey.order(500);
    await journey.it.settle();
    expect((await journey.payout(waits)).status).toBe('pending');
    await journey.forward();
    expect([journey.bar(), await journey.forwards()]).toEqual(['liquidity', []]);
  });

  test('G12: is none before the books were compared, or while they do not agree', async () => {
    await journey.fund('150');
    await journey.run('forward:ethereum');
    expect([journey.bar(), await journey.forwards()]).toEqual(['books', []]);
    // A stranger sends something, which nobody has booked.
    journey.control().fund(journey.hot, USDT, 1n);
    await journey.mine();
    await journey.forward();
    expect(await journey.forwards()).toEqual([]);
    await journey.fund('1');
    await journey.forward();
    expect(await journey.forwards()).toHaveLength(1);
  });

  test('G12: is none after a transaction of the wallet that we do not know, until the books were compared', async () => {
    await journey.fund('150');
    await journey.run('reconcile');
    journey.clock.advance(1);
    const at = journey.clock.now();
    await deps().unitOfWork.run(({ unknown }) =>
      unknown.note({
        ...{
          chain: 'ethereum',
          wallet: journey.hot,
          txid: 'c'.repeat(64),
          nonce: 900n,
          feeUnits: null,
          harmless: false,
        },
        ...{ payments: [{ asset: USDT, to: journey.stranger(), units: 1n }] },
        ...{ block: { height: 1, hash: 'd'.repeat(64) }, minedAt: at, notedAt: at },
      }),
    );
    await journey.run('forward:ethereum');
    expect([journey.bar(), await journey.forwards()]).toEqual(['books', []]);
  });

  test('G12: is none where signing was stopped, or the start gate shut, in the moment before it is ordered', async () => {
    await journey.fund('150');
    const on = journey.on();
    const forwarding = (isShut: boolean): Forwarding => ({
      ...{ deps: deps(), on, rules: new Map(), limits: { floorUnits: new Map() }, books: () => null },
      gate: { isShut: () => isShut },
      nextNonce: nonceFinder(deps(), on, { aheadOfUs: aheadOfUs(deps(), on) }),
    });
    const wanted = {
      asset: USDT,
      rule: { aboveUnits: 0n, keepUnits: 0n },
      requested: false,
      cold: journey.cold,
    };
    const order = (isShut: boolean) => orderForward(forwarding(isShut), wanted);
    expect(await order(true)).toEqual({ kind: 'barred', bar: 'start' });
    await stopSigning(deps())('in between');
    expect(await order(false)).toEqual({ kind: 'barred', bar: 'stopped' });
    await startSigning(deps())();
    // Of what our records have, no more than the nodes show.
    const money = await seeMoney(forwarding(false), wanted);
    if (money === null) throw new Error('there is no money');
    const units = new Map([...money.seen.units, [USDT, journey.units('100')]]);
    const less = { ...money, seen: { ...money.seen, units } };
    const found = await deps().unitOfWork.run((on) => lockedMoney(forwarding(false), on, USDT, less));
    expect(found.spendableUnits).toBe(journey.units('100'));
    expect(await order(false)).toMatchObject({ kind: 'ordered', units: journey.units('150') });
  });

  test('G12: of UTXOs leaves what payouts that wait need, what is kept, and its own fee', async () => {
    const btc = 'btc_bitcoin';
    const rules = { [btc]: { above: '0.5', keep: '0.1' } };
    const coins = await openForwardJourney({ chain: 'bitcoin', asset: btc, rules });
    try {
      const on = coins.it.service.dependencies;
      await coins.earn(50_000);
      await coins.fund('1');
      await stopSigning(on)('payouts wait');
      await coins.order(0.3);
      await startSigning(on)();
      const free = await on.unitOfWork.run(async ({ utxos, chains }) =>
        utxos.freeUnits('bitcoin', (await chains.cursor('bitcoin'))?.finalizedHeight ?? 0),
      );
      await coins.forward();
      const [forward] = await coins.forwards();
      const { maxUnits } = await coins.on().sender.price({ asset: btc, to: coins.cold });
      const left = free - coins.units('0.3') - maxUnits - coins.units('0.1');
      expect(forward?.units ?? 0n).toBeLessThanOrEqual(left - maxUnits);
      expect(forward?.units ?? 0n).toBeGreaterThan(left - coins.units('0.01'));
    } finally {
      await coins.close();
    }
  });

  test('G12: takes only what is final and booked', async () => {
    await journey.fund('150');
    await journey.run('reconcile');
    journey.control().fund(journey.hot, USDT, journey.units('1000'));
    await journey.mine(1);
    await journey.run('forward:ethereum');
    expect((await journey.forwards()).map(({ units }) => units)).toEqual([journey.units('130')]);
  });

  test('G12: is one, whoever looks at the same time', async () => {
    await journey.fund('150');
    await journey.run('reconcile');
    await Promise.all(Array.from({ length: 4 }, () => journey.run('forward:ethereum')));
    expect(await journey.forwards()).toHaveLength(1);
  });

  test('G12: and payouts ordered at the same time do not spend the same money', async () => {
    await journey.earn(1_000);
    await journey.fund('150');
    await journey.run('reconcile');
    const ids = await Promise.all([journey.order(60), journey.order(50), journey.order(40)]);
    await Promise.all([journey.run('forward:ethereum'), journey.run('send:ethereum')]);
    await journey.finish();
    await journey.finish();
    const paid = await Promise.all(ids.map((id) => journey.payout(id)));
    expect(paid.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
    await journey.booksAreRight();
  });

  test('needs the coin for its fee', async () => {
    const poor = await openForwardJourney({ chain: 'ethereum', asset: USDT, rules: RULES });
    try {
      await poor.fund('150');
      await poor.forward();
      expect([poor.bar(), await poor.forwards()]).toEqual(['fee', []]);
    } finally {
      await poor.close();
    }
  });

  test('is made below the threshold when an operator asks, once, and keeps as much', async () => {
    await journey.fund('60');
    await requestForward(deps(), { chain: 'ethereum', asset: USDT });
    await requestForward(deps(), { chain: 'ethereum', asset: USDT });
    await journey.forward();
    await journey.finish();
    await journey.forward();
    expect((await journey.forwards()).map(({ units }) => units)).toEqual([journey.units('40')]);
    // Nothing is left above what is kept: the request ends.
    await requestForward(deps(), { chain: 'ethereum', asset: USDT });
    await journey.forward();
    expect(alarms('forward.request_dropped')).toHaveLength(1);
    await journey.forward();
    expect(alarms('forward.request_dropped')).toHaveLength(1);
    expect(await journey.forwards()).toHaveLength(1);
  });

  test('that an operator asks for and something bars ends after a day', async () => {
    await journey.fund('60');
    await stopSigning(deps())('for long');
    await requestForward(deps(), { chain: 'ethereum', asset: USDT });
    await journey.forward();
    journey.clock.advance(86_399);
    await journey.forward();
    expect(alarms('forward.request_dropped')).toEqual([]);
    journey.clock.advance(1);
    await journey.forward();
    expect(alarms('forward.request_dropped')).toMatchObject([{ fields: { asset: USDT } }]);
  });
});
