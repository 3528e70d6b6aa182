/**
 * Sends from our wallets on one chain: prices, unsigned transactions, broadcasts and look-ups. It
 * holds no key and keeps no state: the caller passes what was signed and stored (safety.md, "Paid
 * once"). Every call throws ChainUnavailable when no node answers. The contract suite is
 * tests/contracts/sending/chain-sender.ts.
 */

import type { Block } from '../../domain/sending/outgoing.ts';
import type { OwnMoney } from '../../domain/sending/own-money.ts';
import type { Delegation, EnergyDelegation } from './energy-delegation.ts';
import type { Payment } from './payment.ts';
import type { RecipientPricing } from './recipient-pricing.ts';
import type { SendingCapabilities } from './sending-capabilities.ts';
import type { Utxo, UtxoSpending } from './utxo-spending.ts';

export interface ChainSender {
  readonly chain: string;
  /** Asset key of the chain's own coin, in which fees are paid. */
  readonly nativeAsset: string;
  readonly capabilities: SendingCapabilities;

  /** How UTXO chains choose what to spend. Null where a wallet has a balance and a nonce. */
  readonly utxos: UtxoSpending | null;

  /** Delegation of staked energy to another address (Tron). Absent elsewhere. */
  readonly energy?: EnergyDelegation;

  /**
   * The present price of one payment, in native base units. It comes from the node; callers cache
   * it. `from`: the paying wallet, where that makes a difference.
   */
  price(order: { asset: string; to: string | null; from?: string }): Promise<SendingPrice>;

  /**
   * Extra cost by recipient (safety.md G1). Absent where no recipient can make a payment dearer.
   */
  readonly recipients?: RecipientPricing;

  /**
   * Native base units that the chain makes a wallet keep (XRP's reserve, Solana's rent exemption).
   */
  reserveUnits(wallet: string): Promise<bigint>;

  /**
   * Whether the hot wallet's account has the settings that deposits need (XRP: it requires
   * destination tags). A voiding transaction sets them. Null while the account is not funded.
   * Absent on chains without such settings.
   */
  isSetUp?(wallet: string): Promise<boolean | null>;

  /**
   * The lowest nonce that no mined transaction has used; with `at`, none up to that block. If nodes
   * differ, the highest. Zero where nonces are `independent`.
   */
  nextNonce(wallet: string, at?: Block): Promise<bigint>;

  /**
   * The next nonce by each node, waiting transactions included. Absent where nonces are
   * `independent`.
   */
  reportedNonces?(wallet: string): Promise<ReportedNonces>;

  /**
   * Writes the transaction of `order` without signing it. With `replaces`, one that nodes accept in
   * its place: the same nonce, both fee fields at least 10 % higher and no lower than present
   * prices. Where transactions expire, `replaces` is an expired one. Rejects with SendingRefused
   * when no fee could send it: the wallet lacks the money, or what of it is `own`, or the chain
   * would revert it.
   */
  prepare(order: SendingOrder, replaces: { raw: string } | null): Promise<UnsignedTransaction>;

  /**
   * Broadcasts signed bytes. Bytes that are known, waiting or mined are `accepted`; repeat at will.
   */
  broadcast(raw: string): Promise<BroadcastOutcome>;

  /**
   * What became of a wallet's nonce, considering all transactions signed under it. Returns
   * `superseded` and `mined` with `final: true` only at the chain's finality.
   */
  outcome(query: OutcomeQuery): Promise<SendingOutcome>;

  /**
   * Why no block can ever take any of these transactions, if all nodes that answer agree (safety.md
   * G3); null otherwise. Absent on chains without such a state.
   */
  unmineable?(transactions: readonly { readonly raw: string }[]): Promise<string | null>;

  /** Whether the block is still on the chain; null when no node knows. */
  onChain(block: Block): Promise<boolean | null>;

