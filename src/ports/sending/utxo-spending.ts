/** How UTXO chains select what to spend. */

import type { Outpoint } from '../../domain/chains/outpoint.ts';
import type { OwedPayment } from '../chains/watch-list.ts';
import type { Payment } from './payment.ts';
import type { WalletKey } from './signer.ts';

/** An unspent output that one of our keys can spend. */
export interface Utxo {
  readonly txid: string;
  readonly vout: number;
  /** Normalized. */
  readonly address: string;
  /** The key that spends it. */
  readonly key: WalletKey;
  readonly units: bigint;
}

/** How a UTXO chain pays: many payments in one transaction, which spends chosen UTXOs. */
export interface UtxoSpending {
  /**
   * Whether a waiting transaction can be replaced by fee (BIP-125); if not, only a child helps
   * (`bump`).
   */
  readonly replaceable: boolean;
  /**
   * The present fee rate for a block soon: native base units per 1,000 virtual bytes, within the
   * configured floor and ceiling.
   */
  feeRate(): Promise<bigint>;
  /** Whether nodes would not relay the payment (dust), or its address is none of the chain. */
  isDust(payment: Payment): boolean;
  /**
   * Selects from `utxos` what to spend for `payments` at `feeRate`; null when it is not enough.
   * Pure and fast: it is called inside a database transaction. Any change is large enough for two
   * replacements.
   */
  choose(order: {
    utxos: readonly Utxo[];
    payments: readonly Payment[];
    feeRate: bigint;
  }): readonly Utxo[] | null;
  /**
   * Merges all `utxos` into one output of our own: the units that arrive there after fees. Null
   * when the fee would be more than a twentieth.
   */
  consolidate(order: { utxos: readonly Utxo[]; feeRate: bigint }): { readonly units: bigint } | null;
  /**
   * A child that spends the change of a waiting transaction, and whose fee pays for both (CPFP): at
   * `feeRate`, and at least a quarter more per byte than the parent alone. Null when there is no
   * change, or the parent alone offers three times `feeRate`.
   */
  bump(order: { raw: string; paidFeeUnits: bigint; feeRate: bigint; change: Utxo }): {
    readonly units: bigint;
  } | null;
  /** The UTXOs that signed bytes spend. */
  spends(raw: string): readonly Outpoint[];
  /** The change output of signed bytes; null when there is none. */
  changeOf(signed: { raw: string; nonce: bigint }): Pick<Utxo, 'vout' | 'address' | 'key' | 'units'> | null;
  /**
   * Whether each is in the chain's set of unspent outputs at the best block, with the value we
   * know. With `height`, the best block is at least that high: a lagging node lacks recent UTXOs,
   * which proves nothing.
   */
  unspent(utxos: readonly Utxo[], height?: number): Promise<readonly boolean[]>;
  /**
   * The same of every node that answers and is that high: null where they differ. Throws
   * ChainUnavailable if none does.
   */
  unspentAtAll(utxos: readonly Utxo[], height: number): Promise<readonly (boolean | null)[]>;
  /** Whether a waiting transaction of any node spends each output; each node has other ones. */
  spentByWaiting(outpoints: readonly Outpoint[]): Promise<readonly boolean[]>;
  /** For each of `owed`, the ids of waiting transactions of any node that pay it. */
  waitingPaying(owed: readonly OwedPayment[]): Promise<readonly (readonly string[])[]>;
}
