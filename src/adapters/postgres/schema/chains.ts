/**
 * The identity of each chain, how far it was read, and the block hashes that locate the fork of a
 * reorganisation.
 */
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
    /**
     * Time of that block, by the chain, or of an earlier one while payments are still to be
     * detected.
     */
    coveredUntil: instant('covered_until').notNull(),
    /** When it was last read to its tip, by the gateway's clock. */
    readAt: instant('read_at'),
    /** The number of such reads. */
    reads: bigint('reads', { mode: 'number' }).notNull().default(0),
    /**
     * How far it was read, by the chain's time, at the first read to its tip after a silence:
     * transactions signed before may still be mined.
     */
    resumedAt: instant('resumed_at'),
    finalizedHeight: bigint('finalized_height', { mode: 'number' }).notNull(),
  },
  (t) => [check('chain_cursors_heights', sql`${t.height} >= -1 and ${t.finalizedHeight} >= -1`)],
);

/** The network and chain that the database was used with (safety.md K3). */
export const chainIdentities = pgTable(
  'chain_identities',
  {
    chain: text('chain').primaryKey(),
    /** domain/chains/chain-network.ts. */
    network: text('network').$type<Network>().notNull(),
    /** Hash of the first block; null until a node returned it, and for fake chains. */
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
