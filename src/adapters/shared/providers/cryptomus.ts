/**
 * Cryptomus: its names of statuses and chains, its amounts and its signature. Heleket differs only
 * in some names.
 */
import { createHash } from 'node:crypto';
import type { InvoiceStatus } from '../../../domain/invoices/invoice.ts';
import { formatUnits } from '../../../domain/money/decimal.ts';
import { networkNames } from './networks.ts';

/** `wrong_amount` also covers an invoice that still takes payments: its `is_final` is false. */
const STATUSES: Readonly<Record<InvoiceStatus, string>> = {
  created: 'check',
  confirming: 'confirm_check',
  partially_paid: 'wrong_amount',
  paid_over: 'paid_over',
  success: 'paid',
  failed: 'fail',
  high_risk: 'locked',
  expired: 'cancel',
  // Money arrived: `cancel` would mean that the customer only left.
  cancelled: 'wrong_amount',
  refunded: 'refund_paid',
};

export function cryptomusStatus(status: InvoiceStatus): string {
  return STATUSES[status];
}

/**
 * In webhooks; its services return the same names in capitals. Those of base, optimism and xrp are
 * guesses.
 */
export const cryptomusNetworks = networkNames({
  bitcoin: 'btc',
  litecoin: 'ltc',
  bitcoincash: 'bch',
  ethereum: 'eth',
  solana: 'sol',
  monero: 'xmr',
});

const COIN_PLACES = 8;

/** An amount of a coin: a string with all its decimals, at least eight. */
export function cryptomusAmount(units: bigint, decimals: number): string {
  return withPlaces(formatUnits(units, decimals), COIN_PLACES);
}

/** An amount of money: a string with all its decimals, at least those of its minor unit. */
export function withPlaces(text: string, places: number): string {
  const [whole = '', fraction = ''] = text.split('.');
  return places === 0 && fraction === '' ? whole : `${whole}.${fraction.padEnd(places, '0')}`;
}

/**
 * `sign`: hex MD5 of the JSON's Base64 followed by the key. A body is signed in PHP's encoding
 * (php-json.ts).
 */
export function cryptomusSign(json: string, apiKey: string): string {
  return cryptomusSigner(json)(apiKey);
}

/** The same for several keys: it hashes the body, which may be large, once. */
export function cryptomusSigner(json: string): (apiKey: string) => string {
  const body = createHash('md5').update(Buffer.from(json).toString('base64'));
  return (apiKey) => body.copy().update(apiKey).digest('hex');
}
