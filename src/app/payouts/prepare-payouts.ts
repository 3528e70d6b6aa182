/**
 * Prepares payout requests without the database: destination, price, fee and terms. From memory,
 * except the recipients' extra cost, which nodes are asked for together.
 */
import { type AppError, assetDisabled, payoutRejected, ratesUnavailable } from '../../domain/errors.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { PayoutItem } from '../../ports/payouts/payout-writer.ts';
import type { PayoutInput } from '../application.ts';
import type { Caller } from '../caller.ts';
import { isEnabled } from '../catalog/asset-access.ts';
import type { AppDependencies } from '../dependencies.ts';
import { cannotSend, destinationOf } from './payout-destination.ts';
import { reserveEntry } from './payout-entries.ts';
import { type PayoutTerms, payoutTerms, unitsAsked } from './payout-terms.ts';

/** A payout for the writer, and the rule that refused it without the database. */
export interface PreparedPayout {
  readonly id: string;
  readonly item: PayoutItem;
  readonly refused: AppError | null;
}

/** A requested payout with its future id. */
export interface RequestedPayout {
  readonly input: PayoutInput;
  readonly id: string;
  readonly batchId: string | null;
}

/**
 * A price error does not hide `own_address`: the item still goes to the writer, which checks
 * addresses first.
 */
export async function preparePayouts(
  deps: AppDependencies,
  caller: Caller,
  requested: readonly RequestedPayout[],
): Promise<readonly PreparedPayout[]> {
  const { scope } = caller;
  const rates = deps.rateBook.usable(scope);
  const looked = requested.map((each) => {
    const destination = destinationFor(deps, caller, each.input);
    const units = rates === null ? null : unitsAsked(each.input, rates);
    const payment =
      destination.ok && units !== null
        ? { asset: each.input.asset, to: destination.value.address, units }
        : null;
    return { ...each, destination, payment };
  });
  const payments = looked.flatMap(({ payment }) => (payment === null ? [] : [payment]));
  const quotes = rates === null ? [] : await deps.feeQuoter.quoteEach(payments, rates, scope);
  const quoteOf = new Map(payments.map((payment, index) => [payment, quotes[index]]));
  return looked.map(({ destination, payment, ...each }): PreparedPayout => {
    const { id } = each;
    if (!destination.ok) return { id, item: REFUSED_BEFORE, refused: destination.error };
    const quote = payment === null ? null : (quoteOf.get(payment) ?? null);
    const terms = rates === null ? err(ratesUnavailable()) : payoutTerms(each.input, rates, quote);
    const withDestination = { destination: destination.value, toWrite: null };
    if (!terms.ok) return { id, item: withDestination, refused: terms.error };
    return {
      id,
      item: { ...withDestination, toWrite: toWriteOf(deps, caller, each, terms.value) },
      refused: null,
    };
  });
}

const REFUSED_BEFORE: PayoutItem = { destination: null, toWrite: null };

function destinationFor(
  deps: AppDependencies,
  { scope: { sandbox } }: Caller,
  { asset, address }: PayoutInput,
): Result<NonNullable<PayoutItem['destination']>, AppError> {
  if (!isEnabled(deps, asset, sandbox)) return err(payoutRejected('asset_disabled', assetDisabled(asset)));
  const unsent = cannotSend(deps, asset, sandbox);
  if (unsent !== null) return err(unsent);
  const normalized = destinationOf(deps, asset, { address, sandbox });
  return normalized.ok ? ok({ family: asset.family, address: normalized.value }) : normalized;
}

function toWriteOf(
  deps: AppDependencies,
  caller: Caller,
  { input, id, batchId }: RequestedPayout,
  terms: PayoutTerms,
): NonNullable<PayoutItem['toWrite']> {
  const payout = payoutFrom(deps, caller, input, terms, { id, batchId });
  const entry = { ...reserveEntry(payout), ...caller.scope, depositId: null, at: payout.createdAt };
  return { payout, entry: { ...entry, id: deps.ids.id() } };
}

function payoutFrom(
  deps: AppDependencies,
  caller: Caller,
  input: PayoutInput,
  terms: PayoutTerms,
  ids: { id: string; batchId: string | null },
): Payout {
  return {
    ...ids,
    ...caller.scope,
    kind: 'payout',
    invoiceId: null,
    refundClaimId: null,
    orderedBy: null,
    held: null,
    released: false,
    merchantWaived: false,
    waiting: null,
    tries: 0,
    dispatchedAt: null,
    status: 'pending',
    txid: null,
    txHashes: [],
    failure: null,
    processedAt: null,
    asset: input.asset.key,
    // As requested, so that answers show it. Compared in its normalized form.
    address: input.address,
    amountUnits: terms.amountUnits,
    sentUnits: terms.sentUnits,
    feeUnits: terms.fee.feeUnits,
    feeMicroUsd: terms.fee.feeMicroUsd,
    energyFeeMicroUsd: terms.fee.energyFeeMicroUsd,
    extraGas: terms.fee.extraGas,
    wastedFeeUnits: 0n,
    wastedFeeMicroUsd: 0n,
    feeBearer: terms.feeBearer,
    amountMicroUsd: terms.amountMicroUsd,
    reservedMicroUsd: terms.reservedMicroUsd,
    ref: input.ref,
    createdAt: deps.clock.now(),
    updatedAt: null,
  };
}
