/** The set-up of the ChainSender suite: a chain's test functions, and the steps of its tests. */
import { expect } from 'bun:test';
import type {
  ChainSender,
  SendingOrder,
  UnsignedTransaction,
} from '../../../src/ports/sending/chain-sender.ts';
import { type Change, changed, paymentOf, sendingOrder } from '../../support/utxo/lone-orders.ts';
import { ACCEPTED, type AnySenderSteps } from './any-sender.ts';

/**
 * A chain that the suite can drive, and the tested sender. Transactions wait until `mine` is
 * called.
 */
export interface SenderCase {
  readonly sender: ChainSender;
  /** Confirmations that make a block final, including its own; at least 2. */
  readonly confirmations: number;
  /** A token; the native coin is `sender.nativeAsset`. */
  readonly token: string;
  /**
   * A token whose transfers can be made to have no effect, without a revert and without a log
   * (safety.md E4, T6).
   */
  readonly silentToken: { readonly asset: string; fail(on: boolean): Promise<void> };
  /**
   * Has at least 10^9 base units of every asset, and fees for a hundred transactions. Only the
   * suite uses it.
   */
  readonly wallet: string;
  /** Another wallet of the gateway, without money. */
  readonly poorWallet: string;
  /** A contract that accepts the native coin and runs code for it. */
  readonly payableContract: string;
  /** A contract that reverts when it receives the native coin. */
  readonly unpayableContract: string;
  /** An unused address in normalized form. */
  freshAddress(): string;
  /** Signs with the key of `order.wallet`; this suite does not test the signer's own rules. */
  sign(order: SendingOrder, unsigned: UnsignedTransaction): Promise<{ raw: string; txid: string }>;
  /**
   * The fee fields of signed bytes, in a fixed order: a node compares them before it accepts a
   * replacement.
   */
  feesOf(raw: string): readonly bigint[];
  /** Gives `units` of `asset` to `address`; afterwards they are in a block. */
  fund(address: string, asset: string, units: bigint): Promise<void>;
  /** The balance at the best block, read without the sender. */
  balanceOf(address: string, asset: string): Promise<bigint>;
  /** While on, transfers of `token` to `address` revert, as to a blacklisted holder. May mine. */
  refuseTokensTo(address: string, on: boolean): Promise<void>;
  mine(count: number): Promise<void>;
  /**
   * Replaces the last `depth` blocks with as many empty ones; their transactions are gone or wait
   * again.
   */
  reorg(depth: number): Promise<void>;
  /** While on, no node can be reached. */
  outage(on: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface Signed {
  readonly raw: string;
  readonly txid: string;
  readonly voids: boolean;
  readonly maxFeeUnits: bigint;
}

export const UNITS = 12_345n;

export interface SenderSteps extends AnySenderSteps<Signed> {
  readonly chain: SenderCase;
  /** An order of `UNITS` of the native coin to a fresh address, with the wallet's next nonce. */
  orderOf(changes?: Change<SendingOrder>): Promise<SendingOrder>;
  /** The native coin and the token. */
  assets(): readonly string[];
}

/** `chain` returns the opened case: it is opened in beforeAll, after the tests are registered. */
export function senderSteps(chain: () => SenderCase): SenderSteps {
  const steps: SenderSteps = {
    get chain() {
      return chain();
    },
    get sender() {
      return chain().sender;
    },
    orderOf: async (changes = {}) => {
      const order = sendingOrder({
        wallet: chain().wallet,
        nonce: await steps.sender.nextNonce(changes.wallet ?? chain().wallet),
        asset: steps.sender.nativeAsset,
        to: chain().freshAddress(),
        units: UNITS,
        voids: false,
      });
      return changed(order, changes);
    },
    signed: async (order, replaces) => {
      const unsigned = await steps.sender.prepare(order, replaces ?? null);
      const { raw, txid } = await chain().sign(order, unsigned);
      return { raw, txid, voids: order.voids, maxFeeUnits: unsigned.maxFeeUnits };
    },
    sent: async (order, replaces) => {
      const transaction = await steps.signed(order, replaces);
      expect(await steps.sender.broadcast(transaction.raw)).toEqual(ACCEPTED);
      return transaction;
    },
    outcomeOf: (order, ...transactions) =>
      steps.sender.outcome({
        wallet: order.wallet,
        nonce: order.nonce,
        transactions,
        order,
        inputs: [],
      }),
    minedOf: async (order, ...transactions) => {
      const outcome = await steps.outcomeOf(order, ...transactions);
      if (outcome.kind !== 'mined') throw new Error(`the transaction is ${outcome.kind}, not mined`);
      return outcome;
    },
    arrived: (order) => chain().balanceOf(paymentOf(order).to, order.asset),
    assets: () => [steps.sender.nativeAsset, chain().token],
  };
  return steps;
}
