/**
 * POST /payouts and /payouts/batch: prepare-payouts.ts does everything that needs no database; the
 * writer then takes the X-Uniq-Id, reserves the money and stores the payouts. A refused single
 * payout leaves no trace. A batch uses its X-Uniq-Id even if every item of it is refused.
 */

import { FIAT_DECIMALS } from '../../domain/catalog/fiat.ts';
import { type AppError, appError, payoutRejected } from '../../domain/errors.ts';
import { exactNumber } from '../../domain/money/exact-number.ts';
import type {
  ItemOutcome,
  PayoutOutcome,
  UniqIdClaim,
  UniqIdResult,
} from '../../domain/payouts/payout-acceptance.ts';
import { err, ok, type Result, unreachable } from '../../domain/result.ts';
import type { Once, StoredAnswer } from '../../ports/stored-answers.ts';
import type { BatchItemResult, CreatedBatch, PayoutInput, UniqIdKept } from '../application.ts';
import type { Caller } from '../caller.ts';
import type { AppDependencies } from '../dependencies.ts';
import { ownAddress } from './payout-destination.ts';
import { type PreparedPayout, preparePayouts } from './prepare-payouts.ts';

/** How long an X-Uniq-Id stays used, and how the refusal of a second use says that. */
const KEPT: Readonly<Record<UniqIdKept, { readonly hours: number; readonly used: string }>> = {
  'two hours': { hours: 2, used: 'within the last 2 hours' },
  'a day': { hours: 24, used: 'within the last 24 hours' },
  // A thousand years.
  'for good': { hours: 8_766_000, used: 'before' },
};

export function createPayout(
  deps: AppDependencies,
): (
  caller: Caller,
  uniqId: string,
  input: PayoutInput,
  once?: Once<{ orderId: string }> | null,
  kept?: UniqIdKept,
) => Promise<Result<{ orderId: string }, AppError>> {
  return async (caller, uniqId, input, once = null, kept = 'two hours') => {
    const orderId = deps.ids.id();
    const [prepared] = await preparePayouts(deps, caller, [{ input, id: orderId, batchId: null }]);
    if (prepared === undefined) throw new Error('a payout was left out');
    const claim = uniqIdClaimOf(deps, caller, { uniqId, kept }, { order_id: orderId });
    const made = (outcome: PayoutOutcome): Result<{ orderId: string }, AppError> => {
      if (outcome.kind === 'duplicate') return err(duplicate(outcome.created, kept));
      const refused = refusal(prepared, outcome.items[0]);
      return refused === null ? ok({ orderId }) : err(refused);
    };
    const request = { ...claim, items: [prepared.item], once: ofOutcome(once, made) };
    return made(await deps.payoutWriter.add(request));
  };
}

/**
 * Items are accepted or refused one by one, in order, against the balance that earlier ones left.
 */
export function createPayoutBatch(
  deps: AppDependencies,
): (
  caller: Caller,
  uniqId: string,
  items: readonly PayoutInput[],
  once?: Once<CreatedBatch> | null,
  kept?: UniqIdKept,
) => Promise<Result<CreatedBatch, AppError>> {
  return async (caller, uniqId, inputs, once = null, kept = 'two hours') => {
    const batchId = deps.ids.id();
    const requested = inputs.map((input) => ({ input, id: deps.ids.id(), batchId }));
    const prepared = await preparePayouts(deps, caller, requested);
    const claim = uniqIdClaimOf(deps, caller, { uniqId, kept }, { batch_id: batchId });
    const made = (outcome: PayoutOutcome): Result<CreatedBatch, AppError> => {
      if (outcome.kind === 'duplicate') return err(duplicate(outcome.created, kept));
      return ok({
        batchId,
        items: prepared.map((each, position): BatchItemResult => {
          const refused = refusal(each, outcome.items[position]);
          return refused === null
            ? { orderId: each.id, status: 'pending' }
            : { orderId: null, error: refused.message };
        }),
      });
    };
    const request = { ...claim, items: prepared.map(({ item }) => item), once: ofOutcome(once, made) };
    return made(await deps.payoutWriter.add(request));
  };
}

/** Only success is stored as a response: after a refusal the same key may be used again. */
function ofOutcome<Made>(
  once: Once<Made> | null,
  made: (outcome: PayoutOutcome) => Result<Made, AppError>,
): Once<PayoutOutcome, StoredAnswer | null> | null {
  if (once === null) return null;
  return {
    ...once,
    answer(outcome) {
      const result = made(outcome);
      return result.ok ? once.answer(result.value) : null;
    },
  };
}

function uniqIdClaimOf(
  deps: AppDependencies,
  caller: Caller,
  { uniqId, kept }: { uniqId: string; kept: UniqIdKept },
  creates: UniqIdResult,
): UniqIdClaim {
  const at = deps.clock.now();
  const expiresAt = new Date(at.getTime() + KEPT[kept].hours * 3_600_000);
  return { ...caller.scope, uniqId, at, expiresAt, creates };
}

function duplicate(created: UniqIdResult, kept: UniqIdKept): AppError {
  const what = 'order_id' in created ? `payout ${created.order_id}` : `batch ${created.batch_id}`;
  return appError('DUPLICATE', `This X-Uniq-Id was used ${KEPT[kept].used}: it created ${what}.`, created);
}

/** Why the item was refused; null if it was accepted. */
function refusal({ item, refused }: PreparedPayout, outcome: ItemOutcome | undefined): AppError | null {
  switch (outcome?.kind) {
    case 'accepted':
      return null;
    case 'own_address':
      return ownAddress();
    case 'insufficient':
      return insufficient(outcome.availableMicroUsd, item.toWrite?.payout.reservedMicroUsd ?? 0n);
    case 'refused':
    case undefined:
      if (refused === null) throw new Error('the writer left out an item');
      return refused;
    default:
      return unreachable(outcome);
  }
}

export function insufficient(availableMicroUsd: bigint, requiredMicroUsd: bigint): AppError {
  return payoutRejected(
    'insufficient_balance',
    'The available balance does not cover this payout and its fee.',
    {
      available: exactNumber(availableMicroUsd, FIAT_DECIMALS),
      required: exactNumber(requiredMicroUsd, FIAT_DECIMALS),
    },
  );
}
