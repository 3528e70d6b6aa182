/** The stage of the suite for senders of UTXOs: what a chain must offer to be tested, and the steps that its tests are made of. */
import { expect } from 'bun:test';
import type {
  ChainSender,
  SendingOrder,
  UnsignedTransaction,
} from '../../../src/ports/sending/chain-sender.ts';
import type { Utxo, UtxoSpending } from '../../../src/ports/sending/utxo-spending.ts';
import { ACCEPTED, type AnySenderSteps } from './any-sender.ts';

/** A chain the suite can drive, and the sender under test on it. Transactions wait until a block is mined. */
export interface CoinSenderCase {
  readonly sender: ChainSender;
  /** Confirmations that make a block final, its own included; at least 2. */
  readonly confirmations: number;
  /** bcash relays in regtest what is not standard. */
  readonly relaysDust: boolean;
  /** Our hot wallet, normalized. */
  readonly wallet: string;
  /** An address that nobody was paid at, in normalized form. */
  freshAddress(): string;
  /** Coins of ours of these units, at addresses of their own; they are in a block. */
  fund(units: readonly bigint[]): Promise<readonly Utxo[]>;
  /** Signs with the keys of the UTXOs; the signer's own rules are not this suite's business. */
  sign(order: SendingOrder, unsigned: UnsignedTransaction): Promise<{ raw: string; txid: string }>;
  /** What all blocks of the chain paid to `address`, read without the sender. */
  received(address: string): Promise<bigint>;
  mine(count: number): Promise<void>;
  /** A block of these transactions and no other. */
  mineOnly(raws: readonly string[]): Promise<void>;
  /** Replaces the last `depth` blocks by as many empty ones; their transactions are gone or wait again. */
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

/** Above what any node calls dust. */
export const UNITS = 123_456n;

export interface CoinSteps extends AnySenderSteps<Signed> {
  readonly chain: CoinSenderCase;
  readonly utxos: UtxoSpending;
  /** `UNITS` to a fresh address, from a coin that leaves change; with a nonce of its own. */
  orderOf(changes?: Partial<SendingOrder>): Promise<SendingOrder>;
}

/** `chain` answers the opened case: it is opened in beforeAll, after the tests are registered. */
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
