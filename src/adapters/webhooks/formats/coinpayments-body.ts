/** The form of CoinPayments' old notifications (IPN). */
import { chainNamed } from '../../../domain/catalog/chain.ts';
import { FIAT_DECIMALS } from '../../../domain/catalog/fiat.ts';
import { receivedUnits } from '../../../domain/invoices/invoice.ts';
import { paidFiatMicros } from '../../../domain/invoices/itemised-price.ts';
import { formatUnits, mulDiv } from '../../../domain/money/decimal.ts';
import type { ProviderInvoice } from '../../../ports/webhooks/webhook-formats.ts';
import { coinpaymentsCodes, coinpaymentsStatus, phpForm } from '../../shared/providers/coinpayments.ts';
import {
  customText,
  paidAddress,
  payerText,
  requestedFiat,
  shopOrderId,
} from '../../shared/providers/invoice-fields.ts';

/** Its integer amounts are hundred-millionths of a coin, for any coin. */
const INTEGER_PLACES = 8;

export function coinpaymentsBody(facts: ProviderInvoice): string {
  const { invoice, deliveryId } = facts;
  const { status, text } = coinpaymentsStatus(invoice.status);
  return phpForm({
    ipn_version: '1.0',
    ipn_type: typeOf(facts),
    ipn_mode: 'hmac',
    ipn_id: deliveryId,
    merchant: invoice.merchantId,
    status: String(status),
    status_text: text,
    ...(isOfAddress(facts) ? depositFields(facts) : paymentFields(facts)),
  });
}

/**
 * Shop plugins accept only `simple` and `button`, which mean a payment on the provider's own page.
 */
function typeOf(facts: ProviderInvoice): string {
  if (isOfAddress(facts)) return 'deposit';
  return facts.invoice.customerChooses ? 'simple' : 'api';
}

const isOfAddress = ({ invoice }: ProviderInvoice): boolean => invoice.permanentAddressId !== null;

function paymentFields(facts: ProviderInvoice): Record<string, string> {
  const { invoice, asset } = facts;
  const coins = coinsOf(facts);
  return {
    txn_id: invoice.id,
    currency1: invoice.fiatCurrency,
    currency2: asset === null ? '' : coinpaymentsCodes.codeOf(asset),
    amount1: requestedFiat(invoice),
    amount2: invoice.price === null ? '' : coins(invoice.price.dueUnits),
    fee: coins(facts.commissionUnits),
    buyer_name: payerText(invoice, 'name') ?? '',
    email: payerText(invoice, 'email') ?? '',
    item_name: invoice.title ?? '',
    item_number: '',
    invoice: shopOrderId(invoice),
    custom: customText(invoice) ?? invoice.description ?? shopOrderId(invoice),
    received_amount: coins(receivedUnits(invoice.funds)),
    received_confirms: confirmations(facts),
  };
}

function depositFields(facts: ProviderInvoice): Record<string, string> {
  const { invoice, asset, addressParts, commissionUnits } = facts;
  const received = receivedUnits(invoice.funds);
  const { fiatCurrency: currency, initialFiatMicros: initialMicros } = invoice;
  const coins = coinsOf(facts);
  const whole = (units: bigint) => String(rescaled(units, asset?.decimals ?? 0));
  const paid = paidFiatMicros(invoice, { currency, initialMicros });
  return {
    deposit_id: invoice.id,
    txn_id: invoice.txid ?? '',
    address: paidAddress(facts) ?? '',
    ...(addressParts === null || addressParts.tag === null ? {} : { dest_tag: String(addressParts.tag) }),
    label: shopOrderId(invoice),
    currency: asset === null ? '' : coinpaymentsCodes.codeOf(asset),
    confirms: confirmations(facts),
    amount: coins(received),
    amounti: whole(received),
    fee: coins(commissionUnits),
    feei: whole(commissionUnits),
    fiat_coin: currency,
    fiat_amount: formatUnits(paid, FIAT_DECIMALS),
    fiat_amounti: String(rescaled(paid, FIAT_DECIMALS)),
  };
}

function coinsOf({ asset }: ProviderInvoice): (units: bigint) => string {
  return (units) => formatUnits(units, asset?.decimals ?? 0);
}

function rescaled(units: bigint, decimals: number): bigint {
  return mulDiv(units, 10n ** BigInt(INTEGER_PLACES), 10n ** BigInt(decimals), 'floor');
}

/**
 * The gateway counts none: a payment is either seen, or final after its chain's number of
 * confirmations.
 */
function confirmations({ invoice, asset }: ProviderInvoice): string {
  const isSeenOnly = invoice.funds.creditedUnits + invoice.funds.heldUnits === 0n;
  return String(asset === null || isSeenOnly ? 0 : chainNamed(asset.chain).confirmations);
}
