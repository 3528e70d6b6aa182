/**
 * The two PostgreSQL drivers under the same guard, in two shapes: the driver's own pool, and one
 * driver client per connection. Used by database-stops.ts and database-throughput.ts, which decided
 * what adapters/postgres/client/client.ts uses.
 */
import { SQL } from 'bun';
import postgres from 'postgres';
import { openDatabase } from '../src/adapters/postgres/client/client.ts';
import type { SqlParameter } from '../src/adapters/postgres/client/parameters.ts';
import { silentLogger } from '../tests/support/runtime/silent-logger.ts';

export type Row = Record<string, unknown>;
export type Run = (text: string, parameters?: readonly unknown[]) => Promise<readonly Row[]>;
export interface Candidate {
  query: Run;
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>;
  /** Calls that were settled by the guard's deadline rather than by the driver. */
  deadlinesPassed(): number;
  close(): Promise<void>;
}
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

const DEADLINE_MS = 4_900;
const CONNECT_SECONDS = 3;
const SETTINGS = { application_name: 'drill', jit: 'off', statement_timeout: 4_500 };

export const candidates: Record<string, (target: Target, size: number) => Candidate> = {
  'postgres.js pool': (target, size) => guardedPool(() => postgresPool(target, size)),
  'postgres.js slots': (target, size) => guardedSlots((onClose) => postgresSlot(target, onClose), size),
  'Bun.SQL pool': (target, size) => guardedPool(() => bunPool(target, size)),
  'Bun.SQL slots': (target, size) => guardedSlots((onClose) => bunSlot(target, onClose), size),
  'our client': ourClient,
};

/** The pool that the decision led to. */
function ourClient(target: Target, size: number): Candidate {
  const { user, password, host, port, database: name } = target;
  const url = `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${name}`;
  const database = openDatabase({ url, poolSize: size, queryTimeoutMs: DEADLINE_MS, logger: silentLogger });
  let passed = 0;
  const counted = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith('no answer within')) passed++;
      throw error;
    });
  return {
    query: (text, parameters) => counted(database.query(text, parameters as SqlParameter[])),
    transaction: (work) =>
      counted(
        database.transaction((sql) =>
          work((text, parameters) => sql.query(text, parameters as SqlParameter[])),
        ),
      ),
    deadlinesPassed: () => passed,
    close: () => database.close(),
  };
}

interface Pool {
  query: Run;
  begin<T>(work: (run: Run) => Promise<T>): Promise<T>;
  end(): Promise<unknown>;
}

/** Postgres.js with its own pool. */
function postgresPool(target: Target, size: number): Pool {
  const sql = postgres({ ...target, max: size, ...postgresOptions });
  return {
    query: (text, parameters = []) => sql.unsafe(text, parameters as never[], { prepare: true }),
    begin: (work) =>
      sql.begin((tx) =>
        work((text, parameters = []) => tx.unsafe(text, parameters as never[], { prepare: true })),
      ) as Promise<never>,
    end: () => sql.end({ timeout: 0 }),
  };
}

const postgresOptions = {
  connect_timeout: CONNECT_SECONDS,
  fetch_types: false,
  onnotice: () => undefined,
  backoff: () => 0.05,
  connection: SETTINGS,
} as const;

function bunPool(target: Target, size: number): Pool {
  const sql = new SQL({ ...bunOptions(target), max: size });
  return {
    query: (text, parameters = []) => sql.unsafe(text, [...parameters]),
    begin: (work) =>
      sql.begin((tx) => work((text, parameters = []) => tx.unsafe(text, [...parameters]))) as Promise<never>,
    end: () => sql.close({ timeout: 0 }),
  };
}

const bunOptions = (target: Target) =>
  ({
    adapter: 'postgres',
    hostname: target.host,
    port: target.port,
    username: target.user,
    password: target.password,
    database: target.database,
    connectionTimeout: CONNECT_SECONDS,
    connection: SETTINGS,
  }) as const;

/** A deadline per call; a pool in which a deadline passed is replaced. */
function guardedPool(open: () => Pool): Candidate {
  let pool = open();
  let passed = 0;
  const guard = <T>(used: Pool, call: Promise<T>): Promise<T> =>
    withDeadline(call, () => {
      passed++;
      if (pool !== used) return;
      pool = open();
      used.end().catch(() => undefined);
    });
  return {
    query: (text, parameters) => guard(pool, pool.query(text, parameters)),
    transaction: (work) => guard(pool, pool.begin(work)),
    deadlinesPassed: () => passed,
    close: async () => void (await pool.end()),
  };
}

