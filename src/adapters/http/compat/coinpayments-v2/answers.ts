/** The responses of CoinPayments' current API. */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { FIAT_CURRENCIES, type FiatCurrency, minorDecimals } from '../../../../domain/catalog/fiat.ts';
import { receivedUnits } from '../../../../domain/invoices/invoice.ts';
import type { Invoice } from '../../../../domain/invoices/invoice-record.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';
import { priceE18, RATE_DECIMALS, type Rates } from '../../../../domain/rates/rate.ts';
import {
  coinpaymentsV2CurrencyId,
  coinpaymentsV2FiatId,
  coinpaymentsV2Status,
} from '../../../shared/providers/coinpayments-v2.ts';
import { coinpaymentsV2Invoice } from '../../../shared/providers/coinpayments-v2-invoice.ts';
import { paidAddress } from '../../../shared/providers/invoice-fields.ts';
import type { ApiContext } from '../../kit/call.ts';
import type { CompatRefusal } from '../surface.ts';

export function refused({ status, code, message, faults }: CompatRefusal) {
  return {
    status,
    body: { error: message, code, status, ...(faults.length === 0 ? {} : { errors: faults }) },
  };
}

/** A created invoice, with its checkout and the currencies to pay in. */
export function createdInvoice(invoice: Invoice, context: ApiContext) {
  const { application } = context;
  const link = linkOf(invoice, context);
  const currencies = application.choosableAssets(invoice).map((asset) => {
    const price = application.priceOf(invoice, asset);
    return { currency: currency(asset), amount: price.ok ? amount(price.value.dueUnits, asset) : null };
  });
  return {
    id: invoice.externalId,
    link,
    checkoutLink: link,
    payment: {
      paymentId: invoice.id,
      expires: invoice.expiresAt.toISOString(),
      paymentCurrencies: currencies,
    },
    ...(invoice.price === null ? {} : { hotWallet: paymentOf(invoice, context) }),
  };
}

export function invoiceAnswer(invoice: Invoice, context: ApiContext) {
  const fields = coinpaymentsV2Invoice(context.application.providerInvoice(invoice));
  return { ...fields, status: fields.state, link: linkOf(invoice, context) };
}

/** What the customer has to pay, and the address. */
export function paymentOf(invoice: Invoice, { application }: ApiContext) {
  const facts = application.providerInvoice(invoice);
  if (facts.asset === null) throw new Error('a payment without a currency');
  const due = invoice.price?.dueUnits ?? 0n;
  const tag = facts.addressParts?.tag ?? null;
  return {
    currency: currency(facts.asset),
    amount: amount(due, facts.asset),
    addresses: { address: paidAddress(facts), ...(tag === null ? {} : { tag: String(tag) }) },
    expires: invoice.expiresAt.toISOString(),
  };
}

export function paymentStatus(invoice: Invoice, context: ApiContext) {
  const payment = paymentOf(invoice, context);
  const asset = context.application.catalog.require(invoice.price?.asset ?? '');
  return {
    ...payment,
    created: invoice.createdAt.toISOString(),
    status: coinpaymentsV2Status(invoice.status).state,
    received: amount(receivedUnits(invoice.funds), asset),
    transactionId: invoice.txid,
  };
}

function linkOf({ externalId }: Invoice, { checkoutUrl }: ApiContext): string {
  return `${checkoutUrl}/checkout/${externalId}`;
}

function amount(units: bigint, asset: Asset) {
  return {
    currencyId: coinpaymentsV2CurrencyId(asset),
    displayValue: formatUnits(units, asset.decimals),
    value: String(units),
  };
}

export function currency(asset: Asset) {
  return {
    id: coinpaymentsV2CurrencyId(asset),
    type: asset.type === 'native' ? 'crypto' : 'token',
    symbol: asset.symbol,
    name: asset.name ?? asset.symbol,
    decimalPlaces: asset.decimals,
    status: 'active',
  };
}

export function fiatCurrency(code: FiatCurrency) {
  return {
    ...{ id: coinpaymentsV2FiatId(code), type: 'fiat', symbol: code, name: code },
    ...{ decimalPlaces: minorDecimals(code), status: 'active' },
  };
}

/** The price of one coin in each requested fiat currency. */
export function rates(known: Rates, assets: readonly Asset[], wanted: (id: string) => boolean) {
  return assets.flatMap((asset) =>
    FIAT_CURRENCIES.flatMap((code) => {
      const quoteCurrencyId = coinpaymentsV2FiatId(code);
      const price = wanted(quoteCurrencyId) ? priceE18(known, asset, code) : null;
      if (price === null) return [];
      const baseCurrencyId = coinpaymentsV2CurrencyId(asset);
      return [{ baseCurrencyId, quoteCurrencyId, rate: formatUnits(price, RATE_DECIMALS) }];
    }),
  );
}
