/**
 * Payments that come in one block, from the block until they are credited and their webhooks
 * queued, against plain SQL that writes the same in sets of 500. Once for many merchants and once
 * for one, whose balance and numbers all of them change.
 */
import { SQL } from 'bun';
import { openCountingRelay } from '../../tests/support/postgres/counting-relay.ts';
import { startTestService, type TestService } from '../../tests/support/test-service.ts';
import { atLeast, atMost, type Finding } from '../harness/finding.ts';
import { alternate, ratio } from '../harness/legs.ts';
import { creditInSets } from '../harness/payment-sets.ts';
import {
  type Cost,
  costOfEach,
  costText,
  ownSessionSeconds,
  sessionSeconds,
} from '../harness/process-figures.ts';
import type { Row, RowContext } from '../harness/row.ts';

const CHAIN = 'ethereum';
const ASSET = 'usdt_ethereum';
const UNITS = 25_250_000n;
const CONFIRMATIONS = 12;
const MERCHANTS = 50;
const BATCH = 100;
const HOOK = 'https://shop.example/hook';
const TABLES = ['deposits', 'ledger_entries', 'ledger_postings', 'webhook_deliveries', 'webhook_queue'];

interface Bench {
  readonly it: TestService;
  readonly sql: SQL;
  readonly count: number;
}

export const payments: Row = {
  name: 'payments',
  async run(context) {
    const compare = await context.database.createDatabase('bench_payments');
    const count = await context.database.createDatabase('bench_payments_counted');
    return [
      ...(await onService(compare, context.quick ? 100 : 1_000, async (bench) => [
        await compared(bench, context, MERCHANTS),
        await compared(bench, context, 1),
      ])),
      ...(await counted(count)),
    ];
  },
};

async function onService<Found>(
  databaseUrl: string,
  count: number,
  work: (bench: Bench) => Promise<Found>,
): Promise<Found> {
  const it = await startTestService({
    databaseUrl,
    env: { CHAINS: 'fake', LOG_LEVEL: 'silent' },
    chains: [CHAIN],
  });
  const sql = new SQL({ url: databaseUrl, adapter: 'postgres', max: 1 });
  try {
    await it.settle();
    return await work({ it, sql, count });
  } finally {
    await sql.close();
    await it.stop();
  }
}

/** Statements and fsyncs of a payment; nothing is timed. */
async function counted(databaseUrl: string): Promise<readonly Finding[]> {
  const relay = await openCountingRelay(databaseUrl);
  try {
    return await onService(relay.url, BATCH, async (bench) => {
      const keys = await shops(bench, MERCHANTS);
      let statements = 0;
      let fsyncs = 0;
      // The first round prepares what the second one runs.
      for (let round = 0; round < 2; round++) {
        const { addresses } = await invoicesOf(bench, keys);
        payAll(bench, addresses);
        const before = await fsyncsOf(bench.sql);
        const sent = relay.statements;
        await credit(bench);
        statements = (relay.statements - sent) / BATCH;
        fsyncs = ((await fsyncsOf(bench.sql)) - before) / BATCH;
      }
      const what = `of a payment, ${BATCH} payments of ${MERCHANTS} merchants in one block`;
      return [
        counting(`statements ${what}`, statements, 5),
        counting(`fsyncs of the WAL ${what}`, fsyncs, 0.1),
      ];
    });
  } finally {
    relay.close();
  }
}

interface Round {
  readonly rate: number;
  readonly cost: Cost;
  readonly latency: { readonly p50: number; readonly p99: number };
}

