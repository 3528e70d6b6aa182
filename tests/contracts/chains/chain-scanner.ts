/** The contract of every ChainScanner: run by the fake and against every real node. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  type BlockRef,
  type ChainScanner,
  ChainUnavailable,
  followedBy,
} from '../../../src/ports/chains/chain-scanner.ts';
import { watching, watchingNobody } from '../../support/chains/watch-list.ts';
import { agreementTests } from './chain-scanner-agreement.ts';

/**
 * A chain that the suite can drive, and the tested scanner. Blocks only come when `mine` is called.
 */
export interface ScannerCase {
  readonly scanner: ChainScanner;
  /**
   * A scanner with the node of `scanner` twice: it requires the agreement of several nodes
   * (safety.md A3).
   */
  readonly several: ChainScanner;
  /**
   * The part of a payment that each of several nodes has to show; nothing if the agreed block hash
   * proves it.
   */
  readonly shows: 'all of it' | 'its transaction' | 'nothing';
  /** Confirmations that make a block final, including its own. */
  readonly confirmations: number;
  /** Asset keys to pay with; each has at least 6 decimals. */
  readonly assets: readonly string[];
  /** Whether waiting payments of `assets[0]` appear in `pending`. */
  readonly showsPending: boolean;
  /** False if a payment has no transaction and no id before a block has it (TON). Default true. */
  readonly namedWhileWaiting?: boolean;
  /** A valid transaction id without a transaction. */
  readonly unknownTxid: string;
  /** An unused address in normalized form. */
  freshAddress(): string;
  /**
   * A payment into the mempool. Its `txid` is read once it is mined, unless it is
   * `namedWhileWaiting`.
   */
  pay(payment: { to: string; asset: string; units: bigint }): Promise<{ readonly txid: string }>;
  mine(count: number): Promise<void>;
  /**
   * Replaces the last `depth` blocks with as many empty ones; their transactions are gone for good.
   */
  reorg(depth: number): Promise<void>;
  /** While on, no node can be reached. */
  outage(on: boolean): Promise<void>;
  close(): Promise<void>;
}

