/**
 * What an invoice leaves behind: bytes on disk and in the write-ahead log, through the composed
 * service. Invoices are created over HTTP and paid on a fake chain, in blocks; their payments are
 * confirmed, screened and credited, and their webhooks delivered. Others expire. Before them the
 * database has many invoices of another merchant, so that the keys fall where they fall in a large
 * table. Dead rows are removed between the rounds, and their room is used again.
 */
import type { SQL } from 'bun';
import { insertManyInvoices } from '../../tests/support/postgres/many-invoices.ts';
import type { TestService } from '../../tests/support/test-service.ts';
import { startWebhookReceiver } from '../../tests/support/webhooks/webhook-receiver.ts';
import {
  CHAIN,
  type FakeChainService,
  onFakeChain,
  orderInvoices,
  payInvoices,
} from '../harness/fake-chain-service.ts';
import { atMost, type Finding } from '../harness/finding.ts';
import {
  added,
  type Growth,
  growthOf,
  type RelationGrowth,
  sizeGrowthOf,
  together,
} from '../harness/growth-figures.ts';
import { addHistory } from '../harness/million-history.ts';
import { loadInvoices } from '../harness/million-invoices.ts';
import type { Row, RowContext } from '../harness/row.ts';
import { spread } from '../harness/statistics.ts';

const ROUNDS = 8;
/** Rows of these come and go: their tables grow to a size, and keep it. */
const PASSING = ['webhook_deliveries', 'webhook_attempts', 'webhook_queue', 'unverified_entries'];
/** Those that grow with each payment. */
const LASTING = ['invoices', 'invoice_extras', 'addresses', 'deposits', 'ledger_entries', 'ledger_postings'];
/** Webhooks are made older than they may get. */
const RETENTION = { RETENTION_WEBHOOK_DAYS: '30' };
const AGE = `interval '40 days'`;
/**
 * Bytes: half of what this row found before it was in the bench, and half of what an independent
 * measurement found of a change.
 */
const KEPT_MAX = 5_150;
const CHANGE_MAX = 6_900;

interface Bench extends FakeChainService {
  readonly key: string;
  readonly merchantId: string;
  /** Invoices of a round. */
  readonly count: number;
}

export const growth: Row = {
  name: 'growth',
  async run(context) {
    const databaseUrl = await context.database.createDatabase('bench_growth');
    const receiver = startWebhookReceiver();
    try {
      const measure = async (service: FakeChainService) => {
        const { it, sql } = service;
        try {
          await fill(it, sql, context);
          const { id: merchantId, live: key } = await it.merchant({ callbackUrl: receiver.url });
          return await measured({ ...service, key, merchantId, count: context.quick ? 50 : 500 });
        } finally {
          await sql.unsafe('alter system reset autovacuum');
          await sql.unsafe('select pg_reload_conf()');
        }
      };
      return await onFakeChain(databaseUrl, measure, RETENTION);
    } finally {
      await receiver.stop();
    }
  },
};

/** What the database has before. */
async function fill(it: TestService, sql: SQL, { quick, invoices }: RowContext): Promise<void> {
  await sql.unsafe('create extension if not exists pg_walinspect');
  // It would write to the log at times of its own.
  await sql.unsafe('alter system set autovacuum = off');
  await sql.unsafe('select pg_reload_conf()');
  const { id, sandbox } = await it.merchant();
  await loadInvoices(sql, id, quick ? 1_000 : invoices);
  await addHistory({ sql, merchants: [{ id, sandboxKey: sandbox }] });
}

