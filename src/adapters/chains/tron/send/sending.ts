/** What the parts of a Tron sender share: the chain, its nodes, and its assets as contracts. */
import type { BoundedMap } from '../../../../domain/bounded-map.ts';
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { Clock } from '../../../../ports/runtime/clock.ts';
import { ADDRESS_PREFIX, addressHex } from '../address.ts';
import type { TronNode } from '../node.ts';
import type { TronPool } from '../node-pool.ts';
import type { BlockChanges } from '../read/block-changes.ts';
import type { PaidAssets } from '../read/payments.ts';
import type { TokenListing, TronTokens } from '../tokens.ts';

export interface TronSending {
  readonly chain: string;
  readonly pool: TronPool;
  readonly assets: SendableAssets;
  /** Most sun that a transaction may cost. */
  readonly ceiling: bigint;
  readonly confirmations: number | null;
  readonly changes: BlockChanges;
  readonly clock: Clock;
  /** In which block a transaction was last seen, by txid: where to look for it first. */
  readonly seenAt: BoundedMap<string, number>;
  /**
   * Energy of a token transfer to a new holder, at most a minute old, or read `anew`. `contract` in
   * hex.
   */
  ordinaryEnergy(node: TronNode, contract: string, options?: { anew: boolean }): Promise<bigint>;
}

/**
 * The contract of an asset does not fit the catalog. Nodes work, but asking again will not help.
 */
export class AssetUnfit extends ChainUnavailable {}

/** Null: the native coin. Otherwise the contract, in hex, `41` first. */
export type AssetContract = string | null;

export interface SendableAssets {
  /** Throws for an asset of another chain: a fault of the caller. */
  of(asset: string): AssetContract;
  /**
   * Like `of`, and checked against the chain: AssetUnfit for a token whose contract does not fit
   * the catalog.
   */
  checked(asset: string, node: TronNode): Promise<AssetContract>;
  /** The native coin and every token that fits. */
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

/** Our own wallet in hex. It comes from our own storage, so any other text throws. */
export function ownWallet(wallet: string): string {
  const hex = addressHex(wallet);
  if (hex === null) throw new Error(`${wallet} is not a Tron address`);
  return hex;
}