  /**
   * Balances of `wallet` in base units, by asset key, all at one block: `height`, by default the
   * best block. Throws ChainUnavailable also when the node no longer has that block's state.
   */
  balances(
    wallet: string,
    assets: readonly string[],
    at?: { height: number },
  ): Promise<{ readonly block: Block; readonly units: ReadonlyMap<string, bigint> }>;

  /**
   * The same for many wallets, by wallet, in few calls. Absent where each wallet needs its own
   * call.
   */
  balancesOf?(wallets: readonly string[], assets: readonly string[], at: { height: number }): ManyBalances;

  /**
   * Runs `work` on so many batches, in which `prepare` and `outcome` may ask a node once, and not
   * for each payment, what does not depend on the payment: the market, the wallet's money, the
   * head. The answers are of some seconds ago at most. Absent where nothing is asked once.
   */
  inRound?<T>(batches: number, work: () => Promise<T>): Promise<T>;

  /**
   * Runs `work`, whose calls go before all others where a node's plan has no room for all, as those
   * of payouts do. Otherwise `balances` come last. Absent where no node has a plan.
   */
  forPayouts?<T>(work: () => Promise<T>): Promise<T>;

  close(): Promise<void>;
}

type ManyBalances = Promise<{
  readonly block: Block;
  readonly units: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
}>;

/** The two differ when a node lags or lies. */
export interface ReportedNonces {
  readonly lowest: bigint;
  readonly highest: bigint;
  /** Whether every configured node answered. */
  readonly complete: boolean;
}

export interface OutcomeQuery {
  readonly wallet: string;
  readonly nonce: bigint;
  readonly transactions: readonly SentTransaction[];
  /**
   * What the transactions spend; those that void may spend only a part. Their bytes do not hold its
   * value, which the fee is computed from. Empty where `utxos` is null.
   */
  readonly inputs: readonly Utxo[];
  readonly order: Pick<SendingOrder, 'asset' | 'payments' | 'delegates'>;
  /**
   * The recipients are our own wallets: final means arrived. Default: it means it cannot come back.
   */
  readonly toOurs?: boolean;
  /**
   * Height of a final block: `mined` then reports the state at that block (`left`, `arrived`, and
   * fees less what had come back), where that may be less than by now
   * (`capabilities.arrivesWithin`).
   */
  readonly asOf?: number;
}

export interface SentTransaction {
  readonly txid: string;
  readonly raw: string;
  readonly voids: boolean;
  /** Its UnsignedTransaction.validUntil; unused where transactions do not expire. */
  readonly validUntil?: bigint | null;
}

export interface SendingPrice {
  /** The cost now. */
  readonly expectedUnits: bigint;
  /** What is reserved for it, because prices may rise until it is mined. */
  readonly maxUnits: bigint;
  /** The part of `expectedUnits` that pays for energy (Tron). */
  readonly energyUnits?: bigint;
  /**
   * The part of `expectedUnits` that an ordinary recipient may take as `Payment.extraGas` (Solana:
   * the rent of its account). Default: nothing.
   */
  readonly extraGas?: bigint;
}

export interface SendingOrder {
  /** Sending address. */
  readonly wallet: string;
  readonly nonce: bigint;
  readonly asset: string;
  /** At most `capabilities.paymentsAtOnce`. */
  readonly payments: readonly Payment[];
  /** All UTXOs to spend, in this order; empty where `utxos` is null. */
  readonly inputs: readonly Utxo[];
  /**
   * Moves nothing instead, so that what was signed before can never be mined: zero units of the
   * native coin to the wallet itself, which uses the nonce. On UTXO chains: all `inputs`, which are
   * some of the batch's UTXOs, to the batch's change address.
   */
  readonly voids: boolean;
  /** The hot wallet, for a sweep where `capabilities.hotWalletPaysFees`; otherwise null. */
  readonly feePayer: string | null;
  /**
   * What of the wallet's native coin may leave it, fee included. Default: all that is there. Unused
   * where `utxos` is not null, and with `feePayer`.
   */
  readonly own?: OwnMoney;
  /** Delegates stake for energy to the payment's recipient, or takes it back (EnergyDelegation). */
  readonly delegates?: Delegation;
}

