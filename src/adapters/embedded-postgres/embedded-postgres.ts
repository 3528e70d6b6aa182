/**
 * The database of a machine without one: a real PostgreSQL under the gateway's supervision. Killing
 * either process loses no acknowledged write: the server outlives the gateway and the next start
 * adopts it; the gateway restarts a killed server at the same address.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../ports/runtime/logger.ts';
import { type Cluster, DATABASE_USER, openCluster } from './postgres-cluster.ts';
import { bringUp, type RunningServer, shutDown } from './postgres-process.ts';
import { isRunning, runningProcess } from './processes.ts';

export interface EmbeddedPostgres {
  /**
   * Opens in `postgres` and in Bun.SQL; stays the same through restarts while this process lives.
   */
  readonly url: string;
  /** The server was already running: another process of the gateway uses it, or one was killed. */
  readonly adopted: boolean;
  /** Leaves; the last living process that uses the server stops it. */
  stop(): Promise<void>;
}

const WATCH_MS = 100;
const RETRY_MS = 1_000;
const PATIENCE_MS = 2_000;

/**
 * `directory` is only for the supervisor (DATA_DIR/postgres). Throws if the machine cannot run the
 * server.
 */
export async function startEmbeddedPostgres(options: {
  directory: string;
  logger: Logger;
}): Promise<EmbeddedPostgres> {
  const { logger } = options;
  const cluster = await openCluster(options.directory);
  // Before the search for a running server: from here on no other process stops one.
  const leave = registerUser(cluster);
  let server: RunningServer;
  try {
    server = await bringUp(cluster, { port: null, patienceMs: PATIENCE_MS });
  } catch (error) {
    leave();
    throw error;
  }
  const { port, adopted } = server;
  logger.info(adopted ? 'postgres.adopted' : 'postgres.started', { port });

  const stopped = Promise.withResolvers<void>();
  let stopping = false;
  async function supervise(): Promise<void> {
    while (!stopping) {
      if (isRunning(server.pid)) {
        await Promise.race([pause(WATCH_MS), stopped.promise]);
        continue;
      }
      logger.error('postgres.ended', { port });
      try {
        server = await bringUp(cluster, { port, patienceMs: PATIENCE_MS });
        logger.info('postgres.back', { port });
      } catch (error) {
        logger.error('postgres.not_back', { error: String(error) });
        await Promise.race([pause(RETRY_MS), stopped.promise]);
      }
    }
  }
  const supervision = supervise();
  async function end(): Promise<void> {
    stopping = true;
    stopped.resolve();
    await supervision;
    leave();
    if (!hasUsers(cluster)) await shutDown(cluster, server);
  }
  let ending: Promise<void> | null = null;

  return {
    url: `postgres://${DATABASE_USER}:${cluster.password}@127.0.0.1:${port}/postgres`,
    adopted,
    stop() {
      ending ??= end();
      return ending;
    },
  };
}

/** A timer that does not keep a script alive that forgot to stop. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}

let registrations = 0;

/** Registers this process as a user of the server; the returned function removes it. */
function registerUser(cluster: Cluster): () => void {
  const folder = usersFolder(cluster);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const note = join(folder, `${process.pid}.${++registrations}`);
  writeFileSync(note, runningProcess(process.pid)?.startedAt ?? '', { mode: 0o600 });
  return () => rmSync(note, { force: true });
}

/** Whether a living process is registered; removes dead ones. */
function hasUsers(cluster: Cluster): boolean {
  const folder = usersFolder(cluster);
  let living = false;
  for (const name of readdirSync(folder)) {
    const note = join(folder, name);
    if (isLivingUser(note, Number.parseInt(name, 10))) living = true;
    else rmSync(note, { force: true });
  }
  return living;
}

function isLivingUser(note: string, pid: number): boolean {
  try {
    return runningProcess(pid)?.startedAt === readFileSync(note, 'utf8');
  } catch {
    return false; // it left between the listing and the reading
  }
}

function usersFolder(cluster: Cluster): string {
  return join(cluster.directory, 'users');
}