async function measured(bench: Bench): Promise<Finding[]> {
  const { sql } = bench;
  await sql.unsafe('vacuum analyze');
  await rebuild(bench);
  await sql.unsafe('checkpoint');
  const steps: Steps = {
    ...{ creation: [], payment: [], delivery: [], vacuum: [], rebuilt: [], expiry: [], retention: [] },
  };
  const vacuum = async () =>
    void steps.vacuum.push(await growthOf(sql, () => sql.unsafe('vacuum (index_cleanup on)')));
  for (let round = 0; round < ROUNDS; round += 1) {
    const addresses: string[] = [];
    steps.creation.push(await growthOf(sql, () => create(bench, addresses)));
    steps.payment.push(await growthOf(sql, () => payInvoices(bench, addresses)));
    steps.delivery.push(await growthOf(sql, () => deliver(bench)));
    await vacuum();
  }
  await expectStatus(bench, 'success');
  steps.rebuilt.push(await sizeGrowthOf(sql, () => rebuild(bench)));
  await sql.unsafe('checkpoint');
  for (let round = 0; round < ROUNDS; round += 1) {
    await unpaid(bench);
    steps.expiry.push(await growthOf(sql, () => bench.it.run('expire-invoices')));
    await vacuum();
  }
  await expectStatus(bench, 'expired');
  await sql.unsafe('checkpoint');
  await agedWebhooks(bench);
  steps.retention.push(await growthOf(sql, () => forget(bench)));
  return findings(bench, steps);
}

type Steps = Record<
  'creation' | 'payment' | 'delivery' | 'expiry' | 'retention' | 'vacuum' | 'rebuilt',
  Growth[]
>;

function findings({ count }: Bench, steps: Steps) {
  const all = count * ROUNDS;
  for (const [name, growths] of Object.entries(steps)) describe(name, together(growths), all);
  const { creation, payment, delivery, expiry, retention, vacuum, rebuilt } = steps;
  const life = together([...creation, ...payment, ...delivery]);
  const kept = together([...creation, ...payment, ...delivery, ...vacuum.slice(0, ROUNDS)]);
  const change = tables(together([...payment, ...expiry])).get('invoices');
  const ended = together(expiry);
  const removal = together(retention);
  if (!change) throw new Error('no invoice changed');
  const lasting = without(PASSING, kept);
  const dense = without(PASSING, together([kept, ...rebuilt]));
  return [
    figure(
      'kept of an invoice that is created, paid, credited and reported',
      bytesOf(kept) / all,
      null,
      byTable(kept, all),
    ),
    figure(
      'kept of the same once its webhooks were removed and its entries compared',
      bytesOf(lasting) / all,
      KEPT_MAX,
      byTable(lasting, all),
    ),
    figure(
      'kept of the same with the indexes rebuilt before and after',
      bytesOf(dense) / all,
      null,
      byTable(dense, all),
    ),
    figure('write-ahead log of the same', (life.log + life.fullPages) / all, null, pages(life, all)),
    figure(
      `write-ahead log of a change of an invoice's status, in its table and indexes`,
      (change.log + change.fullPages) / change.updated,
      CHANGE_MAX,
      `${kilobytes(change.fullPages / change.updated)} of it full pages; ` +
        `${Math.round((100 * change.hot) / change.updated)} % touch no index`,
    ),
    figure('write-ahead log of an expiry', (ended.log + ended.fullPages) / all, null, pages(ended, all)),
    figure(
      'write-ahead log of the removal of the webhooks of a paid invoice',
      (removal.log + removal.fullPages) / all,
      null,
      pages(removal, all),
    ),
  ];
}

async function create(bench: Bench, addresses: string[]): Promise<void> {
  const { key, count } = bench;
  const more = (nth: number) => ({ extra: `order-${nth}`, title: `Order ${nth}` });
  addresses.push(...(await orderInvoices(bench, [key], count, more)).addresses);
}

/** A year later. Those of the other merchant stay. */
async function agedWebhooks({ sql, merchantId }: Bench): Promise<void> {
  await sql.unsafe(
    `update counters set removed = value where merchant_id <> $1 and stream in ('events', 'notifications')`,
    [merchantId],
  );
  await sql.unsafe(`update webhook_attempts set sent_at = sent_at - ${AGE} where merchant_id = $1`, [
    merchantId,
  ]);
  await sql.unsafe(`update webhook_deliveries set event_at = event_at - ${AGE} where merchant_id = $1`, [
    merchantId,
  ]);
}

