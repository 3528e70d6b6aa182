/**
 * A bounded pool of connections, each used by one caller at a time. Every use settles within its deadlines, one for waiting
 * and one for running; a connection that was lost, or that a deadline caught in use, is never handed out again.
 */
export interface PooledConnection {
  /** Ends the connection at once; whatever runs on it fails. Calls the `onLost` it was opened with. */
  close(): void;
}

/** Apart, so that whoever waited for long still has all its time to run, and is not taken for one that the server left waiting. */
export interface Deadlines {
  readonly waitMs: number;
  readonly runMs: number;
}

export interface ConnectionPool<Connection> {
  /**
   * Runs `work` on a connection of its own, waiting for one while all are in use. Rejects when there is none after `waitMs`,
   * and when `work` did not end within `runMs`; the connection is then closed, so nothing that `work` still does can reach
   * the database.
   */
  use<T>(deadlines: Deadlines, work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Refuses new uses, lets the running ones finish for at most `graceMs`, then closes every connection. */
  close(graceMs: number): Promise<void>;
}

export interface PoolOptions<Connection extends PooledConnection> {
  readonly size: number;
  /** Opens a connection and calls `onLost` when it ends, for whatever reason. Must settle by itself. */
  readonly open: (onLost: () => void) => Promise<Connection>;
  /** Makes the error of a use that did not get, or did not finish with, a connection. */
  readonly failure: (reason: string) => Error;
}

interface Member<Connection> {
  readonly connection: Connection;
  lost: boolean;
}

export function openConnectionPool<Connection extends PooledConnection>(
  options: PoolOptions<Connection>,
): ConnectionPool<Connection> {
  const members = new Set<Member<Connection>>();
  const idle: Member<Connection>[] = [];
  const waiting: ((given: Member<Connection> | null) => void)[] = [];
  let opening = 0;
  let inUse = 0;
  /** Uses that ran out of time, since one last came to its end. */
  let silent = 0;
  let closed = false;
  let onQuiet: (() => void) | null = null;

  function forget(member: Member<Connection>): void {
    if (member.lost) return;
    member.lost = true;
    members.delete(member);
    const at = idle.indexOf(member);
    if (at >= 0) idle.splice(at, 1);
    // There is room for a new connection now: the first in line opens it.
    waiting.shift()?.(null);
  }

  async function open(): Promise<Member<Connection>> {
    opening++;
    try {
      let member: Member<Connection> | null = null;
      let lostWhileOpening = false;
      const connection = await options.open(() => {
        if (member === null) lostWhileOpening = true;
        else forget(member);
      });
      if (lostWhileOpening) throw options.failure('connection lost while it was opened');
      member = { connection, lost: false };
      members.add(member);
      return member;
    } catch (error) {
      waiting.shift()?.(null);
      throw error;
    } finally {
      opening--;
    }
  }

  /** A connection, the most recently used one first; null when the caller gave up while it waited. */
  async function acquire(turn: Turn<Connection>): Promise<Member<Connection> | null> {
    while (!turn.over) {
      const free = idle.pop();
      if (free !== undefined) return free;
      if (closed) throw options.failure('the database client is closed');
      if (members.size + opening < options.size) return open();
      const given = await new Promise<Member<Connection> | null>((resolve) => {
        turn.wake = resolve;
        waiting.push(resolve);
      });
      turn.wake = null;
      if (given !== null) return given;
    }
    return null;
  }

  function release(member: Member<Connection>): void {
    if (member.lost) return;
    const next = waiting.shift();
    if (next !== undefined) next(member);
    else if (closed) member.connection.close();
    else idle.push(member);
  }

  async function run<T>(turn: Turn<Connection>, work: (connection: Connection) => Promise<T>): Promise<T> {
    const member = await acquire(turn);
    if (member === null) throw options.failure('gave up waiting for a connection');
    if (turn.over) {
      release(member);
      throw options.failure('gave up waiting for a connection');
    }
    turn.member = member;
    turn.began();
    try {
      return await work(member.connection);
    } finally {
      if (!turn.over) silent = 0;
      turn.member = null;
      release(member);
    }
  }

  function giveUp(turn: Turn<Connection>): void {
    turn.over = true;
    if (turn.wake !== null) {
      const at = waiting.indexOf(turn.wake);
      if (at >= 0) waiting.splice(at, 1);
      turn.wake(null);
    }
    if (turn.member === null) return;
    turn.member.connection.close();
    // The server ends statements a little earlier by itself, so it did not answer. When it is silent on a second one, the idle
    // connections lead to the same silent server, and each would cost its next user a whole deadline.
    silent += 1;
    if (silent > 1) for (const member of idle.slice()) member.connection.close();
  }

  return {
    async use<T>({ waitMs, runMs }: Deadlines, work: (connection: Connection) => Promise<T>): Promise<T> {
      if (closed) throw options.failure('the database client is closed');
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const endAfter = (milliseconds: number, reason: string) =>
        setTimeout(() => {
          reject(options.failure(reason));
          giveUp(turn);
        }, milliseconds);
      let timer = endAfter(waitMs, `no connection within ${waitMs} ms`);
      const turn: Turn<Connection> = {
        over: false,
        wake: null,
        member: null,
        began() {
          clearTimeout(timer);
          timer = endAfter(runMs, `no answer within ${runMs} ms`);
        },
      };
      inUse++;
      run(turn, work)
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer);
          inUse--;
          if (inUse === 0) onQuiet?.();
        });
      return promise;
    },

    async close(graceMs) {
      closed = true;
      if (inUse > 0) {
        const { promise: quiet, resolve } = Promise.withResolvers<void>();
        onQuiet = resolve;
        const timer = setTimeout(resolve, graceMs);
        await quiet;
        clearTimeout(timer);
      }
      for (const member of members) member.connection.close();
    },
  };
}

/** One use: what its deadlines have to undo. */
interface Turn<Connection> {
  over: boolean;
  /** Set while it stands in line. */
  wake: ((given: Member<Connection> | null) => void) | null;
  /** Set while it holds a connection. */
  member: Member<Connection> | null;
  /** From here on it runs. */
  began(): void;
}
