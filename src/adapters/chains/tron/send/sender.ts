/**
 * The ChainSender of Tron over the HTTP API of its nodes: prices, unsigned transactions, broadcasts
 * to every node and look-ups. Nodes replace each other on failure. A final outcome is reported only
 * when all that answer agree. Holds no key and no state.
 */
import { boundedMap } from '../../../../domain/bounded-map.ts';
import type { Clock } from '../../../../ports/runtime/clock.ts';
import type { ChainSender } from '../../../../ports/sending/chain-sender.ts';
import { onChainBy } from '../../shared/nodes/node-views.ts';
import { connectTron, type TronConnection } from '../connection.ts';
import type { TronOptions } from '../node-pool.ts';
import { blockChanges } from '../read/block-changes.ts';
import { headerAt } from '../read/blocks.ts';
import type { TokenListing } from '../tokens.ts';
import { broadcast } from './broadcast.ts';
import { compareEnergy, delegatedStake } from './energy-delegation.ts';
import { outcomeOf } from './outcome.ts';
import { prepare } from './prepare.ts';
import { ordinaryEnergyBook, priceOf } from './price.ts';
import { sendableAssets, type TronSending } from './sending.ts';
import { walletBalances } from './wallet-balances.ts';

/** In sun: a transfer of USDT to a first holder took 55 TRX when energy was dearest. */
const USUAL_CEILING = 100_000_000n;

/** Transactions whose block is remembered. */
const SEEN_MAX = 20_000;

export interface TronSenderOptions extends TronOptions {
  /** Asset key of the native coin. */
  readonly nativeAsset: string;
  readonly tokens: readonly TokenListing[];
  /** The scanner's rule: an outgoing payment is final when an incoming one would be. */
  readonly confirmations: number | null;
  /** Our clock, to check the time of a node's newest block. */
  readonly clock: Clock;
  /** Most sun that a signed transaction may cost. */
  readonly fees?: { readonly ceiling?: bigint };
}

/** A sender that connects lazily. Throws for options that can never work. */
export function tronSender(
  options: TronSenderOptions,
  { pool, tokens: book }: TronConnection = connectTron(options),
): ChainSender {
  const { chain, nativeAsset, tokens, confirmations } = options;
  const sending: TronSending = {
    chain,
    pool,
    assets: sendableAssets({ chain, native: nativeAsset, tokens, book }),
    ceiling: options.fees?.ceiling ?? USUAL_CEILING,
    confirmations,
    changes: blockChanges(),
    clock: options.clock,
    seenAt: boundedMap(SEEN_MAX),
    ordinaryEnergy: ordinaryEnergyBook(options),
  };

  return {
    chain,
    nativeAsset,
    capabilities: {
      nonces: 'independent',
      expires: true,
      lifeSeconds: 720,
      batchesAtOnce: 100,
      paymentsAtOnce: 1,
      hotWalletPaysFees: false,
    },
    utxos: null,
    energy: {
      compare: (sweep) => compareEnergy(sending, sweep),
      delegated: (delegation) => delegatedStake(sending, delegation),
    },
    price: (order) => priceOf(sending, order),
    reserveUnits: async () => 0n,
    nextNonce: async () => 0n,
    prepare: (order, replaces) => prepare(sending, order, replaces),
    broadcast: (raw) => broadcast(sending, raw),
    outcome: (query) => outcomeOf(sending, query),
    onChain: onChainBy(pool, headerAt),
    balances: (wallet, assets, at) => walletBalances(sending, { wallet, assets, at: at ?? null }),
    close: async () => pool.close(),
  };
}
