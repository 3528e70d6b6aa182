/**
 * A bounded pool of connections, each used by one caller at a time. Every use settles within its
 * deadlines, one for waiting and one for running. A connection that was lost, or in use at a missed
 * deadline, is never used again.
 */
export interface PooledConnection {
  /**
   * Ends the connection immediately; what runs on it fails. Calls the `onLost` it was opened with.
   */
  close(): void;
}

/**
 * Two, so that a long wait for a connection does not shorten the run, and is not blamed on the
 * server.
 */
export interface Deadlines {
  readonly waitMs: number;
  readonly runMs: number;
}

export interface ConnectionPool<Connection> {
  /**
   * Runs `work` on a connection of its own, after waiting for one while all are in use. Rejects if
   * there is none after `waitMs`. Rejects if `work` has not ended within `runMs`, and closes the
   * connection, so that `work` cannot reach the database any more.
   */
  use<T>(deadlines: Deadlines, work: (connection: Connection) => Promise<T>): Promise<T>;
  /**
   * Refuses new uses, lets running ones finish for at most `graceMs`, then closes every connection.
   */
  close(graceMs: number): Promise<void>;
}

export interface PoolOptions<Connection extends PooledConnection> {
  readonly size: number;
  /**
   * Opens a connection, and calls `onLost` when it ends for any reason. Settles within a time limit
   * of its own.
   */
  readonly open: (onLost: () => void) => Promise<Connection>;
  /** Makes the error of a use that got no connection. */
  readonly failure: (reason: string) => Error;
  /** The same, where it waited in line while other uses had all connections. */
  readonly busy: (reason: string) => Error;
  /** Makes the error of a use that did not end in time. */
  readonly late: (reason: string) => Error;
}

interface Member<Connection> {
  readonly connection: Connection;
  isLost: boolean;
}

/** One use, with what its deadlines have to undo. */
interface Turn<Connection> {
  isOver: boolean;
  /** Set while it waits in line. */
  wake: Wake<Connection> | null;
  /** Set while it has a connection. */
  member: Member<Connection> | null;
  /** Starts the deadline for running. */
  began(): void;
}

/** Gives the first in line a connection, or null if it may open one. */
type Wake<Connection> = (given: Member<Connection> | null) => void;

interface Pool<Connection extends PooledConnection> {
  readonly options: PoolOptions<Connection>;
  readonly members: Set<Member<Connection>>;
  /** The most recently used one last. */
  readonly idle: Member<Connection>[];
  readonly waiting: Wake<Connection>[];
  opening: number;
  inUse: number;
  /** Uses that ran out of time since the last completed one. */
  silent: number;
  isClosed: boolean;
  onQuiet: (() => void) | null;
}

export function openConnectionPool<Connection extends PooledConnection>(
  options: PoolOptions<Connection>,
): ConnectionPool<Connection> {
  const pool: Pool<Connection> = {
    ...{ options, members: new Set(), idle: [], waiting: [] },
    ...{ opening: 0, inUse: 0, silent: 0, isClosed: false, onQuiet: null },
  };
  return {
    use: (deadlines, work) => use(pool, deadlines, work),
    close: (graceMs) => close(pool, graceMs),
  };
}

async function use<Connection extends PooledConnection, T>(
  pool: Pool<Connection>,
  { waitMs, runMs }: Deadlines,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { failure, busy, late } = pool.options;
  if (pool.isClosed) throw failure('the database client is closed');
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const endAfter = (milliseconds: number, error: () => Error) =>
    setTimeout(() => {
      reject(error());
      giveUp(pool, turn);
    }, milliseconds);
  let timer = endAfter(waitMs, () => {
    const isBusy = turn.wake !== null && pool.opening === 0;
    return (isBusy ? busy : failure)(`no connection within ${waitMs} ms`);
  });
  const turn: Turn<Connection> = {
    ...{ isOver: false, wake: null, member: null },
    began() {
      clearTimeout(timer);
      timer = endAfter(runMs, () => late(`no answer within ${runMs} ms`));
    },
  };
  pool.inUse++;
  run(pool, turn, work)
    .then(resolve, reject)
    .finally(() => {
      clearTimeout(timer);
      pool.inUse--;
      if (pool.inUse === 0) pool.onQuiet?.();
    });
  return promise;
}

