/**
 * `bun run treasury` and `bun run reconcile` as processes, on the database of a service that runs
 * meanwhile.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { usdt } from '../support/fake/fake-journey.ts';
import { type ProgramName, runHere } from '../support/operators/run-script.ts';
import { openTreasuryJourney, type TreasuryJourney, USDT } from '../support/payouts/treasury-journey.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { type Json, TEST_MASTER_KEY } from '../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('the treasury for operators', () => {
  let journey: TreasuryJourney;
  let address: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    journey = await openTreasuryJourney({ funded: true });
    address = await journey.credited('3');
    // The fake chains of a script are its own, and empty.
    env = {
      CHAINS: 'fake',
      DATABASE_URL: journey.it.databaseUrl,
      MASTER_KEY: TEST_MASTER_KEY,
      DATA_DIR: journey.it.service.config.dataDir,
    };
  });
  afterAll(() => journey.close());

  async function json(code: number, script: ProgramName, ...args: string[]): Promise<Json> {
    const ended = await runHere(script, [...args, '--json'], env);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: ended.stderr });
    return JSON.parse(ended.stdout);
  }
  async function text(script: ProgramName, ...args: string[]): Promise<string> {
    const { stdout, stderr } = await runHere(script, args, env);
    return stdout + stderr;
  }

  test('status tells the hot wallet, what lies at deposit addresses and the switch', async () => {
    const found = await json(0, 'treasury', 'status', '--chain', 'ethereum');
    expect(found.signing_stopped).toBeNull();
    expect(found.chains).toHaveLength(1);
    expect(found.chains[0]).toMatchObject({ chain: 'ethereum', hot_wallet: journey.on.deriver.hotWallet() });
    expect(found.chains[0].assets).toContainEqual(
      expect.objectContaining({ asset: USDT, hot_wallet: '0', to_sweep: '3', undecided: '0', lacking: '0' }),
    );
    expect(await text('treasury', 'status', '--chain', 'ethereum')).toContain('signing: on');
  });

  test('sweep plans it once, whatever it costs, and the worker carries it out', async () => {
    const planned = { chain: 'ethereum', address, asset: USDT, amount: '3' };
    const args = ['sweep', '--chain', 'ethereum', '--address', journey.on.deriver.normalize(address) ?? ''];
    expect(await json(0, 'treasury', ...args)).toEqual({ planned: [planned] });
    expect(await json(0, 'treasury', ...args)).toEqual({ planned: [] });
    await journey.sweepToTheEnd();
    expect(journey.balanceOf(journey.hot, USDT)).toBe(usdt('3'));
    // Nobody had sent gas there: it came first.
    expect(await journey.transfersOf('topup', address)).toMatchObject([{ status: 'confirmed' }]);
  });

  test('giveup gives up a sweep by its id, or a transfer by its own, and says what gas that needs', async () => {
    const fresh = journey.on.deriver.normalize(await journey.credited('250')) ?? '';
    await journey.sweep();
    const [gas] = await journey.transfersOf('topup', fresh);
    const given = await json(0, 'treasury', 'giveup', gas?.id ?? '');
    // The script's own chain has no money.
    expect(given).toMatchObject({
      status: 'topping_up',
      transfer: {
        transfer_id: gas?.id,
        purpose: 'topup',
        wallet: journey.hot,
        nonce: String(gas?.nonce),
      },
      gas: { asset: 'eth_ethereum', has: '0', lacking: true },
    });
    expect(await text('treasury', 'giveup', given.sweep_id)).toContain('IT LACKS GAS');
    await journey.finish();
    await journey.sweep();
    expect(await journey.sweepsOf(fresh)).toMatchObject([{ status: 'failed' }]);
    expect(await text('treasury', 'giveup', given.sweep_id)).toContain('it is failed');
    expect(await text('treasury', 'giveup', '0'.repeat(24))).toContain('No such sweep');
  });

  test('the audit log has who asked for sweeps, and who gave one up', async () => {
    const { entries } = await json(0, 'audit', 'list', '--subject', 'sweep');
    const hexAddress = journey.on.deriver.normalize(address);
    const asked = { action: 'sweep.requested', subject_id: null, note: `ethereum ${hexAddress}` };
    expect(entries.toReversed()).toMatchObject([
      asked,
      asked,
      {
        ...{ action: 'sweep.given_up', actor_kind: 'script', before: { status: 'topping_up' } },
        after: { status: 'topping_up', transfers: [{ purpose: 'topup', given_up: true }] },
      },
      // Again, with nothing more to give up.
      { action: 'sweep.given_up', before: { status: 'topping_up' } },
    ]);
  });

  test('topup tells where to send what', async () => {
    const { send } = await json(0, 'treasury', 'topup', '--chain', 'ethereum');
    expect(send).toContainEqual({
      chain: 'ethereum',
      asset: 'eth_ethereum',
      to: journey.on.deriver.hotWallet(),
      has: '0',
      lacks: '0',
    });
    const told = await text('treasury', 'topup', '--chain', 'ethereum');
    expect(told).toContain('Where to send money to from outside (this command sends nothing)');
    expect(told).toContain('bun run treasury sweep --chain CHAIN --address ADDRESS');
  });

  test('what cannot be meant is refused before anything is opened', async () => {
    expect(await text('treasury', 'book', '--chain', 'bsc', '--asset', USDT)).toContain('is not on bsc');
    expect(await text('treasury', 'sweep', '--address', address)).toContain('--address needs --chain');
    expect(await text('treasury', 'sweep', '--chain', 'ethereum', '--address', 'x')).toContain(
      'must be an address',
    );
    expect(await text('reconcile', '--height', '5')).toContain('--height needs --chain');
  });

  test('reconcile exits 1 when a chain cannot be checked, and 0 for the books alone', async () => {
    // The script's own ethereum has one block, and the scanner has read more.
    const { agree, chains } = await json(1, 'reconcile', '--chain', 'ethereum');
    expect([agree, chains]).toEqual([
      false,
      [expect.objectContaining({ chain: 'ethereum', unavailable: expect.any(String) })],
    ]);
    expect(await json(0, 'reconcile', '--books-only')).toEqual({
      agree: true,
      faults: [],
      chains: [],
      not_checked: [],
    });
  });
});
