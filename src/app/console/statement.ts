/**
 * A merchant's statement of a month (decision 0046): the balance when the month began, every line
 * that moved it, and the balance at its end. Lines are read in batches, so that a statement of any
 * length costs the same memory.
 */

import { dayOf } from '../../domain/console/day-figure.ts';
import {
  daysOfMonth,
  type Month,
  NO_TOTALS,
  type StatementLine,
  type StatementTotals,
  withLines,
} from '../../domain/console/statement.ts';
import type { Scope } from '../../ports/list-queries.ts';
import type { AppDependencies } from '../dependencies.ts';

const LINES_AT_ONCE = 500;

export interface Statement {
  readonly scope: Scope;
  readonly month: Month;
  /** Whether the month is over: only then nothing more comes. */
  readonly isComplete: boolean;
  readonly madeAt: Date;
  /** The merchant's registered name, and the one that customers see. */
  readonly legalName: string | null;
  readonly name: string;
  readonly openingMicroUsd: bigint;
  readonly closingMicroUsd: bigint;
  readonly count: number;
  /**
   * Oldest first. Throws at the end if the lines do not lead from the opening to the closing
   * balance.
   */
  lines(): AsyncIterable<readonly StatementLine[]>;
}

/** Null if there is no such merchant, or the month has not begun. */
export function statementOf(deps: Pick<AppDependencies, 'consoleQueries' | 'queries' | 'clock'>) {
  return async (scope: Scope, month: Month): Promise<Statement | null> => {
    const madeAt = deps.clock.now();
    const days = daysOfMonth(month);
    const brand = await deps.queries.brand(scope.merchantId);
    if (brand === null || days.first > dayOf(madeAt)) return null;
    const frame = await deps.consoleQueries.statementFrame(scope, days);
    const { openingMicroUsd, closingMicroUsd, after, last } = frame;
    return {
      ...{ scope, month, madeAt, isComplete: dayOf(madeAt) > days.last },
      ...{ legalName: brand.legalName, name: brand.name },
      ...{ openingMicroUsd, closingMicroUsd, count: last - after },
      async *lines() {
        let balance = openingMicroUsd;
        let read = after;
        while (read < last) {
          const of = { after: read, last, limit: LINES_AT_ONCE };
          const lines = await deps.consoleQueries.statementLines(scope, of);
          balance = lines.reduce((sum, { netMicroUsd }) => sum + netMicroUsd, balance);
          read = lines.at(-1)?.seq ?? last;
          yield lines;
        }
        if (balance !== closingMicroUsd)
          throw new Error(`a statement ends at ${balance} micro-USD instead of ${closingMicroUsd}`);
      },
    };
  };
}

/** The totals of all its lines. */
export async function totalsOf(statement: Statement): Promise<StatementTotals> {
  let totals = NO_TOTALS;
  for await (const lines of statement.lines()) totals = withLines(totals, lines);
  return totals;
}
