/** What the scanner and the sender of Tron share: its nodes, and what those say of its tokens. */
import { type TronOptions, type TronPool, tronPool } from './node-pool.ts';
import { type TokenListing, type TronTokens, tokenBook } from './tokens.ts';

export interface TronConnection {
  readonly pool: TronPool;
  readonly tokens: TronTokens;
}

/** `tokens`: those of both. No connection is opened before the first question. Throws for options that can never work. */
export function connectTron(
  options: TronOptions & { readonly tokens: readonly TokenListing[] },
): TronConnection {
  const pool = tronPool(options);
  return { pool, tokens: tokenBook({ ...options, pool }) };
}
