/** How well each chain is followed. How far it was read is for its cursor to say. */
import type { ChainFault, HealthState } from '../../domain/chain-health.ts';
import type { ChainHealthRepository, FollowedChain, NotedHealth } from '../../ports/chain-health.ts';
import type { Sql } from './client.ts';

const ALL = `
  select chain, c.height as read_height, coalesce(to_timestamp(b.time), c.covered_until) as read_time,
    h.state, h.since, h.lag_blocks, h.lag_seconds, h.tip_height, h.tip_time, h.answered_at, h.fault, h.told_at, h.told_times
  from chain_cursors c full join chain_health h using (chain) left join chain_blocks b using (chain, height)
  order by chain`;
const NOTE = `
  insert into chain_health (chain, state, since, lag_blocks, lag_seconds, tip_height, tip_time, answered_at, fault)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (chain) do update set state = excluded.state, since = excluded.since, lag_blocks = excluded.lag_blocks,
    lag_seconds = excluded.lag_seconds, tip_height = excluded.tip_height, tip_time = excluded.tip_time,
    answered_at = excluded.answered_at, fault = excluded.fault`;
const NOTE_TOLD = `
  update chain_health set told_at = $2, told_times = $3 where chain = $1 and told_times = $4 returning chain`;

type Row = {
  readonly chain: string;
  readonly read_height: string | null;
  readonly read_time: Date | null;
} & (NotedRow | { readonly state: null });

interface NotedRow {
  readonly state: HealthState;
  readonly since: Date;
  readonly lag_blocks: string;
  readonly lag_seconds: string;
  readonly tip_height: string | null;
  readonly tip_time: Date | null;
  readonly answered_at: Date | null;
  readonly fault: ChainFault | null;
  readonly told_at: Date | null;
  readonly told_times: number;
}

export function chainHealthRepository(sql: Sql): ChainHealthRepository {
  return {
    async all() {
      const rows = await sql.query<Row>(ALL);
      return new Map(rows.map((row) => [row.chain, followedFromRow(row)]));
    },

    async note(chain, { state, since, lagBlocks, lagSeconds, tip, answeredAt, fault }) {
      const place = [tip?.height ?? null, tip?.time ?? null];
      await sql.query(NOTE, [chain, state, since, lagBlocks, lagSeconds, ...place, answeredAt, fault]);
    },

    async noteTold(chain, { before, now }) {
      const told = [now?.at ?? null, now?.times ?? 0];
      return (await sql.query(NOTE_TOLD, [chain, ...told, before?.times ?? 0])).length === 1;
    },
  };
}

function followedFromRow(row: Row): FollowedChain {
  return {
    read: placeFrom(row.read_height, row.read_time),
    noted: row.state === null ? null : notedFromRow(row),
  };
}

function notedFromRow(row: NotedRow): NotedHealth {
  return {
    state: row.state,
    since: row.since,
    lagBlocks: Number(row.lag_blocks),
    lagSeconds: Number(row.lag_seconds),
    tip: placeFrom(row.tip_height, row.tip_time),
    answeredAt: row.answered_at,
    fault: row.fault,
    told: row.told_at && { at: row.told_at, times: row.told_times },
  };
}

function placeFrom(height: string | null, time: Date | null): FollowedChain['read'] {
  return height === null || time === null ? null : { height: Number(height), time };
}
