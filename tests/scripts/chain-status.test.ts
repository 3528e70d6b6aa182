/** `bun run chains status`: what an operator sees of chains, and of the plans of their nodes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeDatabase } from '../../src/compose/database.ts';
import { aHash } from '../support/builders.ts';
import { runHere } from '../support/operators/run-script.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { silentLogger } from '../support/runtime/silent-logger.ts';
import { temporaryDirectory } from '../support/runtime/temp-directory.ts';
import { type Json, TEST_MASTER_KEY, testConfig } from '../support/test-service.ts';

const DAY_MS = 86_400_000;
const node = {
  url: 'https://eth.example/v3/a-secret-key',
  max_per_day: 20_000,
  price_per_million_calls: '5',
};
const FILE = {
  chains: {
    ethereum: { rpc: [node, 'https://other.example'] },
    tron: { rpc: ['https://tron.example'], behind_after_seconds: 900 },
    solana: { rpc: ['https://sol.example'] },
  },
};

describe.skipIf(!needs('postgres', postgresAvailable()))('the status of chains', () => {
  const now = new Date();
  const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1_000);
  let database: TestDatabase;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let env: Record<string, string>;

  beforeAll(async () => {
    [database, directory] = await Promise.all([testDatabase(), temporaryDirectory()]);
    const CONFIG_FILE = join(directory.path, 'config.json');
    writeFileSync(CONFIG_FILE, JSON.stringify(FILE));
    env = { DATABASE_URL: database.url, MASTER_KEY: TEST_MASTER_KEY, DATA_DIR: directory.path, CONFIG_FILE };
    const { ports, close } = await composeDatabase(testConfig(env), { logger: silentLogger });
    const usage = { state: 'able', chain: 'ethereum', node: 'node 1 (eth.example)' } as const;
    const day = Math.floor(now.getTime() / DAY_MS);
    const used = { day, calls: 1_000, refusals: 3, bytes: 500_000 };
    await ports.unitOfWork.run(async ({ chains, chainHealth, nodeUsage }) => {
      const cursor = { height: 90, hash: aHash(), coveredUntil: ago(700), finalizedHeight: 80 };
      await chains.moveCursor('ethereum', null, cursor);
      await chains.moveCursor('tron', null, { ...cursor, coveredUntil: ago(5) });
      const noted = { since: ago(60), answeredAt: ago(5), fault: null };
      const behind = { state: 'behind', lagBlocks: 59, lagSeconds: 700 } as const;
      await chainHealth.note('ethereum', { ...noted, ...behind, tip: { height: 149, time: ago(0) } });
      const ok = { state: 'ok', lagBlocks: 0, lagSeconds: 0, answeredAt: ago(1_000) } as const;
      await chainHealth.note('tron', { ...noted, ...ok, tip: { height: 90, time: ago(5) } });
      await nodeUsage.add([{ ...usage, used: { ...used, calls: 0 } }], ago(3_600));
      await nodeUsage.add([{ ...usage, used, stream: true }], now);
      await nodeUsage.add([{ ...usage, node: 'node 9 (gone.example)', used }], now);
    });
    await close();
  }, 120_000);
  afterAll(async () => {
    await database.drop();
    await directory.remove();
  });

  const status = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere('chains', ['status', ...args], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };

  test('tells state, lag and height of each configured chain, as of now and not as it was noted', async () => {
    const { chains }: Json = JSON.parse(await status('--json'));
    expect(chains).toHaveLength(3);
    expect(chains[0]).toMatchObject({ chain: 'ethereum', state: 'behind', late: true, lag_blocks: 59 });
    expect(chains[0]).toMatchObject({ height: 90, tip: 149, fault: null });
    expect(chains[0].lag_seconds).toBeGreaterThanOrEqual(705);
    // No worker has noted anything for a thousand seconds.
    expect(chains[1]).toMatchObject({ chain: 'tron', state: 'away', late: true, lag_blocks: 0 });
    expect(chains[2]).toMatchObject({ chain: 'solana', state: null, height: null, answered_at: null });
  });

  test('tells what was used of each node’s plan, what that comes to in a month, and its price where one is known', async () => {
    const { nodes }: Json = JSON.parse(await status('--json'));
    expect(nodes.map((one: Json) => one.node)).toEqual([
      ...['node 1 (eth.example)', 'node 2 (other.example)', 'node 9 (gone.example)'],
      ...['node 1 (tron.example)', 'node 1 (sol.example)'],
    ]);
    expect(nodes[0]).toEqual({
      ...{ chain: 'ethereum', node: 'node 1 (eth.example)', state: 'able', stream: true, calls_today: 1_000 },
      ...{ calls_a_minute: 17, refusals_today: 6, bytes_today: 1_000_000, max_per_day: 20_000 },
      ...{ percent_of_day: 5, calls_a_month: 720_000, usd_a_month: '3.6' },
    });
    expect(nodes[1]).toMatchObject({
      state: null,
      stream: null,
      calls_today: 0,
      calls_a_month: null,
      usd_a_month: null,
    });
  });

  test('is a table for people, without a secret of a node', async () => {
    const shown = await status();
    expect(shown).not.toContain('a-secret-key');
    expect(shown).toMatch(/^ethereum +behind +\S+ +7\d\d +59 +90 /m);
    expect(shown).toMatch(/^solana +not followed yet/m);
    expect(shown).toMatch(/^ethereum +node 1 \(eth.example\) +able +alive +1,000 +17 +6 +5 +720,000 +3\.6$/m);
  });
});
