/**
 * Lists over several blocks of numbers, most of which were removed, against a naive list: every
 * total, range, order and page, with filters and without.
 */
import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import type { Database } from '../../../../src/adapters/postgres/client/client.ts';
import { BLOCK } from '../../../../src/adapters/postgres/lists/list-counts.ts';
import { noteRemoved } from '../../../../src/adapters/postgres/lists/removed-numbers.ts';
import { postgresQueries } from '../../../../src/adapters/postgres/queries.ts';
import { statement } from '../../../../src/adapters/postgres/statement.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { cut } from '../../../contracts/lists/lists.ts';
import { aMerchant, anInvoice, aPrice, inStatus, NOW, secondsAfter } from '../../../support/builders.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { seeded } from '../../../support/runtime/seeded.ts';

const STATUSES = ['created', 'success', 'success', 'success', 'expired'] as const;
const ASSETS = ['usdt_ethereum', 'usdt_ethereum', 'btc_bitcoin'] as const;
const COUNT = 300;
/** Between the numbers of two invoices: all together are more than three blocks. */
const STEP = 173;

test.skipIf(!needs('postgres', postgresAvailable()))(
  'W2: totals and pages are exact over all blocks, whatever is asked for and however much is folded',
  async () => {
    const { database, drop } = await testDatabase();
    const { run } = postgresUnitOfWork(database);
    const queries = postgresQueries(database, database);
    const random = seeded(11);
    const merchant = aMerchant();
    const scope = { merchantId: merchant.id, sandbox: false };
    const invoices = Array.from({ length: COUNT }, (_, place) =>
      anInvoice({
        ...scope,
        ...inStatus(random.pick(STATUSES)),
        price: aPrice({ asset: random.pick(ASSETS) }),
        initialFiatMicros: BigInt(random.int(9)) * 1_000_000n,
        createdAt: secondsAfter(place),
      }),
    );
    await run(async (r) => {
      await r.merchants.insert(merchant);
      for (const invoice of invoices) await r.invoices.insert(invoice);
    });
    await database.query(`update invoices set seq = seq * $1 + 1000`, [STEP]);
    await database.query(`update counters set value = $1 where stream = 'invoices' and not sandbox`, [
      COUNT * STEP + 1000,
    ]);
    expect((COUNT * STEP) / BLOCK).toBeGreaterThan(3);
    await removeMissing(database);

    for (let request = 0; request < 250; request += 1) {
      if (request % 50 === 25) await run((r) => r.listCounts.fold(100));
      const bound = () => (random.int(2) === 0 ? null : secondsAfter(random.int(COUNT + 20) - 10, NOW));
      const filter = {
        status: random.pick([null, 'created', 'success', 'expired', 'failed'] as const),
        asset: random.pick([null, 'usdt_ethereum', 'btc_bitcoin', 'eth_base'] as const),
        ...{ ids: null, from: bound(), to: bound() },
      };
      const sort = {
        by: random.pick(['created_at', 'created_at', 'amount']),
        order: random.pick(['asc', 'desc']),
      } as const;
      const page = { page: random.int(random.pick([3, 60])) + 1, perPage: random.pick([1, 5, 100]) };
      const matching = invoices.filter(
        ({ status, price, createdAt }) =>
          (filter.status === null || status === filter.status) &&
          (filter.asset === null || price?.asset === filter.asset) &&
          (filter.from === null || createdAt >= filter.from) &&
          (filter.to === null || createdAt <= filter.to),
      );
      const sorted =
        sort.by === 'created_at'
          ? matching
          : matching.toSorted(
              (a, b) => Number(a.initialFiatMicros - b.initialFiatMicros) || (a.id < b.id ? -1 : 1),
            );
      const expected = cut(sort.order === 'asc' ? sorted : sorted.toReversed(), page);
      const found = await queries.invoices(scope, filter, sort, page);
      expect([filter, sort, page, found.total, found.rows.map(({ id }) => id)]).toEqual([
        filter,
        sort,
        page,
        expected.total,
        expected.rows.map(({ id }) => id),
      ]);
    }
    await drop();
  },
);

const MISSING = statement({
  text: () =>
    noteRemoved(sql`(
      select c.merchant_id, c.sandbox, n.seq from counters c cross join lateral generate_series(1, c.value) as n (seq)
      where c.stream = 'invoices' and not exists (
        select from invoices i where (i.merchant_id, i.sandbox, i.seq) = (c.merchant_id, c.sandbox, n.seq))) gone`),
});

/** As if all rows that are not there had been removed. */
async function removeMissing(database: Database): Promise<void> {
  await MISSING(database);
}
