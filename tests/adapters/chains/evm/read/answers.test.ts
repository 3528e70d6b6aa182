/**
 * What an EVM node may answer wrongly, late or from two branches, and secrets that must stay in the
 * URL.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { ChainUnavailable } from '../../../../../src/ports/chains/chain-scanner.ts';
import type { RpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { watching, watchingNobody } from '../../../../support/chains/watch-list.ts';
import { anvilAvailable } from '../../../../support/evm/anvil.ts';
import type { EvmLab } from '../../../../support/evm/evm-lab.ts';
import { stageNodes } from '../../../../support/evm/evm-nodes.ts';
import { needs } from '../../../../support/runtime/needs.ts';

describe.skipIf(!needs('anvil', anvilAvailable()))('answers of an EVM node', () => {
  const stage = stageNodes();
  const { open, logged } = stage;
  let lab: EvmLab;
  let first: RpcProxy;
  beforeAll(() => {
    ({ lab, first } = stage.nodes);
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

    test('a receipt, a lookup or a block whose parts name two branches is no answer', async () => {
      const customer = lab.freshAddress();
      const txid = await lab.send({ to: customer, value: 10n });
      const height = await lab.mine();
      const elsewhere = { blockHash: `0x${'9'.repeat(64)}` };
      const scanner = open({ rpc: [first.url] });
      const scan = () => scanner.blocks({ from: height, to: height }, watching([customer]));
      const answering = (method: string, change: (result: object) => unknown): void =>
        first.behave({
          answer: (call, result) => (call.method === method ? change(result as object) : undefined),
        });

      answering('eth_getTransactionReceipt', (result) => ({ ...result, ...elsewhere }));
      await expect(scan()).rejects.toThrow(/reorganised/);
      answering('eth_getTransactionReceipt', () => null);
      await expect(scan()).rejects.toThrow(/no receipt/);
      answering('eth_getTransactionByHash', (result) => ({ ...result, ...elsewhere }));
      await expect(scanner.lookup(txid)).rejects.toThrow(/reorganised/);
      answering('eth_getBlockByNumber', (result) => {
        const [transaction] = (result as { transactions: readonly object[] }).transactions;
        return { ...result, transactions: [{ ...transaction, ...elsewhere }] };
      });
      await expect(scan()).rejects.toThrow(/another block/);
      first.behave({});
      expect((await scan())[0]!.transfers).toMatchObject([{ txid, units: 10n }]);
    });

    test('a rollup that answers its latest block for the pending one has nothing pending', async () => {
      const customer = lab.freshAddress();
      await lab.send({ to: customer, value: 10n });
      const height = await lab.mine();
      const latest = await lab.anvil.rpc('eth_getBlockByNumber', [`0x${height.toString(16)}`, true]);
      const scanner = open({ rpc: [first.url] });
      await scanner.head();
      for (const answer of [latest, null]) {
        first.behave({ answer: ({ params: [tag] }) => (tag === 'pending' ? answer : undefined) });
        expect(await scanner.pending(watching([customer], [customer]))).toEqual([]);
        expect(first.asked).toEqual(['eth_getBlockByNumber']);
      }
      first.behave({});
      expect(await scanner.pending(watching([customer]))).toEqual([]);
      expect(first.asked).toEqual([]);
    });

    test('blocks of two branches are never joined', async () => {
      const other = await stage.nodes.rival.rpc('eth_getBlockByNumber', ['0x9', true]);
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
      const scanner = open({ rpc, timing: { timeoutMs: 800, coolDownMs: 0 } });
      await scanner.head();
      expect(first.authorizations[0]).toBe(`Basic ${btoa(`${secrets[0]}:${secrets[1]}`)}`);
      const messages: string[] = [];
      for (const behaviour of [{ drop: true }, { status: 500 }, { status: 403 }, { delayMs: 5_000 }]) {
        first.behave(behaviour);
        await scanner
          .head()
          .catch((error: Error) => messages.push(`${error.message} ${error.stack} ${Bun.inspect(error)}`));
      }
      const unreachable = rpc[0]!.replace(/:\d+\//, ':1/');
      const elsewhere = open({ rpc: [unreachable] });
      await elsewhere.head().catch((error: Error) => messages.push(`${error.message} ${Bun.inspect(error)}`));
      expect(messages.length).toBe(5);
      const everything = messages.join() + JSON.stringify(stage.lines());
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
      expect(() => open({ rpc: [secret] })).toThrow(
        /^URL 1 of the nodes does not begin with http:\/\/ or https:\/\/$/,
      );
      expect(() => open({ rpc: [first.url, 'nonsense'] })).toThrow('URL 2 of the nodes');
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
      expect(logged('info')).toEqual(['node.traces_nothing']);
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

  test('a poll asks for what is new: one question without news, and one for the logs of all new blocks', async () => {
    const customer = lab.freshAddress();
    const scanner = open({ rpc: [first.url], trace: false });
    const paid = async (blocks: number) => {
      for (let block = 0; block < blocks; block++) {
        const data = lab.call('TetherLikeToken', 'transfer', [customer, 5n]);
        await lab.send({ to: lab.contracts.tether, data });
        await lab.mine();
      }
      const { tip } = await scanner.head();
      const range = { from: tip.height - blocks + 1, to: tip.height };
      const found = await scanner.blocks(range, watching([customer]));
      await scanner.pending(watching([customer]));
      return found.flatMap(({ transfers }) => transfers).length;
    };
    await paid(1);
    const block = 'eth_getBlockByNumber';
    first.behave({});
    expect(await paid(1)).toBe(1);
    expect(first.asked).toEqual([block, block, 'eth_getLogs']);
    first.behave({});
    await scanner.head();
    expect(first.asked).toEqual([block]);
    first.behave({});
    expect(await paid(3)).toBe(3);
    // Head, blocks, logs, and whether the last block still stands.
    expect(first.asked).toEqual([block, ...[block, block, block], 'eth_getLogs', block]);
    const isOfRange = ({ params: [filter] }: { params: readonly unknown[] }): boolean =>
      typeof filter === 'object' && filter !== null && 'fromBlock' in filter;
    first.behave({ refuse: isOfRange });
    expect(await paid(3)).toBe(3);
    first.behave({
      answer: (call, logs) => (isOfRange(call) ? (logs as unknown[]).slice(0, 1) : undefined),
    });
    expect(await paid(3)).toBe(3);
    expect(logged('warn')).toEqual([]);
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
    // decimals of the token, blocks, logs, receipts, and the check that the last block still
    // stands.
    expect(first.requests).toBe(5);
  });
});
