/**
 * Payments that come in one block, from the block until they are credited and their webhooks
 * queued, against plain SQL that writes the same in sets of 500. Once for many merchants and once
 * for one, whose balance and numbers all of them change.
 */
import { SQL } from 'bun';
import { startTestService, type TestService } from '../../tests/support/test-service.ts';
import { atLeast, type Finding } from '../harness/finding.ts';
import { alternate, ratio } from '../harness/legs.ts';
import { creditInSets } from '../harness/payment-sets.ts';
import { type Cost, costOfEach, costText } from '../harness/process-figures.ts';
import type { Row, RowContext } from '../harness/row.ts';

const CHAIN = 'ethereum';
const ASSET = 'usdt_ethereum';
const UNITS = 25_250_000n;
const CONFIRMATIONS = 12;
const MERCHANTS = 50;
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
    const databaseUrl = await context.database.createDatabase('bench_payments');
    const it = await startTestService({
      databaseUrl,
      env: { CHAINS: 'fake', LOG_LEVEL: 'silent' },
      chains: [CHAIN],
    });
    const sql = new SQL({ url: databaseUrl, adapter: 'postgres', max: 1 });
    const bench = { it, sql, count: context.quick ? 100 : 1_000 };
    try {
      await it.settle();
      return [await compared(bench, context, MERCHANTS), await compared(bench, context, 1)];
    } finally {
      await sql.close();
      await it.stop();
    }
  },
};

interface Round {
  readonly rate: number;
  readonly cost: Cost;
  readonly latency: { readonly p50: number; readonly p99: number };
}

async function compared(bench: Bench, { rounds }: RowContext, merchants: number): Promise<Finding> {
  const { it, sql, count } = bench;
  const keys = await Promise.all(Array.from({ length: merchants }, () => it.merchant({ callbackUrl: HOOK })));
  let commits = 0;
  const round = async (
    work: (ids: readonly string[]) => Promise<void>,
    paid: (addresses: readonly string[]) => void = () => undefined,
  ) => {
    const { ids, addresses } = await invoicesOf(
      bench,
      keys.map(({ live }) => live),
    );
    paid(addresses);
    await sql.unsafe('vacuum analyze');
    const before = await rowsOf(sql);
    const cost = await costOfEach(count, sql, () => work(ids));
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
          const began = await committed(sql);
          await job(bench, `chain:${CHAIN}`);
          chain(bench).mine(CONFIRMATIONS);
          await job(bench, `chain:${CHAIN}`);
          await job(bench, 'screen-deposits');
          commits = (await committed(sql)) - began;
          body ||= await bodyOf(sql, ids[0]!);
        },
        (addresses) => {
          for (const to of addresses) chain(bench).pay({ to, asset: ASSET, units: UNITS });
          chain(bench).mine(1);
        },
      ),
  };
  const theirs = {
    name: 'plain SQL',
    run: () => round((ids) => creditInSets(sql, { ids, url: HOOK, body })),
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
    absolute: `${costs(service)}, ${(commits / count).toFixed(3)} commits a payment; plain SQL ${costs(plain)}`,
    latencies: [],
  };
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

/** Transactions of the service's sessions since the database was made. */
async function committed(sql: SQL): Promise<number> {
  await sql.unsafe('select pg_stat_clear_snapshot()');
  const [row] = await sql.unsafe(
    `select xact_commit::int as commits from pg_stat_database where datname = current_database()`,
  );
  return row.commits;
}

async function bodyOf(sql: SQL, invoiceId: string): Promise<string> {
  const [row] = await sql.unsafe('select body from webhook_deliveries where invoice_id = $1 limit 1', [
    invoiceId,
  ]);
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
