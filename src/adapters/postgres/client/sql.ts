/** The interfaces that statements run on. */
import type { SqlParameter } from './parameters.ts';

/** The interface that repositories use. */
export interface Sql {
  /**
   * Runs one prepared statement with the parameters `$1` .. `$n`. Throws StatementRefused or
   * DatabaseUnavailable.
   */
  query<Row extends object = Record<string, unknown>>(
    text: string,
    parameters?: readonly SqlParameter[],
  ): Promise<readonly Row[]>;
}

/** Within a transaction. Rejects once the transaction has ended. */
export interface Transaction extends Sql {
  /** Runs several statements without parameters. */
  script(text: string): Promise<void>;
}
