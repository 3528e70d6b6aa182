/**
 * Several nodes behind one EVM scanner: fail-over, nodes of another chain, and nodes that disagree
 * (A3).
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { ChainUnavailable } from '../../../../src/ports/chains/chain-scanner.ts';
import type { RpcProxy } from '../../../support/chains/rpc-proxy.ts';
import { watching, watchingNobody } from '../../../support/chains/watch-list.ts';
import { anvilAvailable } from '../../../support/evm/anvil.ts';
import type { EvmLab } from '../../../support/evm/evm-lab.ts';
import { LONG_MS, stageNodes } from '../../../support/evm/evm-nodes.ts';
import { needs } from '../../../support/runtime/needs.ts';

describe.skipIf(!needs('anvil', anvilAvailable()))('several EVM nodes', () => {
  const stage = stageNodes();
  const { open, logged } = stage;
  let lab: EvmLab;
  let first: RpcProxy;
  let second: RpcProxy;
  beforeAll(() => {
    ({ lab, first, second } = stage.nodes);
  });

  describe('fail-over', () => {
    test('the first able node answers everything', async () => {
      const scanner = open();
      const { tip } = await scanner.head();
      await scanner.blocks({ from: tip.height - 3, to: tip.height }, watchingNobody);
      expect(second.requests).toBe(0);
    });

    for (const [trouble, behaviour] of [
      ['that cuts the connection', { drop: true }],
      ['that is broken', { status: 502 }],
      ['that answers a web page', { status: 200 }],
      ['that refuses the key', { status: 401 }],
      ['that never answers', { delayMs: 5_000 }],
    ] as const)
      test(`a node ${trouble} is replaced by the next and left alone for a while`, async () => {
        first.behave(behaviour);
        const scanner = open({ timing: { timeoutMs: 1_000, coolDownMs: LONG_MS } });
        const { tip } = await scanner.head();
        expect(first.requests).toBe(1);
        await scanner.blockAt(tip.height);
        await scanner.blocks({ from: 0, to: 5 }, watchingNobody);
        expect(first.requests).toBe(1);
        expect(logged('warn')).toEqual(['node.failed']);
      });

    test('R7: a node that is overloaded is replaced by the next and left alone until its limit has room', async () => {
      first.behave({ status: 429 });
      const scanner = open();
      const { tip } = await scanner.head();
      expect(first.requests).toBe(1);
      await scanner.blockAt(tip.height);
      expect(first.requests).toBe(1);
      expect(logged('warn')).toEqual([]);
      expect(logged('info')).toEqual(['node.limited']);
    });

    test('a node that comes back after its rest is used again', async () => {
      first.behave({ drop: true });
      const scanner = open({ timing: { coolDownMs: 0 } });
      await scanner.head();
      first.behave({});
      second.behave({});
      await scanner.head();
      expect(second.requests).toBe(0);
      expect(logged('info')).toEqual(['node.recovered']);
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
      first.behave({ noBatch: true });
      await scanner.blocks({ from: height - 9, to: height }, watching([customer]));
      expect(first.requests).toBe(first.asked.length);
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
      first.behave({ target: stage.nodes.stranger.url });
      const scanner = open();
      const { tip } = await scanner.head();
      expect(tip.hash).toBe(
        (await lab.anvil.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false])).hash,
      );
      await scanner.blocks({ from: 0, to: 5 }, watchingNobody);
      const final = (await scanner.blockAt(5))!;
      expect(await scanner.confirmWithNodes(final, [])).toMatchObject({ kind: 'agreed' });
      expect(first.asked).toEqual(['eth_chainId']);
      expect(logged('error')).toEqual(['node.wrong_chain']);
    });

    test('alone makes the chain unavailable', async () => {
      first.behave({ target: stage.nodes.stranger.url });
      const scanner = open({ rpc: [first.url] });
      await expect(scanner.head()).rejects.toThrow(/serves another chain/);
      expect(await scanner.confirmWithNodes({ height: 0, hash: `0x${'0'.repeat(64)}` }, [])).toMatchObject({
        kind: 'disputed',
      });
    });

    test('is asked again after a rest, and used when it serves the chain by then', async () => {
      first.behave({ target: stage.nodes.stranger.url });
      const scanner = open({ rpc: [first.url], timing: { coolDownMs: 0 } });
      await expect(scanner.head()).rejects.toThrow(/serves another chain/);
      first.behave({});
      expect((await scanner.head()).tip.height).toBeGreaterThan(0);
    });

    test('is noticed when it takes over the name of a node that failed', async () => {
      const scanner = open({ rpc: [first.url], timing: { coolDownMs: 0 } });
      await scanner.head();
      first.behave({ drop: true });
      await expect(scanner.head()).rejects.toThrow(ChainUnavailable);
      first.behave({ target: stage.nodes.stranger.url });
      await expect(scanner.head()).rejects.toThrow(/serves another chain/);
    });
  });

  describe('nodes that disagree', () => {
    test('A3: two nodes on two branches agree only on what both have', async () => {
      second.behave({ target: stage.nodes.rival.url });
      const scanner = open();
      const genesis = (await scanner.blockAt(0))!;
      const ours = (await scanner.blockAt(10))!;
      expect(ours.hash).not.toBe(
        (await stage.nodes.rival.rpc<{ hash: string }>('eth_getBlockByNumber', ['0xa', false])).hash,
      );
      expect(await scanner.confirmWithNodes(ours, [])).toMatchObject({ kind: 'disputed' });
      second.behave({});
      expect(await scanner.confirmWithNodes(ours, [])).toMatchObject({ kind: 'agreed' });
      expect(await scanner.confirmWithNodes(genesis, [])).toMatchObject({ kind: 'agreed' });
    });

    test('A3: a node that lags, or refuses, does not agree; one that cannot be reached abstains; none is no agreement', async () => {
      const scanner = open();
      const block = (await scanner.blockAt(10))!;
      second.behave({ answer: ({ method }) => (method === 'eth_getBlockByNumber' ? null : undefined) });
      expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'disputed' });
      second.behave({ refuse: ['eth_getBlockByNumber'] });
      expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'disputed' });
      second.behave({ drop: true });
      expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'agreed' });
      first.behave({ drop: true });
      expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'disputed' });
    });

    test('A3: every node is asked, also one that rests', async () => {
      first.behave({ drop: true });
      const scanner = open();
      const block = (await scanner.blockAt(10))!;
      first.behave({ target: stage.nodes.rival.url });
      expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'disputed' });
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
});
