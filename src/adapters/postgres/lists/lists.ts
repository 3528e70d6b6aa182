/**
 * The lists of the API: which index serves which request. Date ranges become ranges of dense numbers, so that they combine
 * with every filter; amounts sort by fiat (invoices) and USD (payouts), since units of different assets do not compare.
 */
import { INVOICE_STATUSES } from '../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import type { PermanentAddress } from '../../../domain/invoices/permanent-address.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import type {
  DateRange,
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
} from '../../../ports/queries.ts';
import type { Database } from '../client/client.ts';
import { prefixed } from '../client/statements.ts';
import { bigintOrNull, INVOICE, invoiceFromRow } from '../invoices/invoice-row.ts';
import {
  PERMANENT_ADDRESS_COLUMNS,
  type PermanentAddressRow,
  permanentAddressFromRow,
} from '../invoices/permanent-address-row.ts';
import { PAYOUT, payoutFromRow } from '../payouts/payout-row.ts';
import { selection } from '../statement.ts';
import { columnsOf } from '../statement-parts.ts';
import { changedPage } from './changed-pages.ts';
import { countedPage } from './counted-pages.ts';
import { among, equal, inRange, invoiceFinders, isPermanentAddress, payoutFinders } from './finding.ts';
import { type Condition, foundPage } from './found-pages.ts';
import type { CountedList } from './list-counts.ts';
import { type DenseList, densePage, filteredPage, type Parameters } from './pages.ts';

const INVOICE_SELECTION = selection(columnsOf('t', INVOICE));
export const INVOICES: CountedList = {
  table: 'invoices',
  stream: 'invoices',
  key: 'seq',
  time: 'created_at',
  counted: { status: 'label', asset: 'asset' },
  spread: { column: 'status', values: INVOICE_STATUSES },
  select: INVOICE_SELECTION.text,
};

const PAYOUT_SELECTION = selection(columnsOf('t', PAYOUT));
export const PAYOUTS: CountedList = {
  table: 'payouts',
  stream: 'payouts',
  key: 'seq',
  time: 'created_at',
  counted: { asset: 'asset' },
  // Refunds have no number: they are an operator's, and the merchant sees them in the ledger.
  only: 't.seq is not null',
  select: PAYOUT_SELECTION.text,
};

export const LEDGER: CountedList = {
  table: 'ledger_entries',
  stream: 'ledger',
  key: 'feed_seq',
  time: 'at',
  counted: { feed_type: 'label' },
  only: 't.feed_seq is not null',
  select: `t.feed_type, t.feed_asset, t.feed_amount_units, t.feed_fee_units, t.feed_currency, t.feed_reference_id, t.at,
    t.kind in ('payout_fee_charged', 'payout_fee_returned', 'refund_fee_charged', 'refund_fee_returned') as is_wasted_fee,
    case t.feed_type when 'payout' then p.status when 'refund' then coalesce(p.status, 'success') end as status,
    p.ordered_by`,
  // A refund's line names its invoice, its entry the payout; what the simulator refunds has no payout and is done.
  joins: `left join payouts p on t.feed_type in ('payout', 'refund') and p.id = t.reference_id`,
};

const NOTIFICATIONS: DenseList = {
  table: 'webhook_attempts',
  stream: 'notifications',
  key: 'seq',
  time: 'sent_at',
  select: `t.id, t.invoice_id, d.payout_id, d.event_seq, t.url, t.status_code, t.response_body, t.attempt, t.sent_at`,
  joins: 'left join webhook_deliveries d on d.id = t.delivery_id',
};

/** What lists are read from. */
export type Lists = Pick<Database, 'query' | 'rows' | 'snapshot'>;

interface Request<Filter> {
  readonly scope: Scope;
  readonly filter: Filter;
  readonly page: PageRequest;
}

interface SortedRequest<Filter> extends Request<Filter> {
  readonly sort: Sort;
}

/** Of a row that INVOICES selects. */
export function invoiceOfList(row: object): Invoice {
  return invoiceFromRow(INVOICE_SELECTION.read(row));
}

/** Of a row that PAYOUTS selects. */
export function payoutOfList(row: object): Payout {
  return payoutFromRow(PAYOUT_SELECTION.read(row));
}

export async function invoicePage(sql: Lists, request: SortedRequest<InvoiceFilter>): Promise<Page<Invoice>> {
  const { status, asset, ids } = request.filter;
  const page = await sortedPage<object>(sql, INVOICES, {
    ...request,
    equals: { status, asset },
    ids,
    finders: invoiceFinders(request.filter),
    amount: ['initial_fiat_micros', 'id'],
  });
  return { rows: page.rows.map(invoiceOfList), total: page.total };
}

export async function payoutPage(sql: Lists, request: SortedRequest<PayoutFilter>): Promise<Page<Payout>> {
  const { asset, ids } = request.filter;
  const page = await sortedPage<object>(sql, PAYOUTS, {
    ...request,
    equals: { asset },
    ids,
    finders: payoutFinders(request.filter),
    amount: ['amount_micro_usd', 'id'],
  });
  return { rows: page.rows.map(payoutOfList), total: page.total };
}

export async function ledgerPage(sql: Lists, request: Request<LedgerFilter>): Promise<Page<LedgerLine>> {
  const page = await sortedPage<LedgerLineRow>(sql, LEDGER, {
    ...request,
    sort: { by: 'created_at', order: 'desc' },
    equals: { feed_type: request.filter.type },
    ids: null,
    finders: [],
    amount: [],
  });
  return { rows: page.rows.map(lineFromRow), total: page.total };
}

