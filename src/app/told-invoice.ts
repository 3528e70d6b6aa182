/** What a webhook in a provider's shape says beside the invoice's own fields (ports/webhook-formats.ts). */
import type { Asset } from '../domain/asset.ts';
import { creditedOf } from '../domain/fee.ts';
import { paidFiatMicros, receivedUnits } from '../domain/invoice.ts';
import type { Invoice } from '../domain/invoice-record.ts';
import { fiatForUnits } from '../domain/rate.ts';
import type { ToldInvoice } from '../ports/webhook-formats.ts';
import { addressParts } from './address-parts.ts';
import { creditTerms } from './credit-terms.ts';
import type { AppDependencies } from './dependencies.ts';
import { usdPrice } from './usd-price.ts';

type Needs = Pick<AppDependencies, 'clock' | 'ids' | 'catalog' | 'rateBook' | 'sandboxDerivers'>;

export function toldInvoice(deps: Needs, invoice: Invoice, deliveryId: string): ToldInvoice {
  const { price, funds, addressTo } = invoice;
  const asset = price === null ? null : deps.catalog.require(price.asset);
  const creditedUnits = price === null ? 0n : creditedOf(funds.creditedUnits, creditTerms(invoice, price));
  return {
    invoice,
    asset,
    addressParts: asset === null || addressTo === null ? null : addressParts(deps)(asset.family, addressTo),
    creditedUnits,
    commissionUnits: funds.creditedUnits - creditedUnits,
    receivedMicroUsd: asset === null ? 0n : receivedMicroUsd(deps, invoice, asset),
    deliveryId,
    at: deps.clock.now(),
  };
}

function receivedMicroUsd(deps: Needs, invoice: Invoice, asset: Asset): bigint | null {
  const { fiatCurrency: currency, initialFiatMicros: initialMicros } = invoice;
  if (currency === 'USD') return paidFiatMicros(invoice, { currency, initialMicros });
  const usd = usdPrice(deps, asset, invoice.sandbox);
  return usd && fiatForUnits(receivedUnits(invoice.funds), usd, asset, 'floor');
}
