/** The responses of CoinPayments' old API. `error` is "ok" on success. */
import { chainNamed } from '../../../../domain/catalog/chain.ts';
import { FIAT_CURRENCIES, FIAT_DECIMALS } from '../../../../domain/catalog/fiat.ts';
import { receivedUnits } from '../../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../../domain/invoices/invoice-record.ts';
import type { Merchant } from '../../../../domain/merchants/merchant.ts';
import { formatUnits, mulDiv } from '../../../../domain/money/decimal.ts';
import { exactNumber } from '../../../../domain/money/exact-number.ts';
import type { PayoutStatus } from '../../../../domain/payouts/payout.ts';
import type { Payout } from '../../../../domain/payouts/payout-record.ts';
import { priceE18, RATE_DECIMALS, RATE_SCALE, type Rates } from '../../../../domain/rates/rate.ts';
import type { ProviderInvoice } from '../../../../ports/webhooks/webhook-formats.ts';
import { coinpaymentsCodes, coinpaymentsStatus } from '../../../shared/providers/coinpayments.ts';
import { withPlaces } from '../../../shared/providers/cryptomus.ts';
import { customText, paidAddress } from '../../../shared/providers/invoice-fields.ts';
import type { ApiContext } from '../../kit/call.ts';
import type { CompatRefusal } from '../surface.ts';

/** Its integer amounts are hundred-millionths of every coin. */
const PLACES = 8;
const RATE_PLACES = 24;

export const result = (value: unknown) => ({ error: 'ok', result: value });

export function refused({ status, code, message }: CompatRefusal) {
  return { status, body: { error: message, code, result: [] } };
}

const amount = (units: bigint, decimals: number) => withPlaces(formatUnits(units, decimals), PLACES);
const whole = (units: bigint, decimals: number) =>
  exactNumber(mulDiv(units, 10n ** BigInt(PLACES), 10n ** BigInt(decimals), 'floor'), 0);
const seconds = (at: Date) => Math.floor(at.getTime() / 1000);

export function transactionResult(invoice: Invoice, { application, checkoutUrl }: ApiContext) {
  const facts = application.providerInvoice(invoice);
  const decimals = facts.asset?.decimals ?? 0;
  const url = `${checkoutUrl}/checkout/${invoice.externalId}`;
  return {
    amount: amount(invoice.price?.dueUnits ?? 0n, decimals),
    txn_id: invoice.id,
    address: paidAddress(facts),
    ...destinationTag(facts),
    confirms_needed: String(facts.asset === null ? 0 : chainNamed(facts.asset.chain).confirmations),
    timeout: seconds(invoice.expiresAt) - seconds(invoice.createdAt),
    checkout_url: url,
    status_url: url,
    qrcode_url: url,
  };
}

export function transactionInfo(invoice: Invoice, { application }: ApiContext) {
  const facts = application.providerInvoice(invoice);
  const decimals = facts.asset?.decimals ?? 0;
  const due = invoice.price?.dueUnits ?? 0n;
  const received = receivedUnits(invoice.funds);
  const { status, text } = coinpaymentsStatus(invoice.status);
  return {
    time_created: seconds(invoice.createdAt),
    time_expires: seconds(invoice.expiresAt),
    ...(invoice.processedAt === null ? {} : { time_completed: seconds(invoice.processedAt) }),
    status,
    status_text: text,
    type: 'coins',
    coin: facts.asset === null ? null : coinpaymentsCodes.codeOf(facts.asset),
    amount: whole(due, decimals),
    amountf: amount(due, decimals),
    received: whole(received, decimals),
    receivedf: amount(received, decimals),
    recv_confirms:
      facts.asset === null || invoice.funds.creditedUnits === 0n
        ? 0
        : chainNamed(facts.asset.chain).confirmations,
    payment_address: paidAddress(facts),
    ...destinationTag(facts),
    ...(invoice.txid === null ? {} : { send_tx: invoice.txid }),
    checkout: {
      currency: invoice.fiatCurrency,
      amount: whole(invoice.initialFiatMicros, FIAT_DECIMALS),
      amountf: amount(invoice.initialFiatMicros, FIAT_DECIMALS),
      item_name: invoice.title ?? '',
      invoice: invoice.extra ?? '',
      custom: customText(invoice) ?? '',
    },
  };
}

