/**
 * Each chain's reading position. Moving the cursor is a compare-and-set, so two instances cannot
 * both record a range.
 */
import { getTableColumns, sql } from 'drizzle-orm';
import type { ChainRepository } from '../../../ports/chains/chain-repository.ts';
import type { Sql } from '../client/sql.ts';
import { chainBlocks as b, chainCursors as c } from '../schema/chains.ts';
import { statement } from '../statement.ts';
import {
  columnsOf,
  insertInto,
  insertSelect,
  names,
  notNull,
  nullable,
  records,
  set,
  toExcluded,
  value,
} from '../statement-parts.ts';

const CURSOR = {
  height: c.height,
  hash: c.hash,
  coveredUntil: c.coveredUntil,
  finalizedHeight: c.finalizedHeight,
};
const FIND = statement({
  given: { chain: c.chain },
  selects: CURSOR,
  text: ({ chain }, select) => sql`select ${select} from ${c} where ${c.chain} = ${chain}`,
});
const COVERED_UNTIL = statement({
  selects: { chain: c.chain, coveredUntil: c.coveredUntil },
  text: (_given, select) => sql`select ${select} from ${c}`,
});
const LOCK = statement({
  given: { chain: c.chain },
  text: ({ chain }) => sql`select from ${c} where ${c.chain} = ${chain} for no key update`,
});
const START = statement({
  given: { chain: c.chain, ...CURSOR },
  selects: { chain: c.chain },
  text: (values, select) => sql`
    ${insertInto(c, values)} on conflict (${names(c.chain)}) do nothing returning ${select}`,
});
const MOVE = statement({
  given: {
    chain: c.chain,
    ...CURSOR,
    wasHeight: c.height,
    wasHash: c.hash,
    wasCoveredUntil: c.coveredUntil,
    wasFinalizedHeight: c.finalizedHeight,
  },
  selects: { chain: c.chain },
  text: ({ chain, wasHeight, wasHash, wasCoveredUntil, wasFinalizedHeight, ...values }, select) => sql`
    update ${c} set ${set(c, values)}
    where ${c.chain} = ${chain} and ${c.height} = ${wasHeight} and ${c.hash} = ${wasHash}
      and ${c.coveredUntil} = ${wasCoveredUntil} and ${c.finalizedHeight} = ${wasFinalizedHeight}
    returning ${select}`,
});

const { chain: BLOCK_CHAIN, ...BLOCK } = getTableColumns(b);
const REMEMBER = statement({
  given: { chain: BLOCK_CHAIN, blocks: records('n', BLOCK) },
  text: ({ chain, blocks }) => sql`
    ${insertSelect(b, { chain, ...columnsOf('n', BLOCK) })} from ${blocks}
    on conflict (${names(b.chain, b.height)}) do update set ${toExcluded(b.hash, b.parentHash, b.time)}`,
});
const FORGET_OLD = statement({
  given: { chain: b.chain, keep: value<number>('bigint') },
  text: ({ chain, keep }) => sql`
    delete from ${b} where ${b.chain} = ${chain} and ${b.height} <= (
      select ${b.height} from ${b} where ${b.chain} = ${chain} order by ${b.height} desc offset ${keep} limit 1)`,
});
const REMEMBERED = statement({
  given: { chain: b.chain, limit: value<number>('bigint') },
  selects: BLOCK,
  text: ({ chain, limit }, select) =>
    sql`select ${select} from ${b} where ${b.chain} = ${chain} order by ${b.height} desc limit ${limit}`,
});
/** From the highest down: of covered blocks only one is read. */
const LATER = statement({
  given: { chain: b.chain, time: value<number>('float8') },
  selects: BLOCK,
  text: ({ chain, time }, select) => sql`
    select ${select} from ${b} where ${b.chain} = ${chain} and ${b.height} > coalesce((
      select ${b.height} from ${b} where ${b.chain} = ${chain} and ${b.time} <= ${time}
      order by ${b.height} desc limit 1), -1)
    order by ${b.height} desc`,
});
const HAS_READ = statement({
  given: { chain: b.chain, height: b.height, hash: b.hash },
  text: ({ chain, height, hash }) => sql`
    select from ${b} where ${b.chain} = ${chain} and ${b.height} = ${height} and ${b.hash} = ${hash}`,
});
const FORGET_ABOVE = statement({
  given: { chain: b.chain, height: b.height },
  text: ({ chain, height }) => sql`delete from ${b} where ${b.chain} = ${chain} and ${b.height} > ${height}`,
});

const READS = statement({
  given: { chain: c.chain },
  selects: { count: c.reads, lastAt: notNull(c.readAt), resumedAt: c.resumedAt },
  text: ({ chain }, select) =>
    sql`select ${select} from ${c} where ${c.chain} = ${chain} and ${c.readAt} is not null`,
});
/** In either direction: the clock may have been set back. */
const NOTE_READ = statement({
  given: { chain: c.chain, at: nullable(c.readAt), silentMs: value<number>('float8') },
  text: ({ chain, at, silentMs }) => sql`
    update ${c} set ${set(c, {
      readAt: at,
      reads: sql<number>`${c.reads} + 1`,
      resumedAt: sql<Date | null>`case
        when abs(extract(epoch from ${c.readAt} - ${at})) * 1000 > ${silentMs} then ${c.coveredUntil}
        else ${c.resumedAt} end`,
    })}
    where ${c.chain} = ${chain}`,
});
const FORGET_RESUMED = statement({
  given: { chain: c.chain, resumedAt: c.resumedAt },
  text: ({ chain, resumedAt }) => sql`
    update ${c} set ${names(c.resumedAt)} = null where ${c.chain} = ${chain} and ${c.resumedAt} = ${resumedAt}`,
});

export function chainRepository(on: Sql): ChainRepository {
  return {
    cursor: async (chain) => (await FIND(on, { chain }))[0] ?? null,

    coveredUntil: async () =>
      new Map((await COVERED_UNTIL(on)).map(({ chain, coveredUntil }) => [chain, coveredUntil])),

    async lockCursor(chain) {
      await LOCK(on, { chain });
    },

    async moveCursor(chain, expected, next) {
      if (expected === null) return (await START(on, { ...next, chain })).length === 1;
      const was = {
        wasHeight: expected.height,
        wasHash: expected.hash,
        wasCoveredUntil: expected.coveredUntil,
        wasFinalizedHeight: expected.finalizedHeight,
      };
      return (await MOVE(on, { ...next, ...was, chain })).length === 1;
    },

    async rememberBlocks(chain, blocks, keep) {
      if (blocks.length > 0) await REMEMBER(on, { chain, blocks });
      await FORGET_OLD(on, { chain, keep });
    },

    rememberedBlocks: (chain, limit) => REMEMBERED(on, { chain, limit }),
    blocksLaterThan: (chain, time) => LATER(on, { chain, time }),

    hasRead: async (chain, { height, hash }) => (await HAS_READ(on, { chain, height, hash })).length > 0,

    async forgetBlocksAbove(chain, height) {
      await FORGET_ABOVE(on, { chain, height });
    },

    reads: async (chain) => (await READS(on, { chain }))[0] ?? null,

    async noteRead(chain, at, silentMs) {
      await NOTE_READ(on, { chain, at, silentMs });
    },

    async forgetResumed(chain, resumedAt) {
      await FORGET_RESUMED(on, { chain, resumedAt });
    },
  };
}
