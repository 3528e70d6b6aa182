/** How well a chain is followed: its states, and the rules that decide between them. */
import { keysOf } from '../catalog/keys-of.ts';

export const HEALTH_STATES = {
  ok: 'Read to the tip of its nodes, or a minute short of it',
  catching_up: 'Not read to the tip yet, but what is unread is younger than the bound',
  behind: 'What is unread is older than the bound',
  away: 'No node has answered for minutes',
  never_reached: 'No node has answered since the chain was configured: reading has not begun',
} as const;
export type HealthState = keyof typeof HEALTH_STATES;
export const HEALTH_STATE_CODES = keysOf(HEALTH_STATES);

/** Why a chain could not be read. */
export const CHAIN_FAULTS = {
  unreachable: 'No node answered, or none with something of use',
  limited: 'The plans of all nodes that answer have no room',
  wrong_chain: 'Every node serves another chain',
} as const;
export type ChainFault = keyof typeof CHAIN_FAULTS;
export const CHAIN_FAULT_CODES = keysOf(CHAIN_FAULTS);

/** Unread for longer than this means late payments: `chains.<chain>.behind_after_seconds`. */
export const BEHIND_AFTER_SECONDS = 600;

/** A block, and its time by the chain. */
interface DatedBlock {
  readonly height: number;
  readonly time: Date;
}

export interface HealthFacts {
  /** The last block that was read; null before reading began. */
  readonly read: DatedBlock | null;
  /** The tip that a node last reported. */
  readonly tip: DatedBlock | null;
  /** When a node last answered, by our clock; null if unknown. */
  readonly answeredAt: Date | null;
  /** By our clock. */
  readonly now: Date;
  /** The time by the other chains, or by our clock without any (safety.md K7). */
  readonly chainNow: Date;
  /** Longest usual time without a block, seconds; null where any is usual, as on a test network. */
  readonly restSeconds: number | null;
  readonly boundSeconds: number;
}

export interface ChainHealth {
  readonly state: HealthState;
  /** Blocks that are known and not read. */
  readonly lagBlocks: number;
  /** Payments of this many last seconds may be unseen. */
  readonly lagSeconds: number;
}

/** A shorter delay is usual for nodes and blocks. */
const USUAL_SECONDS = 60;
const AWAY_AFTER_SECONDS = 120;

/**
 * The chain's clock compares blocks, and ours measures silence, so that a wrong clock makes no
 * chain late.
 */
export function healthOf(facts: HealthFacts): ChainHealth {
  const { read, tip, now, boundSeconds } = facts;
  if (read === null) return { state: 'never_reached', lagBlocks: 0, lagSeconds: 0 };
  const lagBlocks = Math.max(0, (tip?.height ?? read.height) - read.height);
  const unread = tip !== null && lagBlocks > 0 ? secondsFrom(read.time, tip.time) : 0;
  const silent = secondsFrom(facts.answeredAt ?? read.time, now);
  const stale = staleSeconds(facts);
  const lagSeconds = Math.max(unread + silent, stale);
  return { state: stateOf(), lagBlocks, lagSeconds };

  function stateOf(): HealthState {
    if (silent > Math.min(AWAY_AFTER_SECONDS, boundSeconds)) return 'away';
    if (lagSeconds > boundSeconds) return 'behind';
    return unread > USUAL_SECONDS ? 'catching_up' : 'ok';
  }
}

/** A node that does not follow the chain still answers: only the age of its tip shows it. */
function staleSeconds({ tip, chainNow, restSeconds, boundSeconds }: HealthFacts): number {
  if (tip === null || restSeconds === null) return 0;
  const age = secondsFrom(tip.time, chainNow);
  return age > Math.max(restSeconds, boundSeconds) ? age : 0;
}

/** Whether payments may be unseen for too long to offer the chain for new ones. */
export function isLate({ state, lagSeconds }: ChainHealth, boundSeconds: number): boolean {
  return state === 'never_reached' || lagSeconds > boundSeconds;
}

/** The alarms that were raised for a late chain. */
export interface RaisedAlarms {
  readonly at: Date;
  /** How often since it began. */
  readonly times: number;
}

const FIRST_PAUSE_SECONDS = 3_600;
const LONGEST_PAUSE_SECONDS = 86_400;

/** Whether to raise an alarm (again): after an hour, then with doubling pauses of at most a day. */
export function isToBeTold(told: RaisedAlarms | null, now: Date): boolean {
  if (told === null) return true;
  const pause = Math.min(FIRST_PAUSE_SECONDS * 2 ** (told.times - 1), LONGEST_PAUSE_SECONDS);
  return secondsFrom(told.at, now) >= pause;
}

/** Whole seconds; 0 if `to` is earlier. */
export function secondsFrom(from: Date, to: Date): number {
  return Math.max(0, Math.floor((to.getTime() - from.getTime()) / 1000));
}
