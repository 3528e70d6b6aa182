/**
 * PgBouncer in transaction mode before a PostgreSQL of this machine, on a free port of loopback. It
 * is gone, files included, when the process that started it ends.
 */
import { chmodSync, chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/adapters/embedded-postgres/free-port.ts';
import { runAs } from '../../../src/adapters/embedded-postgres/unprivileged.ts';
import { parseDatabaseUrl } from '../../../src/adapters/postgres/client/database-url.ts';
import { endsWithUs, folderEndsWithUs } from '../runtime/ends-with-us.ts';
import { until } from '../runtime/poll.ts';

export interface PgBouncer {
  /** Of a database behind it, as an operator writes it. */
  url(database: string): string;
  /** The file with the servers of its databases; read again at `reload`. */
  readonly databasesFile: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Null where this machine has none. */
export function pgbouncerProgram(): string | null {
  return Bun.which('pgbouncer', { PATH: '/usr/sbin:/usr/bin:/usr/local/bin' });
}

/** `server`: a URL of any database of the server behind it. */
export async function startPgBouncer(
  server: string,
  { poolSize = 20, ignored = '' }: { readonly poolSize?: number; readonly ignored?: string } = {},
): Promise<PgBouncer> {
  const program = pgbouncerProgram();
  if (program === null) throw new Error('this machine has no pgbouncer');
  const { username, password, places } = parseDatabaseUrl(server);
  const [place] = places;
  if (place === undefined) throw new Error('a URL without a server');
  const folder = mkdtempSync(join(tmpdir(), 'quittance-pgbouncer-'));
  folderEndsWithUs(folder);
  const as = runAs({ folder, programs: [program] });
  if (as.owner) chownSync(folder, as.owner.uid, as.owner.gid);
  chmodSync(folder, 0o711);
  const port = freePort();
  const databasesFile = join(folder, 'databases.ini');
  const settingsFile = join(folder, 'pgbouncer.ini');
  const host = place.socketFolder ?? place.hostname;
  const usersFile = join(folder, 'users.txt');
  writeFileSync(databasesFile, `[databases]\n* = host=${host} port=${place.port}\n`);
  // Whoever points it at another server may be the same user, and not us.
  if (as.owner) chownSync(databasesFile, as.owner.uid, as.owner.gid);
  writeFileSync(usersFile, `"${username}" "${password}"\n`);
  writeFileSync(
    settingsFile,
    [
      `%include ${databasesFile}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      // Tests are about sessions, and not about the passwords of clients.
      'auth_type = trust',
      `auth_file = ${usersFile}`,
      'pool_mode = transaction',
      `default_pool_size = ${poolSize}`,
      `ignore_startup_parameters = ${ignored}`,
      'max_client_conn = 1000',
      // A query that gets no server is refused before its client gives up (deployment.md).
      'query_wait_timeout = 3',
      // A server that comes back is asked again immediately.
      'server_login_retry = 0.2',
    ].join('\n'),
  );
  const { file, args, options } = as.command(program, ['-q', settingsFile]);
  const child = Bun.spawn([file, ...args], {
    ...options,
    cwd: '/',
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  endsWithUs(child);
  await until('pgbouncer listens', 10_000, () => isListening(port));
  return {
    url: (database) => `postgres://${username}@127.0.0.1:${port}/${database}?pgbouncer=true`,
    databasesFile,
    pid: child.pid,
    async stop() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}
