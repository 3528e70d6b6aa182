/**
 * The books in memory are judged as on PostgreSQL: on the same rows, and after the same random
 * tampering, reconciliation finds the same faults in the same order, the same laws are broken, and
 * the same is not at rest.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { getTableColumns } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import { StatementRefused } from '../../../../src/adapters/postgres/client/pg-errors.ts';
import { postgresOperatorQueries } from '../../../../src/adapters/postgres/operator-queries.ts';
import { DEPOSIT_STATUSES } from '../../../../src/domain/deposits/deposit.ts';
import { INVOICE_STATUSES } from '../../../../src/domain/invoices/invoice.ts';
import { PAYOUT_STATUSES } from '../../../../src/domain/payouts/payout.ts';
import type { ReconciliationFault } from '../../../../src/ports/treasury/book-checks.ts';
import { DAMAGES } from '../../../contracts/treasury/reconciliation.ts';
import { bookedInFull } from '../../../support/ledger/booked-in-full.ts';
import { LAW_DAMAGES } from '../../../support/ledger/law-damages.ts';
import { CHANGED, SUMS, type TableOf } from '../../../support/ledger/raw-rows.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { postgresRawRows, putRows } from '../../../support/postgres/raw-rows.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { type Seeded, seeded } from '../../../support/runtime/seeded.ts';
import type { Books } from '../../world/laws.ts';
import { postgresStorage } from '../../world/postgres-storage.ts';
import type { Storage } from '../../world/storages.ts';
import { reconciliationFaults } from '../ledger/reconciliation-faults.ts';
import { memoryBooks, memoryIdsOf } from '../memory-books.ts';
import { memoryUnitOfWork } from '../memory-unit-of-work.ts';
import { memoryRawRows } from '../raw-rows.ts';
import { memoryStore } from '../store/memory-store.ts';
import { SCHEMA } from '../store/schema.ts';

const SEEDS = [1, 2, 3, 4, 5, 6];
const STEPS = 12;
/** What only PostgreSQL keeps. */
const KEPT = new Set([SUMS, CHANGED, 'counts of lists equal the lists']);
const KEPT_LAWS = new Set(['the sums of days equal the postings', 'the sums of days equal the invoices']);
const CHOICES = ['held', 'stray', 'open payouts', 'failed payouts', 'signed'] as const;

type Row = Readonly<Record<string, unknown>>;
const TABLES: readonly TableOf<Row>[] = [
  'balances',
  'capitalBookings',
  'counters',
  'deposits',
  'invoices',
  'ledgerEntries',
  'ledgerPostings',
  'outgoingTransfers',
  'payouts',
  'refundClaims',
  'signedTransactions',
  'webhookDeliveries',
  'webhookQueue',
].map((name) => SCHEMA[name as keyof typeof SCHEMA] as unknown as TableOf<Row>);
const STATUSES = [...DEPOSIT_STATUSES, ...INVOICE_STATUSES, ...PAYOUT_STATUSES];

describe.skipIf(!needs('postgres', postgresAvailable()))('the books in memory', () => {
  let opened: Awaited<ReturnType<typeof testDatabase>>;
  let postgres: Storage;
  beforeAll(async () => {
    opened = await testDatabase();
    postgres = await postgresStorage(opened.url);
  });
  afterAll(async () => {
    await postgres.close();
    await opened.drop();
  });

  /** The same world in both. */
  async function open() {
    const store = memoryStore();
    const world = await bookedInFull(memoryUnitOfWork(store));
    await postgres.empty();
    for (const [name, table] of Object.entries(SCHEMA)) {
      const rows = [...store.tables[name as keyof typeof SCHEMA].all()];
      if (name !== 'signingSwitch') await putRows(opened.database, table, rows);
    }
    const books = memoryBooks(store);
    const idsOf = memoryIdsOf(store);
    return {
      world,
      raw: { memory: memoryRawRows(store), postgres: postgresRawRows(opened.database) },
      async compare(what: unknown): Promise<void> {
        const expected = await postgresOperatorQueries(opened.database).reconciliationFaults();
        const found = reconciliationFaults(store);
        const kept = expected.filter(({ check }) => !KEPT.has(check));
        expect({ what, order: found.map(placeOf) }).toEqual({ what, order: kept.map(placeOf) });
        expect({ what, faults: inOneOrder(found) }).toEqual({ what, faults: inOneOrder(kept) });
        expect({ what, ...(await answers(books, idsOf)) }).toEqual({
          what,
          ...(await answers(postgres.books, postgres.idsOf)),
        });
      },
    };
  }

  test('as they were booked', async () => {
    const { compare } = await open();
    await compare('nothing happened');
  });

  test.each([...DAMAGES, ...LAW_DAMAGES])('%s', async (name, damage) => {
    const { world, raw, compare } = await open();
    await damage(raw.memory, world);
    await damage(raw.postgres, world);
    await compare(name);
  });

  test.each(SEEDS)('after random tampering %i', async (seed) => {
    const { raw, compare } = await open();
    const random = seeded(seed);
    const done: unknown[] = [];
    for (let nth = 0; nth < STEPS; nth += 1) {
      const change = await tampering(random, (table) => raw.memory.rows(table));
      if (change === null) continue;
      const { table, row, to } = change;
      const which = sameKey(table, row);
      if (to === null) {
        await raw.memory.remove(table, which);
        await raw.postgres.remove(table, which);
      } else {
        if (!(await isTaken(() => raw.memory.change(table, which, to)))) continue;
        if (!(await isTaken(() => raw.postgres.change(table, which, to)))) {
          await raw.memory.change(table, which, row);
          continue;
        }
      }
      done.push({ table: getTableConfig(table).name, row, to });
      await compare(done);
    }
  });
});

