/** How far each chain was read, and the block hashes that find the fork of a reorganisation. */
import { sql } from 'drizzle-orm';
import { bigint, check, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const chainCursors = pgTable(
  'chain_cursors',
  {
    chain: text('chain').primaryKey(),
    height: bigint('height', { mode: 'number' }).notNull(),
    hash: text('hash').notNull(),
    coveredUntil: instant('covered_until').notNull(),
    finalizedHeight: bigint('finalized_height', { mode: 'number' }).notNull(),
  },
  (t) => [check('chain_cursors_heights', sql`${t.height} >= -1 and ${t.finalizedHeight} >= -1`)],
);

export const chainBlocks = pgTable(
  'chain_blocks',
  {
    chain: text('chain').notNull(),
    height: bigint('height', { mode: 'number' }).notNull(),
    hash: text('hash').notNull(),
    parentHash: text('parent_hash').notNull(),
    /** Unix seconds. */
    time: bigint('time', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.chain, t.height] }), check('chain_blocks_height', sql`${t.height} >= 0`)],
);
