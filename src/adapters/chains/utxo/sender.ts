/**
 * The ChainSender of Bitcoin, Litecoin and Bitcoin Cash over nodes of one's own or Esplora servers: chooses coins, writes unsigned
 * transactions, hands signed ones to every source and looks them up. What is final is told only when all that answer
 * agree. Holds no key and no state.
 */

import type { ChainSender, SendingWays } from '../../../ports/chain-sender.ts';
import type { ChangeAddresses } from '../../../ports/change-addresses.ts';
import { unanimous } from '../shared/node-views.ts';
import { backendPool, type UtxoOptions } from './backends.ts';
import { broadcast } from './broadcast.ts';
import { coinSending, PAYMENTS_AT_ONCE } from './coins.ts';
import { RELAY_RATE } from './fee-market.ts';
import { outcomeOf } from './outcome.ts';
import { prepare, priceOf } from './prepare.ts';
import type { UtxoSending } from './sending.ts';

export interface UtxoSenderOptions extends UtxoOptions {
  /** Asset key of the chain's coin. */
  readonly nativeAsset: string;
  /** Blocks that make a transaction final, its own included: the scanner's. */
  readonly confirmations: number;
  /** Our own addresses that take change. */
  readonly change: ChangeAddresses;
  /** Base units per 1,000 virtual bytes. Floor: what nodes relay by default. Ceiling: none by default. */
  readonly fees?: { readonly floor?: bigint; readonly ceiling?: bigint | null };
  /** Whether waiting transactions are replaced, where that is not as on the network at large (network.ts). */
  readonly replaceable?: boolean;
}

/** Outputs of one transaction; a sequence only names it and its change. */
const BUNDLES: SendingWays = {
  sequences: 'free',
  expires: false,
  bundlesAtOnce: Number.POSITIVE_INFINITY,
  paymentsAtOnce: PAYMENTS_AT_ONCE,
  hotWalletPaysFees: false,
};

/** A sender that opens no connection before its first question. Throws for options that can never work. */
export function utxoSender(options: UtxoSenderOptions): ChainSender {
  const { chain, network, nativeAsset, confirmations, change, fees, replaceable } = options;
  const pool = backendPool(options);
  const sending: UtxoSending = {
    chain,
    network,
    pool,
    fees: { floor: fees?.floor ?? RELAY_RATE, ceiling: fees?.ceiling ?? null },
    confirmations,
    replaceable: replaceable ?? network.replaceable,
    changeAddress: (index) => change.changeAddress(index),
  };

  /** Yes or no when all sources that have a block at that height say so. */
  async function onChain({ height, hash }: { height: number; hash: string }): Promise<boolean | null> {
    const answers = await pool.every(async (node) => {
      const [canonical] = await node.hashesAt([height]);
      return canonical == null ? null : canonical === hash;
    });
    return unanimous(answers);
  }

  return {
    chain,
    nativeAsset,
    ways: BUNDLES,
    coins: coinSending(sending),
    reserveUnits: async () => 0n,
    price: (order) => priceOf(sending, order),
    // sequences only count our own transactions here: the chain knows none
    nextSequence: async () => 0n,
    prepare: (order, replaces) => prepare(sending, order, replaces),
    broadcast: (raw) => broadcast(sending, raw),
    outcome: (query) => outcomeOf(sending, query),
    onChain,
    balances: async () => {
      throw new Error(`${chain} has coins, which the application counts, and no balances of addresses`);
    },
    close: async () => pool.close(),
  };
}
