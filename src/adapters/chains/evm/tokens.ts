/**
 * The listed ERC-20 contracts, each held against the chain before use: a contract whose decimals() differ from the
 * catalog's (E9), or that is none, is not scanned, since its amounts would be credited wrongly by powers of ten.
 */
import type { Logger } from '../../../ports/logger.ts';
import { normalizeEvmAddress } from '../shared/eip55.ts';
import { RpcError } from '../shared/faults.ts';
import type { NodePool } from '../shared/node-pool.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { heldAgainstChain, type TokenBook } from '../shared/token-book.ts';
import { hexBytes } from './decode.ts';

export interface TokenListing {
  readonly asset: string;
  readonly contract: string;
  readonly decimals: number;
}

/** By contract (lower case): the asset. */
export type EvmTokens = TokenBook<RpcNode, string>;

/** The selector of decimals(). */
const DECIMALS_CALL = '0x313ce567';

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

/** Null when the contract says the catalog's decimals. A node that cannot tell throws, and is asked again later. */
async function problemOf(node: RpcNode, { contract, decimals }: TokenListing): Promise<string | null> {
  let answer: string;
  try {
    const call = { to: contract, data: DECIMALS_CALL };
    answer = hexBytes(await node.call('eth_call', call, 'latest'), 'decimals()');
  } catch (error) {
    const reverted = error instanceof RpcError && (error.code === 3 || /revert/i.test(error.message));
    if (reverted) return `${contract} has no decimals()`;
    throw error;
  }
  if (answer.length !== 66) return `${contract} is not a token contract on this chain`;
  const found = BigInt(answer);
  return found === BigInt(decimals)
    ? null
    : `${contract} has ${found} decimals, the catalog says ${decimals}`;
}
