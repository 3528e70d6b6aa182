/** CoinPayments, the present interface: its words for our statuses, its numbers for currencies and its signature. */
import { createHmac } from 'node:crypto';
import type { Asset, AssetCatalog } from '../../../domain/catalog/asset.ts';
import type { ChainName } from '../../../domain/catalog/chain-rows.ts';
import type { FiatCurrency } from '../../../domain/catalog/fiat.ts';
import type { InvoiceStatus } from '../../../domain/invoices/invoice.ts';

interface CoinpaymentsV2Status {
  /** The event that a webhook is about. */
  readonly type: string;
  readonly state: string;
}

const PENDING = { type: 'InvoicePending', state: 'Pending' };
const COMPLETED = { type: 'InvoiceCompleted', state: 'Completed' };
const CANCELLED = { type: 'InvoiceCancelled', state: 'Cancelled' };

/** Its list writes events as `invoicePaid`, its sample as `InvoiceCreated` with the state `Unpaid`: the sample's case is taken. */
const STATUSES: Readonly<Record<InvoiceStatus, CoinpaymentsV2Status>> = {
  created: { type: 'InvoiceCreated', state: 'Unpaid' },
  confirming: PENDING,
  partially_paid: PENDING,
  // One transition of ours stands for its `InvoicePaid` and `InvoiceCompleted`: the money is in the merchant's balance.
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

/** Those of litecoin and polygon stand only in receivers' code; those of the other chains are not known. */
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
  /** Its number of the coin or of the currency; our asset key or currency code where it is not known. */
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

/** The listed asset of a currency id, whatever the case of an EVM contract; null when there is none. */
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

/** UTC to the second without a zone, as `X-CoinPayments-Timestamp` has it. */
export function coinpaymentsV2Timestamp(at: Date): string {
  return at.toISOString().slice(0, 19);
}

const BYTE_ORDER_MARK = '\ufeff';

/** `X-CoinPayments-Signature`: Base64 HMAC-SHA256 over the method, the whole URL, the client id, the timestamp and the body. */
export function coinpaymentsV2Sign(
  request: { method: string; url: string; client: string; timestamp: string; body: string },
  secret: string,
): string {
  const { method, url, client, timestamp, body } = request;
  const signed = BYTE_ORDER_MARK + method + url + client + timestamp + body;
  return createHmac('sha256', secret).update(signed).digest('base64');
}
