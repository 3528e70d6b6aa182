/**
 * The embedded database survives whatever is killed, is shared by the processes that use it, and
 * ends with the last of them.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/adapters/embedded-postgres/embedded-postgres.ts';
import { isRunning } from '../../../src/adapters/embedded-postgres/processes.ts';
import { ensureOwner } from '../../../src/adapters/embedded-postgres/usable-files.ts';
import { ownServerAvailable } from '../../support/postgres/postgres.ts';
import { endsWithUs, serversEndWithUs } from '../../support/runtime/ends-with-us.ts';
import { needs } from '../../support/runtime/needs.ts';
import { until } from '../../support/runtime/poll.ts';
import { silentLogger as logger } from '../../support/runtime/silent-logger.ts';

const WRITER = join(import.meta.dir, '..', '..', 'support', 'postgres', 'embedded-writer.ts');

describe.skipIf(!needs('postgres', ownServerAvailable()))('embedded PostgreSQL', () => {
  let made: string;
  let base: string;
  let directory: string;
  let open: EmbeddedPostgres[];
  let guard: ReturnType<typeof serversEndWithUs>;

  /**
   * Making the files costs a processor half a second: most tests begin with a copy, as after a
   * stop.
   */
  beforeAll(async () => {
    made = mkdtempSync(join(tmpdir(), 'quittance-embedded-'));
    chmodSync(made, 0o755);
    await (await startEmbeddedPostgres({ directory: join(made, 'postgres'), logger })).stop();
  });
  beforeEach(async () => {
    base = mkdtempSync(join(tmpdir(), 'quittance-embedded-'));
    chmodSync(base, 0o755);
    directory = join(base, 'postgres');
    await copy(join(made, 'postgres'), directory);
    guard = serversEndWithUs(base);
    open = [];
  });
  afterAll(() => rmSync(made, { recursive: true, force: true }));

  afterEach(async () => {
    const ends = await Promise.allSettled(open.map((database) => database.stop()));
    const left = serverPid(directory);
    if (left !== null && isRunning(left)) process.kill(left, 'SIGQUIT');
    await until('the server has ended', 10_000, () => left === null || !isRunning(left));
    guard.kill('SIGKILL');
    rmSync(base, { recursive: true, force: true });
    expect(ends.filter((end) => end.status === 'rejected')).toEqual([]);
  });

  async function copy(from: string, to: string): Promise<void> {
    expect(await Bun.spawn(['cp', '-r', from, to]).exited).toBe(0);
  }

  async function start(where = directory): Promise<EmbeddedPostgres> {
    const database = await startEmbeddedPostgres({ directory: where, logger });
    open.push(database);
    return database;
  }

  test('one URL opens in both drivers and in neither without the password', async () => {
    const database = await start();
    expect(database.adopted).toBe(false);
    expect(await one(database.url)).toBe(1);
    const native = new Bun.SQL(database.url, { max: 1 });
    expect(await native`SELECT 2 AS n`).toEqual([{ n: 2 }] as never);
    await native.end();
    const guessed = database.url.replace(/:[0-9a-f]{48}@/, ':guess@');
    expect(guessed).not.toBe(database.url);
    await expect(one(guessed)).rejects.toThrow('password authentication failed');
  });

  test('a stop ends the server and the next start finds the rows', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    const pid = serverPid(directory);
    await first.stop();
    expect(pid !== null && isRunning(pid)).toBe(false);
    const second = await start();
    expect(second.adopted).toBe(false);
    expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
  });

  test('a process that has nothing left to do but to stop waits for the end of the server', async () => {
    const module = (name: string) => JSON.stringify(join(import.meta.dir, '..', '..', '..', name));
    const code = `
      import { startEmbeddedPostgres } from ${module('src/adapters/embedded-postgres/embedded-postgres.ts')};
      import { silentLogger as logger } from ${module('tests/support/runtime/silent-logger.ts')};
      const database = await startEmbeddedPostgres({ directory: ${JSON.stringify(directory)}, logger });
      database.stop().then(() => console.log('stopped'));`;
    const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe', stderr: 'inherit' });
    expect(await new Response(child.stdout).text()).toBe('stopped\n');
    expect(serverPid(directory)).toBeNull();
  });

  test('a service killed with -9 leaves its server to the next one, with every acknowledged row', async () => {
    const writer = await startWriter(directory);
    writer.kill(9);
    const acknowledged = await writer.acknowledged();
    const next = await start();
    expect(next.adopted).toBe(true);
    expect(await highestWritten(next.url)).toBeGreaterThanOrEqual(acknowledged);
    await next.stop();
    expect(serverPid(directory)).toBeNull();
  });

  test('service and server killed with -9 together recover every acknowledged row', async () => {
    const writer = await startWriter(directory);
    // Stopped, it cannot start the server again before it is killed itself.
    writer.kill('SIGSTOP');
    process.kill(serverPid(directory) ?? 0, 'SIGKILL');
    writer.kill(9);
    const acknowledged = await writer.acknowledged();
    const next = await start();
    expect(next.adopted).toBe(false);
    expect(await highestWritten(next.url)).toBeGreaterThanOrEqual(acknowledged);
  });

  test('a server killed with -9 is back at the same address within 5 seconds', async () => {
    const database = await start();
    await query(database.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    for (let round = 0; round < 3; round++) {
      const pid = serverPid(directory) ?? 0;
      process.kill(pid, 'SIGKILL');
      await until('there is a new server', 5_000, () => ![null, pid].includes(serverPid(directory)));
      await until('it answers', 5_000, () => one(database.url).then(Boolean, () => false));
      expect(await query(database.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    }
  });

  test('an adopted server that is killed comes back too', async () => {
    const writer = await startWriter(directory);
    writer.kill(9);
    await writer.acknowledged();
    const next = await start();
    process.kill(serverPid(directory) ?? 0, 'SIGKILL');
    await until('it answers', 5_000, () => one(next.url).then(Boolean, () => false));
    expect(await one(next.url)).toBe(1);
  });

  test('the last of several users stops the server, in whichever order they leave', async () => {
    const first = await start();
    const second = await start();
    expect([first.adopted, second.adopted]).toEqual([false, true]);
    expect(second.url).toBe(first.url);
    await first.stop();
    expect(await one(second.url)).toBe(1);
    const third = await start();
    await third.stop();
    await third.stop();
    expect(await one(second.url)).toBe(1);
    await second.stop();
    expect(serverPid(directory)).toBeNull();
  });

  test('the note of a user that was killed keeps no server alive', async () => {
    const database = await start();
    const gone = Bun.spawn([process.execPath, '-e', '']);
    await gone.exited;
    writeFileSync(join(directory, 'users', `${gone.pid}.1`), '12345');
    writeFileSync(join(directory, 'users', `${process.pid}.99`), 'started at another time');
    await database.stop();
    expect(serverPid(directory)).toBeNull();
  });

  test('simultaneous first starts share one cluster', async () => {
    directory = join(base, 'first');
    const started = await Promise.all([start(), start(), start()]);
    expect(new Set(started.map((database) => database.url)).size).toBe(1);
    expect(readdirSync(directory).sort()).toEqual(['cluster', 'postgres.log', 'users']);
  });

  test('the remains of a first start that was killed are swept out', async () => {
    const gone = Bun.spawn([process.execPath, '-e', '']);
    await gone.exited;
    directory = join(base, 'first');
    mkdirSync(join(directory, `new-${gone.pid}-abcdef`, 'data'), { recursive: true });
    const database = await start();
    expect(await one(database.url)).toBe(1);
    expect(readdirSync(directory).filter((name) => name.startsWith('new-'))).toEqual([]);
  });

  test('a lock file that names an unrelated living process does not stop a start', async () => {
    const database = await start();
    await database.stop();
    const lock = [process.pid, join(directory, 'cluster', 'data'), 1, 20_000, '', '127.0.0.1', '', 'ready'];
    writeFileSync(join(directory, 'cluster', 'data', 'postmaster.pid'), lock.join('\n'));
    const again = await start();
    expect(again.adopted).toBe(false);
    expect(await one(again.url)).toBe(1);
  });

  test('a folder closed to others, with a path longer than a socket may have, works for root and for anybody', async () => {
    const closed = join(base, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    directory = join(closed, 'd'.repeat(120), 'postgres');
    const database = await start(directory);
    expect(await one(database.url)).toBe(1);
    const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${serverPid(directory)}/status`, 'utf8'))?.[1];
    expect(uid).not.toBe('0');
  });

  test('a copy by cp -r starts, whoever made it, unless the files were in use: then it says how a copy is made', async () => {
    const database = await start();
    await query(database.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    const copied = async (name: string): Promise<string> => {
      const to = join(base, name);
      await copy(directory, to);
      return to;
    };
    const torn = await copied('torn');
    const says = await start(torn).catch(String);
    expect(says).toContain(`was copied from ${join(directory, 'cluster', 'data')} while its server ran`);
    expect(says).toContain('bun run backup');
    await database.stop();
    await expect(start(torn)).rejects.toThrow('such a copy cannot be trusted');
    const again = await start(await copied('whole'));
    expect(await query(again.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
  });

  test('files of another user are refused, and the message says to whom they must be given', () => {
    const others = process.getuid?.() === 0 ? base : '/';
    if (others === base) chownSync(base, 4_242, 4_242);
    const server = { uid: 4_711, gid: 4_712 };
    const as = { owner: server, command: (file: string) => ({ file, args: [], options: {} }) };
    const uid = statSync(others).uid;
    if (uid !== 0) expect(() => ensureOwner(others, as)).toThrow(`chown -R 4711:4712 ${others}`);
    expect(() => ensureOwner(others, { ...as, owner: null })).toThrow(`belongs to the user ${uid}`);
    expect(statSync(others).uid).toBe(uid);
  });

  test('a start that cannot succeed says why', async () => {
    const database = await start();
    await database.stop();
    writeFileSync(join(directory, 'cluster', 'data', 'PG_VERSION'), '9\n');
    await expect(startEmbeddedPostgres({ directory, logger })).rejects.toThrow('PostgreSQL version 9');
  });
});

async function startWriter(directory: string) {
  const child = Bun.spawn([process.execPath, WRITER, directory], { stdout: 'pipe', stderr: 'inherit' });
  endsWithUs(child);
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let printed = '';
  while (!printed.includes('20\n')) {
    const { done, value } = await reader.read();
    if (done) throw new Error('the writer ended before it was killed');
    printed += decoder.decode(value);
  }
  return {
    kill: (signal: NodeJS.Signals | number) => child.kill(signal),
    /** The last number it printed before it ended: committed for certain. */
    async acknowledged(): Promise<number> {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        printed += decoder.decode(part.value);
      }
      await child.exited;
      return Number(printed.slice(0, printed.lastIndexOf('\n')).split('\n').at(-1));
    },
  };
}

async function highestWritten(url: string): Promise<number> {
  const [row] = await query(url, 'SELECT count(*)::int AS n FROM written');
  return Number(row?.n);
}

async function one(url: string): Promise<number> {
  const [row] = await query(url, 'SELECT 1 AS n');
  return Number(row?.n);
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    return await sql.unsafe(statement);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function serverPid(directory: string): number | null {
  const lock = join(directory, 'cluster', 'data', 'postmaster.pid');
  return existsSync(lock) ? Number(readFileSync(lock, 'utf8').split('\n')[0]) : null;
}
