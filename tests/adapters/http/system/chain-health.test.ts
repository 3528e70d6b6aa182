/**
 * What merchants and customers are told of chains whose payments are seen late, or that no node
 * ever showed.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { CHAINS } from '../../../../src/domain/catalog/chain.ts';
import type { HealthState } from '../../../../src/domain/chains/chain-health.ts';
import type { ChainStanding } from '../../../../src/ports/chains/chain-standing.ts';
import { NOW } from '../../../support/builders.ts';
import type { Answered } from '../../../support/http/called-server.ts';
import { type Harness, openHarness, stageHarness } from '../../../support/http/http-harness.ts';
import { postgresAvailable } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

stageHarness();

const late = (state: HealthState): ChainStanding => ({
  ...{ state, lagBlocks: 90, lagSeconds: 1_100, since: NOW, late: true },
});
const chainHealth = new Map<string, ChainStanding | null>([
  ...CHAINS.map(({ name }) => [name, null] as const),
  ['bitcoin', late('behind')],
  ['tron', late('away')],
  ['ethereum', { ...late('catching_up'), late: false }],
]);
// Solana was never reached; Monero is not configured at all.
const watchedChains = new Set(CHAINS.map(({ name }) => name).filter((name) => name !== 'solana'));
chainHealth.delete('monero');
watchedChains.delete('monero');

describe.skipIf(!needs('postgres', postgresAvailable()))('a chain that is not followed in time', () => {
  let it: Harness;
  beforeAll(async () => {
    it = await openHarness({ ports: { chainHealth, watchedChains } });
  });
  const invoice = (body: object, key?: string): Promise<Answered> =>
    it.call('POST', '/api/v2/invoices', {
      body: { amount: 50, fiat_currency: 'USD', ...body },
      ...(key === undefined ? {} : { key }),
    });
  const refusal = ({ status, json, headers }: Answered) => [
    status,
    json.error?.code,
    json.error?.details,
    headers.get('retry-after'),
  ];

  test('takes no new invoice: 503 with the chain, its state and when to ask again', async () => {
    const away = (chain: string, state: string) => [503, 'UNAVAILABLE', { chain, state }, '5'];
    expect(refusal(await invoice({ asset: 'btc_bitcoin' }))).toEqual(away('bitcoin', 'behind'));
    expect(refusal(await invoice({ asset: 'usdt_tron' }))).toEqual(away('tron', 'away'));
    const never = await invoice({ asset: 'sol_solana' });
    expect(refusal(never)).toEqual(away('solana', 'never_reached'));
    expect(never.json.error.message).toContain('solana is not reachable yet');
    expect((await invoice({ asset: 'xmr_monero' })).json.error.details.rule).toBe('asset_disabled');
    expect((await invoice({ asset: 'usdt_ethereum' })).status).toBe(201);
  });

  test('is no choice; where it is the only one that an invoice allows, the answer is 503 too', async () => {
    expect((await invoice({ accepted_coins: ['btc_bitcoin', 'usdt_ethereum'] })).status).toBe(201);
    expect(refusal(await invoice({ accepted_coins: ['btc_bitcoin'] })).slice(0, 2)).toEqual([
      ...[503, 'UNAVAILABLE'],
    ]);
    const none = await invoice({ accepted_coins: ['btc_bitcoin'], excluded_coins: ['btc_bitcoin'] });
    expect(none.json.error.details.rule).toBe('no_asset_left');
  });

  test('shows its assets as not enabled on live, and the sandbox knows nothing of it', async () => {
    const enabled = async (key?: string) => {
      const answer = await it.call('GET', '/api/v2/assets', key === undefined ? {} : { key });
      const listed: { asset: string; enabled: boolean }[] = answer.json.result;
      const wanted = ['btc_bitcoin', 'usdt_tron', 'sol_solana', 'usdt_ethereum'];
      return wanted.map((asset) => listed.find((one) => one.asset === asset)?.enabled);
    };
    expect(await enabled()).toEqual([false, false, false, true]);
    expect(await enabled(it.sandboxKey)).toEqual([true, true, true, true]);
    expect((await invoice({ asset: 'btc_bitcoin' }, it.sandboxKey)).status).toBe(201);
  });

  test('still pays out, and gives permanent addresses unless it was never reached', async () => {
    const permanent = (family: string) =>
      it.call('POST', '/api/v2/permanent', { body: { user_id: 'u', family } });
    expect((await permanent('tron')).status).toBe(201);
    expect(refusal(await permanent('solana'))).toEqual([
      ...[503, 'UNAVAILABLE', { chain: 'solana', state: 'never_reached' }, '5'],
    ]);
    const payout = await it.call('POST', '/api/v2/payouts', {
      body: { amount: 1, asset: 'usdt_tron', address: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7' },
      headers: { 'x-uniq-id': crypto.randomUUID() },
    });
    expect(payout.json.error.details.rule).toBe('insufficient_balance');
  });
});