function destinationTag({ addressParts }: ProviderInvoice): Record<string, string> {
  return addressParts === null || addressParts.tag === null ? {} : { dest_tag: String(addressParts.tag) };
}

/** The status of a withdrawal is below 0 when cancelled, 1 when pending, 2 when sent. */
const WITHDRAWALS: Readonly<Record<PayoutStatus, { status: number; text: string }>> = {
  pending: { status: 1, text: 'Pending' },
  processing: { status: 1, text: 'Sending' },
  success: { status: 2, text: 'Complete' },
  failed: { status: -1, text: 'Failed' },
  cancelled: { status: -1, text: 'Cancelled' },
};

export function withdrawalResult(payout: Payout, { application: { catalog } }: ApiContext) {
  const { decimals } = catalog.require(payout.asset);
  return { id: payout.id, status: 1, amount: amount(payout.amountUnits, decimals) };
}

export function withdrawalInfo(payout: Payout, { application: { catalog } }: ApiContext) {
  const asset = catalog.require(payout.asset);
  const { status, text } = WITHDRAWALS[payout.status];
  return {
    id: payout.id,
    time_created: seconds(payout.createdAt),
    status,
    status_text: text,
    coin: coinpaymentsCodes.codeOf(asset),
    amount: whole(payout.amountUnits, asset.decimals),
    amountf: amount(payout.amountUnits, asset.decimals),
    note: payout.ref ?? '',
    send_address: payout.address,
    send_txid: payout.txid ?? '',
  };
}

/** Prices in bitcoin of every enabled coin and every fiat currency. */
export function ratesResult(rates: Rates, sandbox: boolean, { application }: ApiContext) {
  const bitcoin = application.catalog.require('btc_bitcoin');
  const bitcoinUsd = priceE18(rates, bitcoin, 'USD');
  if (bitcoinUsd === null || bitcoinUsd <= 0n) return null;
  const inBitcoin = (usdE18: bigint) =>
    formatUnits(mulDiv(usdE18, 10n ** BigInt(RATE_PLACES), bitcoinUsd, 'floor'), RATE_PLACES);
  const coins = application.catalog.all.flatMap((asset) => {
    const usd = priceE18(rates, asset, 'USD');
    if (usd === null || !application.isOffered(asset, sandbox)) return [];
    const told = {
      ...{ is_fiat: 0, rate_btc: inBitcoin(usd), tx_fee: '0.00000000', status: 'online', accepted: 1 },
      ...{ name: asset.name ?? asset.symbol, confirms: String(chainNamed(asset.chain).confirmations) },
      ...{ can_convert: 0, capabilities: ['payments', 'wallet'] },
    };
    return [[coinpaymentsCodes.codeOf(asset), told] as const];
  });
  const fiats = FIAT_CURRENCIES.flatMap((currency) => {
    const perUsd = rates.fiatPerUsdE18.get(currency);
    if (perUsd === undefined || perUsd <= 0n) return [];
    const usdE18 = mulDiv(RATE_SCALE, 10n ** BigInt(RATE_DECIMALS), perUsd, 'floor');
    const told = { is_fiat: 1, rate_btc: inBitcoin(usdE18), name: currency, accepted: 0 };
    return [[currency, told] as const];
  });
  return Object.fromEntries([...coins, ...fiats]);
}

/** One balance in USD: there are no balances per coin. */
export function balancesResult(microUsd: bigint) {
  const USD = {
    ...{ balance: whole(microUsd, FIAT_DECIMALS), balancef: amount(microUsd, FIAT_DECIMALS) },
    ...{ status: 'available', coin_status: 'online' },
  };
  return { USD };
}

export function basicInfo({ id, name, kyc, createdAt }: Merchant) {
  return {
    ...{ username: name, merchant_id: id, email: '', public_name: name },
    ...{ time_joined: seconds(createdAt), kyc_status: kyc === 'approved' },
  };
}
