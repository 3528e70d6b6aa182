/**
 * What sweeps cost on anvil, counted and not timed: the statements and requests of the job that
 * plans, starts and ends them, from payments that are credited to the last sweep that is done.
 */
import { hotWalletText } from '../../../src/app/sending/sending-chain.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type AnvilDrill, openAnvilDrill } from '../payout-drill/anvil-drill.ts';
import { type CountingNode, startCountingNode } from '../payout-drill/counting-node.ts';
import { type CountingRelay, openCountingRelay } from '../postgres/counting-relay.ts';
import { testDatabase } from '../postgres/postgres.ts';
import { until } from '../runtime/poll.ts';
import { startTestService, type TestService } from '../test-service.ts';

const CONFIRMATIONS = 2;
const USD_EACH = 500;
const STEPS_MAX = 30;

/** All of them together. */
export interface SweepCosts {
  readonly sweeps: number;
  readonly statements: number;
  readonly commits: number;
  /** HTTP requests. */
  readonly requests: number;
  /** Runs of the job. */
  readonly steps: number;
  /** The most frequent statements of the job, for people. */
  readonly texts: readonly (readonly [text: string, times: number])[];
}

export interface CountedSweeps {
  /** Pays so many invoices of each asset, and sweeps their addresses. */
  sweep(invoices: Readonly<Record<string, number>>): Promise<SweepCosts>;
  close(): Promise<void>;
}

interface Counting {
  readonly chain: AnvilDrill;
  readonly it: TestService;
  readonly relay: CountingRelay;
  readonly node: CountingNode;
}

/** `databaseUrl`: of an empty database; default: a test database of its own. */
export async function openCountedSweeps(databaseUrl?: string): Promise<CountedSweeps> {
  // Through a pooler, statements that set a transaction up would be counted as well.
  const database = databaseUrl === undefined ? await testDatabase({ pooled: false }) : null;
  const relay = await openCountingRelay(databaseUrl ?? database?.url ?? '');
  const chain = await openAnvilDrill();
  const node = startCountingNode(chain.node);
  const it = await startTestService({
    databaseUrl: relay.url,
    chains: [chain.name],
    file: chain.configuration({ rpc: node.url, confirmations: CONFIRMATIONS }),
  });
  const counting = { chain, it, relay, node };
  return {
    async sweep(invoices) {
      await credit(counting, invoices);
      return swept(counting);
    },
    async close() {
      await it.stop();
      relay.close();
      await database?.drop();
      node.stop();
      await chain.stop();
    },
  };
}

async function credit(
  { chain, it }: Counting,
  invoices: Parameters<CountedSweeps['sweep']>[0],
): Promise<void> {
  const { dependencies, sending } = it.service;
  const on = sending.chains.get(chain.name);
  if (!on) throw new Error(`${chain.name} has no sender`);
  const merchant = await it.merchant();
  await it.settle();
  for (const [asset, count] of Object.entries(invoices)) {
    const order = { amount: USD_EACH, fiat_currency: 'USD', asset, fee_bearer: 'merchant' };
    const { decimals } = dependencies.catalog.require(asset);
    for (let nth = 0; nth < count; nth += 1) {
      const { body } = await it.call(merchant.live, 'POST', '/api/v2/invoices', order);
      const { address_to: address, amount } = body.result;
      await chain.pay({ address, asset, units: unitsOf(String(amount), decimals) });
    }
  }
  await chain.pay({ address: hotWalletText(on), asset: on.sender.nativeAsset, units: 10n ** 20n });
  await chain.mine(CONFIRMATIONS + 2);
  const paid = Object.values(invoices).reduce((sum, count) => sum + count, 0) * USD_EACH;
  await until('the merchant has a balance', 20_000, async () => {
    await it.run(`chain:${chain.name}`);
    await it.settle();
    const balance = await it.call(merchant.live, 'GET', '/api/v2/balance');
    return balance.body.result.available > 0.9 * paid;
  });
  const { nativeAsset: asset } = on.sender;
  await bookCapital(dependencies, on)({ asset, note: 'for the count', dryRun: false });
}

async function swept({ chain, it, relay, node }: Counting): Promise<SweepCosts> {
  const { unitOfWork } = it.service.dependencies;
  const counts = () => [relay.statements, relay.commits, node.requests];
  const sums = [0, 0, 0];
  const texts = new Map<string, number>();
  const ids = new Set<string>();
  for (let step = 1; step <= STEPS_MAX; step += 1) {
    const before = new Map(relay.texts());
    const began = counts();
    await it.run(`sweep:${chain.name}`);
    for (const [place, count] of counts().entries()) sums[place] = sums[place]! + count - began[place]!;
    for (const [text, times] of relay.texts())
      texts.set(text, (texts.get(text) ?? 0) + times - (before.get(text) ?? 0));
    const open = await unitOfWork.run(({ sweeps }) => sweeps.open(chain.name, { after: '', limit: 1_000 }));
    for (const { id } of open) ids.add(id);
    if (open.length === 0) {
      const [statements = 0, commits = 0, requests = 0] = sums;
      const most = [...texts].toSorted(([, a], [, b]) => b - a);
      return { sweeps: ids.size, statements, commits, requests, steps: step, texts: most };
    }
    for (let look = 0; look < CONFIRMATIONS + 2; look += 1) {
      await it.run(`send:${chain.name}`);
      await chain.mine(1);
      await it.run(`chain:${chain.name}`);
    }
    await it.run(`send:${chain.name}`);
  }
  throw new Error('sweeps did not end');
}
