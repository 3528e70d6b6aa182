/**
 * Sends from our wallets on one chain: prices, unsigned transactions, broadcasts and look-ups. Holds no key and keeps no
 * state; what was signed and stored before is handed in (safety.md, 2). All calls throw ChainUnavailable when no node can
 * answer. The contract suite is tests/contracts/chain-sender.ts.
 */
import type { Block } from '../domain/outgoing.ts';

export interface ChainSender {
  readonly chain: string;
  /** Asset key of the chain's own coin, in which fees are paid. */
  readonly nativeAsset: string;

  /** What sending costs at present, in native base units: expected, and at most. From the node; callers cache it. */
  price(order: { asset: string; to: string | null }): Promise<SendingPrice>;

  /** The lowest sequence that no transaction of a block has used yet: where a wallet that we never sent from starts. */
  nextSequence(wallet: string): Promise<bigint>;

  /**
   * Writes the transaction of `order` without signing it. With `replaces`, one that nodes take in its stead: same
   * sequence, and both fee fields at least 10 % higher (and no lower than present prices). Rejects with SendingRefused
   * when it cannot be sent whatever the fee: the wallet lacks the money, or the chain would undo it.
   */
  prepare(order: SendingOrder, replaces: { raw: string } | null): Promise<UnsignedTransaction>;

  /** Hands signed bytes to the nodes. Bytes that are known, waiting or mined already are `accepted`; repeating it is harmless. */
  broadcast(raw: string): Promise<BroadcastOutcome>;

  /**
   * What became of a sequence of a wallet, all of its signed transactions considered. `superseded` and `mined` with
   * `final: true` are told only at the chain's finality.
   */
  outcome(query: {
    wallet: string;
    sequence: bigint;
    transactions: readonly { txid: string; raw: string; voids: boolean }[];
    order: Pick<SendingOrder, 'asset' | 'to' | 'units'>;
  }): Promise<SendingOutcome>;

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

  close(): Promise<void>;
}

export interface SendingPrice {
  /** What it would cost now. */
  readonly expectedUnits: bigint;
  /** What is set aside for it: prices may rise until it is mined. */
  readonly maxUnits: bigint;
}

export interface SendingOrder {
  /** Sending address. */
  readonly wallet: string;
  readonly sequence: bigint;
  readonly asset: string;
  readonly to: string;
  readonly units: bigint;
  /** Moves nothing instead: to the wallet itself, zero units of the native coin, just to use the sequence up. */
  readonly voids: boolean;
}

export interface UnsignedTransaction {
  /** What the signer reads and signs (EVM: the unsigned transaction, EIP-2718, 0x hex). */
  readonly payload: string;
  readonly maxFeeUnits: bigint;
}

export type BroadcastOutcome =
  | { readonly kind: 'accepted' }
  /** No node will ever take these bytes, because their sequence is used: ask `outcome`. */
  | { readonly kind: 'sequence_used' }
  /** Not taken now: fee too low, no money, the node's pool full. The bytes stay valid. */
  | { readonly kind: 'refused'; readonly reason: string };

export type SendingOutcome =
  /** No node knows any of the transactions: broadcast again. The sequence is free, or not finally used by another one. */
  | { readonly kind: 'unseen' }
  | { readonly kind: 'waiting'; readonly txid: string }
  | {
      readonly kind: 'mined';
      readonly txid: string;
      readonly block: Block;
      /** Native base units that the network took. */
      readonly feeUnits: bigint;
      /** Whether it did what the order says (safety.md E1, E4); false for a revert, and for a transaction that voids. */
      readonly effect: boolean;
      readonly final: boolean;
    }
  /** Another transaction than these used the sequence, finally. */
  | { readonly kind: 'superseded' };

/** The transfer cannot be sent at present, or never; nothing was signed. Expected, so callers catch it. */
export class SendingRefused extends Error {
  override readonly name = 'SendingRefused';
  /**
   * `money`: the wallet lacks it now. `fees`: at present they are above the configured ceiling. `undone`: the chain says
   * that it would revert.
   */
  readonly because: 'money' | 'fees' | 'undone';
  constructor(because: SendingRefused['because'], message: string) {
    super(message);
    this.because = because;
  }
}
