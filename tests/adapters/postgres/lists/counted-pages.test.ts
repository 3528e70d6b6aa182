/**
 * Lists over several blocks of numbers, most of which were removed, some wholly, against a naive
 * list: every total, range, order and page, with filters and without.
 */
import { expect, test } from 'bun:test';
import type { Database } from '../../../../src/adapters/postgres/client/client.ts';
import { BLOCK } from '../../../../src/adapters/postgres/lists/list-counts.ts';
import { postgresQueries } from '../../../../src/adapters/postgres/queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { cut } from '../../../contracts/lists/lists.ts';
import { aMerchant, anInvoice, aPrice, inStatus, NOW, secondsAfter } from '../../../support/builders.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { seeded } from '../../../support/runtime/seeded.ts';

const STATUSES = ['created', 'success', 'success', 'success', 'expired'] as const;
const ASSETS = ['usdt_ethereum', 'usdt_ethereum', 'btc_bitcoin'] as const;
const COUNT = 120;
/** Between the numbers of two invoices: each half of them is more than a block. */
const STEP = 300;
/** Blocks of which everything was removed: the first, the last, and two in the middle. */
const EMPTY = { before: BLOCK, middle: 3 * BLOCK, after: 2 * BLOCK };
const REQUESTS = 150;

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
    const { before, middle, after } = EMPTY;
    expect((COUNT * STEP) / 2 / BLOCK).toBeGreaterThan(1);
    await database.query(
      `update invoices set seq = seq * $1 + $2 + case when seq > $3 then $4::int else 0 end`,
      [STEP, before, COUNT / 2, middle],
    );
    const last = COUNT * STEP + before + middle + after;
    await database.query(`update counters set value = $1 where stream = 'invoices' and not sandbox`, [last]);
    await removeMissing(database, merchant.id, last);

    for (let request = 0; request < REQUESTS; request += 1) {
      if (request % 30 === 15) await run((r) => r.listCounts.fold(100));
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

/** As if all numbers up to `last` that have no row had been removed. */
async function removeMissing(database: Database, merchantId: string, last: number): Promise<void> {
  const kept = new Set(
    (await database.query<{ seq: unknown }>('select seq from invoices')).map(({ seq }) => Number(seq)),
  );
  for (let block = 0; block * BLOCK < last; block += 1) {
    const numbers = Array.from({ length: BLOCK }, (_, place) => block * BLOCK + place + 1);
    const bits = numbers.map((seq) => (seq > last || kept.has(seq) ? '0' : '1')).join('');
    await database.query(
      `insert into removed_invoices (merchant_id, sandbox, block, numbers, count)
       select $1, false, $2, bits, bit_count(bits) from (select $3::bit(${BLOCK}) as bits) removed`,
      [merchantId, block, bits],
    );
  }
}
