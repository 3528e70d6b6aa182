/** How well each chain is followed, and how much of its nodes' plans was used. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import {
  CHAIN_FAULT_CODES,
  type ChainFault,
  HEALTH_STATE_CODES,
  type HealthState,
} from '../../../domain/chains/chain-health.ts';
import { NODE_STATE_CODES, type NodeState } from '../../../domain/chains/node-plan.ts';
import { allOrNone, dayNumber, instant, oneOf } from './columns.ts';

export const chainHealth = pgTable(
  'chain_health',
  {
    chain: text('chain').primaryKey(),
    state: text('state').$type<HealthState>().notNull(),
    /** By the gateway's clock, like all times here except the tip's. */
    since: instant('since').notNull(),
    lagBlocks: bigint('lag_blocks', { mode: 'number' }).notNull(),
    lagSeconds: bigint('lag_seconds', { mode: 'number' }).notNull(),
    tipHeight: bigint('tip_height', { mode: 'number' }),
    /** Time of that block, by the chain. */
    tipTime: instant('tip_time'),
    /** When a node last answered. */
    answeredAt: instant('answered_at'),
    /** Why the last read failed; null if it succeeded. */
    fault: text('fault').$type<ChainFault>(),
    /** When an alarm was last raised; null while the chain is on time. */
    toldAt: instant('told_at'),
    toldTimes: integer('told_times').notNull().default(0),
  },
  (t) => [
    check('chain_health_state', oneOf(t.state, HEALTH_STATE_CODES)),
    check('chain_health_fault', oneOf(t.fault, CHAIN_FAULT_CODES)),
    check('chain_health_lag', sql`${t.lagBlocks} >= 0 and ${t.lagSeconds} >= 0`),
    check('chain_health_tip', allOrNone(t.tipHeight, t.tipTime)),
    check('chain_health_told', sql`(${t.toldAt} is null) = (${t.toldTimes} = 0) and ${t.toldTimes} >= 0`),
  ],
);

/** Per day (UTC), for all processes together. */
export const nodeUsage = pgTable(
  'node_usage',
  {
    chain: text('chain').notNull(),
    /** `node 2 (eth.example.com)`. */
    node: text('node').notNull(),
    day: dayNumber('day').notNull(),
    calls: bigint('calls', { mode: 'number' }).notNull(),
    refusals: bigint('refusals', { mode: 'number' }).notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    /** As a process last saw it. */
    state: text('state').$type<NodeState>().notNull(),
    /** Whether it announced new heads to the process that last listened; null: none did. */
    stream: boolean('stream'),
    countedFrom: instant('counted_from').notNull(),
    countedUntil: instant('counted_until').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.chain, t.node, t.day] }),
    check('node_usage_state', oneOf(t.state, NODE_STATE_CODES)),
    check('node_usage_counts', sql`${t.calls} >= 0 and ${t.refusals} >= 0 and ${t.bytes} >= 0`),
  ],
);
