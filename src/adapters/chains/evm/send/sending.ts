/** What the parts of an EVM sender share: the chain, its nodes, and its assets as contracts. */
import type { ChainHead } from '../../../../ports/chains/chain-scanner.ts';
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { normalizeEvmAddress } from '../address.ts';
import type { RpcPool } from '../rpc-pool.ts';
import type { EvmTokens, TokenListing } from '../tokens.ts';
import type { EvmFeePolicy } from './fees.ts';
import type { EvmPayment } from './transaction.ts';

export interface EvmSending {
  readonly chain: string;
  readonly chainId: number;
  readonly pool: RpcPool;
  readonly assets: SendableAssets;
  readonly fees: EvmFeePolicy;
  /** Milliseconds that a node may take to try a payment. Default: those of shared/send/trial.ts. */
  readonly trialMs: number | undefined;
  /** Milliseconds within which recipients are priced. Default: those of recipients.ts. */
  readonly quoteMs: number | undefined;
  /**
   * Whether the chain takes a fee for a transaction's data besides its gas, as OP-stack chains do.
   */
  readonly takesDataFee: boolean;
  readHead(node: RpcNode): Promise<ChainHead>;
}

/**
 * The contract of an asset does not fit the catalog. Nodes work, but asking again will not help.
 */
export class AssetUnfit extends ChainUnavailable {}

export type SendableAsset = EvmPayment['asset'];

export interface SendableAssets {
  /** Throws for an asset of another chain: a fault of the caller. */
  of(asset: string): SendableAsset;
  /**
   * Like `of`, and checked against the chain: AssetUnfit for a token whose contract does not fit
   * the catalog, since its amounts would be wrong by powers of ten (safety.md E9).
   */
  checked(asset: string, node: RpcNode): Promise<SendableAsset>;
}

export function sendableAssets(options: {
  chain: string;
  nativeAsset: string;
  tokens: readonly TokenListing[];
  book: EvmTokens;
}): SendableAssets {
  const { chain, nativeAsset, tokens, book } = options;
  const contracts = new Map(tokens.map(({ asset, contract }) => [asset, normalizeEvmAddress(contract)]));

  function of(asset: string): SendableAsset {
    if (asset === nativeAsset) return { kind: 'native' };
    const contract = contracts.get(asset);
    if (contract == null) throw new Error(`${asset} is no asset of ${chain}`);
    return { kind: 'token', contract };
  }

  return {
    of,
    checked: async (asset, node) => {
      const found = of(asset);
      if (found.kind === 'native' || (await book.usable(node)).has(found.contract)) return found;
      const fault = book.faults().find((entry) => entry.asset === asset);
      throw new AssetUnfit(`${asset} cannot be used: ${fault?.reason ?? 'its contract does not fit'}`);
    },
  };
}

/**
 * Lower-case address of our own wallet. It comes from our own storage, so any other text throws.
 */
export function ownWallet(wallet: string): string {
  const address = normalizeEvmAddress(wallet);
  if (address === null) throw new Error(`${wallet} is not an EVM address`);
  return address;
}
