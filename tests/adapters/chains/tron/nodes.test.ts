/**
 * Several nodes behind one Tron scanner: fail-over, nodes of another network, nodes that disagree
 * (A3), and what messages show.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type TronScannerOptions, tronScanner } from '../../../../src/adapters/chains/tron/read/scanner.ts';
import {
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
} from '../../../../src/ports/chains/chain-scanner.ts';
import { watching, watchingNobody } from '../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../support/evm/evm-lab.ts';
import { openTronLab, type TronLab } from '../../../support/tron/lab.ts';
import { relisted } from '../../../support/tron/relisted.ts';
import type { TronTestNode } from '../../../support/tron/server.ts';

const NILE_FIRST_BLOCK = '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc';

describe('several Tron nodes', () => {
  let lab: TronLab;
  let first: TronTestNode;
  let second: TronTestNode;
  let logger = recordingLogger();
  const opened: ChainScanner[] = [];
  beforeAll(async () => {
    lab = await openTronLab();
    [first, second] = [lab.server.node, lab.server.anotherNode()];
  });
  beforeEach(() => {
    first.behave({});
    second.behave({});
    logger = recordingLogger();
  });
  afterAll(async () => {
    for (const each of opened) await each.close();
    await lab.server.stop();
  });

  const open = (changes: Partial<TronScannerOptions> = {}): ChainScanner => {
    const scanner = tronScanner({
      chain: 'tron',
      network: 'main',
      rpc: [first.url, second.url],
      asset: 'trx_tron',
      tokens: [{ asset: 'usdt_tron', contract: lab.contracts.usdt, decimals: 6 }],
      confirmations: null,
      logger,
      timing: { coolDownMs: 60_000 },
      ...changes,
    });
    opened.push(scanner);
    return scanner;
  };
  const header = (path: string, question: { id_or_num?: unknown }): boolean =>
    path === '/wallet/getblock' && question.id_or_num !== undefined;

  for (const [trouble, behaviour] of [
    ['that is broken', { status: 502 }],
    ['that refuses the key', { status: 401 }],
    ['that answers nonsense', { answer: () => ({ blockID: 5 }) }],
    ['that answers a list', { answer: () => [] }],
  ] as const)
    test(`a node ${trouble} is replaced by the next and left alone for a while`, async () => {
      first.behave(behaviour);
      const scanner = open();
      const { tip } = await scanner.head();
      await scanner.blocks({ from: tip.height - 1, to: tip.height }, watchingNobody);
      expect(first.asked).toHaveLength(1);
      expect(logger.lines.map(({ event }) => event)).toEqual(['node.failed']);
    });

  test('a node that does not serve a question is not left alone for it', async () => {
    first.behave({ refuse: (path) => path === '/wallet/gettransactioninfobyblocknum' });
    const scanner = open();
    await lab.payTrx(lab.freshAddress(), 5n);
    await lab.mine();
    const { tip } = await scanner.head();
    await scanner.blocks({ from: tip.height, to: tip.height }, watchingNobody);
    expect(second.asked).toContain('/wallet/gettransactioninfobyblocknum');
    await scanner.head();
    expect(first.asked.at(-1)).toBe('/wallet/getblock');
    expect(logger.lines).toEqual([]);
  });

  test.each([404, 403, 500])('a node that answers a range by %i is read block by block', async (status) => {
    first.behave({ refuse: (path) => path === '/wallet/getblockbylimitnext', refusal: status });
    const scanner = open({ rpc: [first.url] });
    for (let poll = 0; poll < 2; poll++) {
      const to = lab.freshAddress();
      await lab.payTrx(to, 5n);
      await lab.mine(2);
      const { tip } = await scanner.head();
      const blocks = await scanner.blocks({ from: tip.height - 1, to: tip.height }, watching([to]));
      expect(blocks.flatMap(({ transfers }) => transfers)).toMatchObject([{ to, units: 5n }]);
    }
  });

  type Listed = Parameters<typeof relisted>[0] & { transactions?: readonly { txID: string }[] };
  /**
   * Leaves a transaction out of its block, the header included, and out of what became of those of
   * the block where that is asked for.
   */
  function leavingOut(txid: string, { infos }: { infos: boolean }) {
    const kept = ({ transactions = [] }: Listed) => transactions.filter(({ txID }) => txID !== txid);
    return (path: string, _: unknown, given: unknown): unknown => {
      if (path === '/wallet/getblockbylimitnext')
        return { block: (given as { block: Listed[] }).block.map((each) => relisted(each, kept(each))) };
      if (!infos || path !== '/wallet/gettransactioninfobyblocknum') return undefined;
      return (given as readonly { readonly id: string }[]).filter(({ id }) => id !== txid);
    };
  }

  test('R9: what one node leaves out of a block another tells, asked once for each block', async () => {
    const to = lab.freshAddress();
    await lab.mine(32);
    const txid = await lab.payToken('usdt', to, 5n);
    await lab.payToken('usdt', to, 6n);
    const height = await lab.mine();
    await lab.mine(16);
    first.behave({ answer: leavingOut(txid, { infos: true }) });
    const scanner = open();
    const { tip } = await scanner.head();
    const after = { height: height - 1, hash: lab.server.chain.block(height - 1)!.id };
    const read = await scanner.blocks({ from: height, to: height + 7, after }, watching([to]));
    expect(read.flatMap(({ transfers }) => transfers)).toMatchObject([{ units: 6n }]);
    const told: ScannedBlock[] = [];
    const look = () => scanner.late!(tip.height, watching([to]), async (blocks) => void told.push(...blocks));
    // Those that the process before had read.
    for (let ranges = 1; ranges <= 4; ranges++) await look();
    // The blocks that were read are yet to be looked at; a node that is away is waited for.
    second.behave({ status: 503 });
    await look();
    expect(told).toEqual([]);
    first.behave({ answer: leavingOut(txid, { infos: true }) });
    second.behave({});
    await look();
    expect(told).toMatchObject([{ height, transfers: [{ units: 6n }, { txid, units: 5n }] }]);
    expect(first.asked).toEqual([]);
    expect(second.asked).toContain('/wallet/getblockbylimitnext');
    // What follows is not final yet.
    second.behave({});
    await look();
    expect(second.asked).toEqual([]);
    const events = logger.lines.map(({ event }) => event);
    expect(events).toEqual(['node.failed', 'node.recovered', 'node.payments_missing']);
    expect(open({ rpc: [first.url] }).late).toBeUndefined();
  });

  test('R9: a block that lacks what the node itself tells the end of is not believed', async () => {
    const to = lab.freshAddress();
    const txid = await lab.payTrx(to, 5n);
    await lab.payTrx(lab.freshAddress(), 5n);
    const height = await lab.mine();
    first.behave({ answer: leavingOut(txid, { infos: false }) });
    const read = (rpc: readonly string[]) =>
      open({ rpc }).blocks({ from: height, to: height }, watching([to]));
    await expect(read([first.url])).rejects.toThrow(`left transactions out of block ${height}`);
    expect(await read([first.url, second.url])).toMatchObject([{ transfers: [{ txid }] }]);
  });

  test('an error that java-tron answers with status 200 is a refusal', async () => {
    first.behave({ answer: () => ({ Error: 'class java.lang.NullPointerException : null' }) });
    second.behave({ status: 503 });
    await expect(open().head()).rejects.toThrow(/node 1 .*NullPointerException.*; node 2 .*HTTP 503/);
  });

  test('a node that lags in blocks, or in what became of their transactions, is replaced by the next', async () => {
    const to = lab.freshAddress();
    await lab.payToken('usdt', to, 5n);
    const height = await lab.mine();
    for (const [late, answered] of [
      ['getblockbylimitnext', {}],
      ['gettransactioninfobyblocknum', []],
    ] as const) {
      first.behave({ answer: (path) => (path.endsWith(late) ? answered : undefined) });
      const [block] = await open().blocks({ from: height, to: height }, watching([to]));
      expect(block!.transfers).toMatchObject([{ to, units: 5n }]);
    }
  });

  test('what became of transactions on another branch is not believed', async () => {
    const to = lab.freshAddress();
    await lab.payToken('usdt', to, 5n);
    const height = await lab.mine();
    const elsewhere = (path: string, _question: unknown, given: unknown) =>
      path.endsWith('infobyblocknum')
        ? (given as { blockTimeStamp: number }[]).map((info) => ({
            ...info,
            blockTimeStamp: info.blockTimeStamp + 3_000,
          }))
        : undefined;
    for (const node of [first, second]) node.behave({ answer: elsewhere });
    await expect(open().blocks({ from: height, to: height }, watching([to]))).rejects.toThrow(
      `does not tell what became of the transactions of block ${height}`,
    );
  });

  test('a range that a reorganisation moves under the scanner fails rather than mixing two branches', async () => {
    const to = lab.freshAddress();
    await lab.payTrx(to, 5n);
    const height = await lab.mine(4);
    const paidAt = height - 3;
    const reorganised = (amid: string, depth: number) =>
      first.behave({
        answer: async (path) => {
          if (!path.endsWith(amid)) return undefined;
          first.behave({});
          await lab.server.chain.fork(depth);
          return undefined;
        },
      });
    reorganised('gettransactioninfobyblocknum', 3);
    await expect(open().blocks({ from: paidAt, to: height }, watching([to]))).rejects.toThrow(
      /the chain was reorganised while block/,
    );
    reorganised('getblockbylimitnext', 4);
    const alone = open({ rpc: [first.url] });
    await expect(alone.blocks({ from: paidAt, to: height }, watching([to]))).rejects.toThrow(
      'does not tell what became of the transactions',
    );
  });

  test('a tip that falls back makes the other nodes be asked, too', async () => {
    const scanner = open();
    const before = await scanner.head();
    const old = lab.server.chain.block(1)!;
    first.behave({
      answer: (path, _question, given) =>
        path.endsWith('getblock')
          ? {
              blockID: old.id,
              block_header: { raw_data: { number: 1, timestamp: old.timeMs, parentHash: old.parentId } },
            }
          : given,
    });
    expect(await scanner.head()).toEqual(before);
    expect(await scanner.blockAt(before.tip.height + 50)).toBeNull();
  });

  test('A3: nodes agree on a block when all that answer have it', async () => {
    const { finalizedHeight } = await open().head();
    const final = (await open().blockAt(finalizedHeight))!;
    const other = `${final.hash.slice(0, 16)}${'ab'.repeat(24)}`;
    const scanner = open({ timing: { coolDownMs: 0 } });
    expect(await scanner.confirmWithNodes(final, [])).toMatchObject({ kind: 'agreed' });
    second.behave({
      answer: (path, question, given) =>
        header(path, question) ? { ...(given as object), blockID: other } : undefined,
    });
    expect(await scanner.confirmWithNodes(final, [])).toMatchObject({ kind: 'disputed' });
    second.behave({ answer: (path, question) => (header(path, question) ? {} : undefined) });
    expect(await scanner.confirmWithNodes(final, [])).toMatchObject({ kind: 'disputed' });
    second.behave({ status: 503 });
    expect(await scanner.confirmWithNodes(final, [])).toMatchObject({ kind: 'agreed' });
    first.behave({ status: 503 });
    expect(await scanner.confirmWithNodes(final, [])).toMatchObject({ kind: 'disputed' });
  });

  test('a transaction that one node knows is known', async () => {
    const txid = await lab.payTrx(lab.freshAddress(), 5n);
    first.behave({ refuse: (path) => path.endsWith('frompending') });
    expect(await open().lookup(txid)).toEqual({ state: 'pending' });
    const height = await lab.mine();
    first.behave({ answer: (path) => (path.endsWith('infobyid') ? {} : undefined) });
    expect(await open().lookup(txid)).toMatchObject({ state: 'mined', height });
  });

  test('a node of another network is never used', async () => {
    const scanner = open({ network: 'test' });
    await expect(scanner.head()).rejects.toThrow(ChainUnavailable);
    await expect(scanner.head()).rejects.toThrow('serves another chain than tron test');
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
    second.behave({
      answer: (path, question, given) =>
        header(path, question) && question.id_or_num === '0'
          ? { ...(given as object), blockID: NILE_FIRST_BLOCK }
          : undefined,
    });
    expect((await open({ network: 'test' }).head()).tip.height).toBe(lab.server.chain.tip().height);
  });

  test('the API key is sent, and no message shows it or the URL', async () => {
    const apiKey = 'a-very-secret-key';
    const url = `${first.url.replace('//', '//user:password-of-ours@')}/`;
    const scanner = open({ rpc: [{ url, apiKey }] });
    await scanner.head();
    expect(first.headers.get('tron-pro-api-key')).toBe(apiKey);
    expect(first.headers.get('authorization')).toStartWith('Basic ');
    first.behave({ answer: () => ({ Error: `no such key: ${apiKey}, password-of-ours` }) });
    const question = scanner.head();
    await expect(question).rejects.toThrow('no such key: ***, ***');
    await scanner.close();
    await expect(scanner.head()).rejects.toThrow('this client was closed');
  });

  test('options that can never work are refused at once', () => {
    expect(() => open({ rpc: [] })).toThrow('tron has no rpc URL');
    const usdt = { asset: 'usdt_tron', contract: lab.contracts.usdt, decimals: 6 };
    expect(() =>
      open({ tokens: [{ ...usdt, contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }] }),
    ).toThrow('is not a Tron address');
    expect(() => open({ tokens: [usdt, { ...usdt, asset: 'usdc_tron' }] })).toThrow('listed for two assets');
  });
});
