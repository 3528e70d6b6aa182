/** A merchant's payments: the list with its filters, and the page of one. */

import { FIAT_DECIMALS } from '../../../../domain/catalog/fiat.ts';
import { INVOICE_STATUSES, receivedUnits } from '../../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../../domain/invoices/invoice-record.ts';
import { SIMULATED_STATUSES, type SimulatedStatus } from '../../../../domain/invoices/invoice-simulation.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';
import type { CheckoutPayment } from '../../../../ports/checkout/checkout-queries.ts';
import type { InvoiceFilter } from '../../../../ports/list-queries.ts';
import type { ClaimWithPayout } from '../../../../ports/payouts/refund-claim-repository.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { asId } from '../../kit/input/query.ts';
import { acted } from '../kit/acted.ts';
import { dayOf } from '../kit/days.ts';
import { formParts } from '../kit/form-parts.ts';
import { notFound } from '../kit/gate.ts';
import {
  amount,
  badge,
  button,
  card,
  choice,
  copyable,
  copyableLink,
  facts,
  field,
  instant,
  pageOf,
  pager,
  table,
} from '../kit/parts.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import { bearerWord, claimBadge, invoiceBadge, invoiceWord } from '../kit/words.ts';
import { timelineCard } from '../timeline.ts';
import { invoiceActions } from './invoice-actions.ts';
import type { MerchantPages } from './merchant-pages.ts';

const PER_PAGE = 25;

export function paymentRoutes(of: MerchantPages): readonly ConsoleRoute[] {
  const one = (id: string | undefined): string => `/payments/${id ?? ''}`;
  return [
    ofMerchant('payments.read', 'GET', '/payments', (call) => listPage(of, call)),
    ofMerchant('payments.read', 'GET', '/payments/:id', (call) => invoicePage(of, call)),
    ofMerchant('webhooks.resend', 'POST', '/payments/:id/webhook', (call) => {
      const { id } = call.params;
      return acted(call, of.desk.replayWebhook(call.desk, id ?? ''), {
        ...{ at: one(id), code: 'webhook_queued' },
        refused: (problem) => invoicePage(of, call, problem),
      });
    }),
    ofMerchant('payments.create', 'POST', '/payments/:id/cancel', (call) => {
      const { id } = call.params;
      return acted(call, of.desk.cancelInvoice(call.desk, id ?? ''), {
        ...{ at: one(id), code: 'invoice_cancelled' },
        refused: (problem) => invoicePage(of, call, problem),
      });
    }),
    ofMerchant('payments.decide', 'POST', '/payments/:id/accept', (call) => {
      const { id } = call.params;
      return acted(call, of.desk.acceptInvoice(call.desk, id ?? ''), {
        ...{ at: one(id), code: 'accepted' },
        refused: (problem) => invoicePage(of, call, problem),
      });
    }),
    ofMerchant('sandbox.simulate', 'POST', '/payments/:id/simulate', (call) => {
      const { id } = call.params;
      const status: SimulatedStatus =
        SIMULATED_STATUSES.find((each) => each === call.form.text('status')) ?? 'success';
      const input = { status, paidAmount: null, sendWebhook: true, notifyUrl: null };
      return acted(call, of.desk.simulateInvoice(call.desk, id ?? '', input), {
        ...{ at: one(id), code: 'simulated' },
        refused: (problem) => invoicePage(of, call, problem),
      });
    }),
  ];
}

async function listPage({ application }: MerchantPages, call: MerchantCall): Promise<Response> {
  const { query, shell, desk, base, now } = call;
  const page = pageOf(query);
  const filter = filterOf(query);
  const list = await application.queries.invoices(
    desk.caller.scope,
    filter,
    { by: 'created_at', order: 'desc' },
    { page, perPage: PER_PAGE },
  );
  const body = html`${filterForm(
    query,
    application.catalog.all.map(({ key }) => key),
  )}
<div id="payments" data-renew>${table(list.rows, columns(of(application), base), { empty: 'No payments fit.', caption: 'Payments' })}${pager({ page, perPage: PER_PAGE, total: list.total }, query)}</div>`;
  // Further pages are left in peace: new invoices would move their rows.
  const follows = { live: page === 1, showsNewInvoices: mayHaveNew(filter, now) };
  return shell.page({ title: 'Payments', body, ...follows });
}

/** Whether an invoice that is created now may be in the list. */
function mayHaveNew({ status, to }: InvoiceFilter, now: Date): boolean {
  return (status === null || status === 'created') && (to === null || to >= now);
}

/** Statuses and assets that do not exist filter nothing. */
function filterOf(query: URLSearchParams): InvoiceFilter {
  return {
    ...{ status: INVOICE_STATUSES.find((one) => one === query.get('status')) ?? null, ids: null },
    asset: query.get('asset') || null,
    ...{ from: dayOf(query, 'from', 'begins'), to: dayOf(query, 'to', 'ends') },
    extra: query.get('extra') || null,
  };
}

function filterForm(query: URLSearchParams, assets: readonly string[]): Markup {
  const text = (name: string): string => query.get(name) ?? '';
  return html`<form method="get" class="row">${choice('status', 'Status', [['', 'all'], ...INVOICE_STATUSES.map((one) => [one, invoiceWord(one)] as const)], { chosen: text('status') })}${choice('asset', 'Asset', [['', 'all'], ...assets.map((key) => [key, key] as const)], { chosen: text('asset') })}${field('extra', 'Order reference', { value: text('extra') })}${field('from', 'From', { type: 'date', value: text('from') })}${field('to', 'To', { type: 'date', value: text('to') })}${button('Filter', 'plain')}</form>`;
}

