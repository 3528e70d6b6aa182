/** R8: TON read out of the index beside a lite server, and what such an index may get wrong. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { outputKey } from '../../../../../src/domain/deposits/deposit.ts';
import type { ChainScanner, ScannedBlock, Transfer } from '../../../../../src/ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../../src/ports/chains/watch-list.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../../support/evm/evm-lab.ts';
import { NATIVE, openTonLab, TON, type TonLab, USDT } from '../../../../support/ton/ton-lab.ts';
import { labScanner } from '../../../../support/ton/ton-scanning.ts';
import type { ToncenterServer } from '../../../../support/ton/toncenter-server.ts';

let lab: TonLab;
let scanner: ChainScanner;
beforeAll(async () => {
  lab = await openTonLab({ blockSeconds: 0.4 });
});
beforeEach(() => {
  lab.server.behave({});
  scanner = labScanner(lab);
});
afterAll(() => lab.close());

const ANOTHER_HASH = Buffer.alloc(32, 1).toString('base64');

type Behaviour = Parameters<ToncenterServer['behave']>[0];

/** Each gets one TON, in a block of its own, with some of nobody's between. */
async function payments(count: number): Promise<readonly string[]> {
  const to = Array.from({ length: count }, () => lab.freshAddress());
  for (const [number, address] of to.entries()) {
    lab.pay({ to: address, units: TON });
    lab.pay({ to: lab.strangersAddress(number), units: 1n });
    await lab.mine(2);
  }
  return to;
}

/** All up to the tip, from the oldest of the newest `count` blocks. */
async function newest(count: number, to: readonly string[]): Promise<readonly ScannedBlock[]> {
  const { height } = (await scanner.head()).tip;
  const read: ScannedBlock[] = [];
  for (let from = height - count + 1; from <= height; from = read.at(-1)!.height + 1)
    read.push(
      ...(await scanner.blocks({ from, to: Math.min(height, from + scanner.maxRange - 1) }, watching(to))),
    );
  return read;
}

const paidIn = (blocks: readonly ScannedBlock[]): readonly string[] =>
  blocks.flatMap(({ transfers }) => transfers.map(({ to }) => to));
const count = (method: string): number => lab.server.asked.filter((name) => name === method).length;

const changed =
  (
    path: string,
    change: (rows: readonly Record<string, unknown>[]) => unknown,
  ): NonNullable<Behaviour['answer']> =>
  (method, _, result) => {
    if (method !== `v3/${path}`) return undefined;
    const [[name, rows]] = Object.entries(result as object) as [[string, Record<string, unknown>[]]];
    return { ...(result as object), [name]: change(rows) };
  };

