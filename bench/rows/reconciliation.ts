/**
 * The hourly reconciliation of the books beside a long history and beside one of a tenth: the same
 * new payments are compared in both, in turn. For the record, the walk through all rows.
 */
import { bookChecks } from '../../src/adapters/postgres/books/book-checks.ts';
import { type Database, openDatabase } from '../../src/adapters/postgres/client/client.ts';
import type { BookChecks } from '../../src/ports/treasury/book-checks.ts';
import { silentLogger } from '../../tests/support/runtime/silent-logger.ts';
import {
  type FakeChainService,
  onFakeChain,
  orderInvoices,
  payInvoices,
} from '../harness/fake-chain-service.ts';
import { atMost, type Finding, type Unit } from '../harness/finding.ts';
import { copyPaid } from '../harness/paid-history.ts';
import type { Row, RowContext } from '../harness/row.ts';
import { latency, spread } from '../harness/statistics.ts';

const ROUNDS = 6;
/** A run that reads in proportion to the history would be ten times the other. */
const MORE_MAX = 1.2;
const SLOWER_MAX = 1.5;
/** Paid by the service. The others are copies. */
const ORIGINALS = 100;

interface Books extends FakeChainService {
  readonly invoices: number;
  readonly key: string;
  readonly checks: BookChecks;
  /** The one connection of `checks`. */
  readonly database: Database;
  /** Of each hourly run. */
  readonly rows: number[];
  readonly times: number[];
  walkMs: number;
}

export const reconciliation: Row = {
  name: 'reconciliation',
  async run(context) {
    const { quick, invoices } = context;
    const all = (quick ? 20_000 : invoices) / 10;
    return withBooks(context, 'bench_books_few', all / 10, (few) =>
      withBooks(context, 'bench_books_many', all, async (many) => {
        for (let round = 0; round < ROUNDS; round += 1)
          for (const books of round % 2 === 0 ? [few, many] : [many, few])
            await hourlyRun(books, quick ? 50 : 500, round > 0);
        return findings(few, many);
      }),
    );
  },
};

async function withBooks<Found>(
  { database: server }: RowContext,
  name: string,
  invoices: number,
  work: (books: Books) => Promise<Found>,
): Promise<Found> {
  const url = await server.createDatabase(name);
  return onFakeChain(url, async (service) => {
    const { id, live: key } = await service.it.merchant();
    await payInvoices(service, (await orderInvoices(service, [key], ORIGINALS)).addresses);
    await copyPaid(service.sql, id, invoices / ORIGINALS - 1);
    await service.it.run('fold-list-counts');
    await service.sql.unsafe('vacuum analyze');
    const database = openDatabase({ url, poolSize: 1, logger: silentLogger });
    try {
      const checks = bookChecks(database);
      const began = performance.now();
      await mustAgree(checks.reconciliationFaults(new Date()));
      const walkMs = performance.now() - began;
      return await work({ ...service, invoices, key, database, checks, rows: [], times: [], walkMs });
    } finally {
      await database.close();
    }
  });
}

/** The first one warms up. */
async function hourlyRun(books: Books, count: number, counts: boolean): Promise<void> {
  await payInvoices(books, (await orderInvoices(books, [books.key], count)).addresses);
  const before = await rowsRead(books.database);
  const began = performance.now();
  await mustAgree(books.checks.newFaults(new Date()));
  const ms = performance.now() - began;
  const rows = (await rowsRead(books.database)) - before;
  if (!counts) return;
  books.times.push(ms);
  books.rows.push(rows);
}

/** By this connection and those that were idle for long. */
async function rowsRead(database: Database): Promise<number> {
  await database.query('select pg_stat_force_next_flush()');
  const [row] = await database.query<{ read: string }>(
    'select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_user_tables',
  );
  return Number(row?.read);
}

async function mustAgree(found: Promise<readonly object[]>): Promise<void> {
  const faults = await found;
  if (faults.length > 0) throw new Error(`${faults.length} faults, ${JSON.stringify(faults[0])}`);
}

function findings(few: Books, many: Books): Finding[] {
  const of = ({ invoices }: Books) => `${invoices.toLocaleString('en')} invoices`;
  const beside = `of an hourly run beside ${of(many)}, against ${of(few)}`;
  const ratios = (figures: (books: Books) => readonly number[]) =>
    spread(figures(many).map((figure, round) => figure / figures(few)[round]!));
  const listed = (figures: readonly number[]) => Math.round(spread(figures).median).toLocaleString('en');
  const figure = (what: string, unit: Unit, measured: Finding['measured'], absolute: string): Finding => ({
    ...{ what, target: null, unit, measured, absolute, latencies: [] },
  });
  return [
    {
      ...figure(
        `rows read ${beside}`,
        'x',
        ratios(({ rows }) => rows),
        `${listed(many.rows)} rows, and ${listed(few.rows)}`,
      ),
      target: atMost(MORE_MAX, 'x'),
    },
    {
      ...figure(
        `time ${beside}`,
        'x',
        ratios(({ times }) => times),
        `${listed(many.times)} ms, and ${listed(few.times)} ms`,
      ),
      target: atMost(SLOWER_MAX, 'x'),
      latencies: [latency([...many.times]), latency([...few.times])],
    },
    figure(
      `walk through all rows beside ${of(many)}`,
      's',
      spread([many.walkMs / 1_000]),
      `${(few.walkMs / 1_000).toFixed(1)} s beside ${of(few)}`,
    ),
  ];
}
