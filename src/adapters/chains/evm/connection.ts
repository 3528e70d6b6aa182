/** What the scanner and the sender of an EVM chain share: its nodes and its token book. */
import { type RpcOptions, type RpcPool, rpcPool } from './rpc-pool.ts';
import { type EvmTokens, type TokenListing, tokenBook } from './tokens.ts';

export interface EvmConnection {
  readonly pool: RpcPool;
  readonly tokens: EvmTokens;
}

/**
 * `tokens`: those of scanner and sender. Connects lazily. Throws for options that can never work.
 */
export function connectEvm(
  options: RpcOptions & { readonly tokens: readonly TokenListing[] },
): EvmConnection {
  const pool = rpcPool(options);
  return { pool, tokens: tokenBook({ ...options, pool }) };
}
