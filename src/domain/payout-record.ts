/** A payout as it is stored: the state that decisions change, and what was accepted. */
import type { FeeBearer } from './fee.ts';
import type { PayoutState } from './payout.ts';

export interface Payout extends PayoutState {
  readonly id: string;
  readonly merchantId: string;
  readonly sandbox: boolean;
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
  readonly feeBearer: FeeBearer;
  /** The amount valued in USD when accepted (fiat_amount_usd). */
  readonly amountMicroUsd: bigint;
  /** What was taken from the balance: amount plus the fee where the merchant bears it. */
  readonly reservedMicroUsd: bigint;
  readonly ref: string | null;
  readonly createdAt: Date;
}
