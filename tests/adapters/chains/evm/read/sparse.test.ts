/**
 * Chains with fast blocks: what is left out of a range holds nothing, and what is told of it is of
 * one branch.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import {
  type ChainScanner,
  ChainUnavailable,
  followedBy,
  type ScannedBlock,
} from '../../../../../src/ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../../src/ports/chains/watch-list.ts';
import type { RpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { spendingFrom, watching } from '../../../../support/chains/watch-list.ts';
import { anvilAvailable } from '../../../../support/evm/anvil.ts';
import type { EvmLab } from '../../../../support/evm/evm-lab.ts';
import { stageNodes } from '../../../../support/evm/evm-nodes.ts';
import { needs } from '../../../../support/runtime/needs.ts';

type Asked = { readonly method: string; readonly params: readonly unknown[] };

describe.skipIf(!needs('anvil', anvilAvailable()))('an EVM chain with fast blocks', () => {
  const stage = stageNodes();
  let lab: EvmLab;
  let first: RpcProxy;
  beforeAll(() => {
    ({ lab, first } = stage.nodes);
  });

  const sparse = (changes: Parameters<typeof stage.open>[0] = {}): ChainScanner =>
    stage.open({ rpc: [first.url], sparse: true, ...changes });
  const pays = (to: string, units = 5n): Promise<string> =>
    lab.send({ to: lab.contracts.tether, data: lab.call('TetherLikeToken', 'transfer', [to, units]) });
  const contractPays = (to: string): Promise<string> =>
    lab.send({ to: lab.contracts.router, data: lab.call('Router', 'pay', [[to], 6n]), value: 6n });
  const countOf = (asked: string): number => first.asked.filter((method) => method === asked).length;

  const sending = (watch: WatchList, wallet: string): WatchList => ({
    ...watch,
    spending: spendingFrom(wallet),
  });

  /** What a poll reads after the block that was the tip when this was called. */
  async function reading(scanner: ChainScanner, watch: WatchList) {
    const { tip: after } = await scanner.head();
    return async (): Promise<readonly ScannedBlock[]> => {
      const { tip } = await scanner.head();
      return scanner.blocks({ from: after.height + 1, to: tip.height, after }, watch);
    };
  }
  const paidIn = (blocks: readonly ScannedBlock[]) =>
    blocks.flatMap(({ height, transfers }) =>
      transfers.map(({ to, units, kind }) => ({ height, to, units, kind })),
    );

  test('six questions answer a range in which nothing is ours, however long it is', async () => {
    const customer = lab.freshAddress();
    const scanner = sparse();
    await scanner.blocks(await lastBlock(scanner), watching([customer]));
    const read = await reading(scanner, watching([customer]));
    await pays(lab.freshAddress());
    await lab.send({ to: lab.freshAddress(), value: 9n });
    const height = await lab.mine(30);
    await pays(lab.freshAddress());
    await lab.mine();
    first.behave({});
    const blocks = await read();
    expect(blocks.map((block) => [block.height, block.transfers.length])).toEqual([[height + 1, 0]]);
    // The head, the logs, both ends of the range, and balances before and after it.
    expect(first.asked.toSorted()).toEqual([
      'eth_call',
      'eth_call',
      'eth_getBlockByNumber',
      'eth_getBlockByNumber',
      'eth_getBlockByNumber',
      'eth_getLogs',
    ]);
  });

  test('tokens, coins and coins from contracts are found in their blocks, traced or not, as when all blocks are read', async () => {
    const customers = [1, 2, 3, 4].map(() => lab.freshAddress());
    for (const refuse of [[], ['debug_']]) {
      const scanner = sparse();
      const watch = watching(customers, customers.slice(1, 3));
      const read = await reading(scanner, watch);
      const { tip } = await scanner.head();
      await lab.mine(3);
      await pays(customers[0]!);
      await lab.mine(4);
      await lab.send({ to: customers[1]!, value: 9n });
      await lab.mine(4);
      await contractPays(customers[2]!);
      await lab.mine(4);
      // Not expected to pay in the coin, and seen all the same.
      await lab.send({ to: customers[3]!, value: 7n });
      const height = await lab.mine(4);
      first.behave({ refuse });
      const blocks = await read();
      const all = await sparse().blocks({ from: tip.height + 1, to: height }, watch);
      expect(paidIn(blocks).length).toBe(4);
      expect(paidIn(blocks)).toEqual(paidIn(all));
      expect(blocks.length).toBe(5);
      let before = tip.hash;
      for (const block of blocks) {
        expect(followedBy(block)).toBe(before);
        before = block.hash;
      }
    }
  });

  test('far behind the tip, blocks are left out as well, but with no hot wallet to tell of sweeps', async () => {
    const customer = lab.freshAddress();
    const readBehind = async (watch: WatchList) => {
      const scanner = sparse();
      const { tip: after } = await scanner.head();
      await lab.mine(3);
      await lab.send({ to: customer, value: 9n });
      const to = await lab.mine(4);
      await lab.mine(2);
      await scanner.head();
      const blocks = await scanner.blocks({ from: after.height + 1, to, after }, watch);
      expect(paidIn(blocks)).toMatchObject([{ to: customer, units: 9n }]);
      return blocks.length;
    };
    expect(await readBehind(sending(watching([customer]), lab.freshAddress()))).toBe(2);
    expect(await readBehind(watching([customer]))).toBe(7);
  });

  test('K4: what leaves our hot wallet is told, since it costs the wallet', async () => {
    const wallet = lab.anvil.accounts[0]!.address.toLowerCase();
    const scanner = sparse();
    const read = await reading(scanner, sending(watching([]), wallet));
    await lab.mine(4);
    const txid = await lab.send({ to: lab.freshAddress(), value: 9n });
    await lab.mine(4);
    const { from } = await lab.anvil.rpc<{ from: string }>('eth_getTransactionByHash', [txid]);
    const unknown = (await read()).flatMap((block) => block.unknown ?? []);
    expect(unknown).toMatchObject(from === wallet ? [{ txid }] : []);
    expect(from).toBe(wallet);
  });

  test('a payment shows although as much was swept from its address in the same range, before or after it', async () => {
    const customer = lab.anvil.accounts[3]!.address.toLowerCase();
    const wallet = lab.freshAddress();
    const [scanner, watch] = [sparse(), sending(watching([customer]), wallet)];
    const gasPrice = 10n ** 10n;
    const units = 9n + 21_000n * gasPrice;
    const acts = [
      async (nonce: number) => {
        const raw = await lab.sign({ from: 3, to: wallet, value: 9n, gasPrice, nonce });
        await lab.anvil.rpc('eth_sendRawTransaction', [raw]);
      },
      () => lab.send({ to: customer, value: units }),
    ];
    for (const [nonce, order] of [acts, acts.toReversed()].entries()) {
      const read = await reading(scanner, watch);
      for (const act of order) await act(nonce).then(() => lab.mine(3));
      expect(paidIn(await read())).toMatchObject([{ to: customer, units }]);
    }
  });

  for (const spoiled of ['eth_getLogs', 'eth_call', 'eth_getBlockByNumber'])
    test(`U7: a reorganisation at ${spoiled} answers no mixture`, async () => {
      const customer = lab.freshAddress();
      const scanner = sparse();
      const read = await reading(scanner, watching([customer]));
      await lab.mine(2);
      await pays(customer);
      await lab.mine(4);
      let asked = 0;
      first.behave({
        answer: async ({ method, params }: Asked, result) => {
          if (method !== spoiled || params[0] === 'latest' || ++asked !== 1) return undefined;
          await lab.reorg(5);
          return result;
        },
      });
      const told = await read().catch((error: unknown) => {
        expect(error).toBeInstanceOf(ChainUnavailable);
        return [];
      });
      expect(asked).toBeGreaterThan(0);
      for (const { height, hash } of told) expect((await scanner.blockAt(height))!.hash).toBe(hash);
      expect(paidIn(told)).toEqual([]);
      expect(paidIn(await read())).toEqual([]);
    });

  test('U7: a reorganisation among blocks that were left out shows in what follows', async () => {
    const scanner = sparse();
    const before = await reading(scanner, watching([lab.freshAddress()]));
    await lab.mine(6);
    const read = await reading(scanner, watching([lab.freshAddress()]));
    const { tip } = await scanner.head();
    expect((await before()).map(({ hash }) => hash)).toEqual([tip.hash]);
    await lab.reorg(3);
    await lab.mine(4);
    expect(followedBy((await read())[0]!)).not.toBe(tip.hash);
  });

  test('U7: a log of a block that is not of the chain is refused', async () => {
    const customer = lab.freshAddress();
    const scanner = sparse();
    const read = await reading(scanner, watching([customer]));
    await lab.mine(2);
    await pays(customer);
    await lab.mine(4);
    first.behave({
      answer: ({ method, params }: Asked, logs) =>
        method === 'eth_getLogs' && (params[0] as { fromBlock?: string }).fromBlock !== undefined
          ? (logs as object[]).map((log) => ({ ...log, blockHash: `0x${'9'.repeat(64)}` }))
          : undefined,
    });
    await expect(read()).rejects.toThrow(ChainUnavailable);
    first.behave({});
    expect(paidIn(await read())).toMatchObject([{ to: customer, units: 5n }]);
  });

  const withoutNewest = (blocks: number) => ({
    answer: ({ method, params }: Asked, logs: unknown) => {
      const { toBlock } = (params[0] ?? {}) as { toBlock?: string };
      if (method !== 'eth_getLogs' || toBlock === undefined) return undefined;
      return (logs as { blockNumber: string }[]).filter(
        ({ blockNumber }) => Number(blockNumber) <= Number(toBlock) - blocks,
      );
    },
  });

  for (const [where, after] of [
    ['in the newest block', 0],
    ['before it', 3],
  ] as const)
    test(`R2: logs that the node's index does not have yet, ${where}, are read from the blocks`, async () => {
      const customer = lab.freshAddress();
      const scanner = sparse();
      const read = await reading(scanner, watching([customer]));
      await pays(lab.freshAddress());
      await lab.mine(4);
      await pays(customer);
      await lab.mine(1 + after);
      first.behave(withoutNewest(5));
      expect(paidIn(await read())).toMatchObject([{ to: customer, units: 5n }]);
    });

  test('a node without state overrides is asked for whole blocks', async () => {
    const customer = lab.freshAddress();
    const scanner = sparse();
    const read = await reading(scanner, watching([customer]));
    await lab.mine(4);
    await lab.send({ to: customer, value: 9n });
    await lab.mine(4);
    first.behave({ refuse: ({ params }) => params.length === 3 });
    const blocks = await read();
    expect(blocks.length).toBe(8);
    expect(paidIn(blocks)).toMatchObject([{ units: 9n }]);
    const many = await reading(scanner, watching([customer]));
    await lab.mine(80);
    // As many as one answer may hold.
    expect((await many()).length).toBe(64);
  });

  test('a plan that gives the logs of few blocks is asked in pieces, and remembered', async () => {
    const customer = lab.freshAddress();
    const scanner = sparse();
    const refusal = {
      code: -32_600,
      message: 'You can make eth_getLogs requests with up to a 10 block range',
    };
    const refuse = ({ method, params }: Asked): boolean => {
      const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: string; toBlock?: string };
      return method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 10;
    };
    // Refused are 32 blocks and 16 of them; one question is for the block that pays.
    for (const questions of [2 + 4 + 1, 4 + 1]) {
      const read = await reading(scanner, watching([customer]));
      await pays(customer);
      await lab.mine(32);
      first.behave({ refuse, refusal });
      expect(paidIn(await read())).toMatchObject([{ units: 5n }]);
      expect(countOf('eth_getLogs')).toBe(questions);
    }
  });

  async function lastBlock(scanner: ChainScanner): Promise<{ from: number; to: number }> {
    const { height } = (await scanner.head()).tip;
    return { from: height, to: height };
  }
});
