/**
 * What an invoice leaves behind: bytes on disk and in the write-ahead log, through the composed
 * service. Invoices are created over HTTP and paid on a fake chain, in blocks; their payments are
 * confirmed, screened and credited, and their webhooks delivered. Others expire. Before them the
 * database has many invoices of another merchant, so that the keys fall where they fall in a large
 * table. Dead rows are removed between the rounds, and their room is used again.
 */
import { SQL } from 'bun';
import { insertManyInvoices } from '../../tests/support/postgres/many-invoices.ts';
import { startTestService, type TestService } from '../../tests/support/test-service.ts';
import { startWebhookReceiver } from '../../tests/support/webhooks/webhook-receiver.ts';
import { atMost, type Finding } from '../harness/finding.ts';
import { added, type Growth, growthOf, type RelationGrowth, together } from '../harness/growth-figures.ts';
import { addHistory } from '../harness/million-history.ts';
import { loadInvoices } from '../harness/million-invoices.ts';
import type { Row, RowContext } from '../harness/row.ts';

const CHAIN = 'ethereum';
const ASSET = 'usdt_ethereum';
const UNITS = 25_250_000n;
const CONFIRMATIONS = 12;
const ROUNDS = 8;
const AT_ONCE = 50;
/** Payments of a block. */
const BLOCK = 100;
/**
 * Bytes: half of what this row found before it was in the bench, and half of what an independent
 * measurement found of a change.
 */
const KEPT_MAX = 5_150;
const CHANGE_MAX = 6_900;

interface Bench {
  readonly it: TestService;
  readonly sql: SQL;
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
    const it = await startTestService({
      databaseUrl,
      env: { CHAINS: 'fake', LOG_LEVEL: 'silent' },
      chains: [CHAIN],
    });
    const sql = new SQL({ url: databaseUrl, adapter: 'postgres', max: 1 });
    try {
      await it.settle();
      await fill(it, sql, context);
      const { id: merchantId, live: key } = await it.merchant({ callbackUrl: receiver.url });
      return await measured({ it, sql, key, merchantId, count: context.quick ? 50 : 500 });
    } finally {
      await sql.unsafe('alter system reset autovacuum');
      await sql.unsafe('select pg_reload_conf()');
      await sql.close();
      await it.stop();
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
  await sql.unsafe('checkpoint');
  const steps: Record<'creation' | 'payment' | 'delivery' | 'expiry' | 'vacuum', Growth[]> = {
    ...{ creation: [], payment: [], delivery: [], vacuum: [], expiry: [] },
  };
  const vacuum = async () =>
    void steps.vacuum.push(await growthOf(sql, () => sql.unsafe('vacuum (index_cleanup on)')));
  for (let round = 0; round < ROUNDS; round += 1) {
    const addresses: string[] = [];
    steps.creation.push(await growthOf(sql, () => create(bench, addresses)));
    steps.payment.push(await growthOf(sql, () => pay(bench, addresses)));
    steps.delivery.push(await growthOf(sql, () => deliver(bench)));
    await vacuum();
  }
  await expectStatus(bench, 'success');
  await sql.unsafe('checkpoint');
  for (let round = 0; round < ROUNDS; round += 1) {
    await unpaid(bench);
    steps.expiry.push(await growthOf(sql, () => job(bench, 'expire-invoices')));
    await vacuum();
  }
  await expectStatus(bench, 'expired');
  return findings(bench, steps);
}

function findings(
  { count }: Bench,
  steps: Record<'creation' | 'payment' | 'delivery' | 'expiry' | 'vacuum', Growth[]>,
) {
  const all = count * ROUNDS;
  for (const [name, growths] of Object.entries(steps)) describe(name, together(growths), all);
  const { creation, payment, delivery, expiry, vacuum } = steps;
  const life = together([...creation, ...payment, ...delivery]);
  const kept = together([...creation, ...payment, ...delivery, ...vacuum.slice(0, ROUNDS)]);
  const change = tables(together([...payment, ...expiry])).get('invoices');
  const ended = together(expiry);
  if (!change) throw new Error('no invoice changed');
  const bytes = [...tables(kept).values()].reduce((sum, { size }) => sum + size, 0);
  return [
    figure(
      'kept of an invoice that is created, paid, credited and reported',
      bytes / all,
      KEPT_MAX,
      byTable(kept, all),
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
  ];
}

async function create({ it, key, count }: Bench, addresses: string[]): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) =>
        it.call(key, 'POST', '/api/v2/invoices', {
          ...{ amount: 25, fiat_currency: 'USD', asset: ASSET },
          ...{ extra: `order-${from + n}`, title: `Order ${from + n}` },
        }),
      ),
    );
    addresses.push(...answers.map(({ body }) => body.result.address_to));
  }
}

async function pay(bench: Bench, addresses: readonly string[]): Promise<void> {
  for (let from = 0; from < addresses.length; from += BLOCK) {
    for (const to of addresses.slice(from, from + BLOCK))
      chain(bench).pay({ to, asset: ASSET, units: UNITS });
    chain(bench).mine(1);
    await job(bench, `chain:${CHAIN}`);
  }
  chain(bench).mine(CONFIRMATIONS);
  await job(bench, `chain:${CHAIN}`);
  await job(bench, 'screen-deposits');
  await job(bench, 'fold-list-counts');
}

async function deliver(bench: Bench): Promise<void> {
  for (;;) {
    await job(bench, 'deliver-webhooks');
    const [row] = await bench.sql.unsafe(
      'select count(*)::int as waiting from webhook_queue where dead_at is null',
    );
    if (row.waiting === 0) return;
  }
}

/** Invoices whose time is over, with a chain that was read past it. */
async function unpaid(bench: Bench): Promise<void> {
  const { it, merchantId, count } = bench;
  const expiresAt = new Date(Date.now() - 1_000);
  await insertManyInvoices(it.databaseUrl, { merchantId, count, status: 'created', expiresAt });
  chain(bench).mine(1);
  await job(bench, `chain:${CHAIN}`);
}

function chain({ it }: Bench) {
  const fake = it.service.chains.fakes?.get(CHAIN);
  if (!fake) throw new Error('the fake chains are not there');
  return fake.control;
}

async function job({ it }: Bench, name: string): Promise<void> {
  const found = it.service.jobs.find((each) => each.name === name);
  if (!found) throw new Error(`no job ${name}`);
  await found.run();
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
    measured: { median: value, min: value, max: value },
    absolute,
    latencies: [],
  };
}
