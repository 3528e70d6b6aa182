/**
 * What the server says of the sessions of a history, and which of them it may let run. A session
 * that waits for a lock is stopped, so that a commit that gives locks to several of them lets none
 * go on before the world says so.
 */
import type { Database } from '../../../../src/adapters/postgres/client/client.ts';

export interface ServerView {
  /** Sessions that wait for a lock, by the process id of their backend; whom each waits for. */
  readonly waits: ReadonlyMap<number, readonly number[]>;
  /** Sessions that run a statement, or end a transaction. */
  readonly active: ReadonlySet<number>;
}

export interface Server {
  look(): Promise<ServerView>;
  /** It must wait for a lock: a session that holds a latch of the server would stop the others. */
  stop(pid: number): void;
  letRun(pid: number): void;
  /** Ends all sessions of the database but the observing one. */
  endSessions(): Promise<void>;
}

/**
 * pg_blocking_pids asks the lock manager, so it is exact: who ends a transaction grants its locks
 * before the server answers. The event is set a moment later, when the backend has let go of the
 * lock manager and sleeps.
 */
const SESSIONS = `
  select pid::int8, state = 'active' as active,
    case when wait_event_type = 'Lock' then pg_blocking_pids(pid)::int8[] else '{}' end as blockers
  from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
  order by pid`;

interface Session {
  readonly pid: string;
  readonly active: boolean;
  readonly blockers: readonly string[];
}

const PAUSE_MS = 1;

/** `observer` has one connection, which no process of the simulation uses. */
export function serverSeenBy(observer: Database): Server {
  const stopped = new Set<number>();
  const sessions = () => observer.query<Session>(SESSIONS);
  async function look(): Promise<ServerView> {
    const all = await sessions();
    const waiting = all.filter(({ blockers }) => blockers.length > 0);
    return {
      waits: new Map(waiting.map(({ pid, blockers }) => [Number(pid), blockers.map(Number)])),
      active: new Set(all.filter(({ active }) => active).map(({ pid }) => Number(pid))),
    };
  }
  function letRun(pid: number): void {
    if (stopped.delete(pid)) process.kill(pid, 'SIGCONT');
  }
  return {
    look,
    stop(pid) {
      process.kill(pid, 'SIGSTOP');
      stopped.add(pid);
    },
    letRun,
    async endSessions() {
      for (const pid of [...stopped]) letRun(pid);
      await observer.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      while ((await sessions()).length > 0) await Bun.sleep(PAUSE_MS);
    },
  };
}

/** Whether it waits, through others or not, for itself. */
export function isInCycle({ waits }: ServerView, pid: number): boolean {
  const seen = new Set<number>();
  const next = [...(waits.get(pid) ?? [])];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    if (at === pid) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    next.push(...(waits.get(at) ?? []));
  }
  return false;
}
