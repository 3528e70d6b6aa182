/**
 * The listed ERC-20 contracts, each checked against the chain before use. A contract is not scanned
 * when its decimals() differ from the catalog's (E9), when its symbol() differs from what the
 * operator wrote, or when it is none: its amounts would be credited wrongly.
 */
import type { Logger } from '../../../ports/runtime/logger.ts';
import { otherSymbol } from '../shared/keys/abi-text.ts';
import { RpcError } from '../shared/nodes/node-errors.ts';
import type { NodePool } from '../shared/nodes/node-pool.ts';
import type { RpcNode } from '../shared/nodes/rpc-node.ts';
import { heldAgainstChain, type TokenBook } from '../shared/token-book.ts';
import { normalizeEvmAddress } from './address.ts';
import { hexBytes } from './decode.ts';

export interface TokenListing {
  readonly asset: string;
  readonly contract: string;
  readonly decimals: number;
  /** The symbol that it must return; absent: any. */
  readonly symbol?: string | null;
  /** False: operators see money in it, and it is credited to no merchant. Default true. */
  readonly listed?: boolean;
}

/** By contract (lower case): the asset. */
export type EvmTokens = TokenBook<RpcNode, string>;

/** Selectors of methods without arguments. */
const DECIMALS_CALL = '0x313ce567';
const SYMBOL_CALL = '0x95d89b41';

/** Throws for a contract that is no address, or that is listed twice: faults of the catalog. */
export function tokenBook(options: {
  chain: string;
  tokens: readonly TokenListing[];
  pool: NodePool<RpcNode>;
  logger: Logger;
}): EvmTokens {
  const tokens = options.tokens.map((token) => {
    const contract = normalizeEvmAddress(token.contract);
    if (contract === null) throw new Error(`${token.asset}: ${token.contract} is not an EVM address`);
    return { ...token, contract, key: contract };
  });
  return heldAgainstChain({
    ...options,
    tokens,
    check: async (node, listed) => {
      const faults = await Promise.all(listed.map((token) => problemOf(node, token)));
      return listed.map(({ asset }, position) => {
        const fault = faults[position]!;
        return fault === null ? { fits: asset } : { fault };
      });
    },
  });
}

/**
 * Null when the contract agrees with the catalog. A node that cannot tell throws, and is asked
 * again later.
 */
async function problemOf(
  node: RpcNode,
  { contract, decimals, symbol = null }: TokenListing,
): Promise<string | null> {
  const answer = await said(node, contract, DECIMALS_CALL, 'decimals()');
  if (answer === null) return `${contract} has no decimals()`;
  if (answer.length !== 66) return `${contract} is not a token contract on this chain`;
  const found = BigInt(answer);
  if (found !== BigInt(decimals)) return `${contract} has ${found} decimals, the catalog says ${decimals}`;
  if (symbol === null) return null;
  return otherSymbol(contract, (await said(node, contract, SYMBOL_CALL, 'symbol()'))?.slice(2), symbol);
}

/** Null where the contract has no such method. */
async function said(node: RpcNode, contract: string, data: string, what: string): Promise<string | null> {
  try {
    return hexBytes(await node.call('eth_call', { to: contract, data }, 'latest'), what);
  } catch (error) {
    const reverted = error instanceof RpcError && (error.code === 3 || /revert/i.test(error.message));
    if (reverted) return null;
    throw error;
  }
}
