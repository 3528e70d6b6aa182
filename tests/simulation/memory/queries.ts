/**
 * Reads of the API in memory, within one merchant and environment. Lists are answered at once, so
 * none of them waits for its turn.
 */
import { isUuid } from '../../../src/adapters/postgres/client/statements.ts';
import { invoiceFromRow } from '../../../src/adapters/postgres/invoices/invoice-row.ts';
import { payoutFromRow } from '../../../src/adapters/postgres/payouts/payout-row.ts';
import type { Queries, Scope } from '../../../src/ports/list-queries.ts';
import { checkoutQueries } from './checkout/checkout-queries.ts';
import { paymentLinkOf, paymentLinkPage, paymentLinkQueries } from './links/payment-links.ts';
import { everyRow } from './lists/every-row.ts';
import { ledgerPage, notificationPage } from './lists/feed-lists.ts';
import { invoicePage } from './lists/invoice-list.ts';
import { payoutPage, permanentAddressPage } from './lists/payout-list.ts';
import { brandQueries } from './merchants/brands.ts';
import { identityQueries, merchantQueries } from './merchants/merchant-queries.ts';
import { refundClaimQueries } from './payouts/refund-claims.ts';
import type { MemoryStore } from './store/memory-store.ts';
import { eventsAfter } from './webhooks/events.ts';

type Scoped = Pick<
  Queries,
  | 'invoice'
  | 'invoiceByExternalId'
  | 'payout'
  | 'usedUniqId'
  | 'payoutByUniqId'
  | 'permanentAddress'
  | 'paymentLink'
  | 'balance'
>;
type Lists = Pick<
  Queries,
  | 'invoices'
  | 'payouts'
  | 'paymentLinks'
  | 'permanentAddresses'
  | 'ledger'
  | 'notifications'
  | 'every'
  | 'events'
>;

export function queries(store: MemoryStore): Queries {
  return {
    ...identityQueries(store),
    ...merchantQueries(store),
    ...brandQueries(store),
    ...checkoutQueries(store),
    ...paymentLinkQueries(store),
    ...refundClaimQueries(store),
    ...singleObjects(store),
    ...lists(store),
  };
}

function singleObjects(store: MemoryStore): Scoped {
  const { tables } = store;
  const its = <Row extends Scope>(scope: Scope, row: Row | undefined): Row | null =>
    row?.merchantId === scope.merchantId && row.sandbox === scope.sandbox ? row : null;
  // Without refunds: an operator orders them, and the merchant sees them in the ledger.
  const payout = (scope: Scope, id: string) => {
    const row = its(scope, tables.payouts.find(id));
    return row?.kind === 'payout' ? payoutFromRow(row) : null;
  };

  return {
    async invoice(scope, id) {
      const row = its(scope, tables.invoices.find(id));
      return row && invoiceFromRow(row);
    },

    async invoiceByExternalId(externalId) {
      if (!isUuid(externalId)) return null;
      const [row] = tables.invoices.by('externalId', externalId.toLowerCase());
      return row === undefined ? null : invoiceFromRow(row);
    },

    payout: async (scope, id) => payout(scope, id),

    async usedUniqId({ merchantId, sandbox }, uniqId) {
      const used = tables.uniqIds.find(merchantId, sandbox, uniqId);
      if (used === undefined) return null;
      return used.orderId === null ? { batch_id: used.batchId ?? '' } : { order_id: used.orderId };
    },

    async payoutByUniqId(scope, uniqId) {
      const orderId = tables.uniqIds.find(scope.merchantId, scope.sandbox, uniqId)?.orderId ?? null;
      return orderId === null ? null : payout(scope, orderId);
    },

    permanentAddress: async (scope, id) => its(scope, tables.permanentAddresses.find(id)),

    paymentLink: (scope, id) => paymentLinkOf(store, scope, id),

    async balance({ merchantId, sandbox }) {
      const { incomeMicroUsd, payoutsMicroUsd, refundsMicroUsd } = tables.balances.find(
        merchantId,
        sandbox,
      ) ?? {
        ...{ incomeMicroUsd: 0n, payoutsMicroUsd: 0n, refundsMicroUsd: 0n },
      };
      return { incomeMicroUsd, payoutsMicroUsd, refundsMicroUsd };
    },
  };
}

function lists(store: MemoryStore): Lists {
  return {
    invoices: async (scope, filter, sort, page) => invoicePage(store, { scope, filter, sort }, page),
    payouts: async (scope, filter, sort, page) => payoutPage(store, { scope, filter, sort }, page),
    permanentAddresses: async (scope, filter, page) => permanentAddressPage(store, { scope, filter }, page),
    paymentLinks: (scope, page) => paymentLinkPage(store, scope, page),
    ledger: async (scope, filter, page) => ledgerPage(store, { scope, filter }, page),
    notifications: async (scope, filter, page) => notificationPage(store, { scope, filter }, page),
    every: everyRow(store),
    events: async (scope, of) => eventsAfter(store, scope, of),
  };
}
