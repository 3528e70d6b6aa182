/** The payout of a refund: what it sends, what it costs, and its reservation. */
import type { Asset } from '../../../domain/catalog/asset.ts';
import { type AppError, ratesUnavailable } from '../../../domain/errors.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { FeeQuote } from '../../../ports/rates/fee-quoter.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { reserveEntry } from '../payout-entries.ts';
import { feeBorne, feeTooHigh } from '../payout-terms.ts';
import type { Credit } from './refundable.ts';

export type QuoteNeeds = Pick<AppDependencies, 'rateBook' | 'feeQuoter'>;

/**
 * The network fee. Quoted outside the writing transaction, because nodes may be asked for the
 * recipient's cost (safety.md G1).
 */
export async function refundFee(
  deps: QuoteNeeds,
  scope: { readonly merchantId: string; readonly sandbox: boolean },
  payment: { readonly asset: Asset; readonly to: string; readonly units: bigint },
): Promise<Result<FeeQuote, AppError>> {
  const rates = deps.rateBook.usable(scope);
  const [quoted] = rates === null ? [] : await deps.feeQuoter.quoteEach([payment], rates, scope);
  if (quoted?.kind === 'too_dear') return err(feeTooHigh(quoted));
  return quoted?.kind === 'quoted' ? ok(quoted.quote) : err(ratesUnavailable());
}

export interface RefundCost {
  /** What the customer gets, in base units. */
  readonly sentUnits: bigint;
  readonly fee: FeeQuote;
  /** What the merchant's balance pays, in micro-USD. */
  readonly reservedMicroUsd: bigint;
}

const NO_FEE = { feeUnits: 0n, feeMicroUsd: 0n, energyFeeMicroUsd: null };

/**
 * The fee is deducted from what the client gets, or charged to the merchant. Where the merchant's
 * balance does not cover it, the gateway bears it, if an operator ordered the refund: the customer
 * waits for the money. A merchant cannot make the gateway pay.
 */
export function refundCost(
  part: Credit,
  { feeBearer: bearer, orderedBy }: Pick<Payout, 'feeBearer' | 'orderedBy'>,
  { quote, availableMicroUsd }: { readonly quote: FeeQuote; readonly availableMicroUsd: bigint },
): RefundCost {
  const isMerchants = bearer === 'client' || orderedBy === null;
  const isCovered = isMerchants || availableMicroUsd >= part.microUsd + quote.feeMicroUsd;
  const fee = isCovered ? quote : { ...NO_FEE, extraGas: quote.extraGas };
  const { deductedUnits, addedMicroUsd } = feeBorne(bearer, fee);
  return {
    sentUnits: part.units - deductedUnits,
    fee,
    reservedMicroUsd: part.microUsd + addedMicroUsd,
  };
}

export interface RefundToMake
  extends Pick<
    Payout,
    'merchantId' | 'sandbox' | 'invoiceId' | 'refundClaimId' | 'orderedBy' | 'asset' | 'address' | 'feeBearer'
  > {
  readonly part: Credit;
  readonly cost: RefundCost;
}

export function refundPayout(
  { ids, clock }: Pick<AppDependencies, 'ids' | 'clock'>,
  { part, cost, ...given }: RefundToMake,
): Payout {
  return {
    ...given,
    id: ids.id(),
    kind: 'refund',
    batchId: null,
    status: 'pending',
    txid: null,
    txHashes: [],
    failure: null,
    processedAt: null,
    amountUnits: part.units,
    sentUnits: cost.sentUnits,
    ...cost.fee,
    wastedFeeUnits: 0n,
    wastedFeeMicroUsd: 0n,
    amountMicroUsd: part.microUsd,
    reservedMicroUsd: cost.reservedMicroUsd,
    ref: null,
    held: null,
    released: false,
    merchantWaived: false,
    waiting: null,
    tries: 0,
    dispatchedAt: null,
    createdAt: clock.now(),
    updatedAt: null,
  };
}

/** Stores the payout, and takes its reserve from the merchant's balance. */
export async function addRefund(
  { ids }: Pick<AppDependencies, 'ids'>,
  { payouts, ledger }: Repositories,
  payout: Payout,
): Promise<void> {
  await payouts.insert(payout);
  const { merchantId, sandbox, createdAt: at } = payout;
  await ledger.post({ ...reserveEntry(payout), id: ids.id(), merchantId, sandbox, depositId: null, at });
}
