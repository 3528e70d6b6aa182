/**
 * Applies an event to a locked payout, with its effect on the reserved balance and a refunded
 * invoice, in the caller's transaction.
 */
import { changedAt } from '../../domain/chains/last-change.ts';
import { type Posting, paidOut, payoutReserved, refund, reversed } from '../../domain/ledger.ts';
import { decidePayout, type PayoutEvent } from '../../domain/payouts/payout.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { FeedLine, NewEntry } from '../../ports/ledger-repository.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { tellAndReopen } from '../deposits/deposit-lifecycle.ts';
import type { EventNeeds } from '../invoices/invoice-events.ts';
import { type PayoutChange, tellOfPayouts } from './payout-events.ts';

/**
 * Returns the payout after the event, and queues its webhook; null if the event does not apply (a
 * repetition, for example).
 */
export async function applyPayoutEvent(
  deps: EventNeeds,
  repositories: Repositories,
  before: Payout,
  event: PayoutEvent,
): Promise<Payout | null> {
  const after = await movePayout(deps, repositories, before, event);
  if (after !== null) await tellOfPayouts(deps, repositories, [{ before, after }]);
  return after;
}

/** As applyPayoutEvent, without the webhook, for callers that do more before it (tellOfPayouts). */
export async function movePayout(
  deps: EventNeeds,
  repositories: Repositories,
  payout: Payout,
  event: PayoutEvent,
): Promise<Payout | null> {
  const change = changeOf(deps, payout, event);
  if (change === null) return null;
  const { after, reserve, entries } = change;
  // The invoice is locked after its refund and before the balance; no transaction waits for a
  // refund with its invoice locked.
  if (payout.kind === 'refund') await tellInvoice(deps, repositories, payout, reserve, event.at);
  await repositories.payouts.save(after);
  for (const entry of entries) await repositories.ledger.post(entry);
  return after;
}

/** The payout after the event, and its entries; null if the event does not apply. */
function changeOf(
  deps: Pick<AppDependencies, 'ids'>,
  payout: Payout,
  event: PayoutEvent,
): (PayoutChange & { reserve: Reserve; entries: readonly NewEntry[] }) | null {
  const decision = decidePayout(payout, event);
  if (!decision) return null;
  const { merchantId, sandbox } = payout;
  const entries = entriesFor(payout, decision.reserve).map((entry) => ({
    ...{ id: deps.ids.id(), merchantId, sandbox, depositId: null, at: event.at },
    ...entry,
  }));
  return {
    before: payout,
    after: {
      ...{ ...payout, ...decision.next, waiting: null, tries: 0 },
      held: event.type === 'set_back' ? event.held : null,
      updatedAt: changedAt(payout, event.at),
    },
    reserve: decision.reserve,
    entries,
  };
}

/**
 * A reverted refund returns its invoice to the state of its payments; one that the chain paid after
 * all refunds it again.
 */
async function tellInvoice(
  deps: EventNeeds,
  repositories: Repositories,
  refunding: Payout,
  reserve: Reserve,
  at: Date,
): Promise<void> {
  if (reserve !== 'release' && reserve !== 'retake') return;
  const invoice = await repositories.invoices.lock(invoiceOf(refunding));
  if (!invoice) throw new Error(`the invoice of refund ${refunding.id} is gone`);
  const type = reserve === 'release' ? 'refund_failed' : 'refunded';
  await tellAndReopen(deps, repositories, invoice, { type, at });
}

type Entry = Pick<NewEntry, 'kind' | 'referenceId' | 'postings' | 'feed'>;
type Reserve = NonNullable<ReturnType<typeof decidePayout>>['reserve'];

function entriesFor(payout: Payout, reserve: Reserve): readonly Entry[] {
  switch (reserve) {
    case 'keep':
      return [];
    case 'settle':
      return [settled(payout)];
    case 'unsettle':
      return [unsettled(payout)];
    case 'release':
      return [released(payout)];
    case 'retake':
      return [retaken(payout), settled(payout)];
  }
}