type Amounts = (invoice: Invoice) => { readonly due: string | null; readonly received: string | null };

function of({ catalog }: MerchantPages['application']): Amounts {
  return ({ price, funds }) => {
    const asset = price === null ? null : catalog.require(price.asset);
    const received = receivedUnits(funds);
    return {
      due: price === null || asset === null ? null : amount(price.dueUnits, asset),
      received: asset === null || received === 0n ? null : amount(received, asset),
    };
  };
}

function columns(amounts: Amounts, base: string) {
  return [
    {
      title: 'Order',
      cell: ({ id, extra, title }: Invoice) =>
        html`<a href="${base}/payments/${id}">${extra ?? title ?? id}</a>`,
    },
    { title: 'Status', cell: ({ status }: Invoice) => invoiceBadge(status) },
    { title: 'Amount', align: 'end' as const, cell: (invoice: Invoice) => fiat(invoice) },
    {
      title: 'Due',
      align: 'end' as const,
      cell: (invoice: Invoice) => amounts(invoice).due ?? 'not chosen',
    },
    { title: 'Received', align: 'end' as const, cell: (invoice: Invoice) => amounts(invoice).received ?? '' },
    { title: 'Created', cell: ({ createdAt }: Invoice) => instant(createdAt) },
  ];
}

function fiat({ initialFiatMicros, fiatCurrency }: Invoice): string {
  return `${formatUnits(initialFiatMicros, FIAT_DECIMALS)} ${fiatCurrency}`;
}

/** Of the invoice of the path; also where the form of a refund was refused. */
export async function invoicePage(
  pages: MerchantPages,
  call: MerchantCall,
  problem: Problem | null = null,
): Promise<Response> {
  const { queries } = pages.application;
  const { desk, shell, params } = call;
  const { scope } = desk.caller;
  const id = asId(params.id ?? '');
  const invoice = id === null ? null : await queries.invoice(scope, id);
  if (invoice === null) return notFound(shell);
  const [payments, refunds, timeline] = await Promise.all([
    queries.checkoutPayments(invoice.id),
    queries.refundClaims(scope, invoice.id),
    pages.application.console.invoiceTimeline(scope, invoice.id),
  ]);
  const parts = formParts(problem);
  const body = html`<div id="invoice" data-renew>${invoiceFacts(pages, invoice)}
${paymentsCard(pages, payments)}
${refundsCard(pages, call, refunds)}
${timeline === null ? null : timelineCard(timeline, pages.application.catalog)}</div>
${invoiceActions(call, invoice, parts)}`;
  return shell.page({
    title: `Payment ${invoice.extra ?? invoice.title ?? invoice.id}`,
    body,
    live: true,
    problem: parts.problem(),
    ...(problem === null ? {} : { status: 400 }),
  });
}

function invoiceFacts({ application, api }: MerchantPages, invoice: Invoice): Markup {
  const { due, received } = of(application)(invoice);
  return card(
    'Details',
    facts([
      ['Status', invoiceBadge(invoice.status)],
      ['Amount', fiat(invoice)],
      ['To pay', due],
      ['Received', received],
      ['Order reference', invoice.extra],
      ['Title', invoice.title],
      ['Deposit address', invoice.addressTo === null ? null : copyable(invoice.addressTo)],
      ['Page of the customer', copyableLink(`${api.checkoutUrl}/checkout/${invoice.externalId}`)],
      ['Payment fee borne by', bearerWord(invoice.feeBearer)],
      ['User', invoice.userId],
      [
        'Customer',
        invoice.payerInfo === null ? null : html`<code>${JSON.stringify(invoice.payerInfo)}</code>`,
      ],
      ['Id', copyable(invoice.id)],
      ['Created', instant(invoice.createdAt)],
      ['Ends', instant(invoice.expiresAt)],
      ['Finished', instant(invoice.processedAt)],
    ]),
  );
}

function paymentsCard({ application }: MerchantPages, payments: readonly CheckoutPayment[]): Markup {
  return card(
    'Payments on the chain',
    table(
      payments,
      [
        { title: 'Transaction', cell: ({ txid }) => copyable(txid) },
        {
          title: 'Amount',
          align: 'end',
          cell: ({ units, asset }) => amount(units, application.catalog.require(asset)),
        },
        {
          title: 'Confirmations',
          cell: ({ final, height, head }) =>
            final
              ? badge('final', 'good')
              : String(height === null || head === null ? 0 : Math.max(0, head - height + 1)),
        },
      ],
      { empty: 'None yet.', caption: 'Payments on the chain' },
    ),
  );
}

function refundsCard(
  { application }: MerchantPages,
  { base }: MerchantCall,
  refunds: readonly ClaimWithPayout[],
): Markup | null {
  if (refunds.length === 0) return null;
  return card(
    'Refunds',
    table(
      refunds,
      [
        { title: 'Status', cell: ({ claim }) => claimBadge(claim.status) },
        {
          title: 'Amount',
          align: 'end',
          cell: ({ claim }) => amount(claim.units, application.catalog.require(claim.asset)),
        },
        { title: 'Address', cell: ({ claim }) => claim.address ?? 'not given yet' },
        { title: 'Ends', cell: ({ claim }) => instant(claim.expiresAt) },
        {
          title: '',
          cell: ({ claim }) => html`<a href="${base}/refunds/${claim.id}">Look at it</a>`,
        },
      ],
      { empty: '', caption: 'Refunds' },
    ),
  );
}
