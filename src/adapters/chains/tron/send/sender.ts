/**
 * The ChainSender of Tron over the HTTP API of its nodes: prices, unsigned transactions, broadcasts to every node and look-ups.
 * Several nodes stand in for each other; what is final is told only when all that answer agree. Holds no key and no state.
 */
import type { Block } from '../../../../domain/sending/outgoing.ts';
import type { Clock } from '../../../../ports/runtime/clock.ts';
import type { ChainSender } from '../../../../ports/sending/chain-sender.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import { unanimous } from '../../shared/nodes/node-views.ts';
import { type TronOptions, type TronPool, tronPool } from '../node-pool.ts';
import { blockChanges } from '../read/block-changes.ts';
import { headerAt } from '../read/blocks.ts';
import { type TokenListing, tokenBook } from '../tokens.ts';
import { broadcast } from './broadcast.ts';
import { compareEnergy, stakeLent } from './energy-delegation.ts';
import { outcomeOf } from './outcome.ts';
import { prepare } from './prepare.ts';
import { ordinaryEnergyBook, priceOf } from './price.ts';
import { type Sending, sendableAssets } from './sending.ts';
import { walletBalances } from './wallet-balances.ts';

/** In sun: a transfer of USDT to a first holder took 55 TRX when energy was dearest. */
const USUAL_CEILING = 100_000_000n;

export interface TronSenderOptions extends TronOptions {
  /** Asset key of the coin. */
  readonly nativeAsset: string;
  readonly tokens: readonly TokenListing[];
  /** The scanner's rule: money leaves for good when it would have arrived for good. */
  readonly confirmations: number | null;
  /** What the time of a node's newest block is held against. */
  readonly clock: Clock;
  /** Most sun that is signed for a transaction. */
  readonly fees?: { readonly ceiling?: bigint };
}

/** A sender that opens no connection before its first question. Throws for options that can never work. */
export function tronSender(options: TronSenderOptions, pool: TronPool = tronPool(options)): ChainSender {
  const { chain, nativeAsset, tokens, confirmations, logger } = options;
  const book = tokenBook({ chain, tokens, pool, logger });
  const sending: Sending = {
    chain,
    pool,
    assets: sendableAssets({ chain, native: nativeAsset, tokens, book }),
    ceiling: options.fees?.ceiling ?? USUAL_CEILING,
    confirmations,
    changes: blockChanges(),
    clock: options.clock,
    ordinaryEnergy: ordinaryEnergyBook(options),
  };

  /** Yes or no when all nodes that have a block at that height say so. */
  async function onChain({ height, hash }: Block): Promise<boolean | null> {
    const answers = await pool.every(async (node) => {
      try {
        const header = await headerAt(node, height);
        return header === null ? null : header.hash === hash;
      } catch (error) {
        if (error instanceof RpcError) return null;
        throw error;
      }
    });
    return unanimous(answers);
  }

  return {
    chain,
    nativeAsset,
    ways: {
      nonces: 'free',
      expires: true,
      lifeSeconds: 720,
      batchesAtOnce: 100,
      paymentsAtOnce: 1,
      hotWalletPaysFees: false,
    },
    utxos: null,
    energy: {
      compare: (sweep) => compareEnergy(sending, sweep),
      lent: (loan) => stakeLent(sending, loan),
    },
    price: (order) => priceOf(sending, order),
    reserveUnits: async () => 0n,
    nextNonce: async () => 0n,
    prepare: (order, replaces) => prepare(sending, order, replaces),
    broadcast: (raw) => broadcast(sending, raw),
    outcome: (query) => outcomeOf(sending, query),
    onChain,
    balances: (wallet, assets, at) => walletBalances(sending, { wallet, assets, at: at ?? null }),
    close: async () => pool.close(),
  };
}
