/** `bun run treasury`: forwards on demand, what status shows of them, and giving one up. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { consoleUsers } from '../support/console/console-users.ts';
import { runHere } from '../support/operators/run-script.ts';
import { type ForwardJourney, openForwardJourney } from '../support/payouts/forward-journey.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { temporaryDirectory } from '../support/runtime/temp-directory.ts';
import { type Json, TEST_MASTER_KEY } from '../support/test-service.ts';

const USDT = 'usdt_ethereum';
const RULES = { [USDT]: { above: '100', keep: '20' } };

describe.skipIf(!needs('postgres', postgresAvailable()))('forwards for operators', () => {
  let journey: ForwardJourney;
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
  let env: Record<string, string>;
  beforeAll(async () => {
    journey = await openForwardJourney({ chain: 'ethereum', asset: USDT, rules: RULES });
    folder = await temporaryDirectory();
    const file = join(folder.path, 'config.json');
    await writeFile(file, JSON.stringify({ treasury: { forward: RULES } }));
    env = {
      ...{ DATABASE_URL: journey.it.databaseUrl, MASTER_KEY: TEST_MASTER_KEY, CHAINS: 'fake' },
      ...{ DATA_DIR: journey.it.service.config.dataDir, CONFIG_FILE: file },
    };
    await journey.fund('4', 'eth_ethereum');
    await journey.fund('60');
  });
  afterAll(async () => {
    await journey.close();
    await folder.remove();
  });

  async function treasury(code: number, ...args: string[]): Promise<Json> {
    const ended = await runHere('treasury', [...args, '--json'], env);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: ended.stderr });
    return JSON.parse(ended.stdout);
  }
  async function status(): Promise<Json> {
    return (await treasury(0, 'status', '--chain', 'ethereum')).chains[0];
  }
  const text = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await runHere('treasury', args, env);
    return stdout + stderr;
  };

  test('forward plans one, which a worker carries out; status shows both', async () => {
    expect(await status()).toMatchObject({ forwards: [], forward_requests: [] });
    const planned = [{ asset: USDT, chain: 'ethereum' }];
    expect(await treasury(0, 'forward', '--asset', USDT)).toEqual({ planned });
    expect(await treasury(0, 'forward', '--chain', 'ethereum')).toEqual({ planned });
    expect(await status()).toMatchObject({ forwards: [], forward_requests: [{ asset: USDT }] });
    expect(await text('status', '--chain', 'ethereum')).toContain(`FORWARD of ${USDT} requested`);
    await journey.forward();
    expect(await status()).toMatchObject({
      forwards: [{ status: 'allocated', asset: USDT, amount: '40', to: journey.cold, txid: null }],
      forward_requests: [],
    });
    await journey.finish();
    const [forward] = await journey.forwards();
    expect(await status()).toMatchObject({ forwards: [{ status: 'confirmed', txid: forward!.txid }] });
    expect(await text('status', '--chain', 'ethereum')).toContain('confirmed');
  });

  test('giveup gives one up by the id of its transfer', async () => {
    await journey.fund('200');
    await journey.forward();
    const [forward] = await journey.forwards();
    expect(await treasury(0, 'giveup', forward!.id)).toMatchObject({
      transfer: { transfer_id: forward!.id, purpose: 'forward', wallet: journey.hot },
    });
    await journey.finish();
    expect(await status()).toMatchObject({ forwards: [{ reason_code: 'operator', status: 'failed' }] });
    expect(await text('giveup', forward!.id)).toContain('nothing of it is on its way');
    await journey.booksAreRight();
  });

  test('what has no threshold is refused, and so is what cannot be meant', async () => {
    expect((await treasury(1, 'forward', '--asset', 'eth_ethereum')).error).toMatchObject({
      ...{ code: 'NOT_FOUND', message: expect.stringContaining('no threshold for eth_ethereum') },
    });
    expect(await text('forward')).toContain('name an --asset or a --chain');
    expect(await text('forward', '--chain', 'bsc', '--asset', USDT)).toContain('is not on bsc');
  });

  test('an operator of the console asks for one and gives one up, each with its entry', async () => {
    const { it, clock, merchant } = journey;
    const users = consoleUsers(it, clock, merchant.id);
    const [treasurer, viewer] = [await users.user('treasurer'), await users.user('viewer')];
    const at = '/o/wallets/ethereum/forward';
    const page = async (): Promise<string> => users.page(treasurer, '/o/wallets/ethereum');
    const written = async (action: string) =>
      (
        await it.service.dependencies.operatorQueries.auditEntries(
          { ...ANYTHING, action, actor: treasurer.email },
          { before: null, limit: 9 },
        )
      ).map(({ note, subjectId }) => note ?? subjectId);

    await journey.fund('40');
    await users.post(treasurer, at, { asset: USDT });
    expect(await page()).toContain('within a day');
    expect(await written('forward.requested')).toEqual([USDT]);
    await journey.forward();
    const [forward] = await journey.forwards();
    expect(await page()).toContain(forward!.id);
    await users.post(treasurer, `${at}/give-up`, { id: forward!.id });
    expect(await written('forward.given_up')).toEqual([forward!.id]);
    await journey.finish();

    // Refused: nothing is asked for, and nothing written.
    for (const [path, fields] of [
      [at, { asset: 'eth_ethereum' }],
      [`${at}/give-up`, { id: forward!.id }],
      [`${at}/give-up`, { id: merchant.id }],
    ] as const)
      expect(await users.refused(treasurer, path, fields)).toBe(400);
    expect(await users.refused(viewer, at, { asset: USDT })).toBe(404);
    expect(await status()).toMatchObject({ forward_requests: [] });
    expect([await written('forward.requested'), await written('forward.given_up')]).toEqual([
      [USDT],
      [forward!.id],
    ]);
    expect(await users.text(treasurer, '/o/wallets/ethereum/set-up', {})).toContain('nothing to set');
  });
});

const ANYTHING = { merchantId: null, subject: null, subjectId: null, from: null, to: null };
