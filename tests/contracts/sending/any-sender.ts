/**
 * The shared contract of senders from accounts and senders of UTXOs: from the first look at a
 * transaction to its end, and back.
 */
import { expect, test } from 'bun:test';
import type { ChainSender, SendingOrder, SendingOutcome } from '../../../src/ports/sending/chain-sender.ts';

export const ACCEPTED = { kind: 'accepted' } as const;

export type Mined = Extract<SendingOutcome, { kind: 'mined' }>;

/** `Signed` is the suite's record of a signed transaction. */
export interface AnySenderSteps<Signed extends { readonly raw: string; readonly txid: string }> {
  readonly chain: {
    readonly confirmations: number;
    mine(count: number): Promise<void>;
    /**
     * Replaces the last `depth` blocks with as many empty ones; their transactions are gone or wait
     * again.
     */
    reorg(depth: number): Promise<void>;
  };
  readonly sender: ChainSender;
  /** A payment of the suite's amount to an unused address. */
  orderOf(): Promise<SendingOrder>;
  signed(order: SendingOrder, replaces?: Signed): Promise<Signed>;
  /** Signed, and accepted by the nodes. */
  sent(order: SendingOrder, replaces?: Signed): Promise<Signed>;
  outcomeOf(order: SendingOrder, ...transactions: readonly Signed[]): Promise<SendingOutcome>;
  /** The outcome, which must be `mined`. */
  minedOf(order: SendingOrder, ...transactions: readonly Signed[]): Promise<Mined>;
  /** The amount that the order's only recipient received. */
  arrived(order: SendingOrder): Promise<bigint>;
}

/** `UNITS`: the payment of an order of the suite. */
export function testOutcomes<Signed extends { readonly raw: string; readonly txid: string }>(
  on: AnySenderSteps<Signed>,
  { UNITS }: { UNITS: bigint },
): void {
  test('an outcome is unseen, then waiting, then mined, and final with its confirmations and not before', async () => {
    const order = await on.orderOf();
    expect(await on.outcomeOf(order)).toEqual({ kind: 'unseen' });
    const transaction = await on.signed(order);
    expect(await on.outcomeOf(order, transaction)).toEqual({ kind: 'unseen' });
    await on.sender.broadcast(transaction.raw);
    expect(await on.outcomeOf(order, transaction)).toEqual({ kind: 'waiting', txid: transaction.txid });
    await on.chain.mine(1);
    const first = await on.minedOf(order, transaction);
    expect(await on.sender.onChain(first.block)).toBe(true);
    for (let confirmations = 1; confirmations < on.chain.confirmations; confirmations++) {
      expect(await on.minedOf(order, transaction)).toEqual({ ...first, final: false });
      await on.chain.mine(1);
    }
    expect(await on.minedOf(order, transaction)).toEqual({ ...first, final: true });
  });

  test('U7: a reorganisation, however deep, takes a payment back; the same bytes pay again, once', async () => {
    for (const depth of [1, on.chain.confirmations + 1]) {
      const order = await on.orderOf();
      const transaction = await on.sent(order);
      await on.chain.mine(depth);
      const { block: old, final } = await on.minedOf(order, transaction);
      expect(final).toBe(depth >= on.chain.confirmations);
      expect(await on.sender.onChain(old)).toBe(true);
      await on.chain.reorg(depth);
      expect(await on.sender.onChain(old)).toBe(false);
      expect(['unseen', 'waiting']).toContain((await on.outcomeOf(order, transaction)).kind);
      expect(await on.sender.broadcast(transaction.raw)).toEqual(ACCEPTED);
      await on.chain.mine(1);
      const { block: another } = await on.minedOf(order, transaction);
      expect(another.hash).not.toBe(old.hash);
      expect(await on.arrived(order)).toBe(UNITS);
    }
  });
}
