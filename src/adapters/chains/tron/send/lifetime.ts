/**
 * How long signed bytes live, and how their nonce is told from them: two payments alike under two nonces must be two
 * transactions, and the signer must see which one it signs.
 */

import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { TronNode } from '../node.ts';
import { headHeader, type TronHeader } from '../read/blocks.ts';
import type { Sending } from './sending.ts';

/** How far the chain's time may be from ours: blocks come every three seconds, and what is signed lives ten minutes. */
const APART_MAX_MS = 180_000n;
/** Several times the minute that solidification lags, so that what waits is not signed anew for nothing. */
const LIFE_MS = 600_000n;
/** The nonce is what is left of the expiration, in milliseconds, when it is divided by this. */
const SEQUENCES = 65_536n;

/** Expiration of a transaction of that nonce which is signed at `nowMs`, the chain's time: at least ten minutes on, at most eleven. */
export function expirationAfter(nowMs: bigint, nonce: bigint): bigint {
  const least = nowMs + LIFE_MS;
  const expiration = least - (least % SEQUENCES) + (nonce % SEQUENCES);
  return expiration < least ? expiration + SEQUENCES : expiration;
}

/**
 * The newest block, by whose time transactions are written. NodeLagging when that is far from ours: what ends in years would be open
 * as long, and what ended already is taken by nobody.
 */
export async function presentHead({ clock }: Pick<Sending, 'clock'>, node: TronNode): Promise<TronHeader> {
  const head = await headHeader(node, 'wallet');
  const apart = head.timeMs - BigInt(clock.now().getTime());
  if (apart > APART_MAX_MS || apart < -APART_MAX_MS)
    throw new NodeLagging(`${node.label}: the time of its newest block is ${apart / 1_000n} s from ours`);
  return head;
}

/** Whether an expiration is of that nonce, as far as it tells. */
export function isOfNonce(expiration: bigint, nonce: bigint): boolean {
  return expiration % SEQUENCES === nonce % SEQUENCES;
}
