/**
 * Each way the books can disagree is found and named. Here are also the ways of what only
 * PostgreSQL keeps: counts of lists and sums of days, by triggers.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { bookChecks } from '../../../src/adapters/postgres/books/book-checks.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { describeBatchFees } from '../../contracts/treasury/batch-fees.ts';
import {
  describeReconciliation,
  freshBooks,
  type OpenedBooks,
} from '../../contracts/treasury/reconciliation.ts';
import { SUMS } from '../../support/ledger/raw-rows.ts';
import { emptyTables } from '../../support/postgres/empty-tables.ts';
import { postgresAvailable, testDatabase } from '../../support/postgres/postgres.ts';
import { postgresRawRows } from '../../support/postgres/raw-rows.ts';
import { needs } from '../../support/runtime/needs.ts';

async function open(): Promise<OpenedBooks & { script(text: string): Promise<void> }> {
  const { database, drop } = await testDatabase();
  return {
    unitOfWork: postgresUnitOfWork(database),
    raw: postgresRawRows(database),
    keepsSums: true,
    faults: () => bookChecks(database).reconciliationFaults(),
    empty: () => emptyTables(database),
    script: (text) => database.script(text),
    close: drop,
  };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres reconciliation', () => {
  describeReconciliation('postgres', open);
  describeBatchFees('postgres', open);

  describe('what triggers keep', () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open();
    }, 120_000);
    afterAll(() => opened.close());

    test.each([
      [
        'a count of a list that was changed',
        'insert into list_count_changes select * from list_count_changes limit 1',
        'counts of lists equal the lists',
      ],
      [
        'a sum of a day that was changed',
        `insert into day_figure_changes select * from day_figure_changes where figure = 'received' limit 1`,
        SUMS,
      ],
      [
        'an invoice of a day that is counted twice',
        `insert into day_figure_changes select * from day_figure_changes where figure = 'invoices' limit 1`,
        SUMS,
      ],
    ])('%s', async (_name, damage, check) => {
      await freshBooks(opened);
      expect(await opened.faults()).toEqual([]);
      await opened.script(damage);
      expect([...new Set((await opened.faults()).map((fault) => fault.check))]).toEqual([check]);
    });
  });
});
