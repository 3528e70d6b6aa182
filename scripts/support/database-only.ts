/**
 * For commands that repair what prevents a start: they need only the database, neither wallet nor
 * chains.
 */
import type { ComposedDatabase } from '../../src/compose/database.ts';
import type { Config } from '../../src/config/types.ts';

/** Opens and migrates the database for `work`. */
export async function withDatabase<T>(
  config: Config,
  work: (database: ComposedDatabase) => Promise<T>,
): Promise<T> {
  const { operatorsLogger } = await import('./operators-logger.ts');
  const { composeDatabase } = await import('../../src/compose/database.ts');
  const database = await composeDatabase(config, { logger: operatorsLogger(config) });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
