/** What the parts of a Tron sender share: the chain, its nodes, and its assets as contracts. */
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { Clock } from '../../../../ports/runtime/clock.ts';
import { ADDRESS_PREFIX, addressHex } from '../address.ts';
import type { TronNode } from '../node.ts';
import type { TronPool } from '../node-pool.ts';
import type { BlockChanges } from '../read/block-changes.ts';
import type { PaidAssets } from '../read/payments.ts';
import type { TokenListing, TronTokens } from '../tokens.ts';

export interface Sending {
  readonly chain: string;
  readonly pool: TronPool;
  readonly assets: SendableAssets;
  /** Most sun that a transaction may cost. */
  readonly ceiling: bigint;
  readonly confirmations: number | null;
  readonly changes: BlockChanges;
  readonly clock: Clock;
  /** Of a transfer of a token to somebody new, as of the last minute, or `anew`. `contract` in hex. */
  ordinaryEnergy(node: TronNode, contract: string, options?: { anew: boolean }): Promise<bigint>;
}

/** The contract of an asset does not fit the catalog: the chain is there, and cannot be asked about it. */
export class AssetUnfit extends ChainUnavailable {}

/** Null: the coin. Otherwise the contract, in hex, `41` first. */
export type AssetContract = string | null;

export interface SendableAssets {
  /** Throws for an asset that is not of this chain: a fault of the caller. */
  of(asset: string): AssetContract;
  /** As `of`, and held against the chain: AssetUnfit for a token whose contract does not fit the catalog. */
  checked(asset: string, node: TronNode): Promise<AssetContract>;
  /** The coin and every token that fits. */
  paid(node: TronNode): Promise<PaidAssets>;
}

export function sendableAssets(options: {
  chain: string;
  native: string;
  tokens: readonly TokenListing[];
  book: TronTokens;
}): SendableAssets {
  const { chain, native, tokens, book } = options;
  const contracts = new Map(tokens.map(({ asset, contract }) => [asset, addressHex(contract)]));

  function of(asset: string): AssetContract {
    if (asset === native) return null;
    const contract = contracts.get(asset);
    if (contract == null) throw new Error(`${asset} is no asset of ${chain}`);
    return contract;
  }

  return {
    of,
    checked: async (asset, node) => {
      const contract = of(asset);
      if (contract === null) return null;
      if ((await book.usable(node)).has(contract.slice(ADDRESS_PREFIX.length))) return contract;
      const fault = book.faults().find((entry) => entry.asset === asset);
      throw new AssetUnfit(`${asset} cannot be used: ${fault?.reason ?? 'its contract does not fit'}`);
    },
    paid: async (node) => ({ native, tokens: await book.usable(node) }),
  };
}

/** A wallet of ours in hex; throws for anything else, since it comes from our own storage. */
export function ownWallet(wallet: string): string {
  const hex = addressHex(wallet);
  if (hex === null) throw new Error(`${wallet} is not a Tron address`);
  return hex;
}
