/** A node's plan: how it stands, and what its use comes to in a month. */

import { keysOf } from '../catalog/keys-of.ts';
import { type Decimal, mulDiv } from '../money/decimal.ts';

export const NODE_STATES = {
  able: 'It is asked',
  limited: 'Its plan has no room now',
  resting: 'It failed, and is asked last',
  wrong_chain: 'It serves another chain and is not asked',
} as const;
export type NodeState = keyof typeof NODE_STATES;
export const NODE_STATE_CODES = keysOf(NODE_STATES);

const SECONDS_OF_MONTH = 30 * 86_400;
/** What was counted for less than this says nothing about a month. */
const COUNTED_SECONDS_MIN = 600;

/** Calls in 30 days at the pace of `calls` in so many seconds; null where that was too short a time to tell. */
export function callsAMonth(calls: number, seconds: number): number | null {
  return seconds < COUNTED_SECONDS_MIN ? null : Math.round((calls * SECONDS_OF_MONTH) / seconds);
}

/** Micro-USD of so many calls at a price in USD per million calls, rounded up: a dollar a million is a micro-dollar each. */
export function costMicroUsd(calls: number, { digits, scale }: Decimal): bigint {
  return mulDiv(BigInt(calls), digits, 10n ** BigInt(scale), 'ceil');
}
