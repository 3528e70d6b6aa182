/** What the parts of the Solana sender share: its nodes, its assets, and its fee limits. */
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { normalizeSolanaAddress } from '../address.ts';
import type { Heights } from '../read/heights.ts';
import type { SolanaPool } from '../rpc-pool.ts';
import type { ListedToken, SolanaTokens, TokenListing } from '../tokens.ts';

export interface SolanaSending {
  readonly chain: string;
  readonly pool: SolanaPool;
  readonly heights: Heights;
  readonly assets: SendableAssets;
  readonly fees: SolanaFeePolicy;
}

export interface SolanaFeePolicy {
  /** Least price of a compute unit, even if nodes report less: micro-lamports. */
  readonly floorPrice: bigint;
  /**
   * Most lamports that a transaction offers for its signatures and its priority, not counting rent.
   */
  readonly ceilingUnits: bigint;
}

/** The mint of an asset does not fit the catalog. Nodes work, but asking again will not help. */
export class AssetUnfit extends ChainUnavailable {}

export interface SendableAssets {
  /** Null for the native coin. Throws for an asset of another chain: a fault of the caller. */
  mintOf(asset: string): string | null;
  /**
   * The token as the chain has it; null for the native coin. AssetUnfit for a token whose mint does
   * not fit the catalog.
   */
  checked(asset: string, node: RpcNode): Promise<ListedToken | null>;
}

export function sendableAssets(options: {
  chain: string;
  nativeAsset: string;
  tokens: readonly TokenListing[];
  book: SolanaTokens;
}): SendableAssets {
  const { chain, nativeAsset, tokens, book } = options;
  const mints = new Map(tokens.map(({ asset, contract }) => [asset, contract]));

  function mintOf(asset: string): string | null {
    if (asset === nativeAsset) return null;
    const mint = mints.get(asset);
    if (mint === undefined) throw new Error(`${asset} is no asset of ${chain}`);
    return mint;
  }

  return {
    mintOf,
    checked: async (asset, node) => {
      const mint = mintOf(asset);
      if (mint === null) return null;
      const token = (await book.usable(node)).get(mint);
      if (token !== undefined) return token;
      const fault = book.faults().find((entry) => entry.asset === asset);
      throw new AssetUnfit(`${asset} cannot be used: ${fault?.reason ?? 'its mint does not fit'}`);
    },
  };
}

/** The address of our own wallet. It comes from our own storage, so any other text throws. */
export function ownWallet(wallet: string): string {
  if (normalizeSolanaAddress(wallet) === null) throw new Error(`${wallet} is not a Solana address`);
  return wallet;
}
