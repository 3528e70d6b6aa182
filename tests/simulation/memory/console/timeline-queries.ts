/** The records about one invoice or payout, in memory. */
import { depositFromRow } from '../../../../src/adapters/postgres/deposits/deposit-row.ts';
import { invoiceFromRow } from '../../../../src/adapters/postgres/invoices/invoice-row.ts';
import { CHAIN_NAMES } from '../../../../src/adapters/postgres/lists/conditions.ts';
import { payoutFromRow } from '../../../../src/adapters/postgres/payouts/payout-row.ts';
import {
  type AttemptFact,
  type DeliveryFact,
  type EntryFact,
  FACTS_MAX,
  type InvoiceFacts,
  type PayoutFacts,
  type SignedFact,
  type TimelineQueries,
} from '../../../../src/ports/console/timeline-queries.ts';
import type { Scope } from '../../../../src/ports/list-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { typeOf } from '../webhooks/events.ts';

export function timelineQueries(store: MemoryStore): TimelineQueries {
  return {
    invoiceFacts: async (scope, id) => invoiceFacts(store, scope, id),
    payoutFacts: async (scope, id) => payoutFacts(store, scope, id),
  };
}

function invoiceFacts(store: MemoryStore, scope: Scope | null, id: string): InvoiceFacts | null {
  const { invoices, deposits, webhookDeliveries, webhookAttempts, refundClaims, customerMails } =
    store.tables;
  const row = invoices.find(id);
  if (row === undefined || !isWithin(scope, row)) return null;
  const issued = issuedFor(store, id);
  const unmatched = newest(
    [...new Set(issued.map(({ address }) => address))]
      .flatMap((address) => deposits.by('address', address))
      .filter(({ chain, invoiceId }) => invoiceId === null && CHAIN_NAMES.includes(chain)),
    bySeen,
  ).map(depositFromRow);
  const claims = newest(refundClaims.by('invoiceId', id), byId);
  const events = webhookDeliveries.by('invoiceId', id).filter((each) => each.invoiceVersion !== null);
  return {
    invoice: invoiceFromRow(row),
    ...{ issued, unmatched, claims },
    deposits: newest(deposits.by('invoiceId', id), bySeen).map(depositFromRow),
    entries: entriesOf(store, [id, ...unmatched.map((deposit) => deposit.id)]),
    deliveries: newest(events, (a, b) => a.invoiceVersion! - b.invoiceVersion!).map((each) =>
      deliveryOf(store, each),
    ),
    attempts: newest(webhookAttempts.by('invoiceId', id), bySeq).map(attemptOf),
    refunds: refundsOf(
      store,
      id,
      claims.map((claim) => claim.id),
    ),
    mails: newest(
      customerMails.by('invoiceId', id),
      (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || byId(a, b),
    ),
  };
}

function payoutFacts(store: MemoryStore, scope: Scope | null, id: string): PayoutFacts | null {
  const { payouts, outgoingTransfers, signedTransactions, webhookDeliveries, webhookAttempts } = store.tables;
  const row = payouts.find(id);
  // Refunds are the operator's: a merchant reads of them on the time line of the invoice.
  if (row === undefined || !isWithin(scope, row) || (scope !== null && row.kind !== 'payout')) return null;
  const transfers = newest(
    outgoingTransfers.by('referenceId', id).filter(({ purpose }) => purpose === 'payout'),
    byId,
  );
  const batches = [...new Set(transfers.map(({ transferBatchId }) => transferBatchId))];
  // Webhooks of payouts are events: each has a number.
  const events = newest(webhookDeliveries.by('payoutId', id), (a, b) => Number(a.eventSeq! - b.eventSeq!));
  const attempts = events
    .flatMap((event) => webhookAttempts.by('deliveryId', event.id))
    .filter(({ invoiceId }) => invoiceId === null);
  return {
    payout: payoutFromRow(row),
    entries: entriesOf(store, [id]),
    allocatedAt: transfers.map(({ createdAt }) => createdAt),
    signed: newest(
      batches.flatMap((batch) => signedTransactions.by('transferBatchId', batch)),
      (a, b) =>
        a.signedAt.getTime() - b.signedAt.getTime() || a.ordinal - b.ordinal || byText(b.txid, a.txid),
    ).map(signedOf),
    deliveries: events.map((each) => deliveryOf(store, each)),
    attempts: newest(attempts, bySeq).map(attemptOf),
  };
}

const isWithin = (scope: Scope | null, { merchantId, sandbox }: Scope): boolean =>
  scope === null || (merchantId === scope.merchantId && sandbox === scope.sandbox);

type Order<Row> = (a: Row, b: Row) => number;
const byId: Order<{ readonly id: string }> = (a, b) => byText(a.id, b.id);
const bySeen: Order<{ readonly id: string; readonly firstSeenAt: Date }> = (a, b) =>
  a.firstSeenAt.getTime() - b.firstSeenAt.getTime() || byId(a, b);
const bySeq: Order<{ readonly seq: bigint }> = (a, b) => Number(a.seq - b.seq);

/** The newest FACTS_MAX, oldest first. */
function newest<Row>(rows: readonly Row[], order: Order<Row>): readonly Row[] {
  return rows.toSorted(order).slice(-FACTS_MAX);
}

function issuedFor({ tables }: MemoryStore, invoiceId: string): InvoiceFacts['issued'] {
  const time = (at: Date | null): number => at?.getTime() ?? Number.MAX_VALUE;
  return tables.addresses
    .by('invoiceId', invoiceId)
    .sort((a, b) => time(a.issuedAt) - time(b.issuedAt) || byText(a.family, b.family))
    .slice(0, FACTS_MAX)
    .map(({ family, address, issuedAt }) => ({ family, address, issuedAt }));
}

function entriesOf({ tables }: MemoryStore, references: readonly string[]): readonly EntryFact[] {
  const rows = references.flatMap((reference) => tables.ledgerEntries.by('referenceId', reference));
  return newest(
    rows,
    (a, b) =>
      a.at.getTime() - b.at.getTime() || byText(b.referenceId, a.referenceId) || a.ordinal - b.ordinal,
  ).map(({ id, kind, referenceId, depositId, at }) => {
    let microUsd = 0n;
    for (const { account, amount } of tables.ledgerPostings.by('entryId', id))
      if (account === 'merchant') microUsd -= amount;
    return { kind, referenceId, depositId, at, microUsd };
  });
}

function refundsOf(
  { tables }: MemoryStore,
  invoiceId: string,
  claims: readonly string[],
): InvoiceFacts['refunds'] {
  const { payouts } = tables;
  const rows = [
    ...payouts.by('invoiceId', invoiceId),
    ...claims.flatMap((claim) => payouts.by('refundClaimId', claim)),
  ];
  return newest([...new Set(rows)], byId).map(payoutFromRow);
}

type DeliveryRow = ReturnType<MemoryStore['tables']['webhookDeliveries']['insert']>;

function deliveryOf({ tables }: MemoryStore, delivery: DeliveryRow): DeliveryFact {
  const { id, url, eventAt } = delivery;
  const queued = tables.webhookQueue.find(id);
  return {
    ...{ id, url, eventAt },
    type: typeOf(delivery),
    queued:
      queued === undefined ? null : { dueAt: queued.dueAt, attempts: queued.attempts, deadAt: queued.deadAt },
  };
}

function attemptOf({ url, statusCode, responseBody, attempt, sentAt }: AttemptFact): AttemptFact {
  return { url, statusCode, responseBody, attempt, sentAt };
}

function signedOf({ txid, ordinal, voids, signedAt, broadcastAt }: SignedFact): SignedFact {
  return { txid, ordinal, voids, signedAt, broadcastAt };
}
