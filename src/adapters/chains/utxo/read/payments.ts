/**
 * What transactions pay to our addresses. Of a block's outputs only those of our address type are
 * looked up: the others cannot be ours.
 */
import type { Transfer } from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import { addressOf } from '../codec/address.ts';
import type { RawTransaction } from '../codec/transaction.ts';
import type { UtxoNetwork } from '../network.ts';

/** Confirmations until a peg-out of the HogEx can be spent (litecoin: PEGOUT_MATURITY). */
const PEGOUT_MATURITY = 6;

/** A transaction, and its block: null while it waits. */
export interface Placed {
  readonly transaction: RawTransaction;
  readonly block: { readonly height: number; readonly position: number } | null;
}

/** The payments of each transaction to addresses of `watch`, in the order given. */
export async function paymentsIn(
  placed: readonly Placed[],
  options: { network: UtxoNetwork; asset: string; watch: WatchList },
): Promise<readonly (readonly Transfer[])[]> {
  const { network, asset, watch } = options;
  const receivers = placed.map(({ transaction }) =>
    transaction.outputs.map(({ script, units }) =>
      units > 0n && isDepositScript(network, script) ? addressOf(network, script) : null,
    ),
  );
  const asked = new Set(receivers.flat().filter((address) => address !== null));
  const known = asked.size === 0 ? asked : await watch.known([...asked]);
  return placed.map(({ transaction, block }, at) => {
    const lockedUntil = block === null ? null : spendableFrom(network, transaction, block);
    return transaction.outputs.flatMap(({ units, encumbered }, vout): Transfer[] => {
      const to = receivers[at]![vout]!;
      if (to === null || !known.has(to)) return [];
      const transfer: Transfer = {
        txid: transaction.txid(),
        output: `vout:${vout}`,
        asset,
        to,
        from: null,
        units,
        kind: 'payment',
      };
      return [
        {
          ...transfer,
          ...(lockedUntil === null ? {} : { lockedUntil }),
          ...(encumbered ? { encumbered: true } : {}),
        },
      ];
    });
  });
}

/** P2WPKH where the chain has segwit, else P2PKH: the type that deriver.ts derives. */
function isDepositScript({ bech32 }: UtxoNetwork, script: Uint8Array): boolean {
  return bech32 === null
    ? script.length === 25 && script[0] === 0x76
    : script.length === 22 && script[0] === 0x00;
}

/**
 * The height of the first block that may spend this output, where that is not the next (safety.md
 * U4, U6).
 */
function spendableFrom(
  { coinbaseMaturity }: UtxoNetwork,
  { hogEx }: RawTransaction,
  { height, position }: { height: number; position: number },
): number | null {
  if (position === 0) return height + coinbaseMaturity;
  return hogEx ? height + PEGOUT_MATURITY : null;
}
