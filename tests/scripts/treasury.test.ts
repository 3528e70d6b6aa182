/** `bun run treasury` and `bun run reconcile` as processes, on the database of a service that runs meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { usdt } from '../support/fake-journey.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';
import { runScript } from '../support/run-script.ts';
import { type Json, TEST_MASTER_KEY } from '../support/test-service.ts';
import { openTreasuryJourney, type TreasuryJourney, USDT } from '../support/treasury-journey.ts';

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

  async function json(code: number, script: string, ...args: string[]): Promise<Json> {
    const ended = await runScript(script, [...args, '--json'], env);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: ended.stderr });
    return JSON.parse(ended.stdout);
  }
  async function text(script: string, ...args: string[]): Promise<string> {
    const { stdout, stderr } = await runScript(script, args, env);
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
    expect(await json(0, 'reconcile', '--books-only')).toEqual({ agree: true, faults: [], chains: [] });
  });
});
