/**
 * Sends from our wallets on one chain: prices, unsigned transactions, broadcasts and look-ups. Holds no key and keeps no
 * state; what was signed and stored before is handed in (safety.md, "Paid once"). All calls throw ChainUnavailable when no node can
 * answer. The contract suite is tests/contracts/sending/chain-sender.ts.
 */

import type { Outpoint } from '../../domain/chains/outpoint.ts';
import type { Block } from '../../domain/sending/outgoing.ts';
import type { OwedPayment } from '../chains/chain-scanner.ts';
import type { Delegation, EnergyDelegation } from './energy-delegation.ts';
import type { Payment } from './payment.ts';
import type { RecipientPricing } from './recipient-pricing.ts';
import type { SendingCapabilities } from './sending-capabilities.ts';
import type { WalletKey } from './signer.ts';

export interface ChainSender {
  readonly chain: string;
  /** Asset key of the chain's own coin, in which fees are paid. */
  readonly nativeAsset: string;
  readonly ways: SendingCapabilities;

  /** UTXO chains (Bitcoin and its kind): what spends are chosen from. Null where a wallet has a balance and a nonce. */
  readonly utxos: UtxoSpending | null;

  /** Where energy of stake can be lent to another address (Tron): what a sweep would cost by it. Absent elsewhere. */
  readonly energy?: EnergyDelegation;

  /**
   * What sending costs at present, in native base units: expected, and at most. From the node; callers cache it. `from`: the wallet
   * that is to pay, where it makes a difference.
   */
  price(order: { asset: string; to: string | null; from?: string }): Promise<SendingPrice>;

  /** What certain recipients cost beyond others (safety.md G1). Absent where none can make its payment dearer. */
  readonly recipients?: RecipientPricing;

  /** Native base units that a wallet must keep for the chain's sake (XRP's reserve, Solana's rent exemption). */
  reserveUnits(wallet: string): Promise<bigint>;

  /**
   * Whether the hot wallet's account has the settings that deposits need, which the transaction that voids puts right: XRP's
   * requires destination tags. Null while the account is not funded. Chains on which nothing is to be set have no such method.
   */
  isSetUp?(wallet: string): Promise<boolean | null>;

  /**
   * The lowest nonce that no transaction of a block has used yet, where a wallet that we never sent from starts; with `at`,
   * none up to that block. Zero where nonces are `free`. The highest that any node tells.
   */
  nextNonce(wallet: string, at?: Block): Promise<bigint>;

  /** The same, as the nodes tell it that answer now, with what waits for a block. Absent where nonces are `free`. */
  reportedNonces?(wallet: string): Promise<ReportedNonces>;

  /**
   * Writes the transaction of `order` without signing it. With `replaces`, one that nodes take in its stead: same
   * nonce, and both fee fields at least 10 % higher (and no lower than present prices); where transactions expire, one
   * that comes after it, which is dead. Rejects with SendingRefused when it cannot be sent whatever the fee: the wallet
   * lacks the money, or the chain would undo it.
   */
  prepare(order: SendingOrder, replaces: { raw: string } | null): Promise<UnsignedTransaction>;

  /** Hands signed bytes to the nodes. Bytes that are known, waiting or mined already are `accepted`; repeating it is harmless. */
  broadcast(raw: string): Promise<BroadcastOutcome>;

  /**
   * What became of a nonce of a wallet, all of its signed transactions considered. `superseded` and `mined` with
   * `final: true` are told only at the chain's finality.
   */
  outcome(query: OutcomeQuery): Promise<SendingOutcome>;

  /**
   * Why no block can take any of these transactions of ours, whatever it offers, as all nodes that answer say (safety.md G3); null when
   * one can as far as is known. Absent where no such thing is known.
   */
  unmineable?(transactions: readonly { readonly raw: string }[]): Promise<string | null>;

  /** Whether the block is still on the chain; null when no node can tell. */
  onChain(block: Block): Promise<boolean | null>;

  /**
   * Balances of `wallet` in base units, by asset key, as of `height` (default: the best block), all at one block. Throws
   * ChainUnavailable also when the node does not have the state of that block any more.
   */
  balances(
    wallet: string,
    assets: readonly string[],
    at?: { height: number },
  ): Promise<{ readonly block: Block; readonly units: ReadonlyMap<string, bigint> }>;

  /** The same of many wallets, by wallet, in few calls. Absent where each has to be asked about by itself. */
  balancesOf?(wallets: readonly string[], assets: readonly string[], at: { height: number }): ManyBalances;

  close(): Promise<void>;
}