/** Attempts are numbered as they end, so a date range, which is about when they were sent, has an index of its own. */
export async function notificationPage(
  sql: Lists,
  request: Request<NotificationFilter>,
): Promise<Page<NotificationAttempt>> {
  const { from, to, invoiceId, payoutId } = request.filter;
  const ranged = from !== null || to !== null;
  const page =
    ranged || invoiceId !== null || payoutId !== null
      ? await filteredPage<AttemptRow>(sql, NOTIFICATIONS, {
          ...request,
          where: (parameters) => [
            ...(invoiceId === null ? [] : [`t.invoice_id = ${parameters.bind(invoiceId)}`]),
            ...(payoutId === null ? [] : [toldOfPayout(parameters.bind(payoutId))]),
            ...(from === null ? [] : [`t.sent_at >= ${parameters.bind(from)}`]),
            ...(to === null ? [] : [`t.sent_at <= ${parameters.bind(to)}`]),
          ],
          orderBy: ranged ? ['sent_at', 'seq'] : ['seq'],
          order: 'desc',
        })
      : await densePage<AttemptRow>(sql, NOTIFICATIONS, { ...request, range: request.filter, order: 'desc' });
  return { rows: page.rows.map(attemptFromRow), total: page.total };
}

/** Of an attempt `t`: attempts know their invoice, and of a payout its deliveries do. */
function toldOfPayout(payoutId: string): string {
  return `t.invoice_id is null and t.delivery_id = any (array(
    select d.id from webhook_deliveries d where d.payout_id = ${payoutId}))`;
}

export async function permanentAddressPage(
  sql: Lists,
  request: Request<PermanentAddressFilter>,
): Promise<Page<PermanentAddress>> {
  const { family, userId, active, addresses = null } = request.filter;
  const list = {
    table: 'permanent_addresses',
    key: 'id',
    select: prefixed('t', PERMANENT_ADDRESS_COLUMNS),
  };
  const page = await filteredPage<PermanentAddressRow>(sql, list, {
    ...request,
    where: (parameters) => [
      ...equalities(parameters, { family, user_id: userId, active }),
      ...(addresses === null ? [] : [isPermanentAddress(parameters.bind(addresses))]),
    ],
    orderBy: ['created_at', 'id'],
    order: 'desc',
  });
  return { rows: page.rows.map(permanentAddressFromRow), total: page.total };
}

interface Shape {
  readonly scope: Scope;
  readonly filter: DateRange;
  readonly sort: Sort;
  readonly page: PageRequest;
  /** Column -> wanted value; null wants all. */
  readonly equals: Readonly<Record<string, string | null>>;
  readonly ids: readonly string[] | null;
  readonly finders: readonly Condition[];
  /** Columns of the order by amount. */
  readonly amount: readonly string[];
}

/** Rows that a value finds: by its index. The whole list in the order of creation: by dense number. The rest: by what is counted. */
function sortedPage<Row extends object>(sql: Lists, list: CountedList, shape: Shape): Promise<Page<Row>> {
  const { scope, filter: range, page, ids } = shape;
  const { by, order } = shape.sort;
  const orderBy = by === 'amount' ? shape.amount : [list.key];
  const [finder, ...others] = [...among(ids), ...shape.finders];
  if (finder !== undefined) {
    const found = {
      ...{ scope, page, order, orderBy },
      conditions: [finder, ...others, ...equal(shape.equals), ...inRange(list.time, range)] as const,
    };
    return finder.findsMany && by === 'created_at'
      ? changedPage<Row>(sql, list, found)
      : foundPage<Row>(sql, list, found);
  }
  const equals = Object.fromEntries(
    Object.entries(shape.equals).flatMap(([column, value]) => (value === null ? [] : [[column, value]])),
  );
  if (Object.keys(equals).length === 0 && by === 'created_at')
    return densePage<Row>(sql, list, { scope, range, order, page });
  return countedPage<Row>(sql, list, { scope, range, equals, orderBy, order, page });
}

function equalities(
  parameters: Parameters,
  wanted: Readonly<Record<string, string | boolean | null>>,
): readonly string[] {
  return Object.entries(wanted).flatMap(([column, value]) =>
    value === null ? [] : [`t.${column} = ${parameters.bind(value)}`],
  );
}

export interface LedgerLineRow {
  readonly feed_type: LedgerLine['type'];
  readonly feed_asset: string;
  readonly feed_amount_units: string;
  readonly feed_fee_units: string | null;
  readonly is_wasted_fee: boolean;
  readonly feed_currency: string | null;
  readonly feed_reference_id: string;
  readonly status: string | null;
  readonly ordered_by: string | null;
  readonly at: Date;
}

export function lineFromRow(row: LedgerLineRow): LedgerLine {
  return {
    type: row.feed_type,
    asset: row.feed_asset,
    amountUnits: BigInt(row.feed_amount_units),
    feeUnits: bigintOrNull(row.feed_fee_units),
    isWastedFee: row.is_wasted_fee,
    currency: row.feed_currency,
    referenceId: row.feed_reference_id,
    status: row.status,
    orderedBy: row.ordered_by,
    createdAt: row.at,
  };
}

interface AttemptRow {
  readonly id: string;
  readonly invoice_id: string | null;
  readonly payout_id: string | null;
  readonly event_seq: string | null;
  readonly url: string;
  readonly status_code: number | null;
  readonly response_body: string;
  readonly attempt: number;
  readonly sent_at: Date;
}

function attemptFromRow(row: AttemptRow): NotificationAttempt {
  return {
    id: row.id,
    invoiceId: row.invoice_id,
    payoutId: row.payout_id,
    eventSeq: row.event_seq === null ? null : Number(row.event_seq),
    url: row.url,
    statusCode: row.status_code,
    responseBody: row.response_body,
    attempt: row.attempt,
    sentAt: row.sent_at,
  };
}
