/**
 * Reads from a streaming replica that has replayed all that the primary had stored when the read
 * began, whichever process wrote it. So nobody misses what was acknowledged before, and no process
 * remembers who wrote when. It costs a short statement on the primary, one on the replica, and a
 * wait for the replica of at most some 60 ms. The primary answers while the replica is away, too
 * far behind, slow, or cannot show whose log it replays.
 */
import { sql } from 'drizzle-orm';
import type { Logger } from '../../../ports/runtime/logger.ts';
import { statement } from '../statement.ts';
import { value } from '../statement-parts.ts';
import type { Database, Reads } from './client.ts';
import {
  ConnectionsBusy,
  DatabaseUnavailable,
  DeadlineMissed,
  isSerializationFailure,
  StatementTimedOut,
} from './pg-errors.ts';
import { theOnly } from './statements.ts';

/** Between looks whether it has caught up. */
const WAITS_MS: readonly number[] = [1, 2, 4, 8, 16, 32];
/** For the question whether it has caught up, with its waits: a replica that hangs costs this. */
const CAUGHT_UP_MS = 200;
/** How long the primary answers before one read tries the replica again. */
const PAUSE_MS = 2_000;

// Positions of another cluster mean nothing, and another database of it has other rows.
const IDENTITY = sql<string>`(select system_identifier::text from pg_control_system()) || '/' ||
  (select oid::text from pg_database where datname = current_database())`;
// What was acknowledged is flushed, or at least inserted where commits do not wait for the disk.
const POSITION = statement({
  selects: {
    position: sql<string | null>`stored::text`,
    timeline: sql<string | null>`substr(pg_walfile_name(stored), 1, 8)`,
    identity: IDENTITY,
  },
  text: (_given, select) => sql`
    select ${select} from (
      select case
        when pg_is_in_recovery() then null
        when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
        else pg_current_wal_flush_lsn() end as stored
    ) log`,
});
// Positions of two timelines cannot be compared: after a failover an old replica may be ahead.
const REPLAYED = statement({
  given: { position: value<string>('pg_lsn') },
  selects: {
    isStandby: sql<boolean>`is_standby`,
    identity: IDENTITY,
    timeline: sql<string | null>`timeline`,
    isReached: sql<boolean>`is_reached`,
  },
  text: ({ position }, select) => sql`
    select ${select} from (
      select pg_is_in_recovery() as is_standby,
        (select upper(lpad(to_hex(received_tli), 8, '0')) from pg_stat_wal_receiver) as timeline,
        coalesce(pg_last_wal_replay_lsn() >= ${position}, false) as is_reached
    ) replica`,
});

/** `other_timeline`: also where the role may not see it (pg_read_all_stats). */
type Unfit = 'away' | 'behind' | 'slow' | 'no_standby' | 'other_database' | 'other_timeline';

class ReplicaUnfit extends Error {
  override readonly name = 'ReplicaUnfit';
  readonly unfit: Unfit;

  constructor(unfit: Unfit) {
    super(`the replica cannot answer: ${unfit}`);
    this.unfit = unfit;
  }
}

export interface ReplicaReads {
  readonly primary: Reads;
  readonly replica: Pick<Database, 'session'>;
  readonly logger: Logger;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** `work` of a snapshot may run a second time, on the primary. */
export function replicaReads({
  primary,
  replica,
  logger,
  now = () => performance.now(),
}: ReplicaReads): Reads {
  let unfit: Unfit | null = null;
  let triedAt = 0;

  /** While the replica is unfit one read tries it, and the others do not wait with it. */
  function mayTry(): boolean {
    if (unfit !== null && now() - triedAt < PAUSE_MS) return false;
    triedAt = now();
    return true;
  }

  function unfitBy(error: unknown): void {
    const found = unfitnessOf(error);
    const cause = error instanceof ReplicaUnfit ? {} : { cause: String(error) };
    if (found !== unfit) logger.warn('replica.unfit', { reason: found, ...cause });
    unfit = found;
  }

  function fit(): void {
    if (unfit !== null) logger.info('replica.fit');
    unfit = null;
  }

  async function read<T>(make: (on: Reads) => Promise<T>): Promise<T> {
    if (!mayTry()) return make(primary);
    const { position, ...log } = theOnly(await POSITION(primary), 'the position of the log');
    if (position === null) return make(primary);
    try {
      const made = await replica.session(async (on, leave) => {
        await soon(untilReplayed(on, { position, ...log })).catch((error: unknown) => {
          // After a failover another of its hosts may fit.
          if (error instanceof ReplicaUnfit && error.unfit !== 'behind') leave();
          throw error;
        });
        return make(on);
      });
      fit();
      return made;
    } catch (error) {
      // Replaying may cancel a read (40001), and other reads may have all connections; the replica
      // is none the worse for it.
      if (isSerializationFailure(error) || error instanceof ConnectionsBusy) return make(primary);
      unfitBy(error);
      // A slow list would be slow on the primary too; but others need not wait for a slow replica.
      if (error instanceof StatementTimedOut) throw error;
      return make(primary);
    }
  }

  return {
    query: (text, parameters) => read((on) => on.query(text, parameters)),
    snapshot: (work, options) => read((on) => on.snapshot(work, options)),
  };
}

interface Log {
  readonly position: string;
  readonly timeline: string | null;
  /** Of the cluster and its database. */
  readonly identity: string;
}

async function untilReplayed(on: Reads, { position, timeline, identity }: Log): Promise<void> {
  for (const wait of [...WAITS_MS, null]) {
    const found = theOnly(await REPLAYED(on, { position }), 'the position of the replica');
    if (!found.isStandby) throw new ReplicaUnfit('no_standby');
    if (found.identity !== identity) throw new ReplicaUnfit('other_database');
    if (found.timeline === null || found.timeline !== timeline) throw new ReplicaUnfit('other_timeline');
    if (found.isReached) return;
    if (wait !== null) await Bun.sleep(wait);
  }
  throw new ReplicaUnfit('behind');
}

async function soon(replayed: Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new ReplicaUnfit('slow')), CAUGHT_UP_MS);
  await Promise.race([replayed, late]).finally(() => clearTimeout(timer));
}

/** Rethrows what is not the replica's. */
function unfitnessOf(error: unknown): Unfit {
  if (error instanceof ReplicaUnfit) return error.unfit;
  if (error instanceof DeadlineMissed) return 'slow';
  if (error instanceof DatabaseUnavailable) return 'away';
  throw error;
}
