/**
 * When a payment was made, by two clocks that may each be wrong: block times and ours (safety.md
 * K6, K7). Pure.
 */
import { type Family, isMined } from '../catalog/family.ts';

export interface PaymentTime {
  /** The earlier of both clocks, so that a wrong one makes no payment late. */
  readonly seenAt: Date;
  /**
   * Anything created later came after the payment, by both clocks. Null: the payment is of this
   * moment.
   */
  readonly madeBefore: Date | null;
}

/** A moment by both clocks: the time of the chain's newest block (Unix seconds), and our own. */
export interface Moment {
  readonly tipTime: number;
  readonly at: Date;
}

/** How much older than it is a payment may look, on chains whose block times follow a clock. */
const TOLERANCE_SECONDS = 120;
/** Miners may set a block's time up to two hours off (consensus rules of Bitcoin and Monero). */
const TOLERANCE_SECONDS_MINED = 7_200;

/** For a payment without a block. */
export function waitsAt(now: Date): PaymentTime {
  return { seenAt: now, madeBefore: null };
}

/** `blockTime` in Unix seconds, as the chain has it; `now`: when the block was read. */
export function timeOfPayment(family: Family, blockTime: number, now: Moment): PaymentTime {
  const byChain = blockTime * 1000;
  const nowMs = now.at.getTime();
  // its age by the chain, subtracted from our clock
  const byUs = nowMs - (now.tipTime - blockTime) * 1000;
  const toleranceMs = (isMined(family) ? TOLERANCE_SECONDS_MINED : TOLERANCE_SECONDS) * 1000;
  return {
    seenAt: new Date(Math.min(byChain, byUs)),
    // what seems to be created after now was created while our clock was ahead
    madeBefore: byUs + toleranceMs >= nowMs ? null : new Date(Math.max(byChain, byUs) + toleranceMs),
  };
}

/**
 * Whether the payment came before an invoice or address that exists `since` then: not meant for it.
 */
export function isOlderThan({ madeBefore }: PaymentTime, since: Date): boolean {
  return madeBefore !== null && since.getTime() > madeBefore.getTime();
}
