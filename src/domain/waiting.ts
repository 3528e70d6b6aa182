/** Why a payout is not sent yet, or does not arrive. The code is what sweeping, queries and alarms go by; the reason is for the operator. */
import { codesOf } from './reason.ts';

export const WAITING_REASONS = {
  liquidity: 'The hot wallet lacks the money',
  negative_balance: 'The merchant owes (safety.md U7)',
  payment_gone: 'The payment that a refund gives back left the chain',
  merchant: 'Its merchant is not active, or not approved (safety.md G7)',
  asset: 'Its asset is switched off, or its contract cannot be asked at present',
  dust: 'No node relays so little',
  signing:
    'It was refused for now when it was to be signed; or nothing is lacking but its turn; or it is signed and for hours on no node',
} as const;
export type WaitingCode = keyof typeof WAITING_REASONS;
export const WAITING_CODES = codesOf(WAITING_REASONS);

export interface Waiting {
  readonly code: WaitingCode;
  readonly reason: string;
  /** When it was last found so: of those that wait, the ones looked at longest ago have their turn first. */
  readonly at: Date;
}

/** Those that wait and were looked at within this time are not moved behind the others again: their rows would never rest. */
const TURN_MS = 10_000;

/** Whether a payout that still waits for the same is to be put behind the others that wait. */
export function hadItsTurn({ at }: Waiting, now: Date): boolean {
  return now.getTime() - at.getTime() >= TURN_MS;
}

/** Whether what is known of a payout is told already. */
export function alreadyTold(waiting: Waiting | null, told: Omit<Waiting, 'at'>): waiting is Waiting {
  return waiting !== null && waiting.code === told.code && waiting.reason === told.reason;
}
