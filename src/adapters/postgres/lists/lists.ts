/**
 * The lists of the API: which index serves which request. Date ranges become ranges of dense
 * numbers, so that they combine with every filter. Amounts sort by fiat (invoices) and USD
 * (payouts), because units of different assets cannot be compared.
 */
import { sql } from 'drizzle-orm';
import { INVOICE_STATUSES } from '../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import type { PermanentAddress } from '../../../domain/invoices/permanent-address.ts';
import type { PayoutStatus } from '../../../domain/payouts/payout.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import type {
  InvoiceFilter,
  LedgerFilter,
  LedgerLine,
  NotificationAttempt,
  NotificationFilter,
  Page,
  PageRequest,
  PayoutFilter,
  PermanentAddressFilter,
  Scope,
  Sort,
} from '../../../ports/list-queries.ts';
import type { Reads } from '../client/client.ts';
import { INVOICE, invoiceFromRow } from '../invoices/invoice-row.ts';
import { PERMANENT_ADDRESS } from '../invoices/permanent-address-row.ts';
import { PAYOUT, payoutFromRow } from '../payouts/payout-row.ts';
import { permanentAddresses as p } from '../schema/addresses.ts';
import { equals, literals, oneOf } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { ledgerEntries as e } from '../schema/ledger.ts';
import { payouts } from '../schema/payouts.ts';
import { webhookDeliveries as d, webhookAttempts as w } from '../schema/webhooks.ts';
import { notNull } from '../statement-parts.ts';
import { changedPages } from './changed-pages.ts';
import { INVOICE_CONDITIONS, PAYOUT_CONDITIONS, PERMANENT_ADDRESS_CONDITIONS } from './conditions.ts';
import { countedPages } from './counted-pages.ts';
import { foundPages, type SortedRequest } from './found-pages.ts';
import {
  type Conditions,
  conditionOf,
  type DenseList,
  equal,
  findersIn,
  isBound,
  type List,
  namesIn,
  range,
  reading,
} from './list.ts';
import type { CountedList } from './list-counts.ts';
import { densePages, filteredPages, type Pages } from './pages.ts';

export const INVOICES: CountedList<Invoice> = {
  table: i,
  stream: 'invoices',
  key: i.seq,
  time: i.createdAt,
  isSparse: true,
  amount: [i.initialFiatMicros, i.seq],
  conditions: INVOICE_CONDITIONS,
  spread: {
    name: 'status' satisfies keyof InvoiceFilter,
    each: INVOICE_STATUSES.map((status) => equals(i.status, status)),
    any: oneOf(i.status, INVOICE_STATUSES),
  },
  ...reading(INVOICE, invoiceFromRow),
};

export const PAYOUTS: CountedList<Payout> = {
  table: payouts,
  stream: 'payouts',
  key: payouts.seq,
  time: payouts.createdAt,
  amount: [payouts.amountMicroUsd, payouts.id],
  conditions: PAYOUT_CONDITIONS,
  // Refunds have no number: an operator orders them, and the merchant sees them in the ledger.
  only: sql`${payouts.seq} is not null`,
  ...reading(PAYOUT, payoutFromRow),
};

const DONE: PayoutStatus = 'success';
const LEDGER_CONDITIONS: Conditions<LedgerFilter> = { type: equal(e.feedType, 'label'), ...range(e.at) };
export const LEDGER: CountedList<LedgerLine> = {
  table: e,
  stream: 'ledger',
  key: e.feedSeq,
  time: e.at,
  conditions: LEDGER_CONDITIONS,
  only: sql`${e.feedSeq} is not null`,
  // A refund's line names its invoice, its entry the payout. A refund of the simulator has no
  // payout and is complete.
  joins: sql`left join ${payouts} on ${oneOf(e.feedType, ['payout', 'refund'])} and ${payouts.id} = ${e.referenceId}`,
  ...reading(
    {
      type: notNull(e.feedType),
      asset: notNull(e.feedAsset),
      amountUnits: notNull(e.feedAmountUnits),
      feeUnits: e.feedFeeUnits,
      isWastedFee: sql<boolean>`${oneOf(e.kind, [
        'payout_fee_charged',
        'payout_fee_returned',
        'refund_fee_charged',
        'refund_fee_returned',
      ])}`,
      currency: e.feedCurrency,
      referenceId: notNull(e.feedReferenceId),
      status: sql<string | null>`case
        when ${equals(e.feedType, 'payout')} then ${payouts.status}
        when ${equals(e.feedType, 'refund')} then coalesce(${payouts.status}, ${literals([DONE])}) end`,
      orderedBy: payouts.orderedBy,
      createdAt: e.at,
    },
    ({ total: _total, rowKey: _key, ...line }) => line,
  ),
};

