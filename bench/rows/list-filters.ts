/**
 * Filtered lists of a million invoices: each is served by an index, which EXPLAIN of the service's
 * own statement shows.
 */
import {
  type Database,
  DatabaseUnavailable,
  openDatabase,
} from '../../src/adapters/postgres/client/client.ts';
import type { SqlParameter } from '../../src/adapters/postgres/client/parameters.ts';
import type { Sql } from '../../src/adapters/postgres/client/sql.ts';
import { postgresQueries } from '../../src/adapters/postgres/queries.ts';
import { type InvoiceFilter, ListRefused, type Sort } from '../../src/ports/list-queries.ts';
import { atMost, type Finding } from '../harness/finding.ts';
import { type MillionInvoices, millionInvoices } from '../harness/million-invoices.ts';
import type { Row } from '../harness/row.ts';
import { silentLogger } from '../harness/silent-logger.ts';
import { latency, spread } from '../harness/statistics.ts';

const NO_FILTER: InvoiceFilter = { from: null, to: null, status: null, asset: null, ids: null };
const NEWEST_FIRST: Sort = { by: 'created_at', order: 'desc' };
const DAYS_AGO = (days: number) => new Date(Date.now() - days * 86_400_000);
/** Of invoice 4711 (million-invoices.ts). */
const ADDRESS = `0x${(md5('4711') + md5('a4711')).slice(0, 40)}`;
const LISTS: readonly { name: string; filter: InvoiceFilter; sort: Sort }[] = [
  { name: 'status=created', filter: { ...NO_FILTER, status: 'created' }, sort: NEWEST_FIRST },
  { name: 'asset=btc_bitcoin', filter: { ...NO_FILTER, asset: 'btc_bitcoin' }, sort: NEWEST_FIRST },
  {
    name: 'status=success&asset=btc_bitcoin',
    filter: { ...NO_FILTER, status: 'success', asset: 'btc_bitcoin' },
    sort: NEWEST_FIRST,
  },
  {
    name: 'status=success&sort=amount',
    filter: { ...NO_FILTER, status: 'success' },
    sort: { by: 'amount', order: 'desc' },
  },
  {
    name: 'status=success&asset=btc_bitcoin&sort=amount of 300 days',
    filter: { ...NO_FILTER, from: DAYS_AGO(300), status: 'success', asset: 'btc_bitcoin' },
    sort: { by: 'amount', order: 'desc' },
  },
  { name: 'date range', filter: { ...NO_FILTER, from: DAYS_AGO(60), to: DAYS_AGO(30) }, sort: NEWEST_FIRST },
  { name: 'sort=amount', filter: NO_FILTER, sort: { by: 'amount', order: 'desc' } },
  { name: 'extra', filter: { ...NO_FILTER, extra: 'order-4711' }, sort: NEWEST_FIRST },
  { name: 'txid', filter: { ...NO_FILTER, txids: ['no such'] }, sort: NEWEST_FIRST },
  { name: 'address', filter: { ...NO_FILTER, addresses: [ADDRESS] }, sort: NEWEST_FIRST },
  { name: 'user_id', filter: { ...NO_FILTER, userId: 'user-42' }, sort: NEWEST_FIRST },
  {
    name: 'updated_from of an hour ago',
    filter: { ...NO_FILTER, updatedFrom: DAYS_AGO(1 / 24) },
    sort: NEWEST_FIRST,
  },
  {
    name: 'updated_from of 30 days ago',
    filter: { ...NO_FILTER, updatedFrom: DAYS_AGO(30) },
    sort: NEWEST_FIRST,
  },
];

function md5(text: string): string {
  return new Bun.CryptoHasher('md5').update(text).digest('hex');
}

export const listFilters: Row = {
  name: 'list-filters',
  async run(context) {
    const million = await millionInvoices(context);
    const database = openDatabase({ url: million.databaseUrl, poolSize: 1, logger: silentLogger });
    try {
      const findings: Finding[] = [];
      for (const list of LISTS)
        findings.push(await measured(database, million, list, context.quick ? 3 : 15));
      findings.push(...(await worst(database, million, context.quick ? 1 : 5)));
      return findings;
    } finally {
      await database.close();
    }
  },
};

async function measured(
  database: Database,
  { merchants, count }: MillionInvoices,
  list: (typeof LISTS)[number],
  times: number,
): Promise<Finding> {
  const scope = { merchantId: merchants[0]?.id ?? '', sandbox: true };
  const asked: { text: string; parameters: readonly SqlParameter[] }[] = [];
  const recording = (sql: Sql): Sql => ({
    query(text, parameters = []) {
      asked.push({ text, parameters });
      return sql.query(text, parameters);
    },
  });
  const lists = {
    ...recording(database),
    snapshot: <T>(work: (sql: Sql) => Promise<T>) => database.snapshot((sql) => work(recording(sql))),
  };
  const queries = postgresQueries(database, lists);
  const read = () => queries.invoices(scope, list.filter, list.sort, { page: 1, perPage: 20 });
  const milliseconds: number[] = [];
  let total = 0;
  await read();
  for (let round = 0; round < times; round++) {
    const began = performance.now();
    total = (await read()).total;
    milliseconds.push(performance.now() - began);
  }
  // The statement that found the page; one of its own may have told the total before.
  const indexes = await indexesOf(database, asked.at(-1));
  return {
    what: `a page of ${count.toLocaleString('en')} invoices, ${list.name}, with its total, in SQL`,
    target: null,
    unit: 'ms',
    measured: spread(milliseconds),
    absolute: `${total.toLocaleString('en')} rows, on ${indexes.join(' and ')}`,
    latencies: [latency(milliseconds)],
  };
}

