/**
 * POST /payouts and /payouts/batch: one transaction takes the X-Uniq-Id, locks the balance, reserves the money and stores
 * the payout. A refusal by a business rule leaves no trace and does not use the X-Uniq-Id up.
 */
import { hasAddressShape } from '../domain/address-shape.ts';
import type { Asset } from '../domain/asset.ts';
import { type AppError, appError } from '../domain/errors.ts';
import { exactNumber } from '../domain/exact-number.ts';
import { FIAT_DECIMALS } from '../domain/fiat.ts';
import { availableMicroUsd, payoutReserved } from '../domain/ledger.ts';
import type { Payout } from '../domain/payout-record.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { BatchItemResult, Caller, PayoutInput } from './application.ts';
import { isEnabled } from './asset-access.ts';
import { ratesUnavailable } from './create-invoice.ts';
import type { AppDependencies } from './dependencies.ts';
import { type PayoutTerms, payoutRejected, payoutTerms } from './payout-terms.ts';
import { runOrRollBack } from './rolled-back.ts';

const UNIQ_ID_HOURS = 2;

export function createPayout(
  deps: AppDependencies,
): (caller: Caller, uniqId: string, input: PayoutInput) => Promise<Result<{ orderId: string }, AppError>> {
  return (caller, uniqId, input) =>
    runOrRollBack(deps.unitOfWork, async (repositories) => {
      const orderId = deps.ids.id();
      const duplicate = await claim(deps, repositories, caller, uniqId, { order_id: orderId });
      if (duplicate) return err(duplicate);
      const accepted = await accept(deps, repositories, caller, input, { id: orderId, batchId: null });
      return accepted.ok ? ok({ orderId }) : accepted;
    });
}

/** Items are accepted or refused one by one, in order, against the balance that the earlier ones left. */
export function createPayoutBatch(
  deps: AppDependencies,
): (
  caller: Caller,
  uniqId: string,
  items: readonly PayoutInput[],
) => Promise<Result<{ batchId: string; items: readonly BatchItemResult[] }, AppError>> {
  return (caller, uniqId, items) =>
    runOrRollBack(deps.unitOfWork, async (repositories) => {
      const batchId = deps.ids.id();
      const duplicate = await claim(deps, repositories, caller, uniqId, { batch_id: batchId });
      if (duplicate) return err(duplicate);
      const results: BatchItemResult[] = [];
      for (const input of items) {
        const id = deps.ids.id();
        const accepted = await accept(deps, repositories, caller, input, { id, batchId });
        results.push(
          accepted.ok ? { orderId: id, status: 'pending' } : { orderId: null, error: accepted.error.message },
        );
      }
      return ok({ batchId, items: results });
    });
}

async function claim(
  deps: AppDependencies,
  repositories: Repositories,
  caller: Caller,
  uniqId: string,
  result: { order_id: string } | { batch_id: string },
): Promise<AppError | null> {
  const now = deps.clock.now();
  const claimed = await repositories.payouts.claimUniqId({
    ...caller.scope,
    uniqId,
    now,
    expiresAt: new Date(now.getTime() + UNIQ_ID_HOURS * 3_600_000),
    result,
  });
  if (claimed.kind === 'free') return null;
  return appError(
    'DUPLICATE',
    `This X-Uniq-Id was used within the last ${UNIQ_ID_HOURS} hours; details tell what it created.`,
    claimed.result,
  );
}

/** Checks one payout and writes it; writes nothing when it is refused. */
async function accept(
  deps: AppDependencies,
  repositories: Repositories,
  caller: Caller,
  input: PayoutInput,
  ids: { id: string; batchId: string | null },
): Promise<Result<Payout, AppError>> {
  const { scope } = caller;
  const { asset } = input;
  if (!isEnabled(deps, asset, scope.sandbox)) {
    return err(
      payoutRejected('asset_disabled', `${asset.key} is not enabled here. GET /api/v2/assets lists what is.`),
    );
  }
  const refused = await refusedDestination(deps, repositories, asset, input.address);
  if (refused) return err(refused);
  const rates = deps.rateBook.usable({ sandbox: scope.sandbox });
  if (rates === null) return err(ratesUnavailable());
  const terms = payoutTerms(input, rates, deps.feeQuoter.quote(asset, rates));
  if (!terms.ok) return terms;

  const available = availableMicroUsd(await repositories.ledger.lockBalance(scope.merchantId, scope.sandbox));
  if (available < terms.value.reservedMicroUsd) {
    return err(
      payoutRejected(
        'insufficient_balance',
        'The available balance does not cover this payout and its fee.',
        {
          available: exactNumber(available, FIAT_DECIMALS),
          required: exactNumber(terms.value.reservedMicroUsd, FIAT_DECIMALS),
        },
      ),
    );
  }
  const payout = payoutFrom(deps, caller, input, terms.value, ids);
  await repositories.payouts.insert(payout);
  await repositories.ledger.post({
    id: deps.ids.id(),
    ...scope,
    kind: 'payout_reserved',
    referenceId: payout.id,
    depositId: null,
    postings: payoutReserved(payout.reservedMicroUsd),
    feed: {
      type: 'payout',
      asset: asset.key,
      amountUnits: payout.amountUnits,
      feeUnits: null,
      currency: null,
      microUsd: payout.reservedMicroUsd,
      referenceId: payout.id,
    },
    at: payout.createdAt,
  });
  return ok(payout);
}

/** The address must be one of the asset's chain, and none that we gave to customers. */
async function refusedDestination(
  deps: AppDependencies,
  repositories: Repositories,
  asset: Asset,
  address: string,
): Promise<AppError | null> {
  const deriver = deps.liveDerivers.get(asset.family);
  const normalized = deriver ? deriver.normalize(address) : address;
  if (normalized === null || !hasAddressShape(asset.family, address)) {
    return payoutRejected('invalid_address', `The address is not a valid ${asset.chain} address.`);
  }
  const [own] = await repositories.addresses.find(asset.family, [normalized]);
  return own
    ? payoutRejected(
        'own_address',
        'The address is a deposit address of this gateway; payouts to it are refused.',
      )
    : null;
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
    status: 'pending',
    txid: null,
    txHashes: [],
    failure: null,
    processedAt: null,
    asset: input.asset.key,
    address: input.address,
    amountUnits: terms.amountUnits,
    sentUnits: terms.sentUnits,
    feeUnits: terms.fee.feeUnits,
    feeMicroUsd: terms.fee.feeMicroUsd,
    energyFeeMicroUsd: terms.fee.energyFeeMicroUsd,
    feeBearer: terms.feeBearer,
    amountMicroUsd: terms.amountMicroUsd,
    reservedMicroUsd: terms.reservedMicroUsd,
    ref: input.ref,
    createdAt: deps.clock.now(),
  };
}