export interface UnsignedTransaction {
  /** What the signer reads and signs (EVM: the unsigned transaction, EIP-2718, 0x hex). */
  readonly payload: string;
  readonly maxFeeUnits: bigint;
  /**
   * The last moment at which a block can take it, in the chain's own measure (XRP: ledger index;
   * TON: Unix seconds; Tron: Unix milliseconds; Solana: block height). Null where transactions do
   * not expire.
   */
  readonly validUntil: bigint | null;
}

export type BroadcastOutcome =
  | { readonly kind: 'accepted' }
  /** No node will ever take these bytes, because their nonce is used: call `outcome`. */
  | { readonly kind: 'nonce_used' }
  /**
   * Not taken now: the fee is too low, the money is missing, or the mempool is full. Still valid.
   */
  | { readonly kind: 'refused'; readonly reason: string };

export type SendingOutcome =
  /** No node knows any of them: broadcast again. The nonce is unused, or not finally used. */
  | { readonly kind: 'unseen' }
  | { readonly kind: 'waiting'; readonly txid: string }
  /** None was mined and none can be any more: final, and proven by a complete history. */
  | { readonly kind: 'expired' }
  | {
      readonly kind: 'mined';
      readonly txid: string;
      readonly block: Block;
      /**
       * Native base units that the network took; negative if it gave more back (a closed account's
       * rent).
       */
      readonly feeUnits: bigint;
      /**
       * The hot wallet's part of `feeUnits` if it is not the sender; may be negative. Default:
       * none.
       */
      readonly hotFeeUnits?: bigint;
      /**
       * For each payment of the order, whether it was made (safety.md E1, E4); false for a revert
       * and for a transaction that voids.
       */
      readonly effects: readonly boolean[];
      /**
       * Whether each failed because our wallet lacked the money, where the chain proves it.
       * Default: no.
       */
      readonly unfunded?: readonly boolean[];
      /** Whether the units of each had left the wallet by `asOf`. Default: `effects`. */
      readonly left?: readonly boolean[];
      /** Whether each had arrived by `asOf`; meaningful with `toOurs` only. Default: `effects`. */
      readonly arrived?: readonly boolean[];
      /**
       * Each payment's part of `feeUnits`, where costs differ (safety.md G6). Default: one of them
       * bears all of it (batch-fee.ts).
       */
      readonly feeShares?: readonly bigint[];
      /**
       * Where payments take several blocks, and the query has no `asOf`: effects and fees are
       * complete only if this is true.
       */
      readonly final: boolean;
    }
  /** Another transaction used the nonce, finally. */
  | { readonly kind: 'superseded' };

/** The transfer cannot be sent now, or ever; nothing was signed. Expected, so callers catch it. */
export class SendingRefused extends Error {
  override readonly name = 'SendingRefused';
  /**
   * `money`: the wallet lacks it now, or nothing is left for a higher fee. `fees`: they are above
   * the configured ceiling now. `enough`: a waiting transaction offers enough. `undone`: it would
   * revert. `unclear`: nodes disagree about it, or its asset cannot be used now. `untried`: nodes
   * that can try other payments do not finish trying this one, or refuse to. `cost`: its recipient
   * makes it cost more than was quoted.
   */
  readonly because: 'money' | 'fees' | 'enough' | 'undone' | 'unclear' | 'untried' | 'cost';
  /** The payment of the order that is to blame, from 0; null when it is the whole order. */
  readonly payment: number | null;
  constructor(because: SendingRefused['because'], message: string, payment: number | null = null) {
    super(message);
    this.because = because;
    this.payment = payment;
  }
}
