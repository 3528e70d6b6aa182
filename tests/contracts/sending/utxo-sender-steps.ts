/**
 * The set-up of the suite for senders of UTXOs: a chain's test functions, and the steps of its
 * tests.
 */
import { expect } from 'bun:test';
import type {
  ChainSender,
  SendingOrder,
  UnsignedTransaction,
} from '../../../src/ports/sending/chain-sender.ts';
import type { Utxo, UtxoSpending } from '../../../src/ports/sending/utxo-spending.ts';
import { ACCEPTED, type AnySenderSteps } from './any-sender.ts';

/**
 * A chain that the suite can drive, and the tested sender. Transactions wait until a block is
 * mined.
 */
export interface CoinSenderCase {
  readonly sender: ChainSender;
  /** Confirmations that make a block final, including its own; at least 2. */
  readonly confirmations: number;
  /** bcash relays non-standard transactions in regtest. */
  readonly relaysDust: boolean;
  /** The gateway's hot wallet, normalized. */
  readonly wallet: string;
  /** An unused address, in normalized form. */
  freshAddress(): string;
  /** UTXOs of these units, each at an address of its own, in a block. */
  fund(units: readonly bigint[]): Promise<readonly Utxo[]>;
  /** Signs with the keys of the UTXOs; this suite does not test the signer's own rules. */
  sign(order: SendingOrder, unsigned: UnsignedTransaction): Promise<{ raw: string; txid: string }>;
  /** The sum that all blocks paid to `address`, read without the sender. */
  received(address: string): Promise<bigint>;
  mine(count: number): Promise<void>;
  /** A block of exactly these transactions. */
  mineOnly(raws: readonly string[]): Promise<void>;
  /**
   * Replaces the last `depth` blocks with as many empty ones; their transactions are gone or wait
   * again.
   */
  reorg(depth: number): Promise<void>;
  /** Ids of waiting transactions. */
  waiting(): Promise<readonly string[]>;
  /** While on, no node can be reached. */
  outage(on: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface Signed {
  readonly raw: string;
  readonly txid: string;
  readonly voids: boolean;
  readonly feeUnits: bigint;
}

/** Above every node's dust limit. */
export const UNITS = 123_456n;

export interface CoinSteps extends AnySenderSteps<Signed> {
  readonly chain: CoinSenderCase;
  readonly utxos: UtxoSpending;
  /** `UNITS` to an unused address, from a UTXO that leaves change; with a nonce of its own. */
  orderOf(changes?: Partial<SendingOrder>): Promise<SendingOrder>;
}

/** `chain` returns the opened case: it is opened in beforeAll, after the tests are registered. */
export function coinSteps(chain: () => CoinSenderCase): CoinSteps {
  let nonces = 0n;
  const steps: CoinSteps = {
    get chain() {
      return chain();
    },
    get sender() {
      return chain().sender;
    },
    get utxos() {
      const { utxos } = chain().sender;
      if (utxos === null) throw new Error('a sender of coins has coins');
      return utxos;
    },
    orderOf: async (changes = {}) => ({
      wallet: chain().wallet,
      nonce: nonces++,
      asset: chain().sender.nativeAsset,
      payments: [{ to: chain().freshAddress(), units: UNITS }],
      inputs: changes.inputs ?? (await chain().fund([1_000_000n])),
      voids: false,
      feePayer: null,
      ...changes,
    }),
    signed: async (order, replaces) => {
      const unsigned = await steps.sender.prepare(order, replaces ?? null);
      const { raw, txid } = await chain().sign(order, unsigned);
      return { raw, txid, voids: order.voids, feeUnits: unsigned.maxFeeUnits };
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
        inputs: order.inputs,
        order,
      }),
    minedOf: async (order, ...transactions) => {
      const outcome = await steps.outcomeOf(order, ...transactions);
      if (outcome.kind !== 'mined') throw new Error(`the transaction is ${outcome.kind}, not mined`);
      return outcome;
    },
    arrived: ({ payments }) => chain().received(payments[0]!.to),
  };
  return steps;
}

export const sumOf = (each: readonly { readonly units: bigint }[]): bigint =>
  each.reduce((sum, { units }) => sum + units, 0n);
