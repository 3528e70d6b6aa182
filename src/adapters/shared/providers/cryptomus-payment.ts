/**
 * A payment in the format of Cryptomus and Heleket, for webhooks and responses: every amount is a
 * string.
 */

import { FIAT_DECIMALS, minorDecimals } from '../../../domain/catalog/fiat.ts';
import { isFinal, receivedUnits } from '../../../domain/invoices/invoice.ts';
import { formatUnits, mulDiv } from '../../../domain/money/decimal.ts';
import type { ProviderInvoice } from '../../../ports/webhooks/webhook-formats.ts';
import { cryptomusAmount, cryptomusNetworks, cryptomusStatus, withPlaces } from './cryptomus.ts';
import { heleketNetworks, heleketStatus } from './heleket.ts';
import { requestedFiat, shopOrderId } from './invoice-fields.ts';
import type { NetworkNames } from './networks.ts';

const RATE_PLACES = 8;

export function cryptomusPayment(facts: ProviderInvoice): Record<string, unknown> {
  return payment(facts, {
    status: cryptomusStatus(facts.invoice.status),
    networkOf: cryptomusNetworks.nameOf,
  });
}

export function heleketPayment(facts: ProviderInvoice): Record<string, unknown> {
  return payment(facts, { status: heleketStatus(facts.invoice), networkOf: heleketNetworks.nameOf });
}

function payment(
  facts: ProviderInvoice,
  words: { status: string; networkOf: NetworkNames['nameOf'] },
): Record<string, unknown> {
  const { invoice, asset, receivedMicroUsd } = facts;
  const coins = (units: bigint) => cryptomusAmount(units, asset?.decimals ?? 0);
  const isOfWallet = invoice.permanentAddressId !== null;
  return {
    type: isOfWallet ? 'wallet' : 'payment',
    uuid: invoice.externalId,
    order_id: shopOrderId(invoice),
    amount: withPlaces(requestedFiat(invoice), minorDecimals(invoice.fiatCurrency)),
    payment_amount: coins(receivedUnits(invoice.funds)),
    payment_amount_usd:
      receivedMicroUsd === null ? null : withPlaces(formatUnits(receivedMicroUsd, FIAT_DECIMALS), 2),
    merchant_amount: coins(facts.creditedUnits),
    commission: coins(facts.commissionUnits),
    is_final: isFinal(invoice),
    status: words.status,
    from: invoice.addressFrom,
    wallet_address_uuid: invoice.permanentAddressId,
    network: asset === null ? null : words.networkOf(asset.chain),
    currency: invoice.fiatCurrency,
    payer_currency: asset?.symbol ?? null,
    payer_amount: invoice.price === null ? null : coins(invoice.price.dueUnits),
    payer_amount_exchange_rate: exchangeRate(facts),
    additional_data: invoice.description,
    transfer_id: null,
    ...(invoice.txid === null ? {} : { txid: invoice.txid }),
  };
}

/**
 * The price of a coin in the invoice's currency when the asset was chosen, rounded down to eight
 * decimals.
 */
function exchangeRate({ invoice, asset }: ProviderInvoice): string | null {
  const units = invoice.price?.originalUnits ?? invoice.price?.baseUnits ?? 0n;
  if (asset === null || units === 0n) return null;
  const scale = 10n ** BigInt(asset.decimals + RATE_PLACES - FIAT_DECIMALS);
  const rate = mulDiv(invoice.initialFiatMicros, scale, units, 'floor');
  return withPlaces(formatUnits(rate, RATE_PLACES), RATE_PLACES);
}
