/**
 * Backlogs that the worker and an operator clear in sets, against plain SQL that writes the same
 * rows in sets as large: invoices that expire at once, and webhooks that were given up and are
 * replayed.
 */
import { replayDead } from '../../src/app/invoices/replay-webhooks.ts';
import { insertManyInvoices } from '../../tests/support/postgres/many-invoices.ts';
import { CHAIN, type FakeChainService, onFakeChain } from '../harness/fake-chain-service.ts';
import { atLeast, type Finding, type Target } from '../harness/finding.ts';
import { expireInSets, giveUpAll, replayInSets } from '../harness/plain-sets.ts';
import type { Row, RowContext } from '../harness/row.ts';
import { compareWithSets } from '../harness/set-comparison.ts';

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

async function compared(
  { it, sql }: FakeChainService,
  context: RowContext,
  { what, target, fill, ours, plain, done, ...backlog }: Backlog,
): Promise<Finding> {
  const count = context.quick ? backlog.count / 10 : backlog.count;
  const costs = await compareWithSets<string>(sql, context, {
    ...{ count, ours, plain },
    async prepare() {
      const { id } = await it.merchant();
      await fill(id, count);
      return id;
    },
    async check(merchantId) {
      const [row] = await sql.unsafe(done, [merchantId]);
      if (row.count !== count) throw new Error(`${row.count} of ${count} are through`);
    },
  });
  return {
    ...{ what, target, unit: 'x', measured: costs.measured },
    absolute: `${count.toLocaleString('en')} each round; ${costs.ours}; plain SQL ${costs.plain}`,
    latencies: [],
  };
}
