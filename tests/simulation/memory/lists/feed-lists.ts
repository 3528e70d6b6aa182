/** A merchant's ledger feed, and the log of its webhooks' attempts, in memory: latest first. */
import type {
  LedgerFilter,
  LedgerLine,
  NotificationAttempt,
  NotificationFilter,
  Page,
  PageRequest,
  Scope,
} from '../../../../src/ports/list-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byNumber, byTime } from '../store/orders.ts';
import { fulfilling, inOrder, inScope, isWithin, pageOf, wants } from './page.ts';

type StoredEntry = NonNullable<ReturnType<MemoryStore['tables']['ledgerEntries']['find']>>;
type AttemptRow = NonNullable<ReturnType<MemoryStore['tables']['webhookAttempts']['find']>>;
/** A CHECK says that these are there together. */
type FedEntry = StoredEntry & {
  readonly [Name in
    | 'feedSeq'
    | 'feedType'
    | 'feedAsset'
    | 'feedAmountUnits'
    | 'feedReferenceId']: NonNullable<StoredEntry[Name]>;
};

const WASTED_FEES: ReadonlySet<string> = new Set<StoredEntry['kind']>([
  'payout_fee_charged',
  'payout_fee_returned',
  'refund_fee_charged',
  'refund_fee_returned',
]);

export function linesOf({ tables }: MemoryStore, scope: Scope, filter: LedgerFilter): FedEntry[] {
  const fed = inScope(tables.ledgerEntries, scope).filter((row): row is FedEntry => row.feedSeq !== null);
  return fulfilling(fed, [
    ...wants<string, FedEntry>(filter.type, (type) => (row) => row.feedType === type),
    (row) => isWithin(row.at, filter),
  ]);
}

export function ledgerPage(
  store: MemoryStore,
  { scope, filter }: { scope: Scope; filter: LedgerFilter },
  page: PageRequest,
): Page<LedgerLine> {
  const rows = inOrder(linesOf(store, scope, filter), 'desc', (a, b) => byNumber(a.feedSeq, b.feedSeq));
  return pageOf(rows, page, (row) => lineFromRow(store, row));
}

/**
 * A refund's line names its invoice, its entry the payout. A refund of the simulator has no payout
 * and is complete.
 */
export function lineFromRow({ tables }: MemoryStore, row: FedEntry): LedgerLine {
  const type = row.feedType;
  const payout = type === 'income' ? undefined : tables.payouts.find(row.referenceId);
  const status = payout?.status ?? (type === 'refund' ? 'success' : null);
  return {
    type,
    asset: row.feedAsset,
    amountUnits: row.feedAmountUnits,
    feeUnits: row.feedFeeUnits,
    isWastedFee: WASTED_FEES.has(row.kind),
    currency: row.feedCurrency,
    referenceId: row.feedReferenceId,
    status,
    orderedBy: payout?.orderedBy ?? null,
    createdAt: row.at,
  };
}

/** Attempts are numbered as they end. A date range compares when they were sent. */
export function notificationPage(
  { tables }: MemoryStore,
  { scope, filter }: { scope: Scope; filter: NotificationFilter },
  page: PageRequest,
): Page<NotificationAttempt> {
  const payoutOf = (row: AttemptRow): string | null =>
    row.deliveryId === null ? null : (tables.webhookDeliveries.find(row.deliveryId)?.payoutId ?? null);
  const rows = fulfilling(inScope(tables.webhookAttempts, scope), [
    ...wants<string, AttemptRow>(filter.invoiceId, (id) => (row) => row.invoiceId === id),
    ...wants<string, AttemptRow>(
      filter.payoutId,
      (id) => (row) => row.invoiceId === null && payoutOf(row) === id,
    ),
    (row) => isWithin(row.sentAt, filter),
  ]);
  const isBounded = filter.from !== null || filter.to !== null;
  const sorted = inOrder(
    rows,
    'desc',
    (a, b) => (isBounded ? byTime(a.sentAt, b.sentAt) : 0) || byNumber(a.seq, b.seq),
  );
  return pageOf(
    sorted,
    page,
    ({ id, invoiceId, deliveryId, url, statusCode, responseBody, attempt, sentAt }) => {
      const delivery = deliveryId === null ? undefined : tables.webhookDeliveries.find(deliveryId);
      const eventSeq = delivery?.eventSeq ?? null;
      return {
        ...{ id, invoiceId, url, statusCode, responseBody, attempt, sentAt },
        payoutId: delivery?.payoutId ?? null,
        eventSeq: eventSeq === null ? null : Number(eventSeq),
      };
    },
  );
}
