/**
 * For commands that repair what prevents a start: they need only the database, neither wallet nor
 * chains.
 */
import type { ComposedDatabase } from '../../src/compose/database.ts';
import type { Config } from '../../src/config/types.ts';
import { namesPooler } from '../../src/config/variable-parsers.ts';
import { appError } from '../../src/domain/errors.ts';
import { Refused } from './failures.ts';

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

/**
 * For `work` that asks whether anything else uses the database. A pooler hides that: sessions of a
 * service that is connected to it need not exist in that moment.
 */
export async function withDatabaseAlone<T>(
  config: Config,
  work: (database: ComposedDatabase) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl !== null && namesPooler(config.databaseUrl))
    throw new Refused(
      appError(
        'INVALID_TRANSITION',
        'DATABASE_URL leads through a connection pooler, where a running service cannot be seen: stop the service, and name the server itself without pgbouncer=true',
      ),
    );
  return withDatabase(config, work);
}
