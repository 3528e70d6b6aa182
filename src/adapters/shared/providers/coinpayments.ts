/**
 * CoinPayments' old interface (IPN and api.php): its status numbers, its coin names, its form and
 * its signature.
 */
import { createHmac } from 'node:crypto';
import type { InvoiceStatus } from '../../../domain/invoices/invoice.ts';
import { currencyCodes } from './currency-codes.ts';

interface CoinpaymentsStatus {
  /** Below 0: ended without money. 0 to 99: pending. 100: complete. */
  readonly status: number;
  readonly text: string;
}

const STATUSES: Readonly<Record<InvoiceStatus, CoinpaymentsStatus>> = {
  created: { status: 0, text: 'Waiting for funds' },
  confirming: { status: 0, text: 'Funds received, waiting for confirmations' },
  partially_paid: { status: 0, text: 'Partially paid, waiting for the rest' },
  paid_over: { status: 100, text: 'Complete (overpaid)' },
  success: { status: 100, text: 'Complete' },
  failed: { status: -1, text: 'Failed' },
  high_risk: { status: 0, text: 'Held for review' },
  expired: { status: -1, text: 'Timed out' },
  cancelled: { status: -1, text: 'Timed out, partially paid' },
  refunded: { status: -2, text: 'Refunded' },
};

export function coinpaymentsStatus(status: InvoiceStatus): CoinpaymentsStatus {
  return STATUSES[status];
}

/**
 * From its public examples and receivers. Guesses: all of arbitrum, base, optimism, avalanche and
 * ton, and DAI, EURC and PYUSD except DAI on Ethereum. Its `BNB` is the coin of another chain, so
 * it is not accepted.
 */
export const coinpaymentsCodes = currencyCodes({
  letters: 'upper',
  coins: {
    bitcoin: 'BTC',
    litecoin: 'LTC',
    bitcoincash: 'BCH',
    ethereum: 'ETH',
    bsc: 'BNB.BSC',
    polygon: 'MATIC.POLY',
    arbitrum: 'ETH.ARB',
    base: 'ETH.BASE',
    optimism: 'ETH.OP',
    avalanche: 'AVAX',
    tron: 'TRX',
    solana: 'SOL',
    xrp: 'XRP',
    ton: 'TON',
    monero: 'XMR',
  },
  tokens: {
    ethereum: '',
    bsc: '.BEP20',
    polygon: '.PRC20',
    arbitrum: '.ARB',
    base: '.BASE',
    optimism: '.OP',
    avalanche: '.AVAX',
    tron: '.TRC20',
    solana: '.SOL',
    ton: '.TON',
  },
  others: { usdt_ethereum: 'USDT.ERC20' },
  alsoUnderstood: {
    'USDC.ERC20': 'usdc_ethereum',
    'DAI.ERC20': 'dai_ethereum',
    'EURC.ERC20': 'eurc_ethereum',
    'PYUSD.ERC20': 'pyusd_ethereum',
    POL: 'pol_polygon',
    'POL.POLY': 'pol_polygon',
    'BNB.BEP20': 'bnb_bsc',
  },
});

/**
 * A form in PHP's urlencode: a space as `+`, everything except letters, digits and `-_.` in
 * percent.
 */
export function phpForm(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString().replaceAll('*', '%2A');
}

/** `HMAC`: hex HMAC-SHA512 of the raw body. */
export function coinpaymentsSign(body: string, apiKey: string): string {
  return createHmac('sha512', apiKey).update(body).digest('hex');
}
