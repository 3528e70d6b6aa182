/**
 * Checks the books against each other, each check one statement over all rows: entries against
 * zero, balances against postings; invoices, deposits, payouts and the wallets' outgoing money
 * against the ledger; numbers against their counters. All in one snapshot.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { ReconciliationFault } from '../../../ports/operator-queries.ts';
import type { Database } from '../client/client.ts';
import { DAY_FIGURE_CHECK } from '../console/merchant-figures.ts';
import { LIST_COUNT_CHECK } from '../lists/list-counts.ts';
import { NUMBERING_CHECKS } from '../lists/numbering-checks.ts';
import { statement } from '../statement.ts';
import { LEDGER_CHECKS } from './ledger-checks.ts';
import { SENDING_CHECKS } from './sending-checks.ts';

/** Faults reported per check: enough to see the pattern. */
export const FAULTS_MAX = 1_000;
const TIMEOUT_MS = 600_000;

const CHECKS: Readonly<Record<string, SQL>> = {
  ...LEDGER_CHECKS,
  ...SENDING_CHECKS,
  ...NUMBERING_CHECKS,
  'counts of lists equal the lists': LIST_COUNT_CHECK,
  'sums of days equal the ledger and the invoices': DAY_FIGURE_CHECK,
};
const FAULT = {
  reference: sql<string>`reference`,
  expected: sql<string>`expected`,
  found: sql<string>`found`,
};
const STATEMENTS = Object.entries(CHECKS).map(([check, faults]) => {
  const most = sql.raw(String(FAULTS_MAX));
  const find = statement({
    selects: FAULT,
    text: (_given, select) => sql`select ${select} from (${faults}) fault order by reference limit ${most}`,
  });
  return { check, find };
});

/** Empty if there is no fault; at most 1,000 faults per check. */
export function reconciliationFaults(database: Database): Promise<readonly ReconciliationFault[]> {
  return database.snapshot(
    async (on) => {
      const faults: ReconciliationFault[] = [];
      for (const { check, find } of STATEMENTS)
        faults.push(...(await find(on)).map((row) => ({ check, ...row })));
      return faults;
    },
    { timeoutMs: TIMEOUT_MS },
  );
}
