/**
 * The lifetime of signed bytes, and how it carries their nonce: equal payments under two nonces
 * must be two transactions, and the signer must see which one it signs.
 */

import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { TronNode } from '../node.ts';
import { headHeader, type TronHeader } from '../read/blocks.ts';
import type { TronSending } from './sending.ts';

/**
 * Most difference between the chain's time and ours: blocks come every three seconds, and signed
 * bytes live ten minutes.
 */
const APART_MAX_MS = 180_000n;
/**
 * Several times the minute that solidification lags, so that a waiting transaction is not signed
 * again needlessly.
 */
const LIFE_MS = 600_000n;
/** The nonce is the remainder of the expiration, in milliseconds, divided by this. */
const SEQUENCES = 65_536n;

/**
 * Expiration of a transaction of that nonce which is signed at `nowMs`, the chain's time: at least
 * ten minutes later, at most eleven.
 */
export function expirationAfter(nowMs: bigint, nonce: bigint): bigint {
  const least = nowMs + LIFE_MS;
  const expiration = least - (least % SEQUENCES) + (nonce % SEQUENCES);
  return expiration < least ? expiration + SEQUENCES : expiration;
}

/**
 * The newest block, whose time is used for transactions. NodeLagging when it is far from ours: an
 * expiration years ahead would keep the transaction open as long, and a past one would never be
 * accepted.
 */
export async function presentHead(
  { clock }: Pick<TronSending, 'clock'>,
  node: TronNode,
): Promise<TronHeader> {
  const head = await headHeader(node, 'wallet');
  const apart = head.timeMs - BigInt(clock.now().getTime());
  if (apart > APART_MAX_MS || apart < -APART_MAX_MS)
    throw new NodeLagging(`${node.label}: the time of its newest block is ${apart / 1_000n} s from ours`);
  return head;
}

/** Whether the expiration carries that nonce. */
export function isOfNonce(expiration: bigint, nonce: bigint): boolean {
  return expiration % SEQUENCES === nonce % SEQUENCES;
}
