/** What the payout drill runs in: a node behind a lying proxy, the merchant's balance, the hot wallet, and workers to kill. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../../src/adapters/postgres/client.ts';
import { exactNumber } from '../../../src/domain/exact-number.ts';
import { type EvmLab, openEvmLab } from '../evm-lab.ts';
import { until } from '../poll.ts';
import { type Seeded, seeded } from '../seeded.ts';
import { silentLogger } from '../silent-logger.ts';
import { temporaryDirectory } from '../temp-directory.ts';
import { startTestService, TEST_MASTER_KEY, type TestService } from '../test-service.ts';
import { type LyingNode, startLyingNode } from './lying-node.ts';

const CONFIRMATIONS = 2;
/** A transaction without a block for this long is replaced. */
const STUCK_MS = 4_000;

export interface World {
  readonly lab: EvmLab;
  readonly node: LyingNode;
  /** A service without background work, which takes the payouts and keeps the books in view. */
  readonly observer: TestService;
  readonly database: Database;
  readonly merchant: { id: string; live: string };
  readonly random: Seeded;
  startWorker(doom: { step: string; after: number } | null): WorkerProcess;
  count(sql: string): Promise<number>;
  /** What changes the node's chain goes one call at a time: anvil can lock itself up otherwise. */
  inTurn<T>(call: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface WorkerProcess {
  readonly gone: Promise<unknown>;
  readonly isGone: () => boolean;
  kill(): Promise<void>;
}

export interface Owed {
  readonly address: string;
  readonly asset: 'eth_ethereum' | 'usdt_ethereum';
  readonly units: bigint;
}

export async function openWorld(order: { seed: number; naive: boolean }): Promise<World> {
  const [lab, data] = [await openEvmLab(), await temporaryDirectory()];
  const node = startLyingNode(lab.anvil.url, order.seed);
  const chain = (rpc: string) => ({
    rpc: [rpc],
    chain_id: 31_337,
    confirmations: CONFIRMATIONS,
    poll_ms: 10,
    stuck_ms: STUCK_MS,
  });
  const file = (rpc: string) => ({
    chains: { ethereum: chain(rpc) },
    assets: { usdt_ethereum: { contract: lab.contracts.tether } },
    rates: { source: 'static', usd: { usdt_ethereum: '1', eth_ethereum: '2000' } },
  });
  const observer = await startTestService({ file: file(lab.anvil.url), dataDir: data.path });
  const database = openDatabase({ url: observer.databaseUrl, poolSize: 2, logger: silentLogger });
  const configFile = join(data.path, 'config.json');
  await writeFile(configFile, JSON.stringify(file(node.url)));
  const environment = {
    DATABASE_URL: observer.databaseUrl,
    DATA_DIR: data.path,
    CONFIG_FILE: configFile,
    MASTER_KEY: TEST_MASTER_KEY,
    ROLE: 'worker',
    ...(order.naive ? { DRILL_NAIVE: '1' } : {}),
  };
  const merchant = await observer.merchant();
  const workers = new Set<WorkerProcess>();
  let turn: Promise<unknown> = Promise.resolve();
  const world: World = {
    lab,
    node,
    observer,
    database,
    merchant,
    random: seeded(order.seed),
    inTurn(call) {
      const mine = turn.then(call);
      turn = mine.catch(() => undefined);
      return mine;
    },
    startWorker(doom) {
      const worker = spawnWorker({
        ...environment,
        ...(doom === null ? {} : { DRILL_STEP: doom.step, DRILL_AFTER: `${doom.after}` }),
      });
      workers.add(worker);
      void worker.gone.then(() => workers.delete(worker));
      return worker;
    },
    async count(sql) {
      const [row] = await database.query<{ count: string }>(sql);
      return Number(row?.count);
    },
    async close() {
      for (const worker of workers) await worker.kill();
      await database.close();
      await observer.stop();
      await node.stop();
      await lab.anvil.stop();
      await data.remove();
    },
  };
  await endow(world);
  return world;
}

function spawnWorker(environment: Readonly<Record<string, string>>): WorkerProcess {
  const { PATH = '', HOME = '/' } = process.env;
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'worker.ts')], {
    env: { PATH, HOME, PORT: '0', ...environment },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  });
  const killNow = () => child.kill('SIGKILL');
  process.on('exit', killNow);
  const gone = child.exited.then(() => process.off('exit', killNow));
  return {
    gone,
    isGone: () => child.exitCode !== null || child.signalCode !== null,
    async kill() {
      killNow();
      await child.exited;
    },
  };
}

/** A balance for the merchant, by an invoice that is paid, and money for the hot wallet. */
async function endow(world: World): Promise<void> {
  const { lab, observer, merchant } = world;
  await observer.settle();
  const created = await observer.call(merchant.live, 'POST', '/api/v2/invoices', {
    amount: 1_000_000,
    fiat_currency: 'USD',
    asset: 'usdt_ethereum',
    fee_bearer: 'merchant',
  });
  const { address_to: to, amount } = created.body.result;
  const tether = (recipient: string, units: bigint) =>
    lab.send({
      to: lab.contracts.tether,
      data: lab.call('TetherLikeToken', 'transfer', [recipient, units]),
    });
  await tether(to, BigInt(Math.ceil(amount)) * 1_000_000n);
  const hot = observer.service.dependencies.liveDerivers.get('evm')?.hotWallet() ?? '';
  await tether(hot, 10n ** 12n);
  await lab.send({ to: hot, value: 1_000n * 10n ** 18n });
  await lab.mine(CONFIRMATIONS + 2);
  await until('the merchant has a balance', 20_000, async () => {
    await observer.settle();
    const balance = await observer.call(merchant.live, 'GET', '/api/v2/balance');
    return balance.body.result.available > 900_000;
  });
}

/** Payouts of all sizes, each to an address of its own. */
export async function orderPayouts(
  { lab, observer, merchant, random }: World,
  count: number,
): Promise<Owed[]> {
  const owed = Array.from({ length: count }, (_, index): Owed => {
    const address = lab.freshAddress();
    return index % 3 === 0
      ? { address, asset: 'eth_ethereum', units: BigInt(1 + random.int(1_000)) * 10n ** 13n }
      : { address, asset: 'usdt_ethereum', units: BigInt(1 + random.int(5_000_000)) };
  });
  for (let from = 0; from < count; from += 200) {
    const items = owed.slice(from, from + 200).map(({ address, asset, units }) => ({
      address,
      asset,
      amount: exactNumber(units, asset === 'eth_ethereum' ? 18 : 6),
    }));
    const answer = await observer.call(
      merchant.live,
      'POST',
      '/api/v2/payouts/batch',
      JSON.stringify({ items }),
      { 'x-uniq-id': crypto.randomUUID(), 'content-type': 'application/json' },
    );
    const refused = answer.body.result?.items?.filter(
      (item: { status: string }) => item.status !== 'pending',
    );
    if (answer.status !== 201 || refused.length > 0)
      throw new Error(`payouts were refused: ${JSON.stringify(answer.body).slice(0, 500)}`);
  }
  return owed;
}
