/**
 * PostgreSQL for tests: one throw-away server per test file, started when first asked for, or the
 * server of TEST_DATABASE_URL (a superuser's URL; TEST_DATABASE_TEMPLATE names a database with our
 * tables on it), and fresh databases on it. The whole suite shares one server (scripts/check.ts).
 * With TEST_POOLER=pgbouncer all of them are reached through a PgBouncer in transaction mode.
 */
import { setDefaultTimeout } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { parseDatabaseUrl } from '../../../src/adapters/postgres/client/database-url.ts';
import { migrate } from '../../../src/adapters/postgres/client/migrate.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { type PgBouncer, pgbouncerProgram, startPgBouncer } from './pgbouncer.ts';
import { createPostgresServer, nativeFolder } from './postgres-server.ts';
import { MIGRATIONS, makeTemplate } from './postgres-template.ts';

// Making a cluster takes under a second, and many on a busy machine.
setDefaultTimeout(60_000);

/** Databases are reached through a pooler, unless a test asks otherwise. */
export const isThroughPooler = process.env.TEST_POOLER === 'pgbouncer';

export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** Closes `database` and drops it from the server. */
  drop(): Promise<void>;
}

/**
 * Whether these tests can have a database on this machine; for `needs('postgres',
 * postgresAvailable())`.
 */
export function postgresAvailable(): boolean {
  return process.env.TEST_DATABASE_URL !== undefined || nativeFolder() !== null;
}

/**
 * Whether tests that stop and start a server of their own can have one; a server that was given is
 * not theirs.
 */
export function ownServerAvailable(): boolean {
  return nativeFolder() !== null;
}

interface Server {
  url(database: string): string;
  /**
   * Makes and drops databases: one connection for all of a process, since opening one costs as much
   * as half a database.
   */
  readonly administrator: Database;
}

/** Copying a database waits for a checkpoint, which takes its time on a busy machine. */
const ADMINISTRATION_MS = 60_000;

/** Of what tests write themselves: a busy machine is no fault. */
const PATIENCE_MS = 30_000;

let shared: Promise<Server> | null = null;

/**
 * The server of this test process. It does not wait for the disk; one that does:
 * createPostgresServer.
 */
function testServer(): Promise<Server> {
  shared ??= startShared();
  return shared;
}

async function startShared(): Promise<Server> {
  const { url } = await givenServer();
  const administrator = openDatabase({
    url: url('postgres'),
    ...{ poolSize: 1, queryTimeoutMs: ADMINISTRATION_MS, waitTimeoutMs: ADMINISTRATION_MS },
    logger: silentLogger,
  });
  return { url, administrator };
}

async function givenServer(): Promise<Pick<Server, 'url'>> {
  const given = process.env.TEST_DATABASE_URL;
  if (given === undefined) return createPostgresServer();
  // Everything up to the path, and everything from the query on, stays.
  const match = /^(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?(\?.*)?$/.exec(given);
  if (match === null) throw new Error('TEST_DATABASE_URL is not a PostgreSQL URL');
  return { url: (database) => `${match[1]}/${database}${match[2] ?? ''}` };
}

/** A fresh database, with our tables unless `migrate` is false. Drop it when done. */
export async function testDatabase(
  options: { migrate?: boolean; poolSize?: number; pooled?: boolean } = {},
): Promise<TestDatabase> {
  const server = await testServer();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const migrated = options.migrate ?? true;
  const copied = migrated ? await template(server) : null;
  // Copying files costs half of what writing all of them to the log costs.
  const from = copied === null ? '' : ` template ${copied} strategy file_copy`;
  await server.administrator.query(`create database ${name}${from}`);
  const isPooled = options.pooled ?? isThroughPooler;
  const url = isPooled ? (await poolerOf(server)).url(name) : server.url(name);
  const database = openDatabase({
    ...{ url, poolSize: options.poolSize ?? 8, logger: silentLogger },
    ...{ queryTimeoutMs: PATIENCE_MS, waitTimeoutMs: PATIENCE_MS },
  });
  if (migrated && copied === null) await migrate(database, { directory: MIGRATIONS });
  return {
    url,
    database,
    async drop() {
      await database.close();
      await server.administrator.query(`drop database if exists ${name} with (force)`);
    },
  };
}

/** The same database without the pooler, for what a test reads and locks beside the application. */
export async function directUrl(url: string): Promise<string> {
  const { database, isPooled } = parseDatabaseUrl(url);
  return isPooled ? (await testServer()).url(database) : url;
}

/** Whether databases can be reached through a pooler on this machine. */
export function poolerAvailable(): boolean {
  return postgresAvailable() && pgbouncerProgram() !== null;
}

let pooler: Promise<PgBouncer> | null = null;

function poolerOf(server: Server): Promise<PgBouncer> {
  pooler ??= startPgBouncer(server.url('postgres'));
  return pooler;
}

let migratedTemplate: Promise<string> | null = null;

/** On a server that was given, it is made by whoever gave it, or there is none. */
function template(server: Server): Promise<string | null> {
  if (process.env.TEST_DATABASE_URL !== undefined)
    return Promise.resolve(process.env.TEST_DATABASE_TEMPLATE ?? null);
  migratedTemplate ??= makeTemplate(server);
  return migratedTemplate;
}