/** Accepting a payout or refund takes its amount and fee from the merchant's balance. */
export function reserveEntry(payout: Payout): Entry {
  return payout.kind === 'refund'
    ? {
        kind: 'refund',
        referenceId: payout.id,
        postings: refund(payout.reservedMicroUsd),
        feed: feedLine(payout, 1n),
      }
    : {
        kind: 'payout_reserved',
        referenceId: payout.id,
        postings: payoutReserved(payout.reservedMicroUsd),
        feed: feedLine(payout, 1n),
      };
}

/**
 * The chain paid a payout that had failed: it is debited again, whatever the merchant's balance is.
 */
function retaken(payout: Payout): Entry {
  const entry = reserveEntry(payout);
  return payout.kind === 'refund' ? entry : { ...entry, kind: 'payout_retaken' };
}

/**
 * Returns the balance: the feed shows the payout with the opposite sign, and the summary follows.
 */
function released(payout: Payout): Entry {
  const { kind, referenceId, postings } = reserveEntry(payout);
  return {
    kind: kind === 'refund' ? 'refund_reversed' : 'payout_released',
    referenceId,
    postings: reversed(postings),
    feed: feedLine(payout, -1n),
  };
}

function settled(payout: Payout): Entry {
  return {
    kind: payout.kind === 'refund' ? 'refund_settled' : 'payout_settled',
    referenceId: payout.id,
    postings: paidPostings(payout),
    feed: null,
  };
}

function unsettled(payout: Payout): Entry {
  return {
    kind: payout.kind === 'refund' ? 'refund_unsettled' : 'payout_unsettled',
    referenceId: payout.id,
    postings: reversed(paidPostings(payout)),
    feed: null,
  };
}

function paidPostings(payout: Payout): readonly Posting[] {
  return paidOut({
    reserve: payout.kind === 'refund' ? 'refunds_in_flight' : 'payouts_in_flight',
    asset: payout.asset,
    units: payout.sentUnits,
    reservedMicroUsd: payout.reservedMicroUsd,
    feeMicroUsd: payout.feeMicroUsd,
  });
}

function feedLine(payout: Payout, sign: 1n | -1n): FeedLine {
  return {
    type: payout.kind,
    asset: payout.asset,
    amountUnits: sign * payout.amountUnits,
    feeUnits: null,
    currency: null,
    microUsd: sign * payout.reservedMicroUsd,
    referenceId: payout.kind === 'refund' ? invoiceOf(payout) : payout.id,
  };
}

/** The feed's line about a network fee that the merchant pays, in the chain's own coin. */
export function feeLine(payout: Payout, fee: Pick<FeedLine, 'asset' | 'amountUnits' | 'microUsd'>): FeedLine {
  return { ...feedLine(payout, 1n), ...fee };
}

function invoiceOf(payout: Payout): string {
  if (payout.invoiceId === null) throw new Error(`refund ${payout.id} has no invoice`);
  return payout.invoiceId;
}

/**
 * Settles sandbox payouts without a chain: each call moves up to `limit` open ones one step
 * further. Returns how many changed. No step returns or debits money again, so neither balances nor
 * invoices change.
 */
export function settleSandboxPayouts(
  deps: EventNeeds & Pick<AppDependencies, 'unitOfWork'>,
): (limit: number) => Promise<number> {
  return (limit) =>
    deps.unitOfWork.run(async (repositories) => {
      const at = deps.clock.now();
      const open = await repositories.payouts.lockOpenSandbox(limit);
      const changes = open.flatMap((payout) => {
        const txid = payout.txid ?? deps.ids.uuid().replaceAll('-', '').repeat(2);
        const type = payout.status === 'pending' ? 'broadcast' : 'confirmed';
        return changeOf(deps, payout, { type, txid, at }) ?? [];
      });
      await repositories.payouts.saveAll(changes.map(({ after }) => after));
      await repositories.ledger.postAll(changes.flatMap(({ entries }) => entries));
      await tellOfPayouts(deps, repositories, changes);
      return changes.length;
    });
}
