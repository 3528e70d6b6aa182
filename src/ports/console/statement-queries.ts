/** What a merchant's statement is made of. */
import type { Days } from '../../domain/console/day-figure.ts';
import type { StatementLine } from '../../domain/console/statement.ts';
import type { Scope } from '../list-queries.ts';

/** Of one instant. Numbers are those of the merchant's ledger. */
export interface StatementFrame {
  readonly openingMicroUsd: bigint;
  /** At the end of the last day, or now. */
  readonly closingMicroUsd: bigint;
  /** The lines are those after this number, up to `last`. */
  readonly after: number;
  readonly last: number;
}

export interface StatementQueries {
  statementFrame(scope: Scope, days: Days): Promise<StatementFrame>;
  /** Lines by number, after `after` and up to `last`, at most `limit`. */
  statementLines(
    scope: Scope,
    of: { readonly after: number; readonly last: number; readonly limit: number },
  ): Promise<readonly StatementLine[]>;
}
