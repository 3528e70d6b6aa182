/**
 * Every night all rows are compared, whatever one phase, one process or the clock does, and an
 * operator learns where that was not so.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { bookChecks } from '../../../../src/adapters/postgres/books/book-checks.ts';
import { DatabaseUnavailable } from '../../../../src/adapters/postgres/client/client.ts';
import { deposits } from '../../../../src/adapters/postgres/schema/addresses.ts';
import { bookWalk, unverifiedEntries } from '../../../../src/adapters/postgres/schema/verified.ts';
import { afterLooks as after, booksOn, namesOf as names } from '../../../support/ledger/empty-books.ts';
import { is } from '../../../support/ledger/raw-rows.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

const NOW = new Date();

describe.skipIf(!needs('postgres', postgresAvailable()))('walks through the books', () => {
  let held: TestDatabase;
  beforeAll(async () => {
    held = await testDatabase({ poolSize: 4 });
  }, 120_000);
  afterAll(() => held.drop());

  const { checks, raw, work, emptyBooks, post } = booksOn(() => held);
  const days = (count: number) => new Date(NOW.getTime() + count * 86_400_000);
  /** Fails in statements that name the table, so often. */
  const failing = (table: string, { times = Number.POSITIVE_INFINITY, error = new Error(table) } = {}) => {
    let left = times;
    return bookChecks(
      {
        ...held.database,
        query: (text, parameters) => {
          if (!text.includes(table) || left === 0) return held.database.query(text, parameters);
          left -= 1;
          return Promise.reject(error);
        },
      },
      { atOnce: 2 },
    );
  };
  /** The service reconciles each hour, from then on. */
  const serves = (from: Date, hours: number) =>
    work().run(async ({ reconciliations }) => {
      for (let hour = 1; hour <= hours; hour += 1)
        await reconciliations.append({
          ...{ at: new Date(from.getTime() + hour * 3_600_000), agree: true, faults: 0, chains: [] },
        });
    });

  test('a phase that fails stops no other one, and is a fault when it failed two nights', async () => {
    const world = await post(await emptyBooks());
    expect(await checks().reconciliationFaults(NOW)).toEqual([]);
    const broken = failing('list_counts');
    const night = (at: Date) => broken.walkBooks({ now: at, dueSince: at });
    await expect(night(days(1))).rejects.toThrow('list_counts');
    await raw().change(deposits, is(world.stray), { status: 'credited' });
    expect(names(await checks().newFaults(days(1.5)))).toEqual([]);
    await expect(night(days(2))).rejects.toThrow('list_counts');
    expect(await raw().rows(bookWalk)).toMatchObject([{ phase: 'ended', failed: 'counts', endedAt: NOW }]);
    expect(names(await checks().newFaults(days(2)))).toEqual(['deposit has its entries']);
    await raw().change(deposits, is(world.stray), { status: 'stray' });
    await serves(NOW, 54);
    expect(names(await checks().newFaults(new Date(days(2.25).getTime() - 1)))).toEqual([]);
    expect(await checks().newFaults(days(2.25))).toMatchObject([
      { check: 'all rows are compared every night', reference: 'counts', found: NOW.toISOString() },
    ]);
    expect(await checks().walkBooks({ now: days(3), dueSince: days(3) })).toEqual([]);
    expect(await checks().newFaults(days(4))).toEqual([]);
  });

  test('a failure that is over at once passes over no phase', async () => {
    await post(await emptyBooks());
    expect(await checks().reconciliationFaults(NOW)).toEqual([]);
    const walk = { now: days(1), dueSince: days(1) };
    expect(await failing('list_counts', { times: 1 }).walkBooks(walk)).toEqual([]);
    expect(await raw().rows(bookWalk)).toMatchObject([{ phase: 'ended', failed: null, endedAt: days(1) }]);
  });

  test('where the database is away for some seconds, the walk goes on in the same phase', async () => {
    await post(await emptyBooks());
    expect(await checks().reconciliationFaults(NOW)).toEqual([]);
    const walk = { now: days(1), dueSince: days(1) };
    const away = failing('list_counts', { times: 3, error: new DatabaseUnavailable('away') });
    for (let run = 0; run < 3; run += 1) await expect(away.walkBooks(walk)).rejects.toThrow('away');
    expect(await raw().rows(bookWalk)).toMatchObject([{ phase: 'counts', failed: null }]);
    expect(await away.walkBooks(walk)).toEqual([]);
    expect(await raw().rows(bookWalk)).toMatchObject([{ phase: 'ended', failed: null, endedAt: days(1) }]);
  });

  test('a service that stood still, or another clock, is no fault', async () => {
    await post(await emptyBooks());
    expect(await checks().reconciliationFaults(NOW)).toEqual([]);
    await serves(NOW, 12);
    // Two workers each reconcile every hour.
    await serves(new Date(NOW.getTime() + 1_000), 12);
    await serves(days(400), 100);
    expect(await checks().newFaults(days(180))).toEqual([]);
  });

  test('a walk that is not over when the next one is due begins anew', async () => {
    await post(await emptyBooks());
    expect(await checks().reconciliationFaults(NOW)).toEqual([]);
    await checks().walkBooks({ now: days(1), dueSince: days(1), stopping: after(3) });
    await checks().walkBooks({ now: days(2), dueSince: days(2), stopping: after(1) });
    expect(await raw().rows(bookWalk)).toMatchObject([{ phase: 'entries', begunAt: days(2), endedAt: NOW }]);
  });

  test('K7: a clock that was ahead for a moment ends no later walk', async () => {
    const world = await post(await emptyBooks());
    expect(await checks().reconciliationFaults(NOW)).toEqual([]);
    expect(await checks().walkBooks({ now: days(400), dueSince: days(400) })).toEqual([]);
    await raw().change(deposits, is(world.stray), { status: 'credited' });
    expect(names(await checks().walkBooks({ now: days(1), dueSince: days(1) }))).toEqual([
      'deposit has its entries',
    ]);
    expect(await raw().rows(bookWalk)).toMatchObject([{ begunAt: days(1), endedAt: days(1) }]);
  });

  test('the first walk goes on where it was, and verifies new entries meanwhile', async () => {
    const merchantId = await emptyBooks();
    await post(merchantId);
    expect(await checks().newFaults(NOW, after(4))).toEqual([]);
    const [first] = await raw().rows(bookWalk);
    expect(first).toMatchObject({ phase: 'entries', begunAt: NOW, summed: false });
    expect(first?.after).not.toBe('');
    expect(await raw().rows(unverifiedEntries)).toEqual([]);
    await post(merchantId);
    expect(await checks().newFaults(days(1), after(2))).toEqual([]);
    const [second] = await raw().rows(bookWalk);
    expect(second).toMatchObject({ phase: 'entries', begunAt: NOW });
    expect((second?.after ?? '') > (first?.after ?? '')).toBe(true);
    expect(await raw().rows(unverifiedEntries)).toEqual([]);
    expect(await checks().newFaults(days(1))).toEqual([]);
    expect(await raw().rows(bookWalk)).toMatchObject([{ phase: 'deposits', begunAt: NOW, summed: true }]);
    expect(await checks().reconciliationFaults(days(1))).toEqual([]);
  });
});