async function run<Connection extends PooledConnection, T>(
  pool: Pool<Connection>,
  turn: Turn<Connection>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const member = await acquire(pool, turn);
  if (member !== null && turn.isOver) release(pool, member);
  if (member === null || turn.isOver) throw pool.options.failure('gave up waiting for a connection');
  turn.member = member;
  turn.began();
  try {
    return await work(member.connection);
  } finally {
    if (!turn.isOver) pool.silent = 0;
    turn.member = null;
    release(pool, member);
  }
}

/** A connection, the most recently used first; null if the turn ended while it waited in line. */
async function acquire<Connection extends PooledConnection>(
  pool: Pool<Connection>,
  turn: Turn<Connection>,
): Promise<Member<Connection> | null> {
  const { members, idle, waiting, options } = pool;
  while (!turn.isOver) {
    const free = idle.pop();
    if (free !== undefined) return free;
    if (pool.isClosed) throw options.failure('the database client is closed');
    if (members.size + pool.opening < options.size) return open(pool);
    const given = await new Promise<Member<Connection> | null>((resolve) => {
      turn.wake = resolve;
      waiting.push(resolve);
    });
    turn.wake = null;
    if (given !== null) return given;
  }
  return null;
}

async function open<Connection extends PooledConnection>(
  pool: Pool<Connection>,
): Promise<Member<Connection>> {
  const { options, members, waiting } = pool;
  pool.opening++;
  try {
    let member: Member<Connection> | null = null;
    let lostWhileOpening = false;
    const connection = await options.open(() => {
      if (member === null) lostWhileOpening = true;
      else forget(pool, member);
    });
    if (lostWhileOpening) throw options.failure('connection lost while it was opened');
    member = { connection, isLost: false };
    members.add(member);
    return member;
  } catch (error) {
    waiting.shift()?.(null);
    throw error;
  } finally {
    pool.opening--;
  }
}

function forget<Connection extends PooledConnection>(
  { members, idle, waiting }: Pool<Connection>,
  member: Member<Connection>,
): void {
  if (member.isLost) return;
  member.isLost = true;
  members.delete(member);
  const at = idle.indexOf(member);
  if (at >= 0) idle.splice(at, 1);
  // There is room for a new connection now: the first in line opens it.
  waiting.shift()?.(null);
}

function release<Connection extends PooledConnection>(
  { idle, waiting, isClosed }: Pool<Connection>,
  member: Member<Connection>,
): void {
  if (member.isLost) return;
  const next = waiting.shift();
  if (next !== undefined) next(member);
  else if (isClosed) member.connection.close();
  else idle.push(member);
}

function giveUp<Connection extends PooledConnection>(pool: Pool<Connection>, turn: Turn<Connection>): void {
  const { idle, waiting } = pool;
  turn.isOver = true;
  if (turn.wake !== null) {
    const at = waiting.indexOf(turn.wake);
    if (at >= 0) waiting.splice(at, 1);
    turn.wake(null);
  }
  if (turn.member === null) return;
  turn.member.connection.close();
  // The server did not answer, although its own limit for a statement is a little shorter. After
  // the second such use in a row the idle connections are closed, because each leads to the same
  // silent server and would cost its next user a deadline.
  pool.silent += 1;
  if (pool.silent > 1) for (const member of idle.slice()) member.connection.close();
}

async function close<Connection extends PooledConnection>(
  pool: Pool<Connection>,
  graceMs: number,
): Promise<void> {
  pool.isClosed = true;
  if (pool.inUse > 0) {
    const { promise: quiet, resolve } = Promise.withResolvers<void>();
    pool.onQuiet = resolve;
    const timer = setTimeout(resolve, graceMs);
    await quiet;
    clearTimeout(timer);
  }
  for (const member of pool.members) member.connection.close();
}
