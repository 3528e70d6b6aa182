/**
 * How long signed bytes live, and how their sequence is told from them: two payments alike under two sequences must be two
 * transactions, and the signer must see which one it signs.
 */

/** Several times the minute that solidification lags, so that what waits is not signed anew for nothing. */
const LIFE_MS = 600_000n;
/** The sequence is what is left of the expiration, in milliseconds, when it is divided by this. */
const SEQUENCES = 65_536n;

/** Expiration of a transaction of that sequence which is signed at `nowMs`, the chain's time: at least ten minutes on, at most eleven. */
export function expirationAfter(nowMs: bigint, sequence: bigint): bigint {
  const least = nowMs + LIFE_MS;
  const expiration = least - (least % SEQUENCES) + (sequence % SEQUENCES);
  return expiration < least ? expiration + SEQUENCES : expiration;
}

/** Whether an expiration is of that sequence, as far as it tells. */
export function isOfSequence(expiration: bigint, sequence: bigint): boolean {
  return expiration % SEQUENCES === sequence % SEQUENCES;
}
