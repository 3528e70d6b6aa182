/** Why a payout is not sent yet, or does not arrive. The code is what sweeping, queries and alarms go by; the reason is for the operator. */
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
  /** When it was last found so, or is to be tried again: of those that wait, the ones of longest ago have their turn first. */
  readonly at: Date;
}

/** How often in a row a payment steps aside before an operator is asked: after 21 minutes. */
export const TRIES_MAX = 7;
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 30 * 60_000;

/**
 * What becomes of a payment that could not be signed, and that stands in nobody's way: it waits and is tried again after a pause, each
 * twice as long as the one before; null when it was tried often enough, and an operator has to decide. Not so while all fees are higher
 * than the policy allows: that passes. `tries`: how often it was tried in a row, this time included.
 */
export function steppedAside(told: Omit<Waiting, 'at'>, tries: number, now: Date): Waiting | null {
  if (tries > TRIES_MAX && told.code !== 'fee') return null;
  return { ...told, at: new Date(now.getTime() + pauseMs(tries)) };
}

/** Milliseconds until the next try, after so many in a row. */
export function pauseMs(tries: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
}

/** Those that wait and were looked at within this time are not moved behind the others again: their rows would never rest. */
const TURN_MS = 10_000;

/** Whether a payout that still waits for the same is to be put behind the others that wait. */
export function isRetryDue({ at }: Waiting, now: Date): boolean {
  return now.getTime() - at.getTime() >= TURN_MS;
}

/** Whether what is known of a payout is told already. */
export function isAlreadyRecorded(waiting: Waiting | null, told: Omit<Waiting, 'at'>): waiting is Waiting {
  return waiting !== null && waiting.code === told.code && waiting.reason === told.reason;
}