const placeOf = ({ check, reference }: ReconciliationFault): string => `${check}: ${reference}`;

/** Faults of one reference come in no order. */
const inOneOrder = (faults: readonly ReconciliationFault[]): readonly string[] =>
  faults
    .map(
      ({ expected, found, ...place }) => `${placeOf({ expected, found, ...place })}: ${expected}, ${found}`,
    )
    .sort();

async function answers(books: Books, idsOf: Storage['idsOf']) {
  const laws = (await books.brokenLaws()).map(({ law }) => law);
  return {
    laws: laws.filter((law) => !KEPT_LAWS.has(law)),
    restless: (await books.restless()).map((row) => ({ ...(row as object) })),
    told: (await books.toldInvoices()).map((row) => ({ ...row })),
    ids: await Promise.all(CHOICES.map((what) => idsOf(what))),
  };
}

/** Null if there is nothing to do it to. `to`: null if the row goes. */
async function tampering(
  random: Seeded,
  rowsOf: (table: TableOf<Row>) => Promise<readonly Row[]>,
): Promise<{ table: TableOf<Row>; row: Row; to: Row | null } | null> {
  const table = TABLES[random.int(TABLES.length)]!;
  const rows = await rowsOf(table);
  const row = rows[random.int(Math.max(1, rows.length))];
  if (row === undefined) return null;
  if (random.int(8) === 0) return { table, row, to: null };
  const keys = new Set(keyOf(table));
  const columns = Object.keys(getTableColumns(table)).filter((name) => !keys.has(name));
  const column = columns[random.int(columns.length)]!;
  const other = rows[random.int(rows.length)]![column];
  return { table, row, to: { [column]: anotherValue(random, column, { value: row[column], other }) } };
}

function anotherValue(
  random: Seeded,
  column: string,
  { value, other }: { value: unknown; other: unknown },
): unknown {
  if (column === 'status' && random.int(2) === 0) return STATUSES[random.int(STATUSES.length)];
  if (random.int(3) === 0) return other;
  if (typeof value === 'bigint') return random.pick([value + 1n, value - 1n, -value, 0n]);
  if (typeof value === 'number') return value + random.pick([1, -1]);
  if (typeof value === 'boolean') return !value;
  if (value instanceof Date) return new Date(value.getTime() + random.pick([-1, 1]) * 86_400_000);
  return random.int(2) === 0 ? null : other;
}

function keyOf(table: PgTable): readonly string[] {
  const { primaryKeys } = getTableConfig(table);
  const columns = Object.entries(getTableColumns(table));
  const names = new Set(primaryKeys[0]?.columns.map(({ name }) => name));
  return columns.filter(([, { primary, name }]) => primary || names.has(name)).map(([property]) => property);
}

function sameKey(table: PgTable, row: Row): (other: Row) => boolean {
  const keys = keyOf(table);
  return (other) => keys.every((key) => other[key] === row[key]);
}

async function isTaken(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof StatementRefused) return false;
    throw error;
  }
}
