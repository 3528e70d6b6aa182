/** A row of the bench: one comparison, in one file, runnable by its name. */
import type { BenchDatabase } from './database.ts';
import type { Finding } from './finding.ts';
import type { Rounds } from './legs.ts';

export interface RowContext extends Rounds {
  readonly database: BenchDatabase;
  /** The program's path, or null where it is missing. */
  readonly pgbench: string | null;
  /** A smoke run: everything once and small; its figures mean little. */
  readonly quick: boolean;
  /** How many the merchant of the long lists has. */
  readonly invoices: number;
}

export interface Row {
  readonly name: string;
  /** A row that needs a program this machine lacks is skipped by name. */
  readonly needs?: 'pgbench' | 'node';
  run(context: RowContext): Promise<Finding[]>;
}