type ManyBalances = Promise<ReadonlyMap<string, ReadonlyMap<string, bigint>>>;

/** They differ where a node lags, or lies. */
export interface ReportedNonces {
  readonly lowest: bigint;
  readonly highest: bigint;
  /** Whether every node that is configured answered. */
  readonly complete: boolean;
}

export interface OutcomeQuery {
  readonly wallet: string;
  readonly nonce: bigint;
  readonly transactions: readonly SentTransaction[];
  /**
   * What all of the transactions spend, or some of it those that void: their bytes do not tell its value, and so not the fee. Empty
   * where `utxos` is null.
   */
  readonly inputs: readonly Utxo[];
  readonly order: Pick<SendingOrder, 'asset' | 'payments' | 'delegates'>;
  /** The payments go to wallets of ours: they are final when they have arrived. Default: when they cannot come back. */
  readonly toOurs?: boolean;
  /**
   * Height of a final block: `mined` then tells what had happened by then (`left`, `arrived`, and fees less what had come back), where
   * that may be less than what has by now (`ways.arrivesWithin`).
   */
  readonly asOf?: number;
}

export interface SentTransaction {
  readonly txid: string;
  readonly raw: string;
  readonly voids: boolean;
  /** UnsignedTransaction.validUntil of it; nobody asks where transactions do not expire. */
  readonly validUntil?: bigint | null;
}

export interface SendingPrice {
  /** What it would cost now. */
  readonly expectedUnits: bigint;
  /** What is set aside for it: prices may rise until it is mined. */
  readonly maxUnits: bigint;
  /** How much of `expectedUnits` pays for energy, on chains that have it (Tron). */
  readonly energyUnits?: bigint;
  /** What of `expectedUnits` an ordinary recipient may take as `Payment.extraGas` (Solana: rent of its account). Default: nothing. */
  readonly extraGas?: bigint;
}

export interface SendingOrder {
  /** Sending address. */
  readonly wallet: string;
  readonly nonce: bigint;
  readonly asset: string;
  /** At most `ways.paymentsAtOnce`. */
  readonly payments: readonly Payment[];
  /** All that is spent, in this order; empty where `utxos` is null. */
  readonly inputs: readonly Utxo[];
  /**
   * Moves nothing instead: to the wallet itself, zero units of the native coin, just to use the nonce up. On UTXO chains: all of
   * `inputs`, which are some of the nonce's UTXOs, to its change address, so that what was signed before is never mined.
   */
  readonly voids: boolean;
  /** The hot wallet, for a sweep where `ways.hotWalletPaysFees`; null everywhere else. */
  readonly feePayer: string | null;
  /** Lends energy of so much stake to the payment's recipient, or takes it back, and pays nobody (EnergyDelegation). */
  readonly delegates?: Delegation;
}

/** An unspent output that a key of ours can spend. */
export interface Utxo {
  readonly txid: string;
  readonly vout: number;
  /** Normalized. */
  readonly address: string;
  /** Which key spends it. */
  readonly key: WalletKey;
  readonly units: bigint;
}

/** How a UTXO chain pays: several payments in one transaction, which spends chosen UTXOs and gives change. */
export interface UtxoSpending {
  /** Whether a waiting transaction can be replaced by one with a higher fee (BIP-125); if not, only a child helps (`bump`). */
  readonly replaceable: boolean;
  /** Present price of a block soon: native base units for 1,000 virtual bytes, within the configured floor and ceiling. */
  feeRate(): Promise<bigint>;
  /** Whether a payment is below what nodes relay (dust), or to no address of the chain. */
  isDust(payment: Payment): boolean;
  /**
   * The UTXOs to spend for `payments` at `feeRate`, from `utxos`; null when they are not enough. Pure and quick: it is called
   * inside a transaction. The change that is left pays for two replacements where there is any.
   */
  choose(order: {
    utxos: readonly Utxo[];
    payments: readonly Payment[];
    feeRate: bigint;
  }): readonly Utxo[] | null;
  /**
   * All of `utxos` to one output of our own: what arrives there after fees, when that is worth it. Null when it is not
   * (the fee would be more than a twentieth).
   */
  consolidate(order: { utxos: readonly Utxo[]; feeRate: bigint }): { readonly units: bigint } | null;
  /**
   * The change of a waiting transaction of ours spent by a child whose fee pays for both (CPFP): at `feeRate`, and at least a
   * quarter more for a byte than the parent alone. Null when it has no change, or offers three times `feeRate` by itself.
   */
  bump(order: { raw: string; paidFeeUnits: bigint; feeRate: bigint; change: Utxo }): {
    readonly units: bigint;
  } | null;
  /** The UTXOs that signed bytes spend. */
  spends(raw: string): readonly Outpoint[];
  /** The output of signed bytes that comes back to us; null when there is none. */
  changeOf(signed: { raw: string; nonce: bigint }): Pick<Utxo, 'vout' | 'address' | 'key' | 'units'> | null;
  /**
   * Whether each coin is in the chain's set of unspent outputs as of the best block, with the value we know. With `height`, as
   * of a best block that is no lower: a node that lags does not have young UTXOs, which proves nothing.
   */
  unspent(utxos: readonly Utxo[], height?: number): Promise<readonly boolean[]>;
  /** Whether a transaction that waits for a block spends each output, as any node that answers says: no two keep the same ones. */
  spentByWaiting(outpoints: readonly Outpoint[]): Promise<readonly boolean[]>;
  /** For each of `owed` the ids of waiting transactions that pay it, whatever they spend, as any node that answers says. */
  waitingPaying(owed: readonly OwedPayment[]): Promise<readonly (readonly string[])[]>;
}

