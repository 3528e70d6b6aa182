/** For commands that mend what stops a start: they need the database, and neither its wallet nor its chains. */
import type { ComposedDatabase } from '../../src/compose/database.ts';
import type { Config } from '../../src/config/types.ts';

/** Opens the database, migrated, for `work`. */
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