async function compared(bench: Bench, { rounds }: RowContext, merchants: number): Promise<Finding> {
  const { sql, count } = bench;
  const keys = await shops(bench, merchants);
  const round = async (
    work: (ids: readonly string[]) => Promise<void>,
    sessions: typeof sessionSeconds,
    paid: (addresses: readonly string[]) => void = () => undefined,
  ) => {
    const { ids, addresses } = await invoicesOf(bench, keys);
    paid(addresses);
    await sql.unsafe('vacuum analyze');
    const before = await rowsOf(sql);
    const cost = await costOfEach(count, sql, () => work(ids), sessions);
    const after = await rowsOf(sql);
    await expectCredited(sql, ids);
    written.push(TABLES.map((table) => after[table]! - before[table]!).join(' '));
    return { rate: 1 / cost.elapsed, cost, latency: { p50: Number.NaN, p99: Number.NaN } };
  };
  const written: string[] = [];
  let body = '';
  const ours = {
    name: 'service',
    run: () =>
      round(
        async (ids) => {
          await credit(bench);
          body ||= await bodyOf(sql, ids[0]!);
        },
        sessionSeconds,
        (addresses) => payAll(bench, addresses),
      ),
  };
  const theirs = {
    name: 'plain SQL',
    run: () => round((ids) => creditInSets(sql, { ids, url: HOOK, body }), ownSessionSeconds),
  };
  const [service, plain] = await alternate<Round>([ours, theirs], { rounds, seconds: 0 });
  if (!service || !plain) throw new Error('unreachable: two legs went in');
  if (new Set(written).size !== 1) throw new Error(`the legs wrote different rows: ${written.join('; ')}`);
  const costs = (leg: typeof service) =>
    costText(
      leg.rounds.map(({ cost }) => cost),
      ' payments',
    );
  return {
    what: `payments of one block, ${merchants} merchants, from the block to the queued webhook / plain SQL in sets of 500`,
    target: atLeast(0.7),
    unit: 'x',
    measured: ratio(service, plain),
    absolute: `${costs(service)}; plain SQL ${costs(plain)}`,
    latencies: [],
  };
}

/** The API keys of as many merchants. */
async function shops({ it }: Bench, merchants: number): Promise<readonly string[]> {
  const made = await Promise.all(Array.from({ length: merchants }, () => it.merchant({ callbackUrl: HOOK })));
  return made.map(({ live }) => live);
}

/** All in one block. */
function payAll(bench: Bench, addresses: readonly string[]): void {
  for (const to of addresses) chain(bench).pay({ to, asset: ASSET, units: UNITS });
  chain(bench).mine(1);
}

/** From the block until everything is credited and its webhooks are queued. */
async function credit(bench: Bench): Promise<void> {
  await job(bench, `chain:${CHAIN}`);
  chain(bench).mine(CONFIRMATIONS);
  await job(bench, `chain:${CHAIN}`);
  await job(bench, 'screen-deposits');
}

function counting(what: string, measured: number, most: number): Finding {
  const spread = { median: measured, min: measured, max: measured };
  return { what, target: atMost(most, 'each'), unit: 'each', measured: spread, absolute: '', latencies: [] };
}

async function invoicesOf({ it, count }: Bench, keys: readonly string[]) {
  const ids: string[] = [];
  const addresses: string[] = [];
  const order = { amount: 25, fiat_currency: 'USD', asset: ASSET };
  for (let made = 0; made < count; made += 50) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        it.call(keys[(made + n) % keys.length]!, 'POST', '/api/v2/invoices', order),
      ),
    );
    for (const { body } of answers) {
      ids.push(body.result.order_id);
      addresses.push(body.result.address_to);
    }
  }
  return { ids, addresses };
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

async function rowsOf(sql: SQL): Promise<Record<string, number>> {
  const [row] = await sql.unsafe(
    `select ${TABLES.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(', ')}`,
  );
  return row;
}

/** Of all sessions, and of the server's own processes. */
async function fsyncsOf(sql: SQL): Promise<number> {
  const [row] = await sql.unsafe(
    `select coalesce(sum(fsyncs), 0)::int as fsyncs from pg_stat_io where object = 'wal'`,
  );
  return row.fsyncs;
}

async function bodyOf(sql: SQL, invoiceId: string): Promise<string> {
  const [row] = await sql.unsafe(
    `select encode(packed_body, 'hex') as body from webhook_deliveries where invoice_id = $1 limit 1`,
    [invoiceId],
  );
  return row.body;
}

async function expectCredited(sql: SQL, ids: readonly string[]): Promise<void> {
  const [row] = await sql.unsafe(
    `select count(*)::int as through from webhook_deliveries d join invoices i on i.id = d.invoice_id
     where i.id = any (string_to_array($1, ',')) and i.status = 'success' and d.invoice_version = i.version`,
    [ids.join(',')],
  );
  if (row.through !== ids.length) throw new Error(`${row.through} of ${ids.length} are through`);
}