interface Slot {
  query: Run;
  close(): void;
}

async function postgresSlot(target: Target, onClose: () => void): Promise<Slot> {
  const sql = postgres({ ...target, max: 1, ...postgresOptions, onclose: onClose });
  // The query connects: with fetch_types off, a reserve() that has to connect first never resolves.
  await sql.unsafe('select 1');
  const held = await sql.reserve();
  return {
    query: (text, parameters = []) => held.unsafe(text, parameters as never[], { prepare: true }),
    close: () => void sql.end({ timeout: 0 }).catch(() => undefined),
  };
}

async function bunSlot(target: Target, onClose: () => void): Promise<Slot> {
  const sql = new SQL({ ...bunOptions(target), max: 1, onclose: onClose });
  const held = await sql.reserve();
  return {
    query: (text, parameters = []) => held.unsafe(text, [...parameters]),
    close: () => {
      held.close({ timeout: 0 }).catch(() => undefined);
      sql.close({ timeout: 0 }).catch(() => undefined);
    },
  };
}

interface Held {
  readonly slot: Slot;
  isDead: boolean;
}

interface Slots {
  readonly open: (onClose: () => void) => Promise<Slot>;
  readonly size: number;
  readonly idle: Held[];
  readonly waiting: ((held: Held | null) => void)[];
  opened: number;
  deadlinesPassed: number;
}

/** A pool whose connections take one call at a time, and none after a failure. */
function guardedSlots(open: Slots['open'], size: number): Candidate {
  const slots: Slots = { open, size, idle: [], waiting: [], opened: 0, deadlinesPassed: 0 };
  return {
    query: (text, parameters) => using(slots, (held) => whileAlive(held)(text, parameters)),
    transaction: (work) =>
      using(slots, async (held) => {
        const run = whileAlive(held);
        await run('BEGIN');
        try {
          const result = await work(run);
          await run('COMMIT');
          return result;
        } catch (error) {
          await run('ROLLBACK').catch(() => drop(slots, held));
          throw error;
        }
      }),
    deadlinesPassed: () => slots.deadlinesPassed,
    async close() {
      for (const held of [...slots.idle]) drop(slots, held);
    },
  };
}

function whileAlive(held: Held): Run {
  return (text, parameters) =>
    held.isDead ? Promise.reject(new Error('connection lost')) : held.slot.query(text, parameters);
}

async function using<T>(slots: Slots, work: (held: Held) => Promise<T>): Promise<T> {
  let used: Held | null = null;
  const call = acquire(slots).then(async (held) => {
    used = held;
    try {
      return await work(held);
    } finally {
      release(slots, held);
    }
  });
  return withDeadline(call, () => {
    slots.deadlinesPassed++;
    if (used) drop(slots, used);
  });
}

async function acquire(slots: Slots): Promise<Held> {
  for (;;) {
    const free = slots.idle.pop();
    if (free) return free;
    if (slots.opened < slots.size) return openSlot(slots);
    const given = await new Promise<Held | null>((resolve) => slots.waiting.push(resolve));
    if (given) return given;
  }
}

async function openSlot(slots: Slots): Promise<Held> {
  slots.opened++;
  let held: Held | null = null;
  try {
    const slot = await withDeadline(
      slots.open(() => held && drop(slots, held)),
      () => undefined,
      CONNECT_SECONDS * 1000,
    );
    held = { slot, isDead: false };
    return held;
  } catch (error) {
    slots.opened--;
    slots.waiting.shift()?.(null);
    throw error;
  }
}

function release({ idle, waiting }: Slots, held: Held): void {
  if (held.isDead) return;
  const next = waiting.shift();
  if (next) next(held);
  else idle.push(held);
}

function drop(slots: Slots, held: Held): void {
  if (held.isDead) return;
  held.isDead = true;
  slots.opened--;
  const at = slots.idle.indexOf(held);
  if (at >= 0) slots.idle.splice(at, 1);
  held.slot.close();
  slots.waiting.shift()?.(null);
}

function withDeadline<T>(call: Promise<T>, onPassed: () => void, deadlineMs = DEADLINE_MS): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => {
    onPassed();
    reject(new Error('deadline passed'));
  }, deadlineMs);
  call.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
