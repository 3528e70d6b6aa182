/** Several nodes behind one EVM scanner: fail-over, disagreement (A3), nodes of another chain, lying nodes, and secrets in URLs. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  type EvmScanner,
  type EvmScannerOptions,
  evmScanner,
} from '../../../src/adapters/chains/evm/scanner.ts';
import { ChainUnavailable } from '../../../src/ports/chain-scanner.ts';
import { type Anvil, anvilAvailable, startAnvil } from '../../support/anvil.ts';
import { type EvmLab, openEvmLab, recordingLogger } from '../../support/evm-lab.ts';
import { needs } from '../../support/needs.ts';
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts';
import { watching, watchingNobody } from '../../support/watch-list.ts';

const LONG_MS = 600_000;

describe.skipIf(!needs('anvil', anvilAvailable()))('several EVM nodes', () => {
  let lab: EvmLab;
  let rival: Anvil;
  let stranger: Anvil;
  let first: RpcProxy;
  let second: RpcProxy;
  let logger: ReturnType<typeof recordingLogger>;
  const opened: EvmScanner[] = [];

  beforeAll(async () => {
    [lab, rival, stranger] = await Promise.all([openEvmLab(), startAnvil(), startAnvil({ chainId: 56 })]);
    [first, second] = await Promise.all([startRpcProxy(lab.anvil.url), startRpcProxy(lab.anvil.url)]);
    await Promise.all([lab.mine(20), rival.mine(40), stranger.mine(40)]);
  });
  beforeEach(() => {
    first.behave({});
    second.behave({});
    logger = recordingLogger();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((scanner) => scanner.close()));
  });
  afterAll(async () => {
    await Promise.all([first.stop(), second.stop(), lab.anvil.stop(), rival.stop(), stranger.stop()]);
  });

  function open(changes: Partial<EvmScannerOptions> = {}): EvmScanner {
    const scanner = evmScanner({
      chain: 'ethereum',
      chainId: lab.anvil.chainId,
      rpc: [first.url, second.url],
      finality: { confirmations: 3 },
      nativeAsset: 'eth_ethereum',
      tokens: [{ asset: 'usdt_ethereum', contract: lab.contracts.tether, decimals: 6 }],
      logger,
      timing: { coolDownMs: LONG_MS },
      ...changes,
    });
    opened.push(scanner);
    return scanner;
  }
  const logged = (level: string): readonly string[] =>
    logger.lines.filter((line) => line.level === level).map(({ message }) => message);

  describe('fail-over', () => {
    test('the first able node answers everything', async () => {
      const scanner = open();
      const { tip } = await scanner.head();
      await scanner.blocks({ from: tip.height - 3, to: tip.height }, watchingNobody);
      expect(second.requests).toBe(0);
    });

    for (const [trouble, behaviour] of [
      ['that cuts the connection', { drop: true }],
      ['that is overloaded', { status: 429 }],
      ['that is broken', { status: 502 }],
      ['that answers a web page', { status: 200 }],
      ['that refuses the key', { status: 401 }],
      ['that never answers', { delayMs: 5_000 }],
    ] as const)
      test(`a node ${trouble} is replaced by the next and left alone for a while`, async () => {
        first.behave(behaviour);
        const scanner = open({ timing: { timeoutMs: 150, coolDownMs: LONG_MS } });
        const { tip } = await scanner.head();
        expect(first.requests).toBe(1);
        await scanner.blockAt(tip.height);
        await scanner.blocks({ from: 0, to: 5 }, watchingNobody);
        expect(first.requests).toBe(1);
        expect(logged('warn')).toEqual(['node failed']);
      });

    test('a node that comes back after its rest is used again', async () => {
      first.behave({ drop: true });
      const scanner = open({ timing: { coolDownMs: 0 } });
      await scanner.head();
      first.behave({});
      second.behave({});
      await scanner.head();
      expect(second.requests).toBe(0);
      expect(logged('info')).toEqual(['node answers again']);
    });

    test('a whole range comes from one node even when another fails in its midst', async () => {
      const customer = lab.freshAddress();
      await lab.send({ to: customer, value: 8n });
      const height = await lab.mine();
      first.behave({
        answer: ({ method }) => (method === 'eth_getLogs' ? Promise.reject(new Error('cut')) : undefined),
      });
      const blocks = await open().blocks({ from: height - 2, to: height }, watching([customer]));
      expect(blocks[2]!.transfers).toMatchObject([{ units: 8n }]);
      expect(second.asked).toContain('eth_getTransactionReceipt');
    });

    test('when no node answers, the message names every node', async () => {
      first.behave({ drop: true });
      second.behave({ status: 503 });
      const question = open().head();
      await expect(question).rejects.toThrow(ChainUnavailable);
      await expect(question).rejects.toThrow(/ethereum: no node could answer: node 1 .*; node 2 .*HTTP 503/);
    });

    test('a gateway without batches is asked one by one', async () => {
      const customer = lab.freshAddress();
      await lab.send({ to: customer, value: 9n });
      const height = await lab.mine();
      first.behave({ noBatch: true });
      const scanner = open({ rpc: [first.url] });
      const blocks = await scanner.blocks({ from: height - 9, to: height }, watching([customer]));
      expect(blocks[9]!.transfers).toMatchObject([{ units: 9n }]);
      expect((await scanner.head()).tip.height).toBe(height);
    });

    test('a closed scanner asks nobody any more', async () => {
      const scanner = open();
      await scanner.close();
      await expect(scanner.head()).rejects.toThrow(ChainUnavailable);
      expect(first.requests + second.requests).toBe(0);
    });
  });

  describe('a node of another chain', () => {
    test('is never used, and said so loudly', async () => {
      first.behave({ target: stranger.url });
      const scanner = open();
      const { tip } = await scanner.head();
      expect(tip.hash).toBe(
        (await lab.anvil.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false])).hash,
      );
      await scanner.blocks({ from: 0, to: 5 }, watchingNobody);
      expect(await scanner.agreeOn(tip)).toBe(true);
      expect(first.asked).toEqual(['eth_chainId']);
      expect(logged('error')).toEqual(['node serves another chain and is not used']);
    });

    test('alone makes the chain unavailable', async () => {
      first.behave({ target: stranger.url });
      const scanner = open({ rpc: [first.url] });
      await expect(scanner.head()).rejects.toThrow(/serves another chain/);
      expect(await scanner.agreeOn({ height: 0, hash: `0x${'0'.repeat(64)}` })).toBe(false);
    });

    test('is noticed when it takes over the name of a node that failed', async () => {
      const scanner = open({ rpc: [first.url], timing: { coolDownMs: 0 } });
      await scanner.head();
      first.behave({ drop: true });
      await expect(scanner.head()).rejects.toThrow(ChainUnavailable);
      first.behave({ target: stranger.url });
      await expect(scanner.head()).rejects.toThrow(/serves another chain/);
    });
  });

  describe('nodes that disagree', () => {
    test('A3: two nodes on two branches agree only on what both have', async () => {
      second.behave({ target: rival.url });
      const scanner = open();
      const genesis = (await scanner.blockAt(0))!;
      const ours = (await scanner.blockAt(10))!;
      expect(ours.hash).not.toBe(
        (await rival.rpc<{ hash: string }>('eth_getBlockByNumber', ['0xa', false])).hash,
      );
      expect(await scanner.agreeOn(ours)).toBe(false);
      second.behave({});
      expect(await scanner.agreeOn(ours)).toBe(true);
      expect(await scanner.agreeOn(genesis)).toBe(true);
    });

    test('A3: a node that lags, or refuses, does not agree; one that cannot be reached abstains; none is no agreement', async () => {
      const scanner = open();
      const block = (await scanner.blockAt(10))!;
      second.behave({ answer: ({ method }) => (method === 'eth_getBlockByNumber' ? null : undefined) });
      expect(await scanner.agreeOn(block)).toBe(false);
      second.behave({ refuse: ['eth_getBlockByNumber'] });
      expect(await scanner.agreeOn(block)).toBe(false);
      second.behave({ drop: true });
      expect(await scanner.agreeOn(block)).toBe(true);
      first.behave({ drop: true });
      expect(await scanner.agreeOn(block)).toBe(false);
    });

    test('A3: every node is asked, also one that rests', async () => {
      first.behave({ drop: true });
      const scanner = open();
      const block = (await scanner.blockAt(10))!;
      first.behave({ target: rival.url });
      expect(await scanner.agreeOn(block)).toBe(false);
    });

    test('a node that lags does not make the chain look shorter', async () => {
      const scanner = open({ timing: { coolDownMs: 0 } });
      const height = await lab.mine();
      expect((await scanner.head()).tip.height).toBe(height);
      const old = await lab.anvil.rpc('eth_getBlockByNumber', [`0x${(height - 4).toString(16)}`, false]);
      first.behave({
        answer: ({ method, params: [tag] }) => {
          if (method !== 'eth_getBlockByNumber') return undefined;
          return tag === 'latest' ? old : Number(tag) > height - 4 ? null : undefined;
        },
      });
      expect((await scanner.head()).tip.height).toBe(height);
      expect((await scanner.blockAt(height))?.height).toBe(height);
      const blocks = await scanner.blocks({ from: height - 5, to: height }, watchingNobody);
      expect(blocks.length).toBe(6);
    });

    test('a transaction that only the second node has heard of is not unknown', async () => {
      const txid = await lab.send({ to: lab.freshAddress(), value: 1n });
      first.behave({ answer: ({ method }) => (method === 'eth_getTransactionByHash' ? null : undefined) });
      const scanner = open();
      expect(await scanner.lookup(txid)).toEqual({ state: 'pending' });
      const height = await lab.mine();
      expect(await scanner.lookup(txid)).toMatchObject({ state: 'mined', height });
    });
  });

  describe('a chain that moves while it is read', () => {
    for (const method of ['eth_getLogs', 'debug_traceBlockByHash', 'eth_getTransactionReceipt'])
      test(`a reorganisation at ${method} makes the range unavailable, and the next try sees the new branch`, async () => {
        const customer = lab.freshAddress();
        await lab.send({ to: customer, value: 10n });
        const height = await lab.mine(2);
        let reorganised = false;
        first.behave({
          answer: async (call, result) => {
            if (call.method !== method || reorganised) return undefined;
            reorganised = true;
            await lab.reorg(2);
            return result;
          },
        });
        const scanner = open({ rpc: [first.url] });
        const range = { from: height - 2, to: height };
        await expect(scanner.blocks(range, watching([customer]))).rejects.toThrow(ChainUnavailable);
        expect(reorganised).toBe(true);
        const blocks = await scanner.blocks(range, watching([customer]));
        expect(blocks.flatMap(({ transfers }) => transfers)).toEqual([]);
      });

    test('blocks of two branches are never joined', async () => {
      const other = await rival.rpc('eth_getBlockByNumber', ['0x9', true]);
      first.behave({ answer: ({ params: [tag] }) => (tag === '0x9' ? other : undefined) });
      const scanner = open({ rpc: [first.url] });
      await expect(scanner.blocks({ from: 7, to: 11 }, watchingNobody)).rejects.toThrow(ChainUnavailable);
    });
  });

  describe('answers that cannot be used', () => {
    const block = {
      number: '0x5',
      hash: `0x${'1'.repeat(64)}`,
      parentHash: `0x${'2'.repeat(64)}`,
      timestamp: '0x1',
    };
    for (const [name, answer] of [
      ['a text', 'nonsense'],
      ['an empty object', {}],
      ['a list', []],
      ['a short hash', { ...block, hash: '0x12' }],
      ['a number instead of hex', { ...block, number: 5 }],
      ['a height beyond all bounds', { ...block, number: `0x${'f'.repeat(64)}` }],
      ['a transaction without fields', { ...block, transactions: [{}] }],
      ['a transaction that is text', { ...block, transactions: ['0x'] }],
      ['another height', { ...block, number: '0x6', transactions: [] }],
    ] as const)
      test(`${name} for a block is the node's fault, never a crash or a payment`, async () => {
        first.behave({ answer: ({ method }) => (method === 'eth_getBlockByNumber' ? answer : undefined) });
        const scanner = open({ rpc: [first.url] });
        await expect(scanner.blocks({ from: 5, to: 5 }, watchingNobody)).rejects.toThrow(ChainUnavailable);
      });

    test('a log of a transaction that is not in the block, and a removed log, are refused', async () => {
      const customer = lab.freshAddress();
      const data = lab.call('TetherLikeToken', 'transfer', [customer, 5n]);
      await lab.send({ to: lab.contracts.tether, data });
      const height = await lab.mine();
      for (const change of [
        { transactionHash: `0x${'9'.repeat(64)}` },
        { blockHash: `0x${'9'.repeat(64)}` },
        { removed: true },
      ]) {
        first.behave({
          answer: ({ method }, logs) =>
            method === 'eth_getLogs' ? [{ ...(logs as object[])[0], ...change }] : undefined,
        });
        const scanner = open({ rpc: [first.url] });
        await expect(scanner.blocks({ from: height, to: height }, watching([customer]))).rejects.toThrow(
          ChainUnavailable,
        );
      }
    });
  });

  describe('secrets in URLs', () => {
    test('credentials go out as a header and appear in no message', async () => {
      const secrets = ['operator', 'hunter2!', 'k3yk3yk3yk3y', 'tokentoken42'];
      const url = new URL(first.url);
      url.username = secrets[0]!;
      url.password = secrets[1]!;
      const rpc = [`${url.href}v3/${secrets[2]}?key=${secrets[3]}`];
      const scanner = open({ rpc, timing: { timeoutMs: 100, coolDownMs: 0 } });
      await scanner.head();
      expect(first.authorizations[0]).toBe(`Basic ${btoa(`${secrets[0]}:${secrets[1]}`)}`);
      const messages: string[] = [];
      for (const behaviour of [{ drop: true }, { status: 500 }, { status: 403 }, { delayMs: 400 }]) {
        first.behave(behaviour);
        await scanner
          .head()
          .catch((error: Error) => messages.push(`${error.message} ${error.stack} ${Bun.inspect(error)}`));
      }
      const unreachable = rpc[0]!.replace(/:\d+\//, ':1/');
      const elsewhere = open({ rpc: [unreachable] });
      await elsewhere.head().catch((error: Error) => messages.push(`${error.message} ${Bun.inspect(error)}`));
      expect(messages.length).toBe(5);
      const everything = messages.join() + JSON.stringify(logger.lines);
      for (const secret of secrets) expect(everything).not.toContain(secret);
    });

    test('a node that repeats the key in its error does not get it into our messages', async () => {
      const key = 'k3yk3yk3yk3yk3y';
      const echo = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: () =>
          Response.json({ jsonrpc: '2.0', id: 1, error: { code: -32_001, message: `bad key ${key}` } }),
      });
      const scanner = open({ rpc: [`http://127.0.0.1:${echo.port}/${key}`] });
      const question = scanner.head();
      await expect(question).rejects.toThrow('bad key ***');
      await echo.stop(true);
    });

    test('options that can never work are refused at once, without repeating a URL', () => {
      const secret = 'ftp://operator:hunter2@node.example/';
      expect(() => open({ rpc: [secret] })).toThrow(/^rpc URL 1 is not an http\(s\) URL$/);
      expect(() => open({ rpc: [first.url, 'nonsense'] })).toThrow('rpc URL 2');
      expect(() => open({ rpc: [] })).toThrow('no rpc URL');
      const token = { asset: 'usdt_ethereum', contract: lab.contracts.tether, decimals: 6 };
      expect(() => open({ tokens: [{ ...token, contract: '0x12' }] })).toThrow('not an EVM address');
      expect(() => open({ tokens: [token, { ...token, asset: 'usdc_ethereum' }] })).toThrow(
        'listed for two assets',
      );
    });
  });

  describe('tracing', () => {
    test('a node is asked once whether it traces, not at every range', async () => {
      await lab.send({ to: lab.freshAddress(), value: 1n });
      const height = await lab.mine();
      first.behave({ refuse: ['debug_'] });
      const scanner = open();
      for (let scans = 0; scans < 3; scans++)
        await scanner.blocks({ from: height, to: height }, watchingNobody);
      expect(first.asked.filter((method) => method.startsWith('debug_')).length).toBe(1);
      expect(logged('info')).toEqual(['node does not trace: balances are reconciled instead']);
    });

    test('it can be switched off', async () => {
      await lab.send({ to: lab.freshAddress(), value: 1n });
      const height = await lab.mine();
      await open({ trace: false }).blocks({ from: height, to: height }, watchingNobody);
      expect(first.asked.some((method) => method.startsWith('debug_'))).toBe(false);
    });

    test('a trace that fails for once is replaced by reconciliation', async () => {
      const customer = lab.freshAddress();
      const scanner = open({ rpc: [first.url] });
      const data = lab.call('Router', 'pay', [[customer], 6n]);
      const pay = { to: lab.contracts.router, data, value: 6n };
      const watch = watching([customer], [customer]);
      await lab.send(pay);
      const height = await lab.mine();
      expect((await scanner.blocks({ from: height, to: height }, watch))[0]!.transfers).toMatchObject([
        { kind: 'payment', units: 6n },
      ]);
      await lab.send(pay);
      await lab.mine();
      first.behave({
        answer: ({ method }) => (method.startsWith('debug_') ? [{ error: 'execution timeout' }] : undefined),
      });
      const next = { from: height + 1, to: height + 1 };
      expect((await scanner.blocks(next, watch))[0]!.transfers).toMatchObject([
        { kind: 'unexplained', units: 6n },
      ]);
      first.behave({});
      expect((await scanner.blocks(next, watch))[0]!.transfers).toMatchObject([
        { kind: 'payment', units: 6n },
      ]);
    });
  });

  test('a busy range costs few requests', async () => {
    const customer = lab.freshAddress();
    for (let block = 0; block < 10; block++) {
      for (let payment = 0; payment < 5; payment++) await lab.send({ to: customer, value: 1n });
      await lab.mine();
    }
    const height = await lab.mine();
    const scanner = open({ trace: false });
    await scanner.head();
    first.behave({});
    const blocks = await scanner.blocks({ from: height - 10, to: height }, watching([customer]));
    expect(blocks.flatMap(({ transfers }) => transfers).length).toBe(50);
    // decimals of the token, blocks, logs, receipts, and the check that the last block still stands.
    expect(first.requests).toBe(5);
  });
});
