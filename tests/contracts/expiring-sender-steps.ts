/** The stage of the suite for senders of transactions that expire: what a chain must offer, and the steps of its tests. */
import { expect } from 'bun:test';
import type { ChainSender, SendingOrder, UnsignedTransaction } from '../../src/ports/chain-sender.ts';
import { type Change, changed, paymentOf, sendingOrder } from '../support/lone-orders.ts';
import { ACCEPTED, type AnySenderSteps } from './any-sender.ts';

/** A chain the suite can drive, and the sender under test on it. Transactions wait until `mine` is called. */
export interface ExpiringSenderCase {
  readonly sender: ChainSender;
  /** Confirmations that make a block final, its own included; at least 2. */
  readonly confirmations: number;
  /** A token; the native coin is `sender.nativeAsset`. */
  readonly token: string;
  /** Holds 10^9 base units of every asset at least, and fees for a hundred transactions. Nobody else uses it. */
  readonly wallet: string;
  /** Another wallet of ours, without any money. */
  readonly poorWallet: string;
  /** An address where payments would be undone, or lost. */
  readonly unpayable: string;
  /** A never used address in normalized form, that takes the smallest payment. */
  freshAddress(): string;
  sign(order: SendingOrder, unsigned: UnsignedTransaction): Promise<{ raw: string; txid: string }>;
  /** Gives `units` of `asset` to `address`; they are in a block afterwards. */
  fund(address: string, asset: string, units: bigint): Promise<void>;
  /** The balance at the best block, read without the sender. */
  balanceOf(address: string, asset: string): Promise<bigint>;
  /** Mines until no block can take what was signed before (`unusable`), and until that is final. */
  lapse(until: 'unusable' | 'final'): Promise<void>;
  /** Puts bytes into the next block that nodes would refuse to hand on. */
  force(raw: string): Promise<void>;
  mine(count: number): Promise<void>;
  /** Replaces the last `depth` blocks by as many empty ones; their transactions are gone. */
  reorg(depth: number): Promise<void>;
  /** While on, no node can be reached. */
  outage(on: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface Signed {
  readonly raw: string;
  readonly txid: string;
  readonly voids: false;
  readonly maxFeeUnits: bigint;
  readonly validUntil: bigint | null;
}

export const UNITS = 12_345n;

export interface ExpiringSteps extends AnySenderSteps<Signed> {
  readonly chain: ExpiringSenderCase;
  /** An order of `UNITS` of the native coin to a fresh address, with a sequence that no other order of the suite has. */
  orderOf(changes?: Change<SendingOrder>): Promise<SendingOrder>;
  /** The native coin and the token. */
  assets(): readonly string[];
}

/** `chain` answers the opened case: it is opened in beforeAll, after the tests are registered. */
export function expiringSteps(chain: () => ExpiringSenderCase): ExpiringSteps {
  let sequence = 0n;
  const steps: ExpiringSteps = {
    get chain() {
      return chain();
    },
    get sender() {
      return chain().sender;
    },
    orderOf: async (changes = {}) => {
      sequence += 10n;
      const order = sendingOrder({
        wallet: chain().wallet,
        sequence,
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
      const { maxFeeUnits, validUntil } = unsigned;
      return { raw, txid, voids: false, maxFeeUnits, validUntil };
    },
    sent: async (order, replaces) => {
      const transaction = await steps.signed(order, replaces);
      expect(await steps.sender.broadcast(transaction.raw)).toEqual(ACCEPTED);
      return transaction;
    },
    outcomeOf: (order, ...transactions) =>
      steps.sender.outcome({
        wallet: order.wallet,
        sequence: order.sequence,
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
