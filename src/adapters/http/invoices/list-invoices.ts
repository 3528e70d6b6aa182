/** GET /api/v2/invoices: a page, or the whole list as CSV. */
import { Type } from '@sinclair/typebox';
import { presentInvoice } from '../../../app/invoices/present-invoice.ts';
import { INVOICE_STATUSES } from '../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { ok } from '../../../domain/result.ts';
import type { InvoiceFilter } from '../../../ports/list-queries.ts';
import { listed } from '../kit/answer.ts';
import type { ApiContext } from '../kit/call.ts';
import { CSV, csvOrder, shown } from '../kit/documents/csv.ts';
import {
  chainText,
  DATES,
  PAGE,
  pageOf,
  rangeOf,
  SORT,
  sortOf,
  txid,
  UPDATED_FROM,
} from '../kit/input/list-query.ts';
import { assetName, choice, idList, type QueryValues, text, uuid } from '../kit/input/query.ts';
import { route } from '../kit/route.ts';
import { INVOICE_FIELDS, InvoiceSchema, PAID_INVOICE_EXAMPLE } from './invoice-view.ts';

const QUERY = {
  ...PAGE,
  ...DATES,
  ...SORT,
  ...CSV,
  status: choice('Only invoices in this status.', INVOICE_STATUSES),
  asset: assetName('Only invoices in this asset.'),
  order_ids: idList('Only these invoices: ids separated by commas.'),
  external_id: uuid('Only the invoice of this checkout.'),
  extra: text('Only invoices with this `extra`.', 64),
  txid: txid('Only invoices that have a payment in this transaction.'),
  address: chainText(
    'Only invoices with this deposit address, now or before the customer chose another asset.',
  ),
  user_id: text('Only invoices at the permanent addresses of this user.', 128),
  updated_from: UPDATED_FROM,
} as const;

export function present(invoice: Invoice, { application, checkoutUrl }: ApiContext, showExternalId = false) {
  const { catalog, partsOf } = application;
  return presentInvoice(invoice, { catalog, checkoutUrl, partsOf, showExternalId });
}

function filterOf(query: QueryValues<typeof QUERY>, { application }: ApiContext): InvoiceFilter {
  return {
    ...rangeOf(query),
    ...{ status: query.status, asset: query.asset, ids: query.order_ids },
    ...{ externalId: query.external_id, extra: query.extra, userId: query.user_id },
    txids: query.txid,
    addresses: query.address === null ? null : application.spellingsOf(query.address),
    updatedFrom: query.updated_from,
  };
}

export const listInvoices = route({
  operationId: 'listInvoices',
  method: 'GET',
  path: '/api/v2/invoices',
  tag: 'Invoices',
  summary: 'List invoices',
  description: 'Returns the invoices of this merchant and environment.',
  query: QUERY,
  success: {
    status: 200,
    description: 'A page of invoices',
    result: Type.Array(InvoiceSchema),
    list: 'pages',
    examples: { 'One invoice': [PAID_INVOICE_EXAMPLE] },
  },
  csv: {
    name: 'invoices',
    columns: Object.keys(INVOICE_FIELDS),
    rows({ caller, query }, context) {
      const order = csvOrder(query);
      if (!order.ok) return order;
      const { every } = context.application.queries;
      const invoices = every.invoices(caller.scope, filterOf(query, context), order.value);
      return ok(shown(invoices, (invoice) => present(invoice, context)));
    },
  },
  async handle({ caller, query }, context) {
    const page = pageOf(query);
    const { rows, total } = await context.application.queries.invoices(
      caller.scope,
      filterOf(query, context),
      sortOf(query),
      page,
    );
    return ok(
      listed(
        rows.map((invoice) => present(invoice, context)),
        page,
        total,
      ),
    );
  },
});
