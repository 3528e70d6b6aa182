/** CoinPayments' current interface: its status names, its currency ids and its signature. */
import { createHmac } from 'node:crypto';
import type { Asset, AssetCatalog } from '../../../domain/catalog/asset.ts';
import type { ChainName } from '../../../domain/catalog/chain-rows.ts';
import type { FiatCurrency } from '../../../domain/catalog/fiat.ts';
import type { InvoiceStatus } from '../../../domain/invoices/invoice.ts';

interface CoinpaymentsV2Status {
  /** The event of a webhook. */
  readonly type: string;
  readonly state: string;
}

const PENDING = { type: 'InvoicePending', state: 'Pending' };
const COMPLETED = { type: 'InvoiceCompleted', state: 'Completed' };
const CANCELLED = { type: 'InvoiceCancelled', state: 'Cancelled' };

/**
 * Its list spells events like `invoicePaid`, its sample like `InvoiceCreated` with the state
 * `Unpaid`: this uses the sample's case.
 */
const STATUSES: Readonly<Record<InvoiceStatus, CoinpaymentsV2Status>> = {
  created: { type: 'InvoiceCreated', state: 'Unpaid' },
  confirming: PENDING,
  partially_paid: PENDING,
  // One transition covers its `InvoicePaid` and `InvoiceCompleted`: the money is in the merchant's
  // balance.
  paid_over: COMPLETED,
  success: COMPLETED,
  failed: CANCELLED,
  high_risk: PENDING,
  expired: { type: 'InvoiceTimedOut', state: 'TimedOut' },
  cancelled: CANCELLED,
  refunded: CANCELLED,
};

export function coinpaymentsV2Status(status: InvoiceStatus): CoinpaymentsV2Status {
  return STATUSES[status];
}

/**
 * The ids of litecoin and polygon come from receivers' code only; those of the other chains are
 * unknown.
 */
const COIN_IDS: Readonly<Partial<Record<ChainName, string>>> = {
  bitcoin: '1',
  litecoin: '2',
  ethereum: '4',
  tron: '9',
  bsc: '35',
  polygon: '54',
  solana: '55',
};
const FIAT_IDS: Partial<Readonly<Record<FiatCurrency, string>>> = { USD: '5057', EUR: '5195' };

interface CoinpaymentsV2Currency {
  /**
   * Its id of the coin or currency; the gateway's asset key or currency code if that is unknown.
   */
  readonly id: string;
  readonly contract: string | null;
}

export function coinpaymentsV2Currency({ key, chain, contract }: Asset): CoinpaymentsV2Currency {
  const id = COIN_IDS[chain];
  if (id === undefined) return { id: key, contract: null };
  return { id, contract: contract?.startsWith('0x') ? contract.toLowerCase() : contract };
}

/** `1`, or `9:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t` for a token. */
export function coinpaymentsV2CurrencyId(asset: Asset): string {
  const { id, contract } = coinpaymentsV2Currency(asset);
  return contract === null ? id : `${id}:${contract}`;
}

/** The listed asset of a currency id, in any case of an EVM contract; null if there is none. */
export function assetOfCoinpaymentsV2(catalog: AssetCatalog, currencyId: string): Asset | null {
  const wanted = currencyId.includes(':0x') ? currencyId.toLowerCase() : currencyId;
  return catalog.all.find((asset) => coinpaymentsV2CurrencyId(asset) === wanted) ?? null;
}

export function coinpaymentsV2FiatId(currency: FiatCurrency): string {
  return FIAT_IDS[currency] ?? currency;
}

export function fiatOfCoinpaymentsV2(currencies: readonly FiatCurrency[], id: string): FiatCurrency | null {
  return currencies.find((currency) => coinpaymentsV2FiatId(currency) === id) ?? null;
}

/** UTC to the second without a zone, as in `X-CoinPayments-Timestamp`. */
export function coinpaymentsV2Timestamp(at: Date): string {
  return at.toISOString().slice(0, 19);
}

const BYTE_ORDER_MARK = '\ufeff';

/**
 * `X-CoinPayments-Signature`: Base64 HMAC-SHA256 over the method, the whole URL, the client id, the
 * timestamp and the body.
 */
export function coinpaymentsV2Sign(
  request: { method: string; url: string; client: string; timestamp: string; body: string },
  secret: string,
): string {
  const { method, url, client, timestamp, body } = request;
  const signed = BYTE_ORDER_MARK + method + url + client + timestamp + body;
  return createHmac('sha256', secret).update(signed).digest('base64');
}
