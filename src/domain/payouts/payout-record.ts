/** A payout as it is stored: the state that decisions change, and what was accepted. */
import type { FeeBearer } from '../money/fee.ts';
import type { Held } from './held.ts';
import type { Waiting } from './hold-reasons.ts';
import type { PayoutState } from './payout.ts';

export interface Payout extends PayoutState {
  readonly id: string;
  readonly merchantId: string;
  readonly sandbox: boolean;
  /** `refund`: sent for an operator, who gave an invoice's money back; not in the merchant's list of payouts. */
  readonly kind: 'payout' | 'refund';
  /** The refunded invoice; null for payouts. */
  readonly invoiceId: string | null;
  /** The operator who ordered a refund; null for payouts, which the merchant's key orders, and for refunds of before this was kept. */
  readonly orderedBy: string | null;
  readonly batchId: string | null;
  readonly asset: string;
  readonly address: string;
  /** What the merchant asked to send, in base units. */
  readonly amountUnits: bigint;
  /** What the recipient gets: less than the amount when the client bears the fee. */
  readonly sentUnits: bigint;
  /** Network fee charged, in base units of the payout's asset. */
  readonly feeUnits: bigint;
  readonly feeMicroUsd: bigint;
  readonly energyFeeMicroUsd: bigint | null;
  /** Gas beyond an ordinary payment's that its recipient may take, as quoted (Payment in sending/chain-sender.ts). Null: an operator lifted the bound. */
  readonly extraGas: bigint | null;
  /**
   * What the network took for a transaction without effect, which the merchant bears (safety.md G2): in base units of the payout's
   * asset, rounded up, and in USD. Zero while there is none. What was charged above has come back then.
   */
  readonly wastedFeeUnits: bigint;
  readonly wastedFeeMicroUsd: bigint;
  readonly feeBearer: FeeBearer;
  /** The amount valued in USD when accepted (fiat_amount_usd). */
  readonly amountMicroUsd: bigint;
  /** What was taken from the balance: amount plus the fee where the merchant bears it. */
  readonly reservedMicroUsd: bigint;
  readonly ref: string | null;
  /** Why an operator has to release it first: held by hand, or over a limit. Null: it may be sent. */
  readonly held: Held | null;
  /** An operator released it: limits do not hold it again. */
  readonly released: boolean;
  /** An operator lets it go although its merchant may not be paid out. */
  readonly merchantWaived: boolean;
  /** Why it could not be sent at the last try; null when nothing stands in its way. */
  readonly waiting: Waiting | null;
  /** How often in a row it could not be signed and gave its place up (steppedAside in hold-reasons.ts). */
  readonly tries: number;
  /** When it was given its place in a wallet's nonce, which is when it counts for the limit of a day; null before. */
  readonly dispatchedAt: Date | null;
  readonly createdAt: Date;
  /** See lastChange in last-change.ts. */
  readonly updatedAt: Date | null;
}

/**
 * The network's fee that the merchant is charged, in base units of the payout's asset and in USD, and the part of it that pays for
 * energy on chains that have it. What was quoted comes back when a payout fails; what the network took for it all the same does not.
 */
export function feeCharged(payout: Payout): {
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
