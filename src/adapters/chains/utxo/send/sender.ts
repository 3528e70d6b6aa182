/**
 * The ChainSender of Bitcoin, Litecoin and Bitcoin Cash, over our own nodes, Esplora or Electrum
 * servers.
 */

import type { ChangeAddresses } from '../../../../ports/chains/change-addresses.ts';
import type { ChainSender } from '../../../../ports/sending/chain-sender.ts';
import { type BackendPool, backendPool, type UtxoOptions } from '../backends.ts';
import { RELAY_RATE } from './fee-market.ts';
import { senderOver } from './sender-over.ts';
import type { UtxoSending } from './sending.ts';

export interface UtxoSenderOptions extends UtxoOptions {
  /** Asset key of the chain's native coin. */
  readonly nativeAsset: string;
  /** Blocks that make a transaction final, its own included: the scanner's number. */
  readonly confirmations: number;
  /** Our own addresses that take change. */
  readonly change: ChangeAddresses;
  /**
   * Base units per 1,000 virtual bytes. Floor: what nodes relay by default. Ceiling: none by
   * default.
   */
  readonly fees?: { readonly floor?: bigint; readonly ceiling?: bigint | null };
  /**
   * Whether waiting transactions are replaced, where that differs from the network's rule
   * (network.ts).
   */
  readonly replaceable?: boolean;
}

/** A sender that connects lazily. Throws for options that can never work. */
export function utxoSender(
  options: UtxoSenderOptions,
  pool: BackendPool = backendPool(options),
): ChainSender {
  const { chain, network, nativeAsset, confirmations, change, fees, replaceable } = options;
  const sending: UtxoSending = {
    chain,
    network,
    pool,
    fees: { floor: fees?.floor ?? RELAY_RATE, ceiling: fees?.ceiling ?? null },
    confirmations,
    replaceable: replaceable ?? network.replaceable,
    changeAddress: (index) => change.changeAddress(index),
  };
  return senderOver(sending, { nativeAsset, close: () => pool.close() });
}
