/**
 * One run of the embedded server: starts it, or joins the one that already runs on these files, and
 * stops it. PostgreSQL's own lock file decides between simultaneous starters; the others join the
 * winner.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { freePort } from './free-port.ts';
import { type Cluster, SERVER_ENVIRONMENT } from './postgres-cluster.ts';
import { isRunning, runningProcess } from './processes.ts';
import { lockLines, refuseCopyOfRunning } from './usable-files.ts';

export interface RunningServer {
  readonly pid: number;
  /** TCP port on 127.0.0.1. */
  readonly port: number;
  /** False if this call started it. */
  readonly adopted: boolean;
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '', // a socket's path is limited to 107 bytes, and the two drivers share no URL for one
  max_connections: '100',
  shared_buffers: '64MB',
  // Bounds what a restart after a crash has to replay. After each checkpoint the first change of a
  // page writes the whole page: with 256 MB these were half of the log.
  max_wal_size: '1GB',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};
const RETRY_MS = 50;
/** Temporary faults: a killed predecessor with open sessions, another starter, a port in use. */
const PASSING_FAULT = /shared memory block|lock file|Address already in use/;
const PASSING_FAULT_MS = 30_000;
const READY_POLL_MS = 5;
/**
 * How long a fast shutdown may take before an immediate one, which costs a recovery but no data.
 */
const FAST_SHUTDOWN_MS = 5_000;
const LOG_LIMIT_BYTES = 5_000_000;

/**
 * The running server of this cluster, started if necessary, accepting connections. `port` fixes the
 * port (a restart keeps its address), null takes a free one. Throws with the end of the server's
 * log if it does not start within `patienceMs`, or within 30 s if the fault is temporary.
 */
export async function bringUp(
  cluster: Cluster,
  options: { port: number | null; patienceMs: number },
): Promise<RunningServer> {
  const began = performance.now();
  for (;;) {
    const present = await joinPresent(cluster);
    if (present) return present;
    removeStaleLock(cluster);
    refuseCopyOfRunning(cluster);
    const started = await startOnce(cluster, options.port ?? freePort());
    if (started) return started;
    const said = logEnd(cluster);
    const patienceMs = PASSING_FAULT.test(said) ? PASSING_FAULT_MS : options.patienceMs;
    if (performance.now() - began > patienceMs && !lockHolder(cluster)) {
      throw new Error(`The embedded PostgreSQL does not start: ${said}`);
    }
    await Bun.sleep(RETRY_MS);
  }
}

/** Fast shutdown: open transactions are rolled back, everything acknowledged is on disk. */
export async function shutDown(cluster: Cluster, server: RunningServer): Promise<void> {
  if (lockHolder(cluster)?.pid !== server.pid) return;
  process.kill(server.pid, 'SIGINT');
  if (await endsWithin(server.pid, FAST_SHUTDOWN_MS)) return;
  process.kill(server.pid, 'SIGQUIT');
  await endsWithin(server.pid, FAST_SHUTDOWN_MS);
}

/**
 * Waits until a server that another process started is ready, twice in a row because it may be
 * stopping.
 */
async function joinPresent(cluster: Cluster): Promise<RunningServer | null> {
  for (let seenReady = 0; ; ) {
    const holder = lockHolder(cluster);
    if (!holder) return null;
    seenReady = holder.ready ? seenReady + 1 : 0;
    if (seenReady === 2) return { pid: holder.pid, port: holder.port, adopted: true };
    await Bun.sleep(20);
  }
}

/** One attempt; null if the process ended before it was ready. */
async function startOnce(cluster: Cluster, port: number): Promise<RunningServer | null> {
  const settings = Object.entries({ ...SETTINGS, port: String(port) });
  const command = cluster.as.command(cluster.postgres, [
    '-D',
    cluster.data,
    ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const log = openLog(cluster);
  // In its own session: a Ctrl-C in the terminal must reach it through the gateway, after the last
  // statement.
  const child = spawn(command.file, command.args, {
    ...command.options,
    env: SERVER_ENVIRONMENT,
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  child.once('error', () => {
    ended = true;
  });
  child.unref();
  for (;;) {
    const holder = lockHolder(cluster);
    if (holder?.ready && holder.pid === child.pid)
      return { pid: holder.pid, port: holder.port, adopted: false };
    if (ended) return null;
    await Bun.sleep(READY_POLL_MS);
  }
}

interface LockHolder {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** The process in postmaster.pid, if it is a server on these files. */
function lockHolder(cluster: Cluster): LockHolder | null {
  const lock = readLock(cluster);
  if (!lock) return null;
  const argv = runningProcess(lock.pid)?.argv;
  return argv && basename(argv[0] ?? '') === 'postgres' && argv.join(' ').includes(cluster.data)
    ? lock
    : null;
}

/** Lines 1, 4 and 8: process id, port, state. */
function readLock(cluster: Cluster): LockHolder | null {
  const lines = lockLines(cluster.data);
  const pid = Number(lines[0]);
  if (!(pid > 1)) return null;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/**
 * After a kill the lock may contain an id that another process now has: PostgreSQL would wait for
 * it for ever.
 */
function removeStaleLock(cluster: Cluster): void {
  const lock = readLock(cluster);
  const holder = lock && runningProcess(lock.pid);
  if (!holder || basename(holder.argv[0] ?? '').startsWith('postgres')) return;
  rmSync(join(cluster.data, 'postmaster.pid'), { force: true });
}

async function endsWithin(pid: number, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (isRunning(pid)) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(READY_POLL_MS);
  }
  return true;
}

function logPath(cluster: Cluster): string {
  return join(cluster.directory, 'postgres.log');
}

function openLog(cluster: Cluster): number {
  const path = logPath(cluster);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES) truncateSync(path);
  return openSync(path, 'a', 0o600);
}

function logEnd(cluster: Cluster): string {
  return readFileSync(logPath(cluster), 'utf8').trim().split('\n').slice(-4).join(' | ');
}