/** Until none of the merchant's webhooks is left. */
async function forget({ it, sql, merchantId }: Bench): Promise<void> {
  for (let left = Number.POSITIVE_INFINITY; left > 0; ) {
    await it.run('forget-webhooks');
    const [row] = await sql.unsafe(
      `select (select count(*) from webhook_attempts where merchant_id = $1)::int
         + (select count(*) from webhook_deliveries where merchant_id = $1)::int as left`,
      [merchantId],
    );
    if (row.left >= left) throw new Error(`${row.left} webhooks and attempts are not removed`);
    left = row.left;
  }
}

async function deliver(bench: Bench): Promise<void> {
  for (;;) {
    await bench.it.run('deliver-webhooks');
    const [row] = await bench.sql.unsafe(
      'select count(*)::int as waiting from webhook_queue where dead_at is null',
    );
    if (row.waiting === 0) return;
  }
}

/** The indexes of what lasts. What statuses leave half empty in them is full again. */
async function rebuild({ sql }: Bench): Promise<void> {
  for (const table of LASTING) await sql.unsafe(`reindex table ${table}`);
}

/** Invoices whose time is over, with a chain that was read past it. */
async function unpaid(bench: Bench): Promise<void> {
  const { it, merchantId, count } = bench;
  const expiresAt = new Date(Date.now() - 1_000);
  await insertManyInvoices(it.databaseUrl, { merchantId, count, status: 'created', expiresAt });
  bench.chain.mine(1);
  await bench.it.run(`chain:${CHAIN}`);
}

async function expectStatus({ sql, merchantId, count }: Bench, status: string): Promise<void> {
  const [row] = await sql.unsafe(
    'select count(*)::int as found from invoices where merchant_id = $1 and not sandbox and status = $2',
    [merchantId, status],
  );
  if (row.found !== count * ROUNDS)
    throw new Error(`${row.found} invoices of ${count * ROUNDS} are ${status}`);
}

/** With their indexes. */
function tables({ relations }: Growth): Map<string, RelationGrowth> {
  const sums = new Map<string, RelationGrowth>();
  for (const each of relations) {
    const sum = sums.get(each.table);
    sums.set(each.table, sum ? added(sum, each) : each);
  }
  return sums;
}

function without(names: readonly string[], growth: Growth): Growth {
  return { ...growth, relations: growth.relations.filter(({ table }) => !names.includes(table)) };
}

function bytesOf({ relations }: Growth): number {
  return relations.reduce((sum, { size }) => sum + size, 0);
}

function byTable(growth: Growth, count: number): string {
  return [...tables(growth).values()]
    .toSorted((a, b) => b.size - a.size)
    .filter(({ size }) => size / count >= 10)
    .map(({ table, size }) => `${table} ${kilobytes(size / count)}`)
    .join(', ');
}

/** For whoever looks for what could be less. */
function describe(name: string, { relations, log, fullPages }: Growth, count: number): void {
  const each = (bytes: number) => Math.round(bytes / count);
  console.log(`\n${name}: log ${each(log)} + full pages ${each(fullPages)} bytes each`);
  for (const { table, index, size, log, fullPages, updated, hot } of relations)
    if (Math.abs(size) + log + fullPages >= count * 10)
      console.log(
        `  ${index ?? table}: ${each(size)} bytes, log ${each(log)} + ${each(fullPages)}` +
          (updated > 0 ? `, updates ${(updated / count).toFixed(1)}, hot ${(hot / count).toFixed(1)}` : ''),
      );
}

function pages({ fullPages }: Growth, count: number): string {
  return `${kilobytes(fullPages / count)} of it full pages, after one checkpoint for ${count.toLocaleString('en')}`;
}

const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(2)} kB`;

function figure(what: string, bytes: number, target: number | null, absolute: string): Finding {
  const value = bytes / 1_000;
  return {
    what,
    target: target === null ? null : atMost(target / 1_000, 'kB'),
    unit: 'kB',
    measured: spread([value]),
    absolute,
    latencies: [],
  };
}