export interface UnsignedTransaction {
  /** What the signer reads and signs (EVM: the unsigned transaction, EIP-2718, 0x hex). */
  readonly payload: string;
  readonly maxFeeUnits: bigint;
  /**
   * The last moment at which a block can take it, in the chain's own measure (XRP: ledger index; TON: Unix seconds; Tron: Unix
   * milliseconds; Solana: block height). Null where transactions do not expire.
   */
  readonly validUntil: bigint | null;
}

export type BroadcastOutcome =
  | { readonly kind: 'accepted' }
  /** No node will ever take these bytes, because their nonce is used: ask `outcome`. */
  | { readonly kind: 'sequence_used' }
  /** Not taken now: fee too low, no money, the node's pool full. The bytes stay valid. */
  | { readonly kind: 'refused'; readonly reason: string };

export type SendingOutcome =
  /** No node knows any of the transactions: broadcast again. The nonce is free, or not finally used by another one. */
  | { readonly kind: 'unseen' }
  | { readonly kind: 'waiting'; readonly txid: string }
  /** None of the transactions was in a block, and none can be any more: proven finally, with the history whole. */
  | { readonly kind: 'expired' }
  | {
      readonly kind: 'mined';
      readonly txid: string;
      readonly block: Block;
      /** Native base units that the network took in all; below zero where it gave more back (rent of a closed account). */
      readonly feeUnits: bigint;
      /** How much of it the hot wallet bore where that is not the sender; below zero: what came back to it. Default: nothing. */
      readonly hotFeeUnits?: bigint;
      /**
       * For each payment of the order, whether it was made (safety.md E1, E4); false for a revert, and for a transaction
       * that voids.
       */
      readonly effects: readonly boolean[];
      /** Whether each was not made since our own wallet could not pay it, where the chain tells that for certain. Default: none. */
      readonly unfunded?: readonly boolean[];
      /** Whether the units of each were gone from the wallet as of `asOf`. Default: `effects`. */
      readonly left?: readonly boolean[];
      /** Whether they were with their recipient by then; nothing is told by it without `toOurs`. Default: `effects`. */
      readonly arrived?: readonly boolean[];
      /** What of `feeUnits` each payment cost, where one can cost more than another (safety.md G6). Default: the first costs all. */
      readonly feeShares?: readonly bigint[];
      readonly final: boolean;
    }
  /** Another transaction than these used the nonce, finally. */
  | { readonly kind: 'superseded' };

/** The transfer cannot be sent at present, or never; nothing was signed. Expected, so callers catch it. */
export class SendingRefused extends Error {
  override readonly name = 'SendingRefused';
  /**
   * `money`: the wallet lacks it now, or nothing is left that could pay a higher fee. `fees`: at present they are above the
   * configured ceiling. `enough`: a waiting transaction offers enough already. `undone`: the chain says that it would revert.
   * `unclear`: nodes disagree about it, or its asset cannot be used at present. `untried`: nodes that try others do not come to an
   * end with it, or refuse to try it. `cost`: its recipient makes it take more than was quoted for it.
   */
  readonly because: 'money' | 'fees' | 'enough' | 'undone' | 'unclear' | 'untried' | 'cost';
  /** Which of the order's payments is to blame, from 0; null when it is the whole order. */
  readonly payment: number | null;
  constructor(because: SendingRefused['because'], message: string, payment: number | null = null) {
    super(message);
    this.because = because;
    this.payment = payment;
  }
}
