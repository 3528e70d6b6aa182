/**
 * The listed ERC-20 contracts, each held against the chain before use: a contract whose decimals() differ from the
 * catalog's (E9), or that is none, is not scanned, since its amounts would be credited wrongly by powers of ten.
 */
import type { UnscannedAsset } from '../../../ports/chain-scanner.ts';
import type { Logger } from '../../../ports/logger.ts';
import { normalizeEvmAddress } from '../shared/eip55.ts';
import { RpcError } from '../shared/faults.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { hexBytes } from './decode.ts';

export interface TokenListing {
  readonly asset: string;
  readonly contract: string;
  readonly decimals: number;
}

export interface TokenBook {
  /** The contracts to scan (lower case -> asset), checked on `node` at the first call. */
  readonly usable: (node: RpcNode) => Promise<ReadonlyMap<string, string>>;
  /** What the check found; empty before the first call. */
  readonly faults: () => readonly UnscannedAsset[];
}

/** The selector of decimals(). */
const DECIMALS_CALL = '0x313ce567';

/** Throws for a contract that is no address, or that is listed twice: faults of the catalog. */
export function tokenBook(options: {
  chain: string;
  tokens: readonly TokenListing[];
  logger: Logger;
}): TokenBook {
  const { chain, logger } = options;
  const tokens = options.tokens.map((token) => {
    const contract = normalizeEvmAddress(token.contract);
    if (contract === null) throw new Error(`${token.asset}: ${token.contract} is not an EVM address`);
    return { ...token, contract };
  });
  if (new Set(tokens.map(({ contract }) => contract)).size !== tokens.length)
    throw new Error(`${chain}: one contract is listed for two assets`);

  let checked: ReadonlyMap<string, string> | null = null;
  let faults: readonly UnscannedAsset[] = [];

  async function check(node: RpcNode): Promise<ReadonlyMap<string, string>> {
    const reasons = await Promise.all(tokens.map((token) => problemOf(node, token)));
    faults = tokens.flatMap(({ asset }, position) => {
      const reason = reasons[position]!;
      return reason === null ? [] : [{ asset, reason }];
    });
    for (const { asset, reason } of faults)
      logger.error('asset is not scanned: its contract does not fit the catalog', { chain, asset, reason });
    const good = tokens.filter((_, position) => reasons[position] === null);
    return new Map(good.map(({ contract, asset }) => [contract, asset]));
  }

  return {
    usable: async (node) => {
      checked ??= await check(node);
      return checked;
    },
    faults: () => faults,
  };
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
