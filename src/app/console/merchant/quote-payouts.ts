/**
 * What payouts would cost now, each, and the rule that refuses it: by the code that creates them.
 * Nothing is stored.
 */
import type { AppError } from '../../../domain/errors.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { PayoutInput } from '../../application.ts';
import type { Caller } from '../../caller.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { ownAddress } from '../../payouts/payout-destination.ts';
import { type PreparedPayout, preparePayouts } from '../../payouts/prepare-payouts.ts';

/** As it would be stored. */
export type QuotedPayout = Result<Payout, AppError>;

export async function quotePayouts(
  deps: AppDependencies,
  caller: Caller,
  inputs: readonly PayoutInput[],
): Promise<readonly QuotedPayout[]> {
  const requested = inputs.map((input) => ({ input, id: deps.ids.id(), batchId: null }));
  const prepared = await preparePayouts(deps, caller, requested);
  const own = caller.scope.sandbox ? [] : await ownDestinations(deps, prepared);
  return prepared.map(({ id, item, refused }) => {
    if (own.includes(id)) return err(ownAddress());
    if (refused !== null) return err(refused);
    if (item.toWrite === null) throw new Error('a payout without a refusal and without terms');
    return ok(item.toWrite.payout);
  });
}

/** Ids of those to addresses of this gateway. */
function ownDestinations(
  { unitOfWork }: Pick<AppDependencies, 'unitOfWork'>,
  prepared: readonly PreparedPayout[],
): Promise<readonly string[]> {
  return unitOfWork.run(async ({ addresses }) => {
    const own: string[] = [];
    for (const { id, item } of prepared)
      if (
        item.destination !== null &&
        (await addresses.isOurs(item.destination.family, item.destination.address))
      )
        own.push(id);
    return own;
  });
}
