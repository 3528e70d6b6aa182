/**
 * When a payment in a block was made, by two clocks that may each be wrong: its chain's, as blocks name it, and ours. Pure;
 * safety.md K6 and K7.
 */
import { type Family, isMined } from '../catalog/family.ts';

export interface PaymentTime {
  /** By the clock that says earlier: one that is wrong makes no payment late. */
  readonly seenAt: Date;
  /** Whatever was made after this is younger than the payment, by both clocks. Null: as far as can be told the payment is of this moment. */
  readonly madeBefore: Date | null;
}

/** A moment by both clocks: the time of the chain's newest block (Unix seconds), and our own. */
export interface Moment {
  readonly tipTime: number;
  readonly at: Date;
}

/** A block is named before it is made, and read after it: by so much a payment may look older than it is, where blocks follow a clock. */
const TOLERANCE_SECONDS = 120;
/** Miners may name a time up to two hours away from theirs (consensus rules of Bitcoin and Monero). */
const TOLERANCE_SECONDS_MINED = 7_200;

/** Of what waits for its block. */
export function waitsAt(now: Date): PaymentTime {
  return { seenAt: now, madeBefore: null };
}

/** `blockTime` in Unix seconds, as the chain has it; `now`: when the block was read. */
export function timeOfPayment(family: Family, blockTime: number, now: Moment): PaymentTime {
  const byChain = blockTime * 1000;
  const nowMs = now.at.getTime();
  // As old as it is for the chain, whatever time our clock says it is.
  const byUs = nowMs - (now.tipTime - blockTime) * 1000;
  const toleranceMs = (isMined(family) ? TOLERANCE_SECONDS_MINED : TOLERANCE_SECONDS) * 1000;
  return {
    seenAt: new Date(Math.min(byChain, byUs)),
    // What our clock says was made after now was made while it was ahead.
    madeBefore: byUs + toleranceMs >= nowMs ? null : new Date(Math.max(byChain, byUs) + toleranceMs),
  };
}

/** Whether the payment was made before something that exists `since` then, an invoice or an address, and so is not meant for it. */
export function isOlderThan({ madeBefore }: PaymentTime, since: Date): boolean {
  return madeBefore !== null && since.getTime() > madeBefore.getTime();
}
