/** How a node's plan stands. */
import { codesOf } from './reason.ts';

export const NODE_STATES = {
  able: 'It is asked',
  limited: 'Its plan has no room now',
  resting: 'It failed, and is asked last',
  wrong_chain: 'It serves another chain and is not asked',
} as const;
export type NodeState = keyof typeof NODE_STATES;
export const NODE_STATE_CODES = codesOf(NODE_STATES);
