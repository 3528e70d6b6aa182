/** A stored payout: the state that decisions change, and what was accepted. */
import type { FeeBearer } from '../money/fee.ts';
import type { Held } from './held.ts';
import type { PayoutState } from './payout.ts';
import type { Waiting } from './waiting-reasons.ts';

export interface Payout extends PayoutState {
  readonly id: string;
  readonly merchantId: string;
  readonly sandbox: boolean;
  /** `refund`: returns a customer's money; not in the merchant's list of payouts. */
  readonly kind: 'payout' | 'refund';
  /** The refunded invoice; null for payouts, and for refunds of unmatched deposits. */
  readonly invoiceId: string | null;
  /** The claim that the refund pays; null without one. */
  readonly refundClaimId: string | null;
  /**
   * The operator who ordered the refund; null for payouts, for claims that the merchant offered,
   * and for refunds of databases from before 0.1.0 (decision 0035).
   */
  readonly orderedBy: string | null;
  readonly batchId: string | null;
  readonly asset: string;
  readonly address: string;
  /** The requested amount, in base units. */
  readonly amountUnits: bigint;
  /** What the recipient gets: less than the amount if the client bears the fee. */
  readonly sentUnits: bigint;
  /** The charged network fee, in base units of the payout's asset. */
  readonly feeUnits: bigint;
  readonly feeMicroUsd: bigint;
  readonly energyFeeMicroUsd: bigint | null;
  /** The quoted Payment.extraGas (ports/sending/payment.ts). Null: an operator lifted the bound. */
  readonly extraGas: bigint | null;
  /**
   * The network fee of a transaction without effect, which the merchant bears (safety.md G2): in
   * base units of the payout's asset, rounded up, and in USD. Zero if there is none. If there is
   * one, `feeUnits` was returned.
   */
  readonly wastedFeeUnits: bigint;
  readonly wastedFeeMicroUsd: bigint;
  readonly feeBearer: FeeBearer;
  /** The amount valued in USD when accepted (fiat_amount_usd). */
  readonly amountMicroUsd: bigint;
  /** What was taken from the balance: the amount, plus the fee if the merchant bears it. */
  readonly reservedMicroUsd: bigint;
  readonly ref: string | null;
  /** Why an operator has to release it first. Null: it may be sent. */
  readonly held: Held | null;
  /** An operator released it: limits do not hold it again. */
  readonly released: boolean;
  /** An operator allows it although its merchant is barred from payouts. */
  readonly merchantWaived: boolean;
  /** Why it could not be sent at the last try; null if it was not tried, or nothing prevents it. */
  readonly waiting: Waiting | null;
  /** How often in a row it stepped aside (steppedAside in waiting-reasons.ts). */
  readonly tries: number;
  /** When it got a nonce: from then on it counts for the daily limit; null before. */
  readonly dispatchedAt: Date | null;
  readonly createdAt: Date;
  /** See lastChange in last-change.ts. */
  readonly updatedAt: Date | null;
}

/**
 * An operator's refund goes whatever became of its merchant (safety.md G7). One that the merchant
 * offered is bound to what binds the merchant's payouts.
 */
export function isOperatorsRefund({
  kind,
  orderedBy,
  refundClaimId,
}: Pick<Payout, 'kind' | 'orderedBy' | 'refundClaimId'>): boolean {
  return kind === 'refund' && (orderedBy !== null || refundClaimId === null);
}

/**
 * The network fee that the merchant is charged, in base units of the payout's asset and in USD, and
 * its part for energy (Tron). When a payout fails, the quoted fee is returned; a network fee that
 * was paid for a transaction without effect is not.
 */
export function shownFee(payout: Payout): {
  readonly units: bigint;
  readonly microUsd: bigint;
  readonly energyMicroUsd: bigint | null;
} {
  const { feeUnits, feeMicroUsd, energyFeeMicroUsd, wastedFeeUnits, wastedFeeMicroUsd } = payout;
  if (payout.status !== 'failed' && payout.status !== 'cancelled')
    return { units: feeUnits, microUsd: feeMicroUsd, energyMicroUsd: energyFeeMicroUsd };
  const energyMicroUsd = energyFeeMicroUsd === null ? null : wastedFeeMicroUsd;
  return { units: wastedFeeUnits, microUsd: wastedFeeMicroUsd, energyMicroUsd };
}
