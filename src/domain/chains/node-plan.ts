/** A node's plan: its state, and its use and cost per month. */

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
/** A shorter count does not predict a month. */
const COUNTED_SECONDS_MIN = 600;

/** Calls in 30 days at the rate of `calls` in `seconds`; null if that was too short a time. */
export function callsAMonth(calls: number, seconds: number): number | null {
  return seconds < COUNTED_SECONDS_MIN ? null : Math.round((calls * SECONDS_OF_MONTH) / seconds);
}

/** Cost in micro-USD at a price in USD per million calls, rounded up. */
export function costMicroUsd(calls: number, { digits, scale }: Decimal): bigint {
  return mulDiv(BigInt(calls), digits, 10n ** BigInt(scale), 'ceil');
}
