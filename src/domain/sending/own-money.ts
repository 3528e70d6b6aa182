/**
 * What of a deposit address's coin is decided: only that pays a sweep and its fee. The rest waits
 * for the risk check, a block or an operator, or was not read yet (safety.md G9).
 */
import { larger } from '../money/larger.ts';

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
 * What may be spent of the native base units that are there: never below zero, so that what costs
 * nothing can be sent. Without `own` all of them are ours.
 */
export function spendableUnits(heldUnits: bigint, own?: OwnMoney): bigint {
  return own === undefined ? heldUnits : larger(heldUnits - unspendableUnits(heldUnits, own), 0n);
}

/** What must stay; more than is there where some of it is missing. */
export function unspendableUnits(heldUnits: bigint, { keptUnits, mostUnits }: OwnMoney): bigint {
  return mostUnits === null ? keptUnits : larger(keptUnits, heldUnits - mostUnits);
}
