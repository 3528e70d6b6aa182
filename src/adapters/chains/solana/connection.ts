/** What the scanner and the sender of Solana share: its nodes and its token book. */
import { type SolanaNodes, type SolanaPool, solanaPool } from './rpc-pool.ts';
import { type SolanaTokens, type TokenListing, tokenBook } from './tokens.ts';

export interface SolanaConnection {
  readonly pool: SolanaPool;
  readonly tokens: SolanaTokens;
}

/**
 * `tokens`: those of scanner and sender. Connects lazily. Throws for options that can never work.
 */
export function connectSolana(
  options: SolanaNodes & { readonly tokens: readonly TokenListing[] },
): SolanaConnection {
  const pool = solanaPool(options);
  return { pool, tokens: tokenBook({ ...options, pool }) };
}
