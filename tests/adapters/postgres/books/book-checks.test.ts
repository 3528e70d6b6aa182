/**
 * The hourly run finds every fault in what is new, the walk every one in what is old, and neither
 * invents one, whatever is written at the same time, wherever a process dies, and in whatever order
 * transactions commit.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { bookChecks } from '../../../../src/adapters/postgres/books/book-checks.ts';
import { deposits } from '../../../../src/adapters/postgres/schema/addresses.ts';
import { ledgerEntries, ledgerPostings } from '../../../../src/adapters/postgres/schema/ledger.ts';
import { balances } from '../../../../src/adapters/postgres/schema/merchants.ts';
import {
  bookWalk,
  unverifiedEntries,
  verifiedBalances,
} from '../../../../src/adapters/postgres/schema/verified.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { DAMAGES } from '../../../contracts/treasury/reconciliation.ts';
import { aMerchant, anEntry, anId } from '../../../support/builders.ts';
import { booked } from '../../../support/ledger/booked.ts';
import { afterLooks as after, booksOn, namesOf as names } from '../../../support/ledger/empty-books.ts';
import { CHANGED, is, SUMS } from '../../../support/ledger/raw-rows.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { seeded } from '../../../support/runtime/seeded.ts';

const BALANCE = 'balance equals the postings to the merchant';
const LONG_AGO = new Date(0);
const NOW = new Date();

describe.skipIf(!needs('postgres', postgresAvailable()))('books', () => {
  let held: TestDatabase;
  beforeAll(async () => {
    held = await testDatabase({ poolSize: 4 });
  }, 120_000);
  afterAll(() => held.drop());

  const { checks, raw, work, emptyBooks, post } = booksOn(() => held);
  const ofRows = (expected: readonly string[]) => expected.filter((check) => check !== SUMS).toSorted();

  const hasEnded = async () => (await raw().rows(bookWalk)).every(({ phase }) => phase === 'ended');

  /** As the nightly job, in processes that die after each step but one in `lives`. */
  async function walk(steps = 1): Promise<readonly string[]> {
    const found: string[] = [];
    await checks().walkBooks({ now: NOW, dueSince: NOW, stopping: after(steps) });
    for (let left = 100; left > 0 && !(await hasEnded()); left -= 1) {
      const faults = await checks().walkBooks({ now: NOW, dueSince: LONG_AGO, stopping: after(steps) });
      found.push(...names(faults));
    }
    return [...new Set(found)].sort();
  }

  describe('a fault in what is new is found by the hourly run', () => {
    test.each(DAMAGES)('%s', async (_name, damage, expected) => {
      const merchantId = await emptyBooks();
      expect(await checks().newFaults(null)).toEqual([]);
      const world = await post(merchantId);
      await damage(raw(), world);
      expect(names(await checks().newFaults(null))).toEqual(ofRows(expected));
      // And again, although nothing is new.
      expect(names(await checks().newFaults(null))).toEqual(ofRows(expected));
    });
  });

  describe('a fault in what was verified is found by the walk, and by every run after it', () => {
    test.each(DAMAGES)('%s', async (_name, damage, expected) => {
      const merchantId = await emptyBooks();
      const world = await post(merchantId);
      expect(await checks().reconciliationFaults()).toEqual([]);
      await damage(raw(), world);
      const found = new Set([...(await walk(3)), ...names(await checks().newFaults(null))]);
      found.delete(CHANGED);
      expect([...found].sort()).toEqual([...expected].sort());
      const again = new Set(names(await checks().newFaults(null)));
      again.delete(CHANGED);
      expect([...again].sort()).toEqual([...expected].sort());
    });
  });

  test('a fault that was mended is not reported any more, and the sums of the next walk stand', async () => {
    const world = await post(await emptyBooks());
    expect(await checks().reconciliationFaults()).toEqual([]);
    const change = (by: bigint) =>
      raw().change(
        ledgerPostings,
        ({ account }) => account === 'merchant',
        ({ amount }) => ({ amount: amount + by }),
      );
    await change(1n);
    await raw().change(deposits, is(world.stray), { status: 'credited' });
    expect(names(await checks().newFaults(null))).toEqual([]);
    expect(await walk()).toContain('ledger entry balances');
    const standing = names(await checks().newFaults(null));
    expect(standing).toEqual(
      expect.arrayContaining([BALANCE, CHANGED, 'deposit has its entries', 'ledger entry balances']),
    );
    await change(-1n);
    await raw().change(deposits, is(world.stray), { status: 'stray' });
    // The sums are those of the wrong postings until the next walk.
    expect(names(await checks().newFaults(null))).toEqual([BALANCE, CHANGED]);
    expect(names(await checks().reconciliationFaults())).toEqual([CHANGED]);
    expect(await checks().reconciliationFaults()).toEqual([]);
  });

  test('books that were emptied as a whole are in order, and nothing of the old is remembered', async () => {
    await post(await emptyBooks());
    expect(await checks().reconciliationFaults()).toEqual([]);
    await held.database.script('truncate merchants, counters, ledger_entries, outgoing_transfers cascade');
    expect(await raw().rows(bookWalk)).toEqual([]);
    expect(await raw().rows(verifiedBalances)).toEqual([]);
    expect(await checks().newFaults(null)).toEqual([]);
    expect(await checks().reconciliationFaults()).toEqual([]);
  });

  test('postings and balance that were changed together are noticed, because they were verified', async () => {
    await post(await emptyBooks());
    expect(await checks().reconciliationFaults()).toEqual([]);
    const [reserve] = (await raw().rows(ledgerEntries)).filter(({ kind }) => kind === 'payout_reserved');
    await raw().change(
      ledgerPostings,
      (row) => row.entryId === reserve?.id,
      ({ account, amount }) => ({ amount: account === 'merchant' ? amount + 5n : amount - 5n }),
    );
    await raw().change(
      balances,
      ({ sandbox }) => !sandbox,
      ({ payoutsMicroUsd }) => ({ payoutsMicroUsd: payoutsMicroUsd + 5n }),
    );
    expect(names(await checks().reconciliationFaults())).toEqual(
      [CHANGED, 'reserve equals what the payout took', SUMS].sort(),
    );
  });

  test('an entry that is committed late counts once, though runs and a walk passed its id', async () => {
    const merchantId = await emptyBooks();
    const low = anId();
    await post(merchantId);
    expect(await checks().reconciliationFaults()).toEqual([]);
    let commit = () => {};
    const waits = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let posted = () => {};
    const isPosted = new Promise<void>((resolve) => {
      posted = resolve;
    });
    const open = work().run(async ({ ledger }) => {
      await ledger.post(released(merchantId, low));
      posted();
      await waits;
    });
    await isPosted;
    const other = aMerchant();
    await work().run(({ merchants }) => merchants.insert(other));
    await post(other.id);
    expect(await checks().newFaults(null)).toEqual([]);
    expect(await walk()).toEqual([]);
    commit();
    await open;
    expect((await raw().rows(unverifiedEntries)).map(({ entryId }) => entryId)).toContain(low);
    expect(names(await checks().newFaults(null))).toEqual(['entry has its payout']);
    expect(names(await checks().reconciliationFaults())).toEqual(['entry has its payout']);
  });

  test('entries that cannot be compared are a fault, and keep no other from being verified', async () => {
    const merchantId = await emptyBooks();
    expect(await checks().newFaults(null)).toEqual([]);
    await post(merchantId);
    const entries = (await raw().rows(unverifiedEntries)).map(({ entryId }) => entryId);
    const [bad = ''] = entries;
    const { database } = held;
    const broken = bookChecks(
      {
        ...database,
        snapshot: (read, limits) =>
          database.snapshot(
            (on) =>
              read({
                query: (text, given) =>
                  given?.some((value) => Array.isArray(value) && String(value) === bad)
                    ? Promise.reject(new Error('too much'))
                    : on.query(text, given),
              }),
            limits,
          ),
      },
      { atOnce: 1 },
    );
    const found = { check: 'new entries are compared within the hour', reference: bad };
    expect(await broken.newFaults(null)).toMatchObject([{ ...found, found: 'Error: too much' }]);
    expect(entries.length).toBeGreaterThan(3);
    expect(await raw().rows(unverifiedEntries)).toEqual([{ entryId: bad }]);
    expect(await checks().newFaults(null)).toEqual([]);
    expect(await raw().rows(unverifiedEntries)).toEqual([]);
  });

  test.each([1, 2, 3, 4, 5, 6])(
    'whatever comes between the steps of a walk, books in order are in order (seed %i)',
    async (seed) => {
      const merchantId = await emptyBooks();
      const random = seeded(seed);
      for (let turn = 0; turn < 25; turn += 1) {
        const choice = random.int(4);
        if (choice === 0) await post(merchantId);
        if (choice === 1) expect(await checks().newFaults(null)).toEqual([]);
        if (choice === 2) {
          const dueSince = random.int(3) === 0 ? NOW : LONG_AGO;
          const stopping = after(1 + random.int(6));
          expect(await checks().walkBooks({ now: NOW, dueSince, stopping })).toEqual([]);
        }
        // Two processes at once.
        if (choice === 3)
          expect(
            await Promise.all([
              checks().newFaults(null),
              checks().walkBooks({ now: NOW, dueSince: LONG_AGO, stopping: after(4) }),
              checks().newFaults(null),
              checks().walkBooks({ now: NOW, dueSince: LONG_AGO, stopping: after(4) }),
              post(merchantId).then(() => []),
            ]),
          ).toEqual([[], [], [], [], []]);
      }
      expect(await checks().reconciliationFaults()).toEqual([]);
      expect(await checks().newFaults(null)).toEqual([]);
      expect(await raw().rows(unverifiedEntries)).toEqual([]);
    },
    60_000,
  );

  test('the hourly run reads as much after 40 as after 400 old entries', async () => {
    const single = await testDatabase({ poolSize: 1 });
    try {
      const { database } = single;
      const unit = postgresUnitOfWork(database);
      const merchant = aMerchant();
      await unit.run(({ merchants }) => merchants.insert(merchant));
      const more = () => unit.run((repositories) => booked(repositories, merchant.id));
      const rowsRead = async () => {
        await database.query('select pg_stat_force_next_flush()');
        const [row] = await database.query<{ read: string }>(
          'select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_user_tables',
        );
        return Number(row?.read);
      };
      // Plans change once autovacuum has looked at the tables, which may be between the two runs.
      await database.script(`do $$ declare name regclass; begin
        for name in select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
          execute format('alter table %s set (autovacuum_enabled = off)', name);
        end loop; end $$`);
      const costs: number[] = [];
      for (const old of [2, 20]) {
        for (let each = 0; each < old; each += 1) await more();
        await bookChecks(database).reconciliationFaults();
        await more();
        const before = await rowsRead();
        expect(await bookChecks(database).newFaults(null)).toEqual([]);
        costs.push((await rowsRead()) - before);
      }
      const [few = 0, many = 0] = costs;
      expect(few).toBeGreaterThan(0);
      expect(many).toBeLessThanOrEqual(few);
    } finally {
      await single.drop();
    }
  }, 60_000);
});

/** An entry that needs a payout, and has none. */
function released(merchantId: string, id: string) {
  return anEntry({
    ...{ id, merchantId, kind: 'payout_reserved', referenceId: anId() },
    postings: [
      { account: 'merchant', currency: 'USD', amount: 1n },
      { account: 'payouts_in_flight', currency: 'USD', amount: -1n },
    ],
  });
}
