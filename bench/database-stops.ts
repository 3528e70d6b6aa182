/**
 * The drill of a lost database. Workers write and read while PostgreSQL is stopped `immediate` and
 * started again; with `--fault sessions` all its sessions are ended instead, eight times in a row.
 * Each candidate runs in a process of its own, and prints one line.
 *
 *   bun bench/database-stops.ts [--fault stop|sessions] [--stops 20] [--workers 32] [--pool 16] [candidate ...]
 */
import { parseArgs } from 'node:util';
import { openDatabase } from '../src/adapters/postgres/client/client.ts';
import { createPostgresServer, type PostgresServer } from '../tests/support/postgres/postgres-server.ts';
import { silentLogger } from '../tests/support/runtime/silent-logger.ts';
import { type Candidate, candidates } from './database-candidates.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fault: { type: 'string', default: 'stop' },
    stops: { type: 'string', default: '20' },
    workers: { type: 'string', default: '32' },
    pool: { type: 'string', default: '16' },
    child: { type: 'boolean', default: false },
  },
});
const stops = Number(options.stops);
const workers = Number(options.workers);
const poolSize = Number(options.pool);
const HUNG_MS = 5_000;
const GIVE_UP_MS = 30_000;

if (options.child) {
  console.log(JSON.stringify(await drill(positionals[0] ?? '')));
  process.exit(0);
}
for (const name of positionals.length > 0 ? positionals : Object.keys(candidates)) {
  const flags = [
    '--fault',
    options.fault,
    '--stops',
    options.stops,
    '--workers',
    options.workers,
    '--pool',
    options.pool,
  ];
  const child = Bun.spawn([process.execPath, import.meta.path, '--child', ...flags, name], {
    stderr: 'pipe',
  });
  const timer = setTimeout(() => child.kill(), 60_000 + stops * 5_000);
  const [out, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  clearTimeout(timer);
  console.log(`${name}: ${out.trim() || `died: ${errors.slice(-600)}`}`);
}

interface Drill {
  readonly server: PostgresServer;
  readonly open: (size: number) => Candidate;
  readonly database: Candidate;
  readonly tally: { calls: number; failed: number; over5s: number; slowestMs: number };
  /** How often each error came. */
  readonly errors: Map<string, number>;
  readonly uncaught: string[];
  /** Ids of rows that the database said it has stored. */
  readonly acknowledged: string[];
  /** Since the last stop, by worker; monotonic milliseconds. */
  readonly firstSuccess: Map<number, number>;
  isRunning: boolean;
}

async function drill(name: string) {
  const started = await start(name);
  const { server, database, errors, uncaught, acknowledged, tally } = started;
  const all = Array.from({ length: workers }, (_, number) => work(started, number));
  const back = await stopAgainAndAgain(started);
  started.isRunning = false;
  await Promise.race([Promise.all(all), Bun.sleep(GIVE_UP_MS)]);
  const { stored, halfTransactions } = await readBack(started);
  const result = {
    ...tally,
    slowestMs: Math.round(tally.slowestMs),
    deadlines: database.deadlinesPassed(),
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((id) => !stored.has(id)).length,
    halfTransactions,
    uncaught: uncaught.length,
    uncaughtKinds: [...new Set(uncaught)].slice(0, 4),
    firstBackMs: medianAndWorst(back.first),
    allBackMs: medianAndWorst(back.everyone),
    errors: Object.fromEntries(errors),
  };
  await server.destroy();
  return result;
}

async function start(name: string): Promise<Drill> {
  const openCandidate = candidates[name];
  if (openCandidate === undefined) throw new Error(`no candidate ${name}`);
  const server = await createPostgresServer({ durable: true, tcp: true });
  const url = new URL(server.tcpUrl('postgres'));
  const target = {
    host: url.hostname,
    port: Number(url.port),
    user: url.username,
    password: decodeURIComponent(url.password),
    database: 'postgres',
  };
  const open = (size: number) => openCandidate(target, size);
  const database = open(poolSize);
  const uncaught: string[] = [];
  process.on('uncaughtException', (error) => uncaught.push(String(error)));
  process.on('unhandledRejection', (error) => uncaught.push(`rejection: ${String(error)}`));
  await database.query('create table drill (id text primary key, pair text)');
  return {
    ...{ server, open, database, uncaught, errors: new Map(), acknowledged: [], firstSuccess: new Map() },
    ...{ tally: { calls: 0, failed: 0, over5s: 0, slowestMs: 0 }, isRunning: true },
  };
}

/** Writes rows and reads each back, one after the other, until the drill ends. */
async function work(drill: Drill, number: number): Promise<void> {
  const { database, acknowledged, firstSuccess } = drill;
  for (let n = 0; drill.isRunning; n++) {
    const id = `${number}-${n}`;
    const done = await counted(drill, () => (n % 3 === 0 ? writePair(database, id) : writeOne(database, id)));
    if (!done) continue;
    acknowledged.push(id);
    if (!firstSuccess.has(number)) firstSuccess.set(number, performance.now());
    const rows = await counted(drill, () => database.query('select id from drill where id = $1', [id]));
    if (rows !== null && rows.length !== 1) count(drill, 'row not readable');
  }
}

/** What the call resolves to; null where it failed. */
async function counted<T>(drill: Drill, call: () => Promise<T>): Promise<T | null> {
  const { tally } = drill;
  const started = performance.now();
  const watchdog = setTimeout(() => tally.over5s++, HUNG_MS);
  try {
    return await call();
  } catch (error) {
    tally.failed++;
    const { code, errno } = error as { code?: string; errno?: string };
    const text = error instanceof Error ? error.message : String(error);
    count(drill, `${code ?? ''} ${errno ?? ''} ${text}`.trim().slice(0, 90));
    await Bun.sleep(10);
    return null;
  } finally {
    clearTimeout(watchdog);
    tally.calls++;
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - started);
  }
}

