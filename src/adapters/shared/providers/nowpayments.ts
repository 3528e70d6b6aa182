/** NOWPayments: its names of statuses and coins, its numbers and its signature. */
import { createHmac } from 'node:crypto';
import type { InvoiceStatus } from '../../../domain/invoices/invoice.ts';
import { formatUnits } from '../../../domain/money/decimal.ts';
import { type ExactNumber, exactNumber } from '../../../domain/money/exact-number.ts';
import { currencyCodes } from './currency-codes.ts';
import { isPlainNumberToPhp } from './php-json.ts';

const STATUSES: Readonly<Record<InvoiceStatus, string>> = {
  created: 'waiting',
  confirming: 'confirming',
  partially_paid: 'partially_paid',
  // It differs from `success` by actually_paid, which is then above pay_amount.
  paid_over: 'finished',
  success: 'finished',
  failed: 'failed',
  // It has no status for held money: `finished` would deliver the goods, and `failed` close the
  // order.
  high_risk: 'confirming',
  expired: 'expired',
  // Money arrived, which `expired` would hide.
  cancelled: 'partially_paid',
  refunded: 'refunded',
};

export function nowpaymentsStatus(status: InvoiceStatus): string {
  return STATUSES[status];
}

/**
 * From a public copy of its list of currencies. Guesses: ethop, names ending in avaxc except avaxc
 * itself, and those not on that list (DAI and EURC, except on Ethereum and Arbitrum). Its `matic`
 * is the token on Ethereum, so it is not accepted.
 */
export const nowpaymentsCodes = currencyCodes({
  letters: 'lower',
  coins: {
    bitcoin: 'btc',
    litecoin: 'ltc',
    bitcoincash: 'bch',
    ethereum: 'eth',
    bsc: 'bnbbsc',
    polygon: 'maticmainnet',
    arbitrum: 'etharb',
    base: 'ethbase',
    optimism: 'ethop',
    avalanche: 'avaxc',
    tron: 'trx',
    solana: 'sol',
    xrp: 'xrp',
    ton: 'ton',
    monero: 'xmr',
  },
  tokens: {
    ethereum: '',
    bsc: 'bsc',
    polygon: 'matic',
    arbitrum: 'arb',
    base: 'base',
    optimism: 'op',
    avalanche: 'avaxc',
    tron: 'trc20',
    solana: 'sol',
    ton: 'ton',
  },
  others: { usdt_ethereum: 'usdterc20' },
  alsoUnderstood: {
    usdcerc20: 'usdc_ethereum',
    daierc20: 'dai_ethereum',
    eurcerc20: 'eurc_ethereum',
    pyusderc20: 'pyusd_ethereum',
    pol: 'pol_polygon',
    polmatic: 'pol_polygon',
    avax: 'avax_avalanche',
    usdcspl: 'usdc_solana',
  },
});

/**
 * An amount as a JSON number; as a string if PHP's json_encode would print the number differently
 * (below 0.0001, or more digits than a float holds), because its receivers check the signature over
 * their own encoding.
 */
export function nowpaymentsNumber(units: bigint, decimals: number): ExactNumber | string {
  const text = formatUnits(units, decimals);
  return isPlainNumberToPhp(text) ? exactNumber(units, decimals) : text;
}

/** JSON with the keys of every object sorted. */
export function sortedJson(value: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const inOrder = Object.keys(value).sort();
  return Object.fromEntries(
    inOrder.map((key) => [key, isNested(value[key]) ? sorted(value[key]) : value[key]]),
  );
}

function isNested(value: unknown): value is Record<string, unknown> {
  const prototype = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : null;
  return prototype === Object.prototype;
}

/** `x-nowpayments-sig`: hex HMAC-SHA512 of the JSON with sorted keys. */
export function nowpaymentsSign(json: string, apiKey: string): string {
  return createHmac('sha512', apiKey).update(json).digest('hex');
}
