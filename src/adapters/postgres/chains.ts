/** Where each chain's reading stands. Moving the cursor is a compare-and-set, so two instances cannot both record a range. */

import type { ChainCursor, ChainRepository } from '../../ports/chain-repository.ts';
import type { BlockRef } from '../../ports/chain-scanner.ts';
import type { Sql } from './client.ts';

const MOVE = `
  update chain_cursors set height = $2, hash = $3, covered_until = $4, finalized_height = $5
  where chain = $1 and height = $6 and hash = $7 and covered_until = $8 and finalized_height = $9
  returning chain`;
const START = `
  insert into chain_cursors (chain, height, hash, covered_until, finalized_height) values ($1, $2, $3, $4, $5)
  on conflict (chain) do nothing returning chain`;

const REMEMBER = `
  insert into chain_blocks as b (chain, height, hash, parent_hash, time)
  select $1, n.height, n.hash, n."parentHash", n.time
  from jsonb_to_recordset($2::jsonb) as n (height bigint, hash text, "parentHash" text, time bigint)
  on conflict (chain, height) do update set hash = excluded.hash, parent_hash = excluded.parent_hash, time = excluded.time`;
const FORGET_OLD = `
  delete from chain_blocks where chain = $1 and height <= (
    select height from chain_blocks where chain = $1 order by height desc offset $2 limit 1)`;
const BLOCKS = 'select height, hash, parent_hash, time from chain_blocks where chain = $1';
/** From the highest on: what is covered is not read but for one block. */
const LATER = `
  ${BLOCKS} and height > coalesce((
    select height from chain_blocks where chain = $1 and time <= $2::float8 order by height desc limit 1), -1)
  order by height desc`;

interface CursorRow {
  readonly height: string;
  readonly hash: string;
  readonly covered_until: Date;
  readonly finalized_height: string;
}

interface BlockRow {
  readonly height: string;
  readonly hash: string;
  readonly parent_hash: string;
  readonly time: string;
}
const READS = 'select reads, read_at, resumed_at from chain_cursors where chain = $1 and read_at is not null';
/** In either direction: the clock may have been set back. */
const NOTE_READ = `
  update chain_cursors set read_at = $2, reads = reads + 1, resumed_at = case
    when abs(extract(epoch from read_at - $2::timestamptz)) * 1000 > $3::float8 then covered_until else resumed_at end
  where chain = $1`;
const FORGET_RESUMED = 'update chain_cursors set resumed_at = null where chain = $1 and resumed_at = $2';

export function chainRepository(sql: Sql): ChainRepository {
  return {
    async cursor(chain) {
      const [row] = await sql.query<CursorRow>(
        'select height, hash, covered_until, finalized_height from chain_cursors where chain = $1',
        [chain],
      );
      return row ? cursorFromRow(row) : null;
    },

    async coveredUntil() {
      const rows = await sql.query<{ chain: string; covered_until: Date }>(
        'select chain, covered_until from chain_cursors',
      );
      return new Map(rows.map((row) => [row.chain, row.covered_until]));
    },

    async lockCursor(chain) {
      await sql.query('select from chain_cursors where chain = $1 for no key update', [chain]);
    },

    async moveCursor(chain, expected, next) {
      const moved =
        expected === null
          ? await sql.query(START, [chain, ...cursorValues(next)])
          : await sql.query(MOVE, [chain, ...cursorValues(next), ...cursorValues(expected)]);
      return moved.length === 1;
    },

    async rememberBlocks(chain, blocks, keep) {
      // Scanned blocks carry their transfers too: only the reference is remembered.
      const references = blocks.map(({ height, hash, parentHash, time }) => ({
        height,
        hash,
        parentHash,
        time,
      }));
      if (blocks.length > 0) await sql.query(REMEMBER, [chain, JSON.stringify(references)]);
      await sql.query(FORGET_OLD, [chain, keep]);
    },

    async rememberedBlocks(chain, limit) {
      const rows = await sql.query<BlockRow>(`${BLOCKS} order by height desc limit $2`, [chain, limit]);
      return rows.map(blockFromRow);
    },

    async blocksLaterThan(chain, time) {
      return (await sql.query<BlockRow>(LATER, [chain, time])).map(blockFromRow);
    },

    async hasRead(chain, { height, hash }) {
      const found = 'select from chain_blocks where chain = $1 and height = $2 and hash = $3';
      return (await sql.query(found, [chain, height, hash])).length > 0;
    },

    async forgetBlocksAbove(chain, height) {
      await sql.query('delete from chain_blocks where chain = $1 and height > $2', [chain, height]);
    },

    async reads(chain) {
      type Row = { reads: string; read_at: Date; resumed_at: Date | null };
      const [row] = await sql.query<Row>(READS, [chain]);
      return row ? { count: Number(row.reads), lastAt: row.read_at, resumedAt: row.resumed_at } : null;
    },

    async noteRead(chain, at, silentMs) {
      await sql.query(NOTE_READ, [chain, at, silentMs]);
    },

    async forgetResumed(chain, resumedAt) {
      await sql.query(FORGET_RESUMED, [chain, resumedAt]);
    },
  };
}

function cursorFromRow(row: CursorRow): ChainCursor {
  return {
    height: Number(row.height),
    hash: row.hash,
    coveredUntil: row.covered_until,
    finalizedHeight: Number(row.finalized_height),
  };
}

function cursorValues(cursor: ChainCursor): [number, string, Date, number] {
  return [cursor.height, cursor.hash, cursor.coveredUntil, cursor.finalizedHeight];
}

function blockFromRow(row: BlockRow): BlockRef {
  return {
    height: Number(row.height),
    hash: row.hash,
    parentHash: row.parent_hash,
    time: Number(row.time),
  };
}
