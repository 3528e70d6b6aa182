/**
 * The listed TRC-20 contracts, each checked against the chain before use. A contract is not scanned
 * when its decimals() differ from the catalog's, when its symbol() differs from what the operator
 * wrote, or when it is none: its amounts would be wrong (safety.md E9, which holds here too).
 */
import type { Logger } from '../../../ports/runtime/logger.ts';
import { otherSymbol } from '../shared/keys/abi-text.ts';
import type { NodePool } from '../shared/nodes/node-pool.ts';
import { heldAgainstChain, type TokenBook, type TokenVerdict } from '../shared/token-book.ts';
import { ADDRESS_PREFIX, addressHex } from './address.ts';
import { constantCall } from './constant-call.ts';
import { DECIMALS_CALL, SYMBOL_CALL } from './contract.ts';
import type { TronNode } from './node.ts';

export interface TokenListing {
  readonly asset: string;
  /** Base58check. */
  readonly contract: string;
  readonly decimals: number;
  /** The symbol that it must return; absent: any. */
  readonly symbol?: string | null;
}

/** By contract, as logs name it (40 hex digits): the asset. */
export type TronTokens = TokenBook<TronNode, string>;

/** Throws for a contract that is no address, or that is listed twice: faults of the catalog. */
export function tokenBook(options: {
  chain: string;
  tokens: readonly TokenListing[];
  pool: NodePool<TronNode>;
  logger: Logger;
}): TronTokens {
  const tokens = options.tokens.map((token) => {
    const hex = addressHex(token.contract);
    if (hex === null) throw new Error(`${token.asset}: ${token.contract} is not a Tron address`);
    return { ...token, hex, key: hex.slice(ADDRESS_PREFIX.length) };
  });
  return heldAgainstChain({
    ...options,
    tokens,
    check: async (node, listed) => {
      const verdicts: TokenVerdict<string>[] = [];
      for (const token of listed) {
        const fault = await problemOf(node, token);
        verdicts.push(fault === null ? { fits: token.asset } : { fault });
      }
      return verdicts;
    },
  });
}

/**
 * Null when the contract agrees with the catalog. A node that cannot tell throws, and is asked
 * again later.
 */
async function problemOf(
  node: TronNode,
  { contract, hex, decimals, symbol = null }: TokenListing & { hex: string },
): Promise<string | null> {
  const call = { owner: hex, contract: hex };
  const called = await constantCall(node, { ...call, data: DECIMALS_CALL });
  if (called.kind === 'no_contract') return `${contract} is not a contract on this chain`;
  if (called.kind === 'failed' || called.answer.length !== 64) return `${contract} has no decimals()`;
  const found = BigInt(`0x${called.answer}`);
  if (found !== BigInt(decimals)) return `${contract} has ${found} decimals, the catalog says ${decimals}`;
  if (symbol === null) return null;
  const named = await constantCall(node, { ...call, data: SYMBOL_CALL });
  return otherSymbol(contract, named.kind === 'done' ? named.answer : undefined, symbol);
}
