/** Books without rows, what is posted to them, and walks through them that are interrupted. */
import { bookChecks } from '../../../src/adapters/postgres/books/book-checks.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { aMerchant } from '../builders.ts';
import { emptyTables } from '../postgres/empty-tables.ts';
import type { TestDatabase } from '../postgres/postgres.ts';
import { postgresRawRows } from '../postgres/raw-rows.ts';
import { type Booked, booked } from './booked.ts';

/** Aborted once it was looked at so often. */
export function afterLooks(looks: number): AbortSignal {
  let left = looks;
  return {
    get aborted() {
      left -= 1;
      return left < 0;
    },
  } as AbortSignal;
}

/** Books on a database that is there when they are used. */
export function booksOn(held: () => TestDatabase) {
  const work = () => postgresUnitOfWork(held().database);
  return {
    checks: (atOnce = 2) => bookChecks(held().database, { atOnce }),
    raw: () => postgresRawRows(held().database),
    work,
    /** Leaves one merchant, whose id it returns. */
    async emptyBooks(): Promise<string> {
      await emptyTables(held().database);
      const merchant = aMerchant();
      await work().run(({ merchants }) => merchants.insert(merchant));
      return merchant.id;
    },
    post: (merchantId: string): Promise<Booked> =>
      work().run((repositories) => booked(repositories, merchantId)),
  };
}

/** The checks that found something, each once, in order. */
export const namesOf = (faults: readonly { readonly check: string }[]) =>
  [...new Set(faults.map(({ check }) => check))].sort();
