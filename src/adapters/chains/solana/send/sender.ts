/**
 * The ChainSender of Solana over JSON-RPC. Transactions expire with their blockhash, some 150
 * blocks after they were written, and are signed again only when they are provably dead. The hot
 * wallet pays the fees of sweeps. Holds no key and no state.
 */
import type { ChainSender } from '../../../../ports/sending/chain-sender.ts';
import type { SendingCapabilities } from '../../../../ports/sending/sending-capabilities.ts';
import { onChainBy } from '../../shared/nodes/node-views.ts';
import { connectSolana, type SolanaConnection } from '../connection.ts';
import { heightBook } from '../read/heights.ts';
import type { SolanaNodes } from '../rpc-pool.ts';
import type { TokenListing } from '../tokens.ts';
import { broadcast } from './broadcast.ts';
import { USUAL_CEILING, USUAL_FLOOR } from './fee-market.ts';
import { outcomeOf } from './outcome.ts';
import { prepare } from './prepare.ts';
import { priceOf, recipientPricing, reserveOf } from './price.ts';
import { type SolanaSending, sendableAssets } from './sending.ts';
import { walletBalances } from './wallet-balances.ts';

export interface SolanaSenderOptions extends SolanaNodes {
  /** Asset key of the chain's native coin. */
  readonly nativeAsset: string;
  readonly tokens: readonly TokenListing[];
  /**
   * Least micro-lamports per compute unit, and most lamports per transaction. Default: those of
   * fee-market.ts.
   */
  readonly fees?: { readonly floorPrice?: bigint; readonly ceilingUnits?: bigint };
}

const BY_BLOCKHASH: SendingCapabilities = {
  nonces: 'independent',
  expires: true,
  lifeSeconds: 180,
  batchesAtOnce: 100,
  paymentsAtOnce: 1,
  hotWalletPaysFees: true,
};

/** A sender that connects lazily. Throws for options that can never work. */
export function solanaSender(
  options: SolanaSenderOptions,
  { pool, tokens: book }: SolanaConnection = connectSolana(options),
): ChainSender {
  const { chain, nativeAsset, tokens, fees } = options;
  const sending: SolanaSending = {
    chain,
    pool,
    heights: heightBook(),
    assets: sendableAssets({ chain, nativeAsset, tokens, book }),
    fees: { floorPrice: fees?.floorPrice ?? USUAL_FLOOR, ceilingUnits: fees?.ceilingUnits ?? USUAL_CEILING },
  };

  return {
    chain,
    nativeAsset,
    capabilities: BY_BLOCKHASH,
    utxos: null,
    reserveUnits: () => reserveOf(sending),
    price: (order) => priceOf(sending, order),
    recipients: recipientPricing(sending),
    // Nonces only name our own transactions: the chain has none.
    nextNonce: async () => 0n,
    prepare: (order, replaces) => prepare(sending, order, replaces),
    broadcast: (raw) => broadcast(sending, raw),
    outcome: (query) => outcomeOf(sending, query),
    onChain: onChainBy(pool, sending.heights.at),
    balances: (wallet, assets, at) => walletBalances(sending, { wallet, assets, at: at ?? null }),
    close: async () => pool.close(),
  };
}