describe('an index of TON', () => {
  test('R8: shows a hundred blocks in eight calls, and every payment in them as the lite server does', async () => {
    const to = await payments(10);
    await lab.mine(80);
    await scanner.unscannedAssets();
    lab.server.behave({});
    const indexed = await newest(100, to);
    expect(paidIn(indexed).toSorted()).toEqual([...to].toSorted());
    expect(lab.server.asked.length - count('getTransactions')).toBe(8);
    expect(count('getTransactions')).toBe(10);
    lab.server.behave({ index: 'none' });
    expect(await newest(100, to)).toEqual(indexed);
    expect(count('getBlockTransactions')).toBe(400);
    await scanner.close();
  });

  test('says where a deposit is, and the lite server whether that is so', async () => {
    const [to] = (await payments(1)) as [string];
    const { hash, lt } = lab.last(to);
    await lab.mine(40);
    const [txid, seen] = [hash.toString('hex'), { asset: NATIVE, to, output: `lt:${lt}` }];
    lab.server.behave({});
    const place = await scanner.lookup(txid, seen);
    expect(place).toMatchObject({ state: 'mined', height: lab.chain.tip.seqno - 41 });
    const calls = lab.server.asked.length;
    expect(calls).toBeLessThan(15);
    const elsewhere = changed('transactions', (rows) =>
      rows.map((row) => ({ ...row, mc_block_seqno: Number(row.mc_block_seqno) + 1 })),
    );
    for (const behaviour of [{ answer: elsewhere }, { index: 'none' }] as const) {
      lab.server.behave(behaviour);
      expect(await scanner.lookup(txid, seen)).toEqual(place);
      expect(lab.server.asked.length).toBeGreaterThan(2 * calls);
    }
    await scanner.close();
  });

  test('that is some blocks behind is waited for, and nothing is read beyond it', async () => {
    const to = await payments(2);
    lab.server.behave({ index: 2 });
    expect((await scanner.head()).tip.height).toBe(lab.chain.tip.seqno - 2);
    expect(paidIn(await newest(2, to))).toEqual([to[0]!]);
    expect(count('getBlockTransactions')).toBe(0);
    await scanner.close();
  });

  test('that is long behind is left alone: blocks come from the lists of the lite server', async () => {
    const to = await payments(2);
    await lab.mine(160);
    lab.server.behave({ index: 155 });
    expect((await scanner.head()).tip.height).toBe(lab.chain.tip.seqno);
    expect(paidIn(await newest(164, to))).toEqual(to);
    expect(count('v3/blocks')).toBe(1);
    await scanner.close();
  });

  describe('that leaves a payment out of its lists and of its counts', () => {
    /** As if nothing had happened in a block. */
    const hiding = (seqno: number): Behaviour => ({
      answer: changed('blocks', (rows) =>
        rows.map((row) => {
          const { seqno: named } = row.masterchain_block_ref as { seqno: number };
          return named === seqno ? { ...row, tx_count: 0 } : row;
        }),
      ),
    });
    async function lateOf(
      to: readonly string[],
      { upTo = lab.chain.tip.seqno, ...watch }: Partial<WatchList> & { upTo?: number } = {},
    ): Promise<readonly ScannedBlock[]> {
      const told: ScannedBlock[] = [];
      await scanner.late?.(upTo, { ...watching(to), ...watch }, async (blocks) => {
        told.push(...blocks);
      });
      return told;
    }

    test('R9: is found out by the account, in coins and in jettons, and told once', async () => {
      const [before] = (await payments(1)) as [string];
      expect(paidIn(await newest(4, [before]))).toEqual([before]);
      const [coins, jettons] = [lab.freshAddress(), lab.freshAddress()];
      lab.pay({ to: coins, units: TON });
      lab.payJetton({ to: jettons, units: 5n });
      await lab.mine();
      const { seqno: height, rootHash } = lab.chain.tip;
      const hash = rootHash.toString('hex');
      lab.pay({ to: lab.strangersAddress(1), units: TON });
      await lab.mine(2);
      lab.server.behave(hiding(height));
      const to = [before, coins, jettons];
      // Of what is yet to be read nothing is missed.
      expect(await lateOf(to)).toEqual([]);
      expect(paidIn(await newest(3, to))).toEqual([]);
      expect(await lateOf(to, { upTo: height - 1 })).toEqual([]);
      expect(await lateOf(to)).toMatchObject([
        { height, hash, transfers: [{ to: coins, units: TON, asset: NATIVE, kind: 'payment' }] },
        { height, hash, transfers: [{ to: jettons, units: 5n, asset: USDT }] },
      ]);
      lab.server.behave({});
      expect(await lateOf(to)).toEqual([]);
      expect(lab.server.asked).toEqual(['v3/accountStates']);
      await scanner.close();
    });

    /**
     * Pays `to` in a block that the index hides, and reads that block and the next, which pays a
     * stranger.
     */
    async function omittedTo(to: string): Promise<number> {
      const [before] = (await payments(1)) as [string];
      await newest(2, [before, to]);
      lab.pay({ to, units: TON });
      await lab.mine();
      const height = lab.chain.tip.seqno;
      lab.pay({ to: lab.strangersAddress(1), units: TON });
      await lab.mine();
      lab.server.behave(hiding(height));
      expect(paidIn(await newest(2, [to]))).toEqual([]);
      return height;
    }

    test('R9: is told again where it could not be recorded', async () => {
      const to = lab.freshAddress();
      const height = await omittedTo(to);
      const failing = scanner.late!(lab.chain.tip.seqno, watching([to]), async () => {
        throw new Error('no database');
      });
      await expect(failing).rejects.toThrow('no database');
      expect(await lateOf([to])).toMatchObject([{ height, transfers: [{ to, units: TON }] }]);
      await scanner.close();
    });

    test('R9: is found out although a later payment to the same account was listed', async () => {
      const to = lab.freshAddress();
      const height = await omittedTo(to);
      lab.pay({ to, units: 2n * TON });
      await lab.mine();
      expect(paidIn(await newest(1, [to]))).toEqual([to]);
      const told = await lateOf([to]);
      expect(told.filter((block) => block.height === height)).toMatchObject([
        { transfers: [{ to, units: TON }] },
      ]);
      lab.server.behave({});
      expect(await lateOf([to])).toEqual([]);
      await scanner.close();
    });

    test('R9: is found out although the process was restarted before its turn', async () => {
      const to = lab.freshAddress();
      const height = await omittedTo(to);
      await scanner.close();
      scanner = labScanner(lab);
      lab.pay({ to: lab.strangersAddress(1), units: TON });
      await lab.mine();
      await newest(1, [to]);
      expect(await lateOf([to])).toMatchObject([{ height, transfers: [{ to, units: TON }] }]);
      await scanner.close();
    });

    test('R9: costs after a restart a call for each account that moved of late, ten with a poll', async () => {
      const others = Array.from({ length: 40 }, () => lab.freshAddress());
      const to = [...(await payments(12)), ...others];
      await scanner.close();
      scanner = labScanner(lab);
      await newest(2, to);
      const recorded = async (asked: readonly Pick<Transfer, 'txid' | 'output'>[]) =>
        new Set(asked.map(outputKey));
      for (const histories of [10, 1, 0]) {
        lab.server.behave({});
        expect(await lateOf(to, { recorded })).toEqual([]);
        expect(lab.server.asked.length).toBe(1 + histories);
        expect(count('getTransactions')).toBe(histories);
      }
      await scanner.close();
    });

    test('R9: costs a call with each poll, of fifty accounts', async () => {
      const to = Array.from({ length: 70 }, () => lab.freshAddress());
      await payments(1);
      await newest(2, to);
      lab.server.behave({});
      for (let poll = 0; poll < 3; poll++) expect(await lateOf(to)).toEqual([]);
      expect(lab.server.asked).toEqual(['v3/accountStates', 'v3/accountStates', 'v3/accountStates']);
      lab.server.behave({ index: 'none' });
      expect(await lateOf(to)).toEqual([]);
      expect(await lateOf(to)).toEqual([]);
      expect(lab.server.asked).toEqual(['v3/accountStates']);
      await scanner.close();
    });
  });

  const ours = new Set<string>();
  const lies: Readonly<Record<string, Behaviour>> = {
    'leaves a transaction out': {
      answer: changed('transactions', (rows) => rows.filter(({ account }) => !ours.has(String(account)))),
    },
    'leaves a block of a shard out': {
      answer: changed('blocks', (rows) =>
        rows.filter(({ workchain, tx_count }) => workchain === -1 || tx_count === 0),
      ),
    },
    'tells its newest blocks, whatever it is asked for': {
      answer: changed('blocks', (rows) => rows.slice(-10)),
    },
    'tells another block of the masterchain': {
      answer: changed('blocks', (rows) => rows.map((row) => ({ ...row, root_hash: ANOTHER_HASH }))),
    },
    'tells another block of a shard': {
      answer: changed('blocks', (rows) =>
        rows.map((row) => ({ ...row, ...(row.workchain === -1 ? {} : { root_hash: ANOTHER_HASH }) })),
      ),
    },
    'allows no pages so long': { refuse: (method) => method.startsWith('v3/') },
    'is not there': { index: 'none' },
  };
  for (const [does, behaviour] of Object.entries(lies))
    test(`R8: that ${does} is not believed: the lite server's lists are read`, async () => {
      const logger = recordingLogger();
      const reader = labScanner(lab, { logger });
      const to = await payments(2);
      ours.clear();
      for (const address of to) ours.add(address.toUpperCase());
      lab.server.behave(behaviour);
      const height = lab.chain.tip.seqno;
      const read = await reader.blocks({ from: height - 3, to: height }, watching(to));
      expect(paidIn(read)).toEqual(to);
      expect(count('getBlockTransactions')).toBeGreaterThan(0);
      const before = lab.server.asked.filter((name) => name.startsWith('v3/')).length;
      await reader.blocks({ from: height - 3, to: height }, watching(to));
      // It rests for a while.
      expect(lab.server.asked.filter((name) => name.startsWith('v3/')).length).toBe(before);
      expect(logger.lines.map(({ event }) => event)).toEqual(['node.read_in_full']);
      await reader.close();
    });
});
