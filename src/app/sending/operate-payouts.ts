/**
 * What an operator decides about payouts and refunds, each in one transaction that locks the payout
 * and then its transfer. Until something is signed a payout can be held and cancelled; after that a
 * cancel is an order, and the chain decides.
 */
import { cancelWay } from '../../domain/catalog/family.ts';
import { type AppError, appError } from '../../domain/errors.ts';
import { heldByOperator, isRestored } from '../../domain/payouts/held.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import { failureOf } from '../../domain/sending/outgoing-failure.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { EventNeeds } from '../invoices/invoice-events.ts';
import { applyPayoutEvent } from '../payouts/apply-payout-event.ts';
import { giveUp } from './signing/give-up-signed.ts';
import { removePayment } from './signing/split-batch.ts';

type Needs = EventNeeds & Pick<AppDependencies, 'unitOfWork' | 'logger'>;
type Decided = Promise<Result<Payout, AppError>>;

/** Holds a payout until it is released. A held payout gets the new reason. */
export function holdPayout(deps: Needs): (id: string, reason: string) => Decided {
  return (id, reason) =>
    decided(deps, id, async (repositories, payout) => {
      if (payout.status !== 'pending') return err(tooLate(payout, 'held'));
      await giveUpTransfer(repositories, payout, `held by an operator: ${reason}`);
      return ok(
        await saved(repositories, {
          ...payout,
          held: heldByOperator(payout.held, reason),
          waiting: null,
          tries: 0,
          dispatchedAt: null,
        }),
      );
    });
}

/**
 * Lets a held payout be sent, and no limit hold it again. A payout that may have been paid already
 * still has to keep the limits. One whose recipient made it too dear may cost what it costs: the
 * operator bears what that is above the quoted fee. One that waits for its merchant is sent
 * whatever the merchant's state.
 */
export function releasePayout(deps: Needs): (id: string) => Decided {
  return (id) =>
    decided(deps, id, async (repositories, payout) => {
      if (payout.held?.code === 'fee')
        return ok(await saved(repositories, { ...payout, held: null, extraGas: null }));
      if (payout.held !== null && isRestored(payout.held))
        return ok(await saved(repositories, { ...payout, held: null }));
      if (payout.held !== null)
        return ok(await saved(repositories, { ...payout, held: null, released: true }));
      if (payout.waiting?.code === 'merchant')
        return ok(await saved(repositories, { ...payout, waiting: null, merchantWaived: true }));
      return err(appError('INVALID_TRANSITION', `The payout is ${payout.status} and not held.`));
    });
}

/**
 * Releases all payouts that are held only because they may have been paid already (safety.md K4):
 * the operator made sure that none was. `seen`: how many the operator saw; where another number is
 * held by now, none is released.
 */
export function releaseRestored(deps: Needs): (seen: number) => Promise<Result<readonly Payout[], AppError>> {
  return async (seen) => {
    const held = await deps.unitOfWork.run(({ payouts }) => payouts.heldFor('restored'));
    if (held.length !== seen) {
      const now = ['no payout is', '1 payout is'][held.length] ?? `${held.length} payouts are`;
      return err(
        appError('INVALID_TRANSITION', `${now} held for that by now, not ${seen}: look at the list again.`),
      );
    }
    const released: Payout[] = [];
    for (const id of held) {
      const one = await decided(deps, id, async (repositories, payout) =>
        payout.held?.code === 'restored'
          ? ok(await saved(repositories, { ...payout, held: null }))
          : err(appError('INVALID_TRANSITION', 'It was decided meanwhile.')),
      );
      if (one.ok) released.push(one.value);
    }
    return ok(released);
  };
}

/**
 * Gives the balance back, and a refunded invoice the state of its payments. Once a payout is signed
 * the chain decides: it stays `processing` until what takes its place is mined, or its bytes have
 * expired (cancelWay), and is `success` if the payment is mined before. It may be repeated.
 */
export function cancelPayout(deps: Needs): (id: string, by?: string) => Decided {
  return (id, by = 'an operator') =>
    decided(deps, id, async (repositories, payout) => {
      if (payout.status === 'processing') return cancelSigned(deps, repositories, payout);
      if (payout.status !== 'pending') return err(tooLate(payout, 'cancelled'));
      await giveUpTransfer(repositories, payout, `cancelled by ${by}`);
      const at = deps.clock.now();
      const cancelled = await applyPayoutEvent(deps, repositories, payout, { type: 'cancelled', at });
      if (cancelled === null) throw new Error(`payout ${id} is pending and could not be cancelled`);
      return ok(cancelled);
    });
}

/**
 * A pending payout forgets why it waited; one on its way has its newest transaction replaced by one
 * with higher fees.
 */
