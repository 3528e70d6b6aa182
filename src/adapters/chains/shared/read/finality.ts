/** Finality by counting: a block is final when it and the blocks on top of it make the wanted number of confirmations. */

/** Highest final height under `confirmations` (a block alone at the tip has one); -1 when none is. */
export function finalizedByConfirmations(tipHeight: number, confirmations: number): number {
  return Math.max(-1, Math.min(tipHeight, tipHeight - confirmations + 1));
}
