/**
 * The listed TRC-20 contracts, each held against the chain before use: one whose decimals() differ from the catalog's, or
 * that is none, is not scanned, since its amounts would be wrong by powers of ten (safety.md E9, which holds here too).
 */
import type { UnscannedAsset } from '../../../ports/chain-scanner.ts';
import type { Logger } from '../../../ports/logger.ts';
import { ADDRESS_PREFIX, addressHex } from './address.ts';
import { constantCall } from './constant-call.ts';
import { DECIMALS_CALL } from './contract.ts';
import type { TronNode } from './node.ts';

export interface TokenListing {
  readonly asset: string;
  /** Base58check. */
  readonly contract: string;
  readonly decimals: number;
}

export interface TokenBook {
  /** The contracts to use (as logs name them: 40 hex digits) and their assets, checked on `node` at the first call. */
  usable(node: TronNode): Promise<ReadonlyMap<string, string>>;
  /** What the check found; empty before the first call. */
  faults(): readonly UnscannedAsset[];
}

/** Throws for a contract that is no address, or that is listed twice: faults of the catalog. */
export function tokenBook(options: {
  chain: string;
  tokens: readonly TokenListing[];
  logger: Logger;
}): TokenBook {
  const { chain, logger } = options;
  const tokens = options.tokens.map((token) => {
    const hex = addressHex(token.contract);
    if (hex === null) throw new Error(`${token.asset}: ${token.contract} is not a Tron address`);
    return { ...token, hex };
  });
  if (new Set(tokens.map(({ hex }) => hex)).size !== tokens.length)
    throw new Error(`${chain}: one contract is listed for two assets`);

  let checked: ReadonlyMap<string, string> | null = null;
  let faults: readonly UnscannedAsset[] = [];

  async function check(node: TronNode): Promise<ReadonlyMap<string, string>> {
    const usable = new Map<string, string>();
    const found: UnscannedAsset[] = [];
    for (const token of tokens) {
      const reason = await problemOf(node, token);
      if (reason === null) usable.set(token.hex.slice(ADDRESS_PREFIX.length), token.asset);
      else found.push({ asset: token.asset, reason });
    }
    faults = found;
    for (const { asset, reason } of faults)
      logger.error('asset is not scanned: its contract does not fit the catalog', { chain, asset, reason });
    return usable;
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
async function problemOf(
  node: TronNode,
  { contract, hex, decimals }: TokenListing & { hex: string },
): Promise<string | null> {
  const called = await constantCall(node, { owner: hex, contract: hex, data: DECIMALS_CALL });
  if (called.kind === 'no_contract') return `${contract} is not a contract on this chain`;
  if (called.kind === 'failed' || called.answer.length !== 64) return `${contract} has no decimals()`;
  const found = BigInt(`0x${called.answer}`);
  return found === BigInt(decimals)
    ? null
    : `${contract} has ${found} decimals, the catalog says ${decimals}`;
}
