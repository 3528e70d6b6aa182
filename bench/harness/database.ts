/**
 * The one PostgreSQL of a bench run: the embedded server with its production settings, fsync and
 * synchronous_commit on.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { startEmbeddedPostgres } from '../../src/adapters/embedded-postgres/embedded-postgres.ts';
import { silentLogger } from './silent-logger.ts';

export interface BenchDatabase {
  /** The URL of a new, empty database on the server. */
  createDatabase(name: string): Promise<string>;
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const REQUIRED = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

export async function startBenchDatabase(): Promise<BenchDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'quittance-bench-'));
  const server = await startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    logger: silentLogger,
  });
  const admin = new SQL({ url: server.url, adapter: 'postgres', max: 1 });
  async function stop(): Promise<void> {
    await admin.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  try {
    const settings = await readSettings(admin);
    for (const [name, value] of Object.entries(REQUIRED)) {
      if (settings[name] !== value)
        throw new Error(`${name} is ${settings[name]}: nothing measured here would count`);
    }
    return {
      settings,
      stop,
      async createDatabase(name) {
        await admin.unsafe(`create database ${name}`);
        const url = new URL(server.url);
        url.pathname = `/${name}`;
        return url.href;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function readSettings(admin: SQL): Promise<Record<string, string>> {
  const names = [...Object.keys(REQUIRED), 'server_version', 'shared_buffers', 'max_connections'];
  const settings: Record<string, string> = {};
  for (const name of names) {
    const [row] = await admin.unsafe(`select current_setting('${name}') as value`);
    settings[name] = String(row.value);
  }
  return settings;
}
