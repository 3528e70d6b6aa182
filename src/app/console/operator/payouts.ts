/** What operators decide about payouts, and the kill switch of all signing. */
import { appError } from '../../../domain/errors.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import { err, ok } from '../../../domain/result.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { audited, idIn } from '../../audit/audited.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { payoutPaidBy } from '../../payouts/record-paid.ts';
import { perhapsPaidBy, unknownBeside } from '../../payouts/unknown-payments.ts';
import {
  cancelPayout,
  holdPayout,
  releasePayout,
  releaseRestored,
  retryPayout,
  startSigning,
  stopSigning,
} from '../../sending/operate-payouts.ts';
import { joined } from '../../shared/joined.ts';
import type { Carrier, Within } from '../approvals/carry-out.ts';
import { textOf } from '../approvals/order-payloads.ts';
import { orderWithin } from '../approvals/order-within.ts';
import { ordered } from '../approvals/ordered.ts';
import type { OperatorDesk, OperatorSeat } from '../operator-desk.ts';
import { act, actionOf, noted, type OperatorParts, requesterFrom } from './seat-parts.ts';

type PayoutActions = Pick<
  OperatorDesk,
  | 'unknownPayments'
  | 'holdPayout'
  | 'releasePayout'
  | 'releaseRestored'
  | 'payoutPaidBy'
  | 'cancelPayout'
  | 'retryPayout'
  | 'stopSigning'
  | 'startSigning'
>;

export function payoutActions(parts: OperatorParts): PayoutActions {
  const { deps } = parts;
  const onPayout = <Made>(
    by: OperatorSeat,
    of: { action: string; id: string; note?: string },
    useCase: (on: AppDependencies) => Promise<Made>,
  ) => act(deps, by, { subject: 'payout', ...of }, useCase);
  return {
    async unknownPayments(payouts) {
      const unknown = await unknownBeside(deps, payouts);
      const paid = payouts.map((payout) => ({
        id: payout.id,
        by: new Set(perhapsPaidBy(deps, payout, unknown)),
      }));
      return unknown.map((transaction) => ({
        transaction,
        perhaps: paid.flatMap(({ id, by }) => (by.has(transaction.txid) ? [id] : [])),
      }));
    },
    holdPayout: (by, id, reason) =>
      noted('reason', reason, () =>
        onPayout(by, { action: 'payout.held', id, note: reason }, (on) => holdPayout(on)(id, reason)),
      ),
    payoutPaidBy: (by, id, txid) =>
      onPayout(by, { action: 'payout.found_paid', id, note: txid }, (on) => payoutPaidBy(on)(id, txid)),
    cancelPayout: (by, id) => onPayout(by, { action: 'payout.cancelled', id }, (on) => cancelPayout(on)(id)),
    retryPayout: (by, id) => onPayout(by, { action: 'payout.retried', id }, (on) => retryPayout(on)(id)),

    async releasePayout(by, payoutId, formId) {
      const stored = await orderWithin(deps)({
        by: requesterFrom(by),
        wanted: {
          ...{ kind: 'payout_release', order: { payout_id: payoutId }, formId, sandbox: null },
          async worth({ payouts }) {
            const payout = await payouts.lock(payoutId);
            return payout === null
              ? err(appError('NOT_FOUND', `No such payout: ${payoutId}`))
              : ok(payout.sandbox ? 0n : payout.amountMicroUsd);
          },
        },
        terms: { operatorLimitMicroUsd: parts.approvalAboveMicroUsd },
        begin: async () => ok(releaseWithin(deps, payoutId)),
      });
      return stored.ok ? ordered(stored.value, () => payoutNow(deps, payoutId)) : stored;
    },

    async releaseRestored(by, seen, formId) {
      const stored = await orderWithin(deps)({
        by: requesterFrom(by),
        wanted: {
          ...{ kind: 'restored_release', order: { seen: String(seen) }, formId, sandbox: null },
          worth: async (repositories) => ok(await worthOfRestored(repositories)),
        },
        terms: { operatorLimitMicroUsd: parts.approvalAboveMicroUsd },
        begin: async () => ok(restoredWithin(deps, seen)),
      });
      if (!stored.ok) return stored;
      return ordered(stored.value, ({ payout_ids: ids }) => payoutsNow(deps, ids as readonly string[]));
    },

    stopSigning: (by, note) =>
      noted('note', note, async () => {
        const action = { action: 'signing.stopped', subject: 'signing', note } as const;
        await act(deps, by, action, (on) => stopSigning(on)(note));
        return ok(null);
      }),
    async startSigning(by) {
      // Not `runAudited`: what was not stopped has no entry.
      const action = actionOf({ action: 'signing.started', subject: 'signing' });
      return ok(await startSigning(audited(deps, by.actor, action))());
    },
  };
}

export function releaseCarrier(deps: AppDependencies): Carrier {
  return { begin: async ({ order }) => ok(releaseWithin(deps, textOf(order, 'payout_id'))) };
}

export function restoredCarrier(deps: AppDependencies): Carrier {
  return { begin: async ({ order }) => ok(restoredWithin(deps, Number(textOf(order, 'seen')))) };
}

function releaseWithin(deps: AppDependencies, payoutId: string): Within {
  return async (repositories, actor) => {
    const action = actionOf({ action: 'payout.released', subject: 'payout', id: payoutId });
    const released = await releasePayout(audited(joined(deps, repositories), actor, action))(payoutId);
    return released.ok ? ok({ payout_id: payoutId }) : released;
  };
}

/** One entry for each payout. */
function restoredWithin(deps: AppDependencies, seen: number): Within {
  return async (repositories, actor) => {
    const action = {
      action: 'payout.released',
      subject: 'payout',
      note: `all ${seen} that were restored`,
    } as const;
    const within = audited(joined(deps, repositories), actor, actionOf(action), { subjectOf: idIn() });
    const released = await releaseRestored(within)(seen);
    return released.ok ? ok({ payout_ids: released.value.map(({ id }) => id) }) : released;
  };
}

async function worthOfRestored({ payouts }: Repositories): Promise<bigint> {
  let sum = 0n;
  for (const id of await payouts.heldFor('restored')) sum += (await payouts.find(id))?.amountMicroUsd ?? 0n;
  return sum;
}

function payoutNow({ unitOfWork }: AppDependencies, id: string): Promise<Payout> {
  return unitOfWork.run((repositories) => foundPayout(repositories, id));
}

/** In one transaction: after a restore there may be hundreds. */
function payoutsNow({ unitOfWork }: AppDependencies, ids: readonly string[]): Promise<readonly Payout[]> {
  return unitOfWork.run(async (repositories) => {
    const found: Payout[] = [];
    for (const id of ids) found.push(await foundPayout(repositories, id));
    return found;
  });
}

async function foundPayout({ payouts }: Repositories, id: string): Promise<Payout> {
  const payout = await payouts.find(id);
  if (payout === null) throw new Error(`a payout is gone: ${id}`);
  return payout;
}
