/** The ledger entries of payouts and refunds: what each decision about a reserved balance posts. */
import { type Posting, paidOut, payoutReserved, refund, reversed } from '../../domain/ledger.ts';
import type { PayoutDecision } from '../../domain/payouts/payout.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { FeedLine, NewEntry } from '../../ports/ledger-repository.ts';

type Entry = Pick<NewEntry, 'kind' | 'referenceId' | 'postings' | 'feed'>;
/** See PayoutDecision. */
export type Reserve = PayoutDecision['reserve'];

/** What a decision about the reserved balance posts. */
export function entriesFor(payout: Payout, reserve: Reserve): readonly Entry[] {
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
 * Returns the balance: the feed shows the payout with the opposite sign, and the totals of `GET
 * /balance` follow.
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
    referenceId: payout.kind === 'refund' ? refundedBy(payout) : payout.id,
  };
}

/** The feed's line about a network fee that the merchant pays, in the chain's own coin. */
export function feeLine(payout: Payout, fee: Pick<FeedLine, 'asset' | 'amountUnits' | 'microUsd'>): FeedLine {
  return { ...feedLine(payout, 1n), ...fee };
}

/** What a refund's line in the feed names: the invoice, or the claim of an unmatched deposit. */
function refundedBy({ id, invoiceId, refundClaimId }: Payout): string {
  const named = invoiceId ?? refundClaimId;
  if (named === null) throw new Error(`refund ${id} gives nothing back`);
  return named;
}
