/**
 * What the payout drill runs in: a node behind a lying proxy, the merchant's balance, the hot
 * wallet, and workers to kill.
 */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { hotWalletText, type SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { exactNumber } from '../../../src/domain/money/exact-number.ts';
import type { ForwardSettings } from '../payouts/forward-settings.ts';
import { endsWithUs } from '../runtime/ends-with-us.ts';
import { until } from '../runtime/poll.ts';
import { type Seeded, seeded } from '../runtime/seeded.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { temporaryDirectory } from '../runtime/temp-directory.ts';
import { startTestService, TEST_MASTER_KEY, type TestService } from '../test-service.ts';
import type { DrillChain, Owed } from './drill-chain.ts';
import { type LyingNode, startLyingNode } from './lying-node.ts';
import type { Step } from './steps.ts';

const CONFIRMATIONS = 2;

export interface World<C extends DrillChain = DrillChain> {
  readonly chain: C;
  readonly node: LyingNode;
  /** A service without background work, which takes the payouts and keeps the books in view. */
  readonly observer: TestService;
  /** The chain as the observer has it. */
  readonly sending: SendingChain;
  readonly database: Database;
  readonly merchant: { id: string; live: string };
  readonly random: Seeded;
  /** The chain goes on, and the workers' clocks with it. */
  nextBlock(): Promise<void>;
  /** One that kills itself when it passes the step. */
  startWorker(fatal: Step | null): WorkerProcess;
  count(sql: string): Promise<number>;
  close(): Promise<void>;
}

export interface WorkerProcess {
  readonly gone: Promise<unknown>;
  readonly isGone: () => boolean;
  kill(): Promise<void>;
}

export interface WorldOrder<C extends DrillChain = DrillChain> {
  readonly open: () => Promise<C>;
  readonly seed: number;
  /** Workers send as the careless do. */
  readonly naive?: boolean;
  /** Workers look all the time what is to be forwarded. */
  readonly forwards?: ForwardSettings;
}

export async function openWorld<C extends DrillChain>(order: WorldOrder<C>): Promise<World<C>> {
  const [chain, data] = [await order.open(), await temporaryDirectory()];
  const node = startLyingNode(chain.node, order.seed);
  const file = (rpc: string) => ({
    ...chain.configuration({ rpc, confirmations: CONFIRMATIONS }),
    ...order.forwards?.file,
  });
  const observer = await startTestService({ file: file(chain.node.url), dataDir: data.path });
  const sending = sendingOn(observer, chain.name);
  const database = openDatabase({ url: observer.databaseUrl, poolSize: 2, logger: silentLogger });
  const clockFile = join(data.path, 'clock');
  const configFile = join(data.path, 'config.json');
  await writeFile(configFile, JSON.stringify(file(node.url)));
  const environment = {
    DATABASE_URL: observer.databaseUrl,
    DATA_DIR: data.path,
    CONFIG_FILE: configFile,
    MASTER_KEY: TEST_MASTER_KEY,
    ROLE: 'worker',
    ...(order.naive === true ? { DRILL_NAIVE: '1' } : {}),
    ...(order.forwards === undefined ? {} : { ...order.forwards.env, DRILL_FORWARDS: '1' }),
    ...(chain.aheadMs === undefined ? {} : { DRILL_CLOCK: clockFile }),
  };
  if (chain.aheadMs !== undefined) await setClock(clockFile, 0);
  const merchant = await observer.merchant();
  const workers = new Set<WorkerProcess>();
  const world: World<C> = {
    chain,
    node,
    observer,
    sending,
    database,
    merchant,
    random: seeded(order.seed),
    startWorker(fatal) {
      const worker = spawnWorker({
        ...environment,
        ...(fatal === null ? {} : { DRILL_STEP: fatal }),
      });
      workers.add(worker);
      void worker.gone.then(() => workers.delete(worker));
      return worker;
    },
    async nextBlock() {
      await chain.nextBlock();
      if (chain.aheadMs !== undefined) await setClock(clockFile, chain.aheadMs());
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
      await chain.stop();
      await data.remove();
    },
  };
  await credit(world, merchant);
  await bookHotWallet(world);
  return world;
}

/** Whole at any moment, since workers read it at any moment. */
async function setClock(file: string, aheadMs: number): Promise<void> {
  await writeFile(`${file}.new`, String(Math.max(0, Math.round(aheadMs))));
  await rename(`${file}.new`, file);
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
  endsWithUs(child);
  return {
    gone: child.exited,
    isGone: () => child.exitCode !== null || child.signalCode !== null,
    async kill() {
      killNow();
      await child.exited;
    },
  };
}

/** A balance for the merchant, by an invoice that is paid; the hot wallet gets money with it. */
export async function credit(
  { chain, observer, sending }: World,
  merchant: { readonly live: string },
): Promise<void> {
  const { asset, usd } = chain.invoice;
  await observer.settle();
  const created = await observer.call(merchant.live, 'POST', '/api/v2/invoices', {
    amount: usd,
    fiat_currency: 'USD',
    asset,
    fee_bearer: 'merchant',
  });
  const { address_to: to, amount } = created.body.result;
  const units = unitsOf(String(amount), observer.service.dependencies.catalog.require(asset).decimals);
  await chain.endow({ invoice: { to, units }, hotWallet: hotWalletText(sending) });
  await chain.mine(CONFIRMATIONS + 2);
  await until('the merchant has a balance', 20_000, async () => {
    await observer.settle();
    const balance = await observer.call(merchant.live, 'GET', '/api/v2/balance');
    return balance.body.result.available > 0.9 * usd;
  });
}

/** What the hot wallet has is the operator's capital; coins are booked by themselves. */
export async function bookHotWallet({ chain, observer, sending }: World): Promise<void> {
  if (sending.sender.utxos !== null) return;
  for (const asset of chain.assets)
    await bookCapital(
      observer.service.dependencies,
      sending,
    )({ asset, note: 'for the drill', dryRun: false });
}

function sendingOn(observer: TestService, chain: string): SendingChain {
  const sending = observer.service.sending.chains.get(chain);
  if (!sending) throw new Error(`${chain} has no sender`);
  return sending;
}

/** Orders payouts in batches; all must be accepted. */
export async function orderPayouts(
  { chain, observer, merchant, random }: World,
  count: number,
): Promise<readonly Owed[]> {
  const owed = chain.payouts(count, random);
  for (let from = 0; from < count; from += 200) {
    const answer = await postBatch(observer, merchant, owed.slice(from, from + 200));
    if (answer.some(({ status }) => status !== 'pending'))
      throw new Error(`payouts were refused: ${JSON.stringify(answer).slice(0, 500)}`);
  }
  return owed;
}

/** One batch of payouts, as it was answered item by item. */
export async function postBatch(
  observer: TestService,
  merchant: { readonly live: string },
  owed: readonly Owed[],
): Promise<readonly { readonly order_id: string | null; readonly status: string }[]> {
  const { catalog } = observer.service.dependencies;
  const items = owed.map(({ address, asset, units }) => ({
    ...{ address, asset, amount: exactNumber(units, catalog.require(asset).decimals) },
  }));
  const body = JSON.stringify({ items });
  const headers = { 'x-uniq-id': crypto.randomUUID(), 'content-type': 'application/json' };
  const answer = await observer.call(merchant.live, 'POST', '/api/v2/payouts/batch', body, headers);
  if (answer.status !== 201)
    throw new Error(`a batch was refused: ${JSON.stringify(answer.body).slice(0, 500)}`);
  return answer.body.result.items;
}
