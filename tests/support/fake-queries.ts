/** The query port over arrays: filters, sorting and pages as the port promises them. */
import { receivedUnits } from '../../src/domain/invoice.ts';
import type { Invoice } from '../../src/domain/invoice-record.ts';
import type { BalanceSummary } from '../../src/domain/ledger.ts';
import type { Payout } from '../../src/domain/payout-record.ts';
import type { PermanentAddress } from '../../src/domain/permanent-address.ts';
import {
  type Brand,
  type CheckoutPayment,
  CONFIRMATIONS_TOLD,
  type Logo,
} from '../../src/ports/checkout-queries.ts';
import type {
  DateRange,
  LedgerLine,
  NotificationAttempt,
  Page,
  PageRequest,
  Queries,
  Scope,
  Sort,
} from '../../src/ports/queries.ts';

export interface FakeTables {
  invoices: Invoice[];
  /** In order. */
  payments: (CheckoutPayment & { invoiceId: string })[];
  payouts: Payout[];
  addresses: PermanentAddress[];
  ledger: (LedgerLine & Scope)[];
  notifications: (NotificationAttempt & Scope)[];
  balances: Map<string, BalanceSummary>;
  /** By merchant id. */
  brands: Map<string, Brand>;
  /** By digest. */
  logos: Map<string, Logo>;
}

export function emptyTables(): FakeTables {
  return {
    invoices: [],
    payments: [],
    payouts: [],
    addresses: [],
    ledger: [],
    notifications: [],
    balances: new Map(),
    brands: new Map(),
    logos: new Map(),
  };
}

export function isOf(scope: Scope, row: Scope): boolean {
  return row.merchantId === scope.merchantId && row.sandbox === scope.sandbox;
}

/** `checkpoint` runs before every answer, for tests that make storage fail. */
export function fakeQueries(tables: FakeTables, checkpoint: () => void): Queries {
  const paymentsOf = (invoiceId: string): readonly CheckoutPayment[] =>
    tables.payments.filter((row) => row.invoiceId === invoiceId);
  return {
    async keyHashes() {
      return [];
    },
    async identity() {
      return null;
    },
    async brand(merchantId) {
      checkpoint();
      return tables.brands.get(merchantId) ?? null;
    },
    async logo(digest) {
      checkpoint();
      return tables.logos.get(digest) ?? null;
    },
    async invoice(scope, id) {
      checkpoint();
      return tables.invoices.find((row) => row.id === id && isOf(scope, row)) ?? null;
    },
    async invoiceByExternalId(externalId) {
      checkpoint();
      return tables.invoices.find((row) => row.externalId === externalId) ?? null;
    },
    async liveStates(externalIds) {
      checkpoint();
      const rows = tables.invoices.filter((row) => externalIds.includes(row.externalId));
      return new Map(rows.map((row) => [row.externalId, liveState(row, paymentsOf(row.id))]));
    },
    async checkoutPayments(invoiceId) {
      checkpoint();
      return paymentsOf(invoiceId);
    },
    async checkoutStanding() {
      checkpoint();
      return { arrivals: false, addressGone: false };
    },
    async invoices(scope, filter, sort, page) {
      checkpoint();
      const rows = tables.invoices.filter(
        (row) =>
          isOf(scope, row) &&
          within(filter, row.createdAt) &&
          (filter.status === null || row.status === filter.status) &&
          (filter.asset === null || row.price?.asset === filter.asset) &&
          (filter.ids === null || filter.ids.includes(row.id)),
      );
      return paged(
        sorted(rows, sort, (row) => row.price?.dueUnits ?? 0n),
        page,
      );
    },
    async payout(scope, id) {
      checkpoint();
      return tables.payouts.find((row) => row.id === id && isOf(scope, row)) ?? null;
    },
    async payouts(scope, filter, sort, page) {
      checkpoint();
      const rows = tables.payouts.filter(
        (row) =>
          isOf(scope, row) &&
          within(filter, row.createdAt) &&
          (filter.asset === null || row.asset === filter.asset) &&
          (filter.ids === null || filter.ids.includes(row.id)),
      );
      return paged(
        sorted(rows, sort, (row) => row.amountUnits),
        page,
      );
    },
    async permanentAddress(scope, id) {
      checkpoint();
      return tables.addresses.find((row) => row.id === id && isOf(scope, row)) ?? null;
    },
    async permanentAddresses(scope, filter, page) {
      checkpoint();
      const rows = tables.addresses.filter(
        (row) =>
          isOf(scope, row) &&
          (filter.family === null || row.family === filter.family) &&
          (filter.userId === null || row.userId === filter.userId) &&
          (filter.active === null || row.active === filter.active),
      );
      return paged(rows.toReversed(), page);
    },
    async balance(scope) {
      checkpoint();
      const key = `${scope.merchantId}:${scope.sandbox}`;
      return tables.balances.get(key) ?? { incomeMicroUsd: 0n, payoutsMicroUsd: 0n, refundsMicroUsd: 0n };
    },
    async ledger(scope, filter, page) {
      checkpoint();
      const rows = tables.ledger.filter(
        (row) =>
          isOf(scope, row) &&
          within(filter, row.createdAt) &&
          (filter.type === null || row.type === filter.type),
      );
      return paged(rows.toReversed(), page);
    },
    async notifications(scope, filter, page) {
      checkpoint();
      const rows = tables.notifications.filter(
        (row) =>
          isOf(scope, row) &&
          within(filter, row.sentAt) &&
          (filter.invoiceId === null || row.invoiceId === filter.invoiceId),
      );
      return paged(rows.toReversed(), page);
    },
  };
}

function liveState(invoice: Invoice, payments: readonly CheckoutPayment[]): string {
  const paid = payments.map(({ txid, units, final, height, head }) => {
    const confirmations = height === null || head === null ? 0 : head - height + 1;
    return `${txid} ${units} ${final ? 'final' : Math.min(confirmations, CONFIRMATIONS_TOLD)}`;
  });
  const { id, version, status, price, funds } = invoice;
  const shown = [id, version, status, price?.asset, price?.dueUnits, receivedUnits(funds), ...paid];
  return new Bun.CryptoHasher('md5').update(shown.join(':')).digest('hex');
}

function within(range: DateRange, at: Date): boolean {
  return (range.from === null || at >= range.from) && (range.to === null || at <= range.to);
}

function sorted<Row extends { createdAt: Date }>(
  rows: readonly Row[],
  sort: Sort,
  amount: (row: Row) => bigint,
): Row[] {
  const direction = sort.order === 'asc' ? 1 : -1;
  const ascending =
    sort.by === 'created_at' ? [...rows] : rows.toSorted((a, b) => (amount(a) < amount(b) ? -1 : 1));
  return direction === 1 ? ascending : ascending.toReversed();
}

function paged<Row>(rows: readonly Row[], { page, perPage }: PageRequest): Page<Row> {
  const start = (page - 1) * perPage;
  return { rows: rows.slice(start, start + perPage), total: rows.length };
}
