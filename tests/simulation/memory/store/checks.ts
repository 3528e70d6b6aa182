/** CHECKs of the schema, where a contract needs them: refused as PostgreSQL refuses a row. */
import { StatementRefused } from '../../../../src/adapters/postgres/client/pg-errors.ts';

/** A CHECK passes what is not false: null too. */
export function check(constraint: string, holds: boolean | null): void {
  if (holds === false)
    throw new StatementRefused(`a row violates ${constraint}`, {
      ...{ sqlState: '23514', constraint, statement: 'in memory' },
    });
}
