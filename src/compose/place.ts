/** The data of a process, as its operator names it. */
import { join } from 'node:path';
import { parseDatabaseUrl } from '../adapters/postgres/client/database-url.ts';
import type { Config } from '../config/types.ts';

export interface DataPlace {
  readonly dataDir: string;
  /** `the database in DATA_DIR/postgres`, or `the database NAME on HOST:PORT`: never a password. */
  readonly database: string;
}

/** `url` null: the embedded database. */
export function placeOf({ dataDir, databaseUrl }: Config, url: string | null = databaseUrl): DataPlace {
  if (url === null) return { dataDir, database: `the database in ${join(dataDir, 'postgres')}` };
  const { database, places } = parseDatabaseUrl(url);
  const on = places.map(({ hostname, port, socketFolder }) => socketFolder ?? `${hostname}:${port}`);
  return { dataDir, database: `the database ${database} on ${on.join(' or ')}` };
}
