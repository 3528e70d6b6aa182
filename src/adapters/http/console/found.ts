/** What a search found, for merchants and for operators. */
import type { AssetCatalog } from '../../../domain/catalog/asset.ts';
import { FIAT_DECIMALS } from '../../../domain/catalog/fiat.ts';
import { formatUnits } from '../../../domain/money/decimal.ts';
import type { FoundPayments } from '../../../ports/console/payment-search.ts';
import { html, type Markup } from '../checkout/page/html.ts';
import { amount, badge, type Column, card, copyable, instant, table } from './kit/parts.ts';
import { invoiceBadge, payoutBadge } from './kit/words.ts';

/** Where the pages of found things are; null: there is none. */
export interface FoundLinks {
  invoice(of: { merchantId: string; sandbox: boolean; id: string }): string | null;
  payout(of: { merchantId: string; sandbox: boolean; id: string }): string | null;
  /** Shows whose it is; null within one merchant. */
  merchant: ((of: { merchantId: string; sandbox: boolean }) => Markup) | null;
}

export function foundCards(found: FoundPayments, links: FoundLinks, catalog: AssetCatalog): Markup {
  const { invoices, payouts, deposits, permanentAddresses } = found;
  const isEmpty = [invoices, payouts, deposits, permanentAddresses].every((rows) => rows.length === 0);
  if (isEmpty) return html`<p class="empty">Nothing fits.</p>`;
  return html`${invoices.length === 0 ? null : card('Payments', invoiceTable(found, links))}${payouts.length === 0 ? null : card('Payouts and refunds', payoutTable(found, links, catalog))}${deposits.length === 0 ? null : card('Payments on chains', depositTable(found, links, catalog))}${permanentAddresses.length === 0 ? null : card('Permanent addresses', addressTable(found, links))}`;
}

function linked(href: string | null, text: string): Markup {
  return href === null ? html`${text}` : html`<a href="${href}">${text}</a>`;
}

function whose<Row extends { readonly merchantId: string; readonly sandbox: boolean }>({
  merchant,
}: FoundLinks): readonly Column<Row>[] {
  if (merchant === null) return [];
  return [{ title: 'Merchant', cell: merchant }];
}

function invoiceTable({ invoices }: FoundPayments, links: FoundLinks): Markup {
  return table<FoundPayments['invoices'][number]>(
    invoices,
    [
      { title: 'Order', cell: (row) => linked(links.invoice(row), row.extra ?? row.title ?? row.id) },
      ...whose(links),
      { title: 'Status', cell: ({ status }) => invoiceBadge(status) },
      {
        title: 'Amount',
        align: 'end',
        cell: ({ initialFiatMicros, fiatCurrency }) =>
          `${formatUnits(initialFiatMicros, FIAT_DECIMALS)} ${fiatCurrency}`,
      },
      { title: 'Address', cell: ({ addressTo }) => addressTo ?? '' },
      { title: 'Created', cell: ({ createdAt }) => instant(createdAt) },
    ],
    { empty: '', caption: 'Payments' },
  );
}

function payoutTable({ payouts }: FoundPayments, links: FoundLinks, catalog: AssetCatalog): Markup {
  return table<FoundPayments['payouts'][number]>(
    payouts,
    [
      { title: 'Id', cell: (row) => linked(row.kind === 'payout' ? links.payout(row) : null, row.id) },
      { title: 'Kind', cell: ({ kind }) => kind },
      ...whose(links),
      { title: 'Status', cell: ({ status }) => payoutBadge(status) },
      { title: 'Amount', align: 'end', cell: (row) => amount(row.amountUnits, catalog.require(row.asset)) },
      { title: 'To', cell: ({ address }) => address },
      { title: 'Transaction', cell: ({ txid }) => (txid === null ? '' : copyable(txid)) },
      { title: 'Ordered', cell: ({ createdAt }) => instant(createdAt) },
    ],
    { empty: '', caption: 'Payouts and refunds' },
  );
}

function depositTable({ deposits }: FoundPayments, links: FoundLinks, catalog: AssetCatalog): Markup {
  return table<FoundPayments['deposits'][number]>(
    deposits,
    [
      { title: 'Transaction', cell: ({ txid }) => copyable(txid) },
      ...whose(links),
      { title: 'State', cell: ({ status }) => badge(status, status === 'credited' ? 'good' : 'warn') },
      {
        title: 'Amount',
        align: 'end',
        cell: ({ units, asset }) =>
          catalog.isListed(asset) ? amount(units, catalog.require(asset)) : `${units} ${asset}`,
      },
      { title: 'Address', cell: ({ address }) => address },
      {
        title: 'Payment',
        cell: (row) =>
          row.invoiceId === null
            ? 'unmatched'
            : linked(links.invoice({ ...row, id: row.invoiceId }), row.invoiceId),
      },
      { title: 'Seen', cell: ({ firstSeenAt }) => instant(firstSeenAt) },
    ],
    { empty: '', caption: 'Payments on chains' },
  );
}

function addressTable({ permanentAddresses }: FoundPayments, links: FoundLinks): Markup {
  return table<FoundPayments['permanentAddresses'][number]>(
    permanentAddresses,
    [
      { title: 'Address', cell: ({ address }) => copyable(address) },
      ...whose(links),
      { title: 'User', cell: ({ userId }) => userId },
      {
        title: 'State',
        cell: ({ active }) => (active ? badge('active', 'good') : badge('deactivated', 'plain')),
      },
    ],
    { empty: '', caption: 'Permanent addresses' },
  );
}