export function retryPayout(deps: Needs): (id: string) => Decided {
  return (id) =>
    decided(deps, id, async (repositories, payout) => {
      if (payout.held !== null)
        return err(appError('INVALID_TRANSITION', 'The payout is held: release it, and it is sent.'));
      if (payout.status === 'pending')
        return ok(await saved(repositories, { ...payout, waiting: null, tries: 0 }));
      if (payout.status !== 'processing') {
        const made = payout.kind === 'refund' ? 'refund the invoice again' : 'the merchant makes a new one';
        const instead = payout.status === 'success' ? 'it was paid' : `its balance came back: ${made}`;
        return err(
          appError('INVALID_TRANSITION', `A payout that is ${payout.status} is not tried again: ${instead}.`),
        );
      }
      const transfer = await lockedTransfer(repositories, payout);
      if (transfer === null)
        return err(appError('INVALID_TRANSITION', 'The payout has no transaction that waits for a block.'));
      if (cancelWay(deps.catalog.require(payout.asset).family) === 'expire') {
        const why = 'it is broadcast until it expires, and then signed again automatically';
        return err(appError('INVALID_TRANSITION', `Its transaction is not replaced: ${why}.`));
      }
      await repositories.outgoing.save({ ...transfer, feeBumpRequested: true });
      return ok(await saved(repositories, { ...payout, waiting: null }));
    });
}

/**
 * The kill switch: from the commit on nothing is signed on any chain, by any worker, until signing
 * is started again.
 */
export function stopSigning(deps: Needs): (note: string) => Promise<void> {
  return async (note) => {
    const at = deps.clock.now();
    await deps.unitOfWork.run(({ outgoing }) => outgoing.setSigningStopped({ at, note }));
    deps.logger.info('signing.stop_ordered', { note });
  };
}

/** False when it was not stopped. */
export function startSigning(deps: Needs): () => Promise<boolean> {
  return async () => {
    const before = await deps.unitOfWork.run(({ outgoing }) => outgoing.setSigningStopped(null));
    const wasStopped = before !== null;
    deps.logger.info('signing.start_ordered', { wasStopped });
    return wasStopped;
  };
}

function decided(
  deps: Needs,
  id: string,
  decide: (repositories: Repositories, payout: Payout) => Decided,
): Decided {
  return deps.unitOfWork.run(async (repositories) => {
    const payout = await repositories.payouts.lock(id);
    if (!payout) return err(appError('NOT_FOUND', `No such payout: ${id}`));
    return decide(repositories, payout);
  });
}

async function saved(repositories: Repositories, payout: Payout): Promise<Payout> {
  await repositories.payouts.save(payout);
  return payout;
}

async function cancelSigned(deps: Needs, repositories: Repositories, payout: Payout): Decided {
  const { family, chain } = deps.catalog.require(payout.asset);
  if (cancelWay(family) === null) {
    const why = `nodes of ${chain} replace nothing that waits, so its transaction is going to be mined`;
    return err(appError('INVALID_TRANSITION', `A payout that is signed cannot be cancelled: ${why}.`));
  }
  const transfer = await lockedTransfer(repositories, payout);
  if (transfer === null) return err(tooLate(payout, 'cancelled'));
  const reason = failureOf('operator', 'cancelled by an operator');
  const [given] = await giveUp(repositories, [transfer], reason, { byOperator: true });
  if (given !== undefined)
    deps.logger.info('payout.cancel_ordered', { payoutId: payout.id, transferId: given.id });
  return ok(payout);
}

/** The transfer of the payout that is signed, locked: it may be mined at any moment. */
async function lockedTransfer(repositories: Repositories, payout: Payout): Promise<OutgoingTransfer | null> {
  const paying = await repositories.outgoing.payingOf(payout.id);
  const locked = paying === null ? null : await repositories.outgoing.lock(paying.id);
  return locked?.status === 'signed' ? locked : null;
}

/**
 * Nothing is signed for a pending payout: its place goes to another. Released, it takes a new one.
 */
async function giveUpTransfer(repositories: Repositories, payout: Payout, text: string): Promise<void> {
  const active = await repositories.outgoing.activeOf('payout', payout.id);
  if (active !== null)
    await removePayment(repositories, active.transferBatchId, {
      which: ({ id }) => id === active.id,
      reason: failureOf('operator', text),
    });
}

function tooLate({ status }: Payout, done: 'held' | 'cancelled'): AppError {
  const why =
    status === 'processing'
      ? `a transaction that pays it is signed and may be mined at any moment${done === 'held' ? ' (see cancel)' : ''}`
      : 'it has ended';
  return appError('INVALID_TRANSITION', `A payout that is ${status} cannot be ${done}: ${why}.`);
}
