/** Invoices told in the formats of providers, and what their receivers get. */
import { webhookFormats } from '../../../src/adapters/webhooks/formats/webhook-formats.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import { WEBHOOK_FORMATS } from '../../../src/domain/webhooks/webhook-format.ts';
import type { ForeignFormat, ProviderInvoice } from '../../../src/ports/webhooks/webhook-formats.ts';
import { anInvoice, aPrice, inStatus, NOW, secondsAfter } from '../builders.ts';
import type { DeliveredWebhook } from '../compat/receiver-recipes.ts';

export const KEY = `sk_live_${'5a'.repeat(24)}`;
export const OTHER_KEY = `sk_live_${'6b'.repeat(24)}`;
export const HOOK_URL = 'https://shop.example/hook?x=1';
export const FOREIGN = WEBHOOK_FORMATS.filter((format) => format !== 'native_v2');
export const catalog = new AssetCatalog();

export function told(given: Partial<Invoice> = {}, beside: Partial<ProviderInvoice> = {}): ProviderInvoice {
  const invoice = anInvoice({ id: '0190f3a1b2c30a1b2c3d4e5f', extra: 'order-1001', ...given });
  return {
    invoice,
    asset: invoice.price === null ? null : catalog.require(invoice.price.asset),
    addressParts: null,
    creditedUnits: 0n,
    commissionUnits: 0n,
    receivedMicroUsd: 0n,
    deliveryId: '0190f3a1b2c30a1b2c3d4e64',
    at: NOW,
    ...beside,
  };
}

export function sent(
  format: ForeignFormat,
  of: ProviderInvoice,
  url = HOOK_URL,
  current = KEY,
): DeliveredWebhook {
  const { merchantId } = of.invoice;
  const stored = { format, url, merchantId, body: webhookFormats.encode(format, of), at: secondsAfter(90) };
  const { body, headers } = webhookFormats.dress(stored, { current, other: OTHER_KEY, secrets: [] });
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { url, body, headers: Object.fromEntries(lower) };
}

/** What a receiver reads: JSON, or a form. */
export function read(format: ForeignFormat, of: ProviderInvoice) {
  const { body } = sent(format, of);
  return format === 'coinpayments' ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body);
}

/** 25 USD in USDT on Tron with 1 % on top, paid in full. */
export const PAID = told(
  {
    ...inStatus('success'),
    price: aPrice({ asset: 'usdt_tron', dueUnits: 25_250_000n, baseUnits: 25_000_000n }),
    funds: { pendingUnits: 0n, creditedUnits: 25_250_000n, heldUnits: 0n },
    processedAt: secondsAfter(60),
    initialFiatMicros: 25_000_000n,
    externalId: '3f1c0c5e-8d0f-4d6e-9b1a-2f0e7c5a9d10',
    addressTo: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    addressFrom: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7',
    txid: 'aa'.repeat(32),
    title: 'Annual plan',
    payerInfo: { name: 'Ada', email: 'a@b.example' },
  },
  { creditedUnits: 25_000_000n, commissionUnits: 250_000n, receivedMicroUsd: 25_000_000n },
);
