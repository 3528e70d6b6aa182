/** Cryptomus: its words for our statuses and chains, its amounts and its signature. Heleket speaks the same but for some words. */
import { createHash } from 'node:crypto';
import type { InvoiceStatus } from '../../../domain/invoices/invoice.ts';
import { formatUnits } from '../../../domain/money/decimal.ts';
import { networkNames } from './networks.ts';

/** `wrong_amount` is also said of an invoice that still takes top-ups: its `is_final` is false. */
const STATUSES: Readonly<Record<InvoiceStatus, string>> = {
  created: 'check',
  confirming: 'confirm_check',
  partially_paid: 'wrong_amount',
  paid_over: 'paid_over',
  success: 'paid',
  failed: 'fail',
  high_risk: 'locked',
  expired: 'cancel',
  // Money came: `cancel` would say that the client only went away.
  cancelled: 'wrong_amount',
  refunded: 'refund_paid',
};

export function cryptomusStatus(status: InvoiceStatus): string {
  return STATUSES[status];
}

/** In webhooks; its services answer the same names in capitals. Those of base, optimism and xrp are guesses. */
export const cryptomusNetworks = networkNames({
  bitcoin: 'btc',
  litecoin: 'ltc',
  bitcoincash: 'bch',
  ethereum: 'eth',
  solana: 'sol',
  monero: 'xmr',
});

const COIN_PLACES = 8;

/** An amount of a coin: a string with at least eight decimals, and all that it has. */
export function cryptomusAmount(units: bigint, decimals: number): string {
  return withPlaces(formatUnits(units, decimals), COIN_PLACES);
}

/** An amount of money: a string with the decimals of its minor unit, and all that it has. */
export function withPlaces(text: string, places: number): string {
  const [whole = '', fraction = ''] = text.split('.');
  return places === 0 && fraction === '' ? whole : `${whole}.${fraction.padEnd(places, '0')}`;
}

/** `sign`: hex MD5 of the Base64 of the JSON with the key behind it. A body is signed as PHP writes it (php-json.ts). */
export function cryptomusSign(json: string, apiKey: string): string {
  return cryptomusSigner(json)(apiKey);
}

/** The same for several keys: the body, which may be large, is hashed once. */
export function cryptomusSigner(json: string): (apiKey: string) => string {
  const body = createHash('md5').update(Buffer.from(json).toString('base64'));
  return (apiKey) => body.copy().update(apiKey).digest('hex');
}
