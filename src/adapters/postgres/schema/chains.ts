/** Which chains these are, how far each was read, and the block hashes that find the fork of a reorganisation. */
import { sql } from 'drizzle-orm';
import { bigint, check, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Network } from '../../../domain/chains/chain-network.ts';
import { instant } from './columns.ts';

export const chainCursors = pgTable(
  'chain_cursors',
  {
    chain: text('chain').primaryKey(),
    height: bigint('height', { mode: 'number' }).notNull(),
    hash: text('hash').notNull(),
    /** Time of that block, by the chain, or of an earlier one while payments are yet to be seen. */
    coveredUntil: instant('covered_until').notNull(),
    /** When it was last read to its tip, by our own clock. */
    readAt: instant('read_at'),
    /** How often that was so. */
    reads: bigint('reads', { mode: 'number' }).notNull().default(0),
    /** How far it reached, by the chain, when it was read to its tip after a silence: what was signed before may be waited for. */
    resumedAt: instant('resumed_at'),
    finalizedHeight: bigint('finalized_height', { mode: 'number' }).notNull(),
  },
  (t) => [check('chain_cursors_heights', sql`${t.height} >= -1 and ${t.finalizedHeight} >= -1`)],
);

/** Which network and chain the database was used with (safety.md K3). */
export const chainIdentities = pgTable(
  'chain_identities',
  {
    chain: text('chain').primaryKey(),
    /** domain/chains/chain-network.ts. */
    network: text('network').$type<Network>().notNull(),
    /** Hash of the first block; null until a node told it, and of fake chains. */
    genesis: text('genesis'),
    notedAt: instant('noted_at').notNull(),
  },
  (t) => [
    check(
      'chain_identities_network',
      sql`${t.network} ~ '^(fake|main|test|stage|regtest|eip155:[1-9][0-9]*)$'`,
    ),
    check('chain_identities_genesis', sql`${t.network} <> 'fake' or ${t.genesis} is null`),
  ],
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