export function describeChainScanner(name: string, open: () => Promise<ScannerCase>): void {
  describe(`chain scanner: ${name}`, () => {
    let chain: ScannerCase;
    let scanner: ChainScanner;
    beforeAll(async () => {
      chain = await open();
      scanner = chain.scanner;
    });
    beforeEach(() => chain.mine(1));
    afterAll(async () => {
      await chain.several.close();
      await chain.close();
    });

    const tip = async (): Promise<BlockRef> => (await scanner.head()).tip;
    const scanTip = async (to: readonly string[]) => {
      const { height } = await tip();
      return scanner.blocks({ from: height, to: height }, watching(to));
    };

    test('the tip is the last block there is', async () => {
      const head = await tip();
      expect(await scanner.blockAt(head.height)).toEqual(head);
      expect(await scanner.blockAt(head.height + 1)).toBeNull();
      await chain.mine(2);
      expect((await tip()).height).toBe(head.height + 2);
    });

    test('blocks are ascending, linked by parent hash, and the ones of blockAt', async () => {
      await chain.mine(5);
      const { height } = await tip();
      const blocks = await scanner.blocks({ from: height - 4, to: height }, watchingNobody);
      expect(blocks.map((block) => block.height)).toEqual([4, 3, 2, 1, 0].map((depth) => height - depth));
      for (const [position, block] of blocks.entries()) {
        const { transfers, ...ref } = block;
        expect(transfers).toEqual([]);
        expect(await scanner.blockAt(block.height)).toEqual(ref);
        if (position > 0) expect(block.parentHash).toBe(blocks[position - 1]!.hash);
      }
      expect(blocks[0]!.parentHash).toBe((await scanner.blockAt(height - 5))!.hash);
    });

    test('after a block that was read, blocks are left out only where nothing concerns us, and never the last one', async () => {
      const after = await tip();
      const to = chain.freshAddress();
      await chain.mine(3);
      for (const asset of chain.assets) await chain.pay({ to, asset, units: 654_321n });
      await chain.mine(4);
      const { height } = await tip();
      const range = { from: after.height + 1, to: height };
      const all = await scanner.blocks(range, watching([to], [to]));
      const told = await scanner.blocks({ ...range, after }, watching([to], [to]));
      expect(told.at(-1)!.hash).toBe(all.at(-1)!.hash);
      let before = after.hash;
      for (const block of told) {
        expect(followedBy(block)).toBe(before);
        const { follows: _, ...same } = block;
        expect(all).toContainEqual(same);
        before = block.hash;
      }
      const paid = told.flatMap(({ transfers }) => transfers);
      expect(paid.length).toBe(chain.assets.length);
      expect(all.flatMap(({ transfers }) => transfers)).toEqual(paid);
    });

    test('U7: what follows on a block that left the chain does not follow on it', async () => {
      const after = await tip();
      await chain.reorg(1);
      await chain.mine(2);
      const range = { from: after.height + 1, to: after.height + 2, after };
      const [first] = await scanner.blocks(range, watchingNobody);
      expect(followedBy(first!)).toBe((await scanner.blockAt(after.height))!.hash);
      expect(followedBy(first!)).not.toBe(after.hash);
    });

    test('a payment of each asset is reported exactly and once, in its block', async () => {
      const payments = [];
      for (const asset of chain.assets) {
        const to = chain.freshAddress();
        const units = 123_456_789n;
        payments.push({ asset, to, units, paid: await chain.pay({ to, asset, units }) });
      }
      await chain.mine(3);
      const { height } = await tip();
      const watch = watching(payments.map(({ to }) => to));
      const blocks = await scanner.blocks({ from: height - 3, to: height }, watch);
      const found = blocks.flatMap((block) =>
        block.transfers.map((transfer) => ({ ...transfer, in: block.height })),
      );
      expect(found.length).toBe(payments.length);
      for (const { asset, to, units, paid } of payments) {
        const transfer = found.find((candidate) => candidate.to === to)!;
        expect(transfer).toMatchObject({
          ...{ asset, to, units, txid: paid.txid },
          ...{ kind: 'payment', in: height - 2 },
        });
        expect(transfer.from).not.toBe(to);
      }
    });

    test('two payments to one address in one block are two transfers with two keys', async () => {
      const to = chain.freshAddress();
      for (const asset of chain.assets) {
        await chain.pay({ to, asset, units: 5_000n });
        await chain.pay({ to, asset, units: 5_000n });
      }
      await chain.mine(1);
      const transfers = (await scanTip([to])).flatMap((block) => block.transfers);
      expect(transfers.length).toBe(2 * chain.assets.length);
      expect(new Set(transfers.map(({ txid, output }) => `${txid} ${output}`)).size).toBe(transfers.length);
    });

    test('scanning again gives the same keys', async () => {
      const to = chain.freshAddress();
      for (const asset of chain.assets) await chain.pay({ to, asset, units: 77_777n });
      await chain.mine(1);
      expect(await scanTip([to])).toEqual(await scanTip([to]));
    });

    test('a payment to an address nobody watches is not reported', async () => {
      const watched = chain.freshAddress();
      for (const asset of chain.assets) await chain.pay({ to: chain.freshAddress(), asset, units: 9_999n });
      await chain.mine(1);
      expect((await scanTip([watched]))[0]!.transfers).toEqual([]);
    });

    test('a waiting payment is pending until it is mined', async () => {
      const [to, asset] = [chain.freshAddress(), chain.assets[0]!];
      const paid = await chain.pay({ to, asset, units: 31_337n });
      const watch = watching([to], [to]);
      const waiting = (await scanner.pending(watch)) ?? [];
      if (chain.showsPending) {
        expect(waiting).toMatchObject([{ txid: paid.txid, to, asset, units: 31_337n, kind: 'payment' }]);
      } else {
        expect(waiting).toEqual([]);
      }
      expect((await scanner.pending(watchingNobody)) ?? []).toEqual([]);
      await chain.mine(1);
      expect((await scanner.pending(watch)) ?? []).toEqual([]);
      const mined = (await scanTip([to]))[0]!.transfers;
      if (chain.showsPending) expect(mined).toEqual(waiting);
    });

    test('a transaction is looked up as pending, mined, and unknown after the reorganisation that drops it', async () => {
      const paid = await chain.pay({ to: chain.freshAddress(), asset: chain.assets[0]!, units: 4_242n });
      if (chain.namedWhileWaiting !== false)
        expect(await scanner.lookup(paid.txid)).toEqual({ state: 'pending' });
      await chain.mine(1);
      const { txid } = paid;
      const block = await tip();
      expect(await scanner.lookup(txid)).toEqual({
        state: 'mined',
        height: block.height,
        blockHash: block.hash,
      });
      await chain.reorg(1);
      expect(await scanner.lookup(txid)).toEqual({ state: 'unknown' });
      for (const nonsense of [chain.unknownTxid, '', 'constructor', `${'f'.repeat(63)}g`])
        expect(await scanner.lookup(nonsense)).toEqual({ state: 'unknown' });
    });

    test('a block becomes final with its confirmations and not before', async () => {
      const block = await tip();
      const final = async (): Promise<boolean> => (await scanner.head()).finalizedHeight >= block.height;
      for (let confirmations = 1; confirmations < chain.confirmations; confirmations++) {
        expect(await final()).toBe(false);
        await chain.mine(1);
      }
      expect(await final()).toBe(true);
    });

    test('a reorganisation shows in blockAt and takes the transfers with it', async () => {
      const to = chain.freshAddress();
      await chain.pay({ to, asset: chain.assets[0]!, units: 1_000_000n });
      await chain.mine(3);
      const { height } = await tip();
      const before = await scanner.blocks({ from: height - 3, to: height }, watching([to]));
      expect(before.flatMap((block) => block.transfers).length).toBe(1);
      await chain.reorg(3);
      const after = await scanner.blocks({ from: height - 3, to: height }, watching([to]));
      expect(after[0]).toEqual(before[0]!);
      for (const depth of [1, 2, 3]) {
        expect(after[depth]!.hash).not.toBe(before[depth]!.hash);
        expect((await scanner.blockAt(height - 3 + depth))!.hash).toBe(after[depth]!.hash);
      }
      expect(after[1]!.parentHash).toBe(before[0]!.hash);
      expect(after.flatMap((block) => block.transfers)).toEqual([]);
    });

    test('U7: a reorganisation deeper than the confirmations still shows in blockAt and lookup', async () => {
      const depth = chain.confirmations + 2;
      const payment = await chain.pay({
        to: chain.freshAddress(),
        asset: chain.assets[0]!,
        units: 50_000n,
      });
      await chain.mine(depth);
      const { txid } = payment;
      const { tip: top, finalizedHeight } = await scanner.head();
      const place = await scanner.lookup(txid);
      if (place.state !== 'mined') throw new Error(`the payment is ${place.state}`);
      // Not every node puts a payment into the very next block.
      expect(place.height).toBeWithin(top.height - depth + 1, top.height - depth + 3);
      const paid = (await scanner.blockAt(place.height))!;
      expect(place.blockHash).toBe(paid.hash);
      expect(finalizedHeight).toBeGreaterThanOrEqual(top.height - depth + 1);
      await chain.reorg(depth);
      expect((await scanner.blockAt(paid.height))!.hash).not.toBe(paid.hash);
      expect(await scanner.lookup(txid)).toEqual({ state: 'unknown' });
    });

    agreementTests(() => chain);

    test('what is no range of blocks is a RangeError, and a range past the tip is unavailable', async () => {
      const { height } = await tip();
      for (const range of [
        { from: -1, to: 0 },
        { from: 5, to: 4 },
        { from: 0.5, to: 1 },
        { from: 0, to: scanner.maxRange },
      ])
        await expect(scanner.blocks(range, watchingNobody)).rejects.toThrow(RangeError);
      await expect(scanner.blocks({ from: height, to: height + 1 }, watchingNobody)).rejects.toThrow(
        ChainUnavailable,
      );
    });

    test('while no node answers every question is ChainUnavailable, and afterwards all is as before', async () => {
      const { height, hash } = await tip();
      const expecting = watching([chain.freshAddress()], [chain.freshAddress()]);
      await chain.outage(true);
      for (const question of [
        () => scanner.head(),
        () => scanner.blockAt(height),
        () => scanner.blocks({ from: height, to: height }, watchingNobody),
        // A scanner that shows nothing need not ask.
        ...(chain.showsPending ? [() => scanner.pending(expecting)] : []),
        () => scanner.lookup(chain.unknownTxid),
      ])
        await expect(question()).rejects.toThrow(ChainUnavailable);
      expect(await scanner.confirmWithNodes({ height, hash }, [])).toMatchObject({ kind: 'disputed' });
      await chain.outage(false);
      expect((await scanner.blockAt(height))!.hash).toBe(hash);
    });
  });
}
