/**
 * The coins with a price, one row each. A coin is the same on every chain: USDT on Tron and on
 * Ethereum have one price. A new row does not compile until each price source has its own name of
 * the coin (adapters/rates).
 */

export interface CoinFacts {
  /** The name that wallets and exchanges use, in every language. */
  readonly name: string;
  /** US dollars per coin in the sandbox: a round figure, deliberately not today's. */
  readonly sandboxUsd: string;
  /**
   * Its new ticker, if it was renamed. Asset keys and `symbol` keep the old one, which merchants'
   * programs know. Price services are asked for both, and people see both.
   */
  readonly newTicker: string | null;
}

export const COINS = {
  BTC: { name: 'Bitcoin', sandboxUsd: '100000', newTicker: null },
  LTC: { name: 'Litecoin', sandboxUsd: '100', newTicker: null },
  BCH: { name: 'Bitcoin Cash', sandboxUsd: '500', newTicker: null },
  ETH: { name: 'Ether', sandboxUsd: '4000', newTicker: null },
  USDT: { name: 'Tether', sandboxUsd: '1', newTicker: null },
  USDC: { name: 'USD Coin', sandboxUsd: '1', newTicker: null },
  EURC: { name: 'Euro Coin', sandboxUsd: '1.1', newTicker: null },
  DAI: { name: 'Dai', sandboxUsd: '1', newTicker: null },
  PYUSD: { name: 'PayPal USD', sandboxUsd: '1', newTicker: null },
  BNB: { name: 'BNB', sandboxUsd: '800', newTicker: null },
  POL: { name: 'Polygon', sandboxUsd: '0.5', newTicker: null },
  AVAX: { name: 'Avalanche', sandboxUsd: '25', newTicker: null },
  TRX: { name: 'Tron', sandboxUsd: '0.25', newTicker: null },
  SOL: { name: 'Solana', sandboxUsd: '200', newTicker: null },
  XRP: { name: 'XRP', sandboxUsd: '2', newTicker: null },
  /** Toncoin is GRAM to exchanges since June 2026. */
  TON: { name: 'Toncoin', sandboxUsd: '2.5', newTicker: 'GRAM' },
  XMR: { name: 'Monero', sandboxUsd: '300', newTicker: null },
} as const satisfies Readonly<Record<string, CoinFacts>>;

export type CoinSymbol = keyof typeof COINS;

/** Null for an operator's own token, and for an unlisted one. */
export function coinFacts(symbol: string): CoinFacts | null {
  return isCoinSymbol(symbol) ? COINS[symbol] : null;
}

export function isCoinSymbol(symbol: string): symbol is CoinSymbol {
  return Object.hasOwn(COINS, symbol);
}

/** The coin's tickers, newest first. */
export function tickersOf(symbol: string): readonly string[] {
  const renamed = coinFacts(symbol)?.newTicker ?? null;
  return renamed === null ? [symbol] : [renamed, symbol];
}

/** The ticker for people: `TON (GRAM)`. */
export function shownSymbol(symbol: string): string {
  const renamed = coinFacts(symbol)?.newTicker ?? null;
  return renamed === null ? symbol : `${symbol} (${renamed})`;
}
