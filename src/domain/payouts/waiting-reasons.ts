/**
 * Why a payout is not sent yet. Sweeps, queries and alarms use the code; the text is for operators.
 */
import { keysOf } from '../catalog/keys-of.ts';

export const WAITING_REASONS = {
  liquidity: 'The hot wallet lacks the money',
  negative_balance: 'The merchant owes (safety.md U7)',
  payment_gone: 'The payment that a refund gives back left the chain',
  merchant: 'Its merchant is not active, or not approved (safety.md G7)',
  asset: 'Its asset is switched off, or its contract does not answer at present',
  dust: 'No node relays so little',
  signing:
    'It was refused for now; or it waits for its turn; or it is signed and has been on no node for hours',
  trial: 'The nodes take too long to try it, or disagree about it (safety.md G4)',
  fee: 'Its fee is more than the policy of the signer allows, as all fees are at present (safety.md G5)',
} as const;
export type WaitingCode = keyof typeof WAITING_REASONS;
export const WAITING_CODES = keysOf(WAITING_REASONS);

export interface Waiting {
  readonly code: WaitingCode;
  readonly reason: string;
  /**
   * The last try, or the time of the next one. Waiting payouts with the earliest time come first.
   */
  readonly at: Date;
}

/** After this many tries in a row (21 minutes) an operator decides. */
export const TRIES_MAX = 7;
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 30 * 60_000;

/**
 * The next try of a payment that could not be signed and left its batch, with exponential backoff.
 * Null after TRIES_MAX tries, except for code `fee`: all fees are above the policy's limit, which
 * passes on its own. `tries`: tries in a row, this one included.
 */
export function steppedAside(told: Omit<Waiting, 'at'>, tries: number, now: Date): Waiting | null {
  if (tries > TRIES_MAX && told.code !== 'fee') return null;
  return { ...told, at: new Date(now.getTime() + pauseMs(tries)) };
}

/** Milliseconds until the next try, after `tries` in a row. */
export function pauseMs(tries: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
}

/** A payout tried within this time is not moved to the end of the queue again, to save writes. */
const TURN_MS = 10_000;

/** Whether a payout that waits for the same reason is moved behind other waiting ones. */
export function isRetryDue({ at }: Waiting, now: Date): boolean {
  return now.getTime() - at.getTime() >= TURN_MS;
}

/** Whether the payout's reason is stored already. */
export function isAlreadyRecorded(waiting: Waiting | null, told: Omit<Waiting, 'at'>): waiting is Waiting {
  return waiting !== null && waiting.code === told.code && waiting.reason === told.reason;
}
