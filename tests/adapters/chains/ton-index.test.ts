/**
 * R8: TON at the pace of its main network, read out of the index beside a lite server; and what
 * such an index may get wrong.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { scannerInTurn } from '../../../src/adapters/chains/shared/client-urgencies.ts';
import { readInPieces } from '../../../src/adapters/chains/shared/in-pieces.ts';
import { tonPool } from '../../../src/adapters/chains/ton/nodes.ts';
import type { ChainScanner, ScannedBlock } from '../../../src/ports/chain-scanner.ts';
import { recordingLogger } from '../../support/evm-lab.ts';
import { TONCENTER_FREE } from '../../support/providers/plans.ts';
import { provider } from '../../support/providers/provider.ts';
import { NATIVE, openTonLab, TON, type TonLab } from '../../support/ton/ton-lab.ts';
import { labScanner } from '../../support/ton/ton-scanning.ts';
import type { ToncenterServer } from '../../support/ton/toncenter-server.ts';
import { virtualTime } from '../../support/virtual-time.ts';
import { watching } from '../../support/watch-list.ts';

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

/** Of the main network since April 2026. */
const BLOCK_MS = 400;
const POLL_MS = 4_000;
const PAYMENTS = 20;
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

/**
 * The service's part of following the chain at the pace of the main network, through a plan, in
 * virtual time.
 */
async function follow(options: { behind: number; minutes: number }) {
  const world = virtualTime();
  const wait = (ms: number) => new Promise<void>((resume) => void world.timers.after(ms, resume));
  const living = await openTonLab({ blockSeconds: BLOCK_MS / 1_000 });
  await living.mine(options.behind);
  const begins = living.chain.tip.seqno;
  const provided = provider({
    ...{ plan: TONCENTER_FREE, latencyMs: 60 },
    time: { now: () => world.now().getTime(), wait },
    node: async (url, init) => {
      await living.mine(begins + Math.floor(world.elapsedMs() / BLOCK_MS) - living.chain.tip.seqno);
      return living.server.answer(url, init);
    },
  });
  const nodes = tonPool({
    ...{ chain: 'ton', network: living.network, fetch: provided.fetch, logger: recordingLogger() },
    rpc: [{ url: 'https://provider.example/api/v2/jsonRPC' }],
    time: {
      now: world.elapsedMs,
      wall: () => world.now().getTime(),
      after: (ms, work) => void world.timers.after(ms, work),
    },
  });
  const reader = scannerInTurn(readInPieces(labScanner(living, {}, nodes), nodes));
  const paid = living.freshAddress();
  const cursors: { readonly at: number; readonly height: number }[] = [];
  let [cursor, transfers] = [begins - options.behind, 0];
  const polls = async (): Promise<void> => {
    for (let payments = 0; world.elapsedMs() < options.minutes * 60_000; ) {
      const { tip } = await reader.head();
      while (cursor < tip.height) {
        const to = Math.min(tip.height, cursor + reader.maxRange);
        const blocks = await reader.blocks({ from: cursor + 1, to }, watching([paid]));
        cursor = blocks.at(-1)!.height;
        transfers += blocks.flatMap((block) => block.transfers).length;
      }
      cursors.push({ at: world.elapsedMs(), height: cursor });
      if (payments++ < PAYMENTS) living.pay({ to: paid, units: TON });
      await wait(POLL_MS);
    }
  };
  await world.until(polls(), 3_600_000);
  await living.close();
  return {
    transfers,
    /** Milliseconds until the tip was read first. */
    caughtUpMs: cursors[0]!.at,
    lag: living.chain.tip.seqno - cursor,
    refused: provided.counts.refused,
    callsADay: (provided.counts.calls / world.elapsedMs()) * 86_400_000,
  };
}

const paidIn = (blocks: readonly ScannedBlock[]): readonly string[] =>
  blocks.flatMap(({ transfers }) => transfers.map(({ to }) => to));
const count = (method: string): number => lab.server.asked.filter((name) => name === method).length;

describe('TON at the pace of its main network, on a plan of ten calls a second', () => {
  test('R8: is followed with 450,000 calls a day at most, and every payment is seen once', async () => {
    const { callsADay, lag, refused, transfers } = await follow({ behind: 0, minutes: 3 });
    expect(callsADay).toBeLessThan(200_000);
    expect(lag).toBeLessThan(2 * (POLL_MS / BLOCK_MS));
    expect(refused).toBeLessThan(5);
    expect(transfers).toBe(PAYMENTS);
  });

  test('R1: is read to its tip twenty times as fast as blocks come', async () => {
    const behind = 1_500;
    const { caughtUpMs, transfers } = await follow({ behind, minutes: 2 });
    expect(caughtUpMs).toBeLessThan((behind * BLOCK_MS) / 20);
    expect(transfers).toBe(PAYMENTS);
  });
});

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
      const to = await payments(2);
      ours.clear();
      for (const address of to) ours.add(address.toUpperCase());
      lab.server.behave(behaviour);
      const height = lab.chain.tip.seqno;
      const read = await scanner.blocks({ from: height - 3, to: height }, watching(to));
      expect(paidIn(read)).toEqual(to);
      expect(count('getBlockTransactions')).toBeGreaterThan(0);
      const before = lab.server.asked.filter((name) => name.startsWith('v3/')).length;
      await scanner.blocks({ from: height - 3, to: height }, watching(to));
      // It rests for a while.
      expect(lab.server.asked.filter((name) => name.startsWith('v3/')).length).toBe(before);
      await scanner.close();
    });
});
