/** What the scanner and the sender of Tron share: its nodes and its token book. */
import { type TronOptions, type TronPool, tronPool } from './node-pool.ts';
import { type TokenListing, type TronTokens, tokenBook } from './tokens.ts';

export interface TronConnection {
  readonly pool: TronPool;
  readonly tokens: TronTokens;
}

/**
 * `tokens`: those of scanner and sender. Connects lazily. Throws for options that can never work.
 */
export function connectTron(
  options: TronOptions & { readonly tokens: readonly TokenListing[] },
): TronConnection {
  const pool = tronPool(options);
  return { pool, tokens: tokenBook({ ...options, pool }) };
}
