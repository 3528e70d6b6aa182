/**
 * Finality by confirmations: a block is final when it and the blocks on top of it are at least as
 * many.
 */

/**
 * Highest final height under `confirmations` (a block alone at the tip has one); -1 when none is.
 */
export function finalizedByConfirmations(tipHeight: number, confirmations: number): number {
  return Math.max(-1, Math.min(tipHeight, tipHeight - confirmations + 1));
}