const NOTIFICATION_CONDITIONS: Conditions<NotificationFilter> = {
  invoiceId: equal(w.invoiceId),
  // Attempts name their invoice; for a payout its deliveries do.
  payoutId: {
    given: d.payoutId,
    columns: [w.invoiceId, w.deliveryId],
    holds: (payoutId) => sql`${w.invoiceId} is null and ${w.deliveryId} = any (array(
      select ${d.id} from ${d} where ${d.payoutId} = ${payoutId}))`,
  },
  ...range(w.sentAt),
};
const NOTIFICATIONS: DenseList<NotificationAttempt> = {
  table: w,
  stream: 'notifications',
  key: w.seq,
  time: w.sentAt,
  conditions: NOTIFICATION_CONDITIONS,
  joins: sql`left join ${d} on ${d.id} = ${w.deliveryId}`,
  ...reading(
    {
      id: w.id,
      invoiceId: w.invoiceId,
      payoutId: d.payoutId,
      eventSeq: sql<number | null>`${d.eventSeq}`.mapWith(Number),
      url: w.url,
      statusCode: w.statusCode,
      responseBody: w.responseBody,
      attempt: w.attempt,
      sentAt: w.sentAt,
    },
    ({ total: _total, rowKey: _key, ...attempt }) => attempt,
  ),
};

const PERMANENT_ADDRESSES: List<PermanentAddress> = {
  table: p,
  key: p.id,
  conditions: PERMANENT_ADDRESS_CONDITIONS,
  ...reading(PERMANENT_ADDRESS, ({ total: _total, rowKey: _key, ...address }) => address),
};

interface Request<Filter> {
  readonly scope: Scope;
  readonly filter: Filter;
  readonly page: PageRequest;
}

interface Sorted<Filter> extends Request<Filter> {
  readonly sort: Sort;
}

const INVOICE_PAGES = sortedPages(INVOICES);
export function invoicePage(
  on: Reads,
  { scope, filter, sort, page }: Sorted<InvoiceFilter>,
): Promise<Page<Invoice>> {
  return INVOICE_PAGES(on, { scope, wanted: { ...filter }, ...sort, page });
}

const PAYOUT_PAGES = sortedPages(PAYOUTS);
export function payoutPage(
  on: Reads,
  { scope, filter, sort, page }: Sorted<PayoutFilter>,
): Promise<Page<Payout>> {
  return PAYOUT_PAGES(on, { scope, wanted: { ...filter }, ...sort, page });
}

const LEDGER_PAGES = sortedPages(LEDGER);
export function ledgerPage(
  on: Reads,
  { scope, filter, page }: Request<LedgerFilter>,
): Promise<Page<LedgerLine>> {
  return LEDGER_PAGES(on, { scope, wanted: { ...filter }, by: 'created_at', order: 'desc', page });
}

const ATTEMPTS = densePages(NOTIFICATIONS);
const FILTERED_ATTEMPTS = filteredPages(NOTIFICATIONS, (names) =>
  names.some(isBound) ? [w.sentAt, w.seq] : [w.seq],
);
/**
 * Attempts are numbered as they end. A date range compares when they were sent, so it has its own
 * index.
 */
export function notificationPage(
  on: Reads,
  { scope, filter, page }: Request<NotificationFilter>,
): Promise<Page<NotificationAttempt>> {
  const request = { scope, wanted: { ...filter }, order: 'desc', page } as const;
  const pages = namesIn(NOTIFICATIONS, request.wanted).length > 0 ? FILTERED_ATTEMPTS : ATTEMPTS;
  return pages(on, request);
}

const PERMANENT_ADDRESS_PAGES = filteredPages(PERMANENT_ADDRESSES, () => [p.createdAt, p.id]);
export function permanentAddressPage(
  on: Reads,
  { scope, filter, page }: Request<PermanentAddressFilter>,
): Promise<Page<PermanentAddress>> {
  return PERMANENT_ADDRESS_PAGES(on, { scope, wanted: { ...filter }, page });
}

/**
 * Rows of a value: by its index. The whole list in the order of creation: by dense number.
 * Everything else: by the counts.
 */
function sortedPages<Found>(list: CountedList<Found>): Pages<Reads, SortedRequest, Found> {
  const [dense, counted, found, changed] = [
    densePages(list),
    countedPages(list),
    foundPages(list),
    changedPages(list),
  ];
  return (on, request) => {
    const inOrder = request.by === 'created_at';
    const names = namesIn(list, request.wanted);
    const [finder] = findersIn(list, names);
    if (finder !== undefined)
      return conditionOf(list, finder).finds === 'many' && inOrder
        ? changed(on, request)
        : found(on, request);
    const isFiltered = names.some((name) => conditionOf(list, name).counted !== undefined);
    return isFiltered || !inOrder ? counted(on, request) : dense(on, request);
  };
}
