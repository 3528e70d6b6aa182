/** CHECKs of the schema, where a contract needs them: refused as PostgreSQL refuses a row. */
import { StatementRefused } from '../../../../src/adapters/postgres/client/pg-errors.ts';

/** A CHECK passes what is not false: null too. */
export function check(constraint: string, holds: boolean | null): void {
  if (holds === false) throw checkRefused('a row', constraint);
}

export function checkRefused(table: string, constraint: string): StatementRefused {
  const message = `${table}: ${constraint}`;
  return new StatementRefused(message, { sqlState: '23514', constraint, statement: 'in memory' });
}
