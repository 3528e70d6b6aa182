/**
 * Money above a threshold goes to the cold address, once, on every family that sends; and the books
 * know it.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { type ForwardJourney, openForwardJourney } from '../../support/payouts/forward-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const ready = needs('postgres', postgresAvailable());
/** A token where the chain has one, with gas, and the coin. */
const CASES = [
  { chain: 'ethereum', asset: 'usdt_ethereum', coin: 'eth_ethereum' },
  { chain: 'ethereum', asset: 'eth_ethereum', coin: null },
  { chain: 'tron', asset: 'usdt_tron', coin: 'trx_tron' },
  { chain: 'tron', asset: 'trx_tron', coin: null },
  { chain: 'solana', asset: 'usdc_solana', coin: 'sol_solana' },
  { chain: 'solana', asset: 'sol_solana', coin: null },
  { chain: 'xrp', asset: 'xrp_xrp', coin: null },
  { chain: 'ton', asset: 'usdt_ton', coin: 'ton_ton' },
  { chain: 'ton', asset: 'ton_ton', coin: null },
  { chain: 'bitcoin', asset: 'btc_bitcoin', coin: null },
  { chain: 'litecoin', asset: 'ltc_litecoin', coin: null },
  { chain: 'bitcoincash', asset: 'bch_bitcoincash', coin: null },
] as const;

describe.skipIf(!ready)('forwards to the cold address', () => {
  let journey: ForwardJourney | null = null;
  afterEach(async () => {
    await journey?.close();
    journey = null;
  });

  test.each(CASES)('G12: $asset: what is above is sent once, and keeps what it should', async (its) => {
    const { chain, asset, coin } = its;
    const rules = { [asset]: { above: '100', keep: '20' } };
    journey = await openForwardJourney({ chain, asset, rules });
    if (coin !== null) await journey.fund('1000', coin);
    await journey.fund('100');
    await journey.forward();
    expect(await journey.forwards()).toEqual([]);
    await journey.fund('50');
    await journey.forward();
    await journey.forward();
    const [forward, ...others] = await journey.forwards();
    expect(others).toEqual([]);
    expect(forward).toMatchObject({ purpose: 'forward', to: journey.cold, status: 'allocated' });
    await journey.finish();
    expect(await journey.forwards()).toMatchObject([{ status: 'confirmed' }]);
    const received = journey.received();
    expect(received).toBe(forward!.units);
    expect(received).toBeLessThanOrEqual(journey.units('130'));
    expect(received).toBeGreaterThan(journey.units('129'));
    await journey.booksAreRight();
    await journey.forward();
    expect(await journey.forwards()).toHaveLength(1);
  });
});
