/** The steps of the suite of expiring transactions. */
import { expect } from 'bun:test';
import type { ChainSender, SendingOrder, SendingOutcome } from '../../../src/ports/sending/chain-sender.ts';
import { type Change, changed, paymentOf, sendingOrder } from '../../support/utxo/lone-orders.ts';
import { ACCEPTED, type Mined } from './any-sender.ts';
import type { ExpiringCase } from './expiring-sender.ts';

export interface ExpiringSigned {
  readonly raw: string;
  readonly txid: string;
  readonly voids: boolean;
  readonly maxFeeUnits: bigint;
  readonly validUntil: bigint | null;
}

export interface ExpiringSteps {
  readonly chain: ExpiringCase;
  readonly sender: ChainSender;
  /**
   * A payment of the suite's amount of the native coin to an unused address, with the wallet's next
   * nonce.
   */
  orderOf(changes?: Change<SendingOrder>): Promise<SendingOrder>;
  signed(order: SendingOrder, after?: ExpiringSigned): Promise<ExpiringSigned>;
  /** Signed, and accepted by the nodes. */
  sent(order: SendingOrder, after?: ExpiringSigned): Promise<ExpiringSigned>;
  outcomeOf(order: SendingOrder, ...transactions: readonly ExpiringSigned[]): Promise<SendingOutcome>;
  /** The outcome, which must be `mined`. */
  minedOf(order: SendingOrder, ...transactions: readonly ExpiringSigned[]): Promise<Mined>;
  /** The balance of the order's only recipient. */
  arrived(order: SendingOrder): Promise<bigint>;
}

/** `chain` returns the opened case: it is opened in beforeAll, after the tests are registered. */
export function expiringSteps(chain: () => ExpiringCase): ExpiringSteps {
  const steps: ExpiringSteps = {
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
        asset: chain().assets[0]!,
        to: chain().freshAddress(),
        units: chain().units,
        voids: false,
      });
      return changed(order, changes);
    },
    signed: async (order, after) => {
      const unsigned = await steps.sender.prepare(order, after ?? null);
      const { raw, txid } = await chain().sign(order, unsigned);
      const { maxFeeUnits, validUntil } = unsigned;
      return { raw, txid, voids: order.voids, maxFeeUnits, validUntil };
    },
    sent: async (order, after) => {
      const transaction = await steps.signed(order, after);
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
  };
  return steps;
}
