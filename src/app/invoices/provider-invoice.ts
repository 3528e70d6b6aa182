/**
 * The invoice with the further facts of a webhook in a provider's format
 * (ports/webhooks/webhook-formats.ts).
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import { receivedUnits } from '../../domain/invoices/invoice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { paidFiatMicros } from '../../domain/invoices/itemised-price.ts';
import { creditedOf } from '../../domain/money/fee.ts';
import { fiatForUnits } from '../../domain/rates/rate.ts';
import type { ProviderInvoice } from '../../ports/webhooks/webhook-formats.ts';
import type { AppDependencies } from '../dependencies.ts';
import { usdPrice } from '../rates/usd-price.ts';
import { addressParts } from './addresses/address-parts.ts';
import { creditTerms } from './credit-terms.ts';

type Needs = Pick<AppDependencies, 'clock' | 'ids' | 'catalog' | 'rateBook' | 'sandboxDerivers'>;

export function providerInvoice(deps: Needs, invoice: Invoice, deliveryId: string): ProviderInvoice {
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
