/** The check of sums of days (console/merchant-figures.ts): figures of the console. */

import { sql } from 'drizzle-orm';
import type { ReconciliationFault } from '../../../ports/treasury/book-checks.ts';
import type { Database } from '../client/client.ts';
import { DAY_FIGURE_CHECK } from '../console/merchant-figures.ts';
import { statement } from '../statement.ts';
import { FAULT, MOST_FAULTS } from './row-checks.ts';

export const DAY_CHECK = 'sums of days equal the ledger and the invoices';
const TIMEOUT_MS = 600_000;

const WRONG = statement({
  selects: FAULT,
  text: (_given, select) => sql`
    select ${select} from (${DAY_FIGURE_CHECK}) fault order by reference limit ${MOST_FAULTS}`,
});

/** Reads all entries and invoices in one statement: no index has them by day. */
export async function wrongDays(database: Database): Promise<readonly ReconciliationFault[]> {
  const rows = await database.snapshot((on) => WRONG(on), { timeoutMs: TIMEOUT_MS });
  return rows.map((fault) => ({ check: DAY_CHECK, ...fault }));
}
