/**
 * Whether walks end. Time is counted in hours in which the service reconciled: one that stood
 * still, or a backup of last week, is no fault, and a clock that was ahead for a moment counts as
 * an hour.
 */
import { sql } from 'drizzle-orm';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { reconciliations as r } from '../schema/console/approvals.ts';
import { statement } from '../statement.ts';
import type { WalkState } from './walk-state.ts';

/** Two nights, and six hours for the walk: one that failed in one ends in the next. */
const WALKED_WITHIN_HOURS = 54;

const HOURS = statement({
  given: { since: r.at, until: r.at },
  selects: { hours: sql`count(distinct date_trunc('hour', ${r.at}))`.mapWith(Number) },
  text: ({ since, until }, select) =>
    sql`select ${select} from ${r} where ${r.at} > ${since} and ${r.at} <= ${until}`,
});

/** The fault that none ended for so long. */
export async function notWalked(on: Sql, { phase, failed, endedAt }: WalkState, now: Date | null) {
  if (now === null || endedAt === null) return [];
  const { hours } = theOnly(await HOURS(on, { since: endedAt, until: now }), 'a count of hours');
  if (hours < WALKED_WITHIN_HOURS) return [];
  const expected = `a walk that ended in ${WALKED_WITHIN_HOURS} hours of service`;
  return [{ reference: failed ?? phase, expected, found: endedAt.toISOString() }];
}
