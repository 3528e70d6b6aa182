/**
 * A ChainSender of UTXOs over any kind of source: chooses UTXOs, writes unsigned transactions,
 * hands signed ones to every source and looks them up. A final outcome is reported only when all
 * sources that answer agree. Holds no key and no state.
 */
import type { ChainSender } from '../../../../ports/sending/chain-sender.ts';
import type { SendingCapabilities } from '../../../../ports/sending/sending-capabilities.ts';
import { onChainBy } from '../../shared/nodes/node-views.ts';
import { broadcast } from './broadcast.ts';
import { outcomeOf } from './outcome.ts';
import { prepare, priceOf } from './prepare.ts';
import type { UtxoSending } from './sending.ts';
import { PAYMENTS_AT_ONCE, utxoSpending } from './spendable.ts';

/** Outputs of one transaction. A nonce only names it and its change. */
const UTXO_CAPABILITIES: SendingCapabilities = {
  nonces: 'independent',
  expires: false,
  batchesAtOnce: Number.POSITIVE_INFINITY,
  paymentsAtOnce: PAYMENTS_AT_ONCE,
  hotWalletPaysFees: false,
};

export function senderOver(
  sending: UtxoSending,
  { nativeAsset, close }: { nativeAsset: string; close: () => void },
): ChainSender {
  const { chain, pool } = sending;

  return {
    chain,
    nativeAsset,
    capabilities: UTXO_CAPABILITIES,
    utxos: utxoSpending(sending),
    reserveUnits: async () => 0n,
    price: (order) => priceOf(sending, order),
    // Nonces only count our own transactions: the chain has none.
    nextNonce: async () => 0n,
    prepare: (order, replaces) => prepare(sending, order, replaces),
    broadcast: (raw) => broadcast(sending, raw),
    outcome: (query) => outcomeOf(sending, query),
    onChain: onChainBy(pool, async (node, height) => {
      const [hash] = await node.hashesAt([height]);
      return hash == null ? null : { hash };
    }),
    balances: async () => {
      throw new Error(`${chain} has UTXOs, which the application counts, and no balances by address`);
    },
    close: async () => close(),
  };
}
