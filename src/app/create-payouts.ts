/**
 * POST /payouts and /payouts/batch: everything that needs no database is worked out first, from memory; the intake then takes
 * the X-Uniq-Id, reserves the money and stores the payouts. A refusal by a business rule leaves no trace and does not use
 * the X-Uniq-Id up.
 */
import { type AppError, appError, payoutRejected } from '../domain/errors.ts';
import { exactNumber } from '../domain/exact-number.ts';
import { FIAT_DECIMALS } from '../domain/fiat.ts';
import type { ItemOutcome, UniqIdClaim, UniqIdResult } from '../domain/payout-acceptance.ts';
import type { Payout } from '../domain/payout-record.ts';
import { err, ok, type Result, unreachable } from '../domain/result.ts';
import type { PayoutItem } from '../ports/payout-intake.ts';
import type { BatchItemResult, Caller, PayoutInput } from './application.ts';
import { isEnabled } from './asset-access.ts';
import { ratesUnavailable } from './create-invoice.ts';
import type { AppDependencies } from './dependencies.ts';
import { destinationOf, ownAddress } from './payout-destination.ts';
import { type PayoutTerms, payoutTerms } from './payout-terms.ts';
import { reserveEntry } from './settle-payout.ts';

const UNIQ_ID_HOURS = 2;

export function createPayout(
  deps: AppDependencies,
): (caller: Caller, uniqId: string, input: PayoutInput) => Promise<Result<{ orderId: string }, AppError>> {
  return async (caller, uniqId, input) => {
    const orderId = deps.ids.id();
    const item = prepare(deps, caller, input, { id: orderId, batchId: null });
    const claim = claimOf(deps, caller, uniqId, { order_id: orderId });
    const outcome = await deps.payoutIntake.add({ ...claim, items: [item.asked] });
    if (outcome.kind === 'duplicate') return err(duplicate(outcome.created));
    const refused = refusal(item, outcome.items[0]);
    return refused === null ? ok({ orderId }) : err(refused);
  };
}

/** Items are accepted or refused one by one, in order, against the balance that the earlier ones left. */
export function createPayoutBatch(
  deps: AppDependencies,
): (
  caller: Caller,
  uniqId: string,
  items: readonly PayoutInput[],
) => Promise<Result<{ batchId: string; items: readonly BatchItemResult[] }, AppError>> {
  return async (caller, uniqId, inputs) => {
    const batchId = deps.ids.id();
    const items = inputs.map((input) => {
      const id = deps.ids.id();
      return { id, ...prepare(deps, caller, input, { id, batchId }) };
    });
    const claim = claimOf(deps, caller, uniqId, { batch_id: batchId });
    const outcome = await deps.payoutIntake.add({ ...claim, items: items.map(({ asked }) => asked) });
    if (outcome.kind === 'duplicate') return err(duplicate(outcome.created));
    return ok({
      batchId,
      items: items.map((item, position): BatchItemResult => {
        const refused = refusal(item, outcome.items[position]);
        return refused === null
          ? { orderId: item.id, status: 'pending' }
          : { orderId: null, error: refused.message };
      }),
    });
  };
}

function claimOf(deps: AppDependencies, caller: Caller, uniqId: string, creates: UniqIdResult): UniqIdClaim {
  const at = deps.clock.now();
  const expiresAt = new Date(at.getTime() + UNIQ_ID_HOURS * 3_600_000);
  return { ...caller.scope, uniqId, at, expiresAt, creates };
}

function duplicate(created: UniqIdResult): AppError {
  return appError(
    'DUPLICATE',
    `This X-Uniq-Id was used within the last ${UNIQ_ID_HOURS} hours; details tell what it created.`,
    created,
  );
}

/** One payout as the intake is asked for it, and what is refused of it without asking. */
interface Prepared {
  readonly asked: PayoutItem;
  readonly refused: AppError | null;
}

/**
 * A destination of our own is refused before prices are looked at, so an item that fails for its price is still asked for:
 * the rules are checked in one order, wherever they are checked.
 */
function prepare(
  deps: AppDependencies,
  caller: Caller,
  input: PayoutInput,
  ids: { id: string; batchId: string | null },
): Prepared {
  const { scope } = caller;
  const { asset } = input;
  if (!isEnabled(deps, asset, scope.sandbox)) {
    return refusedAtOnce(
      payoutRejected('asset_disabled', `${asset.key} is not enabled here. GET /api/v2/assets lists what is.`),
    );
  }
  const address = destinationOf(deps, asset, { address: input.address, sandbox: scope.sandbox });
  if (!address.ok) return refusedAtOnce(address.error);
  const destination = { family: asset.family, address: address.value };
  const rates = deps.rateBook.usable({ sandbox: scope.sandbox });
  if (rates === null) return { asked: { destination, wanted: null }, refused: ratesUnavailable() };
  const terms = payoutTerms(input, rates, deps.feeQuoter.quote(asset, rates, scope));
  if (!terms.ok) return { asked: { destination, wanted: null }, refused: terms.error };

  const payout = payoutFrom(deps, caller, input, terms.value, ids);
  const entry = {
    ...reserveEntry(payout),
    ...scope,
    id: deps.ids.id(),
    depositId: null,
    at: payout.createdAt,
  };
  return { asked: { destination, wanted: { payout, entry } }, refused: null };
}

function refusedAtOnce(refused: AppError): Prepared {
  return { asked: { destination: null, wanted: null }, refused };
}

/** Why the item was refused; null when it was accepted. */
function refusal({ asked, refused }: Prepared, outcome: ItemOutcome | undefined): AppError | null {
  switch (outcome?.kind) {
    case 'accepted':
      return null;
    case 'own_address':
      return ownAddress();
    case 'insufficient':
      return insufficient(outcome.availableMicroUsd, asked.wanted?.payout.reservedMicroUsd ?? 0n);
    case 'unfit':
    case undefined:
      if (refused === null) throw new Error('the intake left out an item');
      return refused;
    default:
      return unreachable(outcome);
  }
}

function insufficient(availableMicroUsd: bigint, requiredMicroUsd: bigint): AppError {
  return payoutRejected(
    'insufficient_balance',
    'The available balance does not cover this payout and its fee.',
    {
      available: exactNumber(availableMicroUsd, FIAT_DECIMALS),
      required: exactNumber(requiredMicroUsd, FIAT_DECIMALS),
    },
  );
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
    orderedBy: null,
    held: null,
    released: false,
    merchantWaived: false,
    waiting: null,
    letGoAt: null,
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
    wastedFeeUnits: 0n,
    wastedFeeMicroUsd: 0n,
    feeBearer: terms.feeBearer,
    amountMicroUsd: terms.amountMicroUsd,
    reservedMicroUsd: terms.reservedMicroUsd,
    ref: input.ref,
    createdAt: deps.clock.now(),
  };
}
