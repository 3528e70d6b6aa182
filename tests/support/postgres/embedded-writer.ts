/**
 * A process to be killed: starts the embedded database in argv[2], writes 1, 2, 3 ... and prints
 * each number once it is committed.
 */
import postgres from 'postgres';
import { startEmbeddedPostgres } from '../../../src/adapters/embedded-postgres/embedded-postgres.ts';
import { silentLogger } from '../runtime/silent-logger.ts';

const directory = process.argv[2];
if (directory === undefined) throw new Error('usage: embedded-writer <directory>');

const database = await startEmbeddedPostgres({ directory, logger: silentLogger });
const sql = postgres(database.url, { max: 1, onnotice: () => {} });
await sql`CREATE TABLE IF NOT EXISTS written (n integer PRIMARY KEY)`;
for (let n = 1; ; n++) {
  await sql`INSERT INTO written VALUES (${n})`;
  process.stdout.write(`${n}\n`);
}
