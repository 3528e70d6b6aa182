/**
 * Filtered lists of a million invoices: each is served by an index, which EXPLAIN of the service's
 * own statement shows.
 */
import { type Database, openDatabase } from '../../src/adapters/postgres/client/client.ts';
import type { SqlParameter } from '../../src/adapters/postgres/client/parameters.ts';
import type { Sql } from '../../src/adapters/postgres/client/sql.ts';
import { postgresQueries } from '../../src/adapters/postgres/queries.ts';
import type { InvoiceFilter, Sort } from '../../src/ports/list-queries.ts';
import type { Finding } from '../harness/finding.ts';
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