function count({ errors }: Drill, error: string): void {
  errors.set(error, (errors.get(error) ?? 0) + 1);
}

/**
 * Milliseconds from each return of the server until the first worker, and every worker, wrote
 * again.
 */
async function stopAgainAndAgain({ server, firstSuccess }: Drill) {
  const first: number[] = [];
  const everyone: number[] = [];
  for (let stop = 0; stop < stops; stop++) {
    await Bun.sleep(300 + ((stop * 137) % 500));
    if (options.fault === 'sessions') await endSessions(server.url('postgres'));
    else {
      await server.stop('immediate');
      await Bun.sleep((stop * 211) % 700);
      await server.start();
    }
    firstSuccess.clear();
    const back = performance.now();
    while (firstSuccess.size < workers && performance.now() - back < GIVE_UP_MS) await Bun.sleep(5);
    const times = [...firstSuccess.values()].map((time) => Math.max(0, time - back)).sort((a, b) => a - b);
    first.push(times[0] ?? Number.POSITIVE_INFINITY);
    everyone.push(firstSuccess.size === workers ? (times.at(-1) ?? 0) : Number.POSITIVE_INFINITY);
  }
  return { first, everyone };
}

async function readBack({ open }: Drill) {
  const reader = open(1);
  const stored = new Set((await reader.query('select id from drill')).map((row) => row.id));
  const halves = await reader.query(
    'select a.id from drill a left join drill b on b.id = a.pair where a.pair is not null and b.id is null',
  );
  return { stored, halfTransactions: halves.length };
}

function medianAndWorst(times: readonly number[]) {
  const median = times.toSorted((a, b) => a - b)[stops >> 1] ?? 0;
  return { median: Math.round(median), worst: Math.round(Math.max(...times)) };
}

async function writeOne(database: Candidate, id: string): Promise<boolean> {
  await database.query('insert into drill (id) values ($1)', [id]);
  return true;
}

async function writePair(database: Candidate, id: string): Promise<boolean> {
  await database.transaction(async (run) => {
    await run('insert into drill (id, pair) values ($1, $2)', [id, `${id}b`]);
    await run('insert into drill (id, pair) values ($1, $2)', [`${id}b`, id]);
  });
  return true;
}

async function endSessions(url: string): Promise<void> {
  const administrator = openDatabase({ url, poolSize: 1, logger: silentLogger });
  for (let time = 0; time < 8; time++) {
    await administrator.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      ['postgres'],
    );
    await Bun.sleep(50);
  }
  await administrator.close();
}
