/**
 * What of a deposit address's coin is decided: only that pays a sweep and its fee. The rest waits
 * for the risk check, a block or an operator, or was not read yet (safety.md G9).
 */

/** Native base units, as of the last block that was read. */
export interface OwnMoney {
  /** Recorded and not decided: they stay. */
  readonly keptUnits: bigint;
  /**
   * Recorded and decided: no more may leave, fee included, whatever else arrived since. Null where
   * addresses gain some without a payment.
   */
  readonly mostUnits: bigint | null;
}

/**
 * What may be spent of the native base units that are there; below zero where some of those that
 * stay are missing. Without `own` all of them are ours.
 */
export function spendableUnits(heldUnits: bigint, own?: OwnMoney): bigint {
  if (own === undefined) return heldUnits;
  const left = heldUnits - own.keptUnits;
  return own.mostUnits !== null && own.mostUnits < left ? own.mostUnits : left;
}
