/**
 * Backlogs that the worker and an operator clear in sets, against plain SQL that writes the same
 * rows in sets as large: invoices that expire at once, and webhooks that were given up and are
 * replayed.
 */
import { replayDead } from '../../src/app/invoices/replay-webhooks.ts';
import { insertManyInvoices } from '../../tests/support/postgres/many-invoices.ts';
import { CHAIN, type FakeChainService, onFakeChain } from '../harness/fake-chain-service.ts';
import { atLeast, type Finding, type Target } from '../harness/finding.ts';
import { alternate, ratio } from '../harness/legs.ts';
import { expireInSets, giveUpAll, replayInSets } from '../harness/plain-sets.ts';
import {
  type Cost,
  costOfEach,
  costText,
  ownSessionSeconds,
  sessionSeconds,
} from '../harness/process-figures.ts';
import type { Row, RowContext } from '../harness/row.ts';

const HOOK = 'https://shop.example/hook';

export const backlogs: Row = {
  name: 'backlogs',
  async run(context) {
    const databaseUrl = await context.database.createDatabase('bench_backlogs');
    return onFakeChain(databaseUrl, async (bench) => [
      await compared(bench, context, await expiry(bench)),
      await compared(bench, context, replay(bench)),
    ]);
  },
};

/** A backlog of each merchant that it is asked for. */
interface Backlog {
  readonly what: string;
  /** How many in a round. */
  readonly count: number;
  /** Null: told for the record. */
  readonly target: Target | null;
  fill(merchantId: string, count: number): Promise<void>;
  ours(): Promise<unknown>;
  plain(merchantId: string): Promise<void>;
  /** Counts, by the merchant's id, what is done. */
  readonly done: string;
}

async function expiry({ it, sql, chain }: FakeChainService): Promise<Backlog> {
  return {
    what: 'invoices that expire at once / plain SQL in sets of 2,000',
    count: 10_000,
    target: atLeast(0.7),
    async fill(merchantId, count) {
      const expiresAt = new Date(Date.now() - 1_000);
      await insertManyInvoices(it.databaseUrl, { merchantId, count, status: 'created', expiresAt });
      // Nothing ends before its chain was read past its time.
      chain.mine(1);
      await it.run(`chain:${CHAIN}`);
    },
    ours: () => it.run('expire-invoices'),
    plain: (merchantId) => expireInSets(sql, merchantId),
    done: `select count(*)::int as count from invoices where merchant_id = $1 and status = 'expired'`,
  };
}

function replay({ it, sql }: FakeChainService): Backlog {
  const replayAll = replayDead(it.service.dependencies);
  return {
    what: 'webhooks that were given up and are replayed / plain SQL in sets of 500',
    count: 2_000,
    // It also makes each body anew and packs it, which plain SQL copies.
    target: null,
    async fill(merchantId, count) {
      const expiresAt = new Date(Date.now() + 86_400_000);
      const status = 'partially_paid';
      await insertManyInvoices(it.databaseUrl, { merchantId, count, status, expiresAt, notifyUrl: HOOK });
      await giveUpAll(sql, merchantId);
    },
    ours: () => replayAll({ since: null }),
    plain: (merchantId) => replayInSets(sql, merchantId),
    done: `select count(*)::int as count from webhook_queue join webhook_deliveries d on d.id = delivery_id
      where d.merchant_id = $1 and dead_at is null`,
  };
}

interface Round {
  readonly rate: number;
  readonly cost: Cost;
  readonly latency: { readonly p50: number; readonly p99: number };
}

async function compared(
  { it, sql }: FakeChainService,
  { rounds, quick }: RowContext,
  { what, target, fill, ours, plain, done, ...backlog }: Backlog,
): Promise<Finding> {
  const count = quick ? backlog.count / 10 : backlog.count;
  const round = async (
    work: (merchantId: string) => Promise<unknown>,
    sessions: typeof sessionSeconds,
  ): Promise<Round> => {
    const { id } = await it.merchant();
    await fill(id, count);
    await sql.unsafe('vacuum analyze');
    const cost = await costOfEach(count, sql, () => work(id), sessions);
    const [row] = await sql.unsafe(done, [id]);
    if (row.count !== count) throw new Error(`${row.count} of ${count} are through`);
    return { rate: 1 / cost.elapsed, cost, latency: { p50: Number.NaN, p99: Number.NaN } };
  };
  const [service, sets] = await alternate<Round>(
    [
      { name: 'service', run: () => round(ours, sessionSeconds) },
      { name: 'plain SQL', run: () => round(plain, ownSessionSeconds) },
    ],
    { rounds, seconds: 0 },
  );
  if (!service || !sets) throw new Error('unreachable: two legs went in');
  const costs = (leg: typeof service) => costText(leg.rounds.map(({ cost }) => cost));
  return {
    what,
    target,
    unit: 'x',
    measured: ratio(service, sets),
    absolute: `${count.toLocaleString('en')} each round; ${costs(service)}; plain SQL ${costs(sets)}`,
    latencies: [],
  };
}