const STATUSES = [null, 'success', 'created', 'expired', 'failed'] as const;
const ASSETS = [null, 'btc_bitcoin', 'usdc_ethereum'];
/** Of a list's whole time, from its first invoice on. */
const SPANS = [
  [null, null],
  [0.2, null],
  [null, 0.7],
  [0.4, 0.45],
  [0.4, 0.4001],
] as const;
/** Of a list's pages. */
const DEPTHS = [0, 0.5, 1];
const PER_PAGE = 20;
const TOLD = 5;
const WORST_MS_MAX = 20;
/** Of million-invoices.ts. */
const INVOICE_EVERY_MS = 30_000;

interface Timed {
  readonly name: string;
  readonly milliseconds: number;
  /** Not the first page, by amount: the database walks to it. */
  readonly isWalk: boolean;
}

/** Every combination of filters and orders, on their first, middle and last page. */
async function worst(database: Database, million: MillionInvoices, times: number): Promise<Finding[]> {
  const { merchants, count } = million;
  const scope = { merchantId: merchants[0]?.id ?? '', sandbox: true };
  const queries = postgresQueries(database, database);
  const timed: Timed[] = [];
  for (const { filter, sort, name } of combinations(count)) {
    const read = (page: number) => queries.invoices(scope, filter, sort, { page, perPage: PER_PAGE });
    const pages = Math.max(1, Math.ceil((await read(1)).total / PER_PAGE));
    for (const page of new Set(DEPTHS.map((depth) => Math.max(1, Math.round(pages * depth))))) {
      const isWalk = sort.by === 'amount' && page > 1;
      const milliseconds = await usual(isWalk ? 1 : times, () => read(page));
      timed.push({ name: `${name}, page ${page} of ${pages}`, milliseconds, isWalk });
    }
  }
  return [
    slowest(
      'page',
      count,
      timed.filter(({ isWalk }) => !isWalk),
    ),
    slowest(
      'page by amount behind the first',
      count,
      timed.filter(({ isWalk }) => isWalk),
    ),
  ];
}

function* combinations(count: number): Generator<{ filter: InvoiceFilter; sort: Sort; name: string }> {
  const began = Date.now() - count * INVOICE_EVERY_MS;
  const at = (part: number | null) =>
    part === null ? null : new Date(began + part * count * INVOICE_EVERY_MS);
  for (const status of STATUSES)
    for (const asset of ASSETS)
      for (const [from, to] of SPANS)
        for (const by of ['created_at', 'amount'] as const)
          for (const order of ['asc', 'desc'] as const)
            yield {
              filter: { ...NO_FILTER, status, asset, from: at(from), to: at(to) },
              sort: { by, order },
              name: `status=${status}&asset=${asset}&from=${from}&to=${to}&sort=${by} ${order}`,
            };
}

function slowest(what: string, count: number, timed: readonly Timed[]): Finding {
  const sorted = timed.toSorted((a, b) => b.milliseconds - a.milliseconds);
  for (const { name, milliseconds } of sorted.slice(0, TOLD))
    console.log(`${milliseconds.toFixed(1)} ms: ${name}`);
  const { median } = spread(timed.map(({ milliseconds }) => milliseconds));
  return {
    what: `the slowest ${what} of ${count.toLocaleString('en')} invoices, of ${timed.length} combinations of filters, orders and depths, in SQL`,
    target: atMost(WORST_MS_MAX, 'ms'),
    unit: 'ms',
    measured: spread([sorted[0]?.milliseconds ?? 0]),
    absolute: `${sorted[0]?.name}; half of them take at most ${median.toFixed(1)} ms`,
    latencies: [],
  };
}

/** The median of a few. One that is refused as too slow counts with the time that it was given. */
async function usual(times: number, read: () => Promise<unknown>): Promise<number> {
  const milliseconds: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const began = performance.now();
    await read().catch((error: unknown) => {
      if (!(error instanceof ListRefused || error instanceof DatabaseUnavailable)) throw error;
    });
    milliseconds.push(performance.now() - began);
  }
  return spread(milliseconds).median;
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** The indexes in the plan of the statement; throws when it reads the whole table anywhere. */
async function indexesOf(
  database: Sql,
  statement: { text: string; parameters: readonly SqlParameter[] } | undefined,
): Promise<string[]> {
  if (!statement) throw new Error('the list asked the database nothing');
  const [row] = await database.query(`explain (format json) ${statement.text}`, statement.parameters);
  const explained = row?.['QUERY PLAN'];
  const [{ Plan: root }] = (typeof explained === 'string' ? JSON.parse(explained) : explained) as [
    { Plan: Plan },
  ];
  const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];
  const all = nodes(root);
  if (all.some((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'invoices')) {
    throw new Error(`a filtered list reads the whole table: ${JSON.stringify(explained)}`);
  }
  const names = all.flatMap((node) => node['Index Name'] ?? []).filter((name) => name.startsWith('invoices'));
  if (names.length === 0) throw new Error(`a filtered list uses no index: ${JSON.stringify(explained)}`);
  return [...new Set(names)];
}
