/** Why a payout is not sent yet, or does not arrive. The code is what sweeping, queries and alarms go by; the reason is for the operator. */

/**
 * `liquidity`: the hot wallet lacks the money. `negative_balance`: the merchant owes (safety.md U7). `payment_gone`: the payment
 * that a refund gives back left the chain. `merchant`: not active, or not approved (safety.md G7). `asset`: it is switched off, or its contract cannot be asked at present. `dust`: no node relays so little.
 * `signing`: refused for now when it was to be signed, or nothing is lacking but its turn, or signed and for hours on no node.
 */
export const WAITING_CODES = [
  'liquidity',
  'negative_balance',
  'payment_gone',
  'merchant',
  'asset',
  'dust',
  'signing',
] as const;
export type WaitingCode = (typeof WAITING_CODES)[number];

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
