/**
 * Coins that have another ticker than ours at others, since they were renamed. Asset keys and `symbol` keep the old one: merchants'
 * programs know it. Price services are asked for both, and people are shown both.
 */
const RENAMED: Readonly<Record<string, string>> = {
  /** Toncoin, by exchanges since June 2026. */
  TON: 'GRAM',
};

/** What others may call the coin, the newest ticker first. */
export function tickersOf(symbol: string): readonly string[] {
  const renamed = RENAMED[symbol];
  return renamed === undefined ? [symbol] : [renamed, symbol];
}

/** The coin's ticker as people are shown it: `TON (GRAM)`. */
export function shownSymbol(symbol: string): string {
  const renamed = RENAMED[symbol];
  return renamed === undefined ? symbol : `${symbol} (${renamed})`;
}
