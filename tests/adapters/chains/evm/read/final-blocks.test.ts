/**
 * What a sole node left out of blocks is found when they are final, and what their filters admit
 * costs little.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { ChainScanner, ScannedBlock } from '../../../../../src/ports/chains/chain-scanner.ts';
import type { RpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { anvilAvailable } from '../../../../support/evm/anvil.ts';
import type { EvmLab } from '../../../../support/evm/evm-lab.ts';
import { stageNodes } from '../../../../support/evm/evm-nodes.ts';
import { needs } from '../../../../support/runtime/needs.ts';

type Asked = { readonly method: string; readonly params: readonly unknown[] };

describe.skipIf(!needs('anvil', anvilAvailable()))('final blocks of an EVM chain', () => {
  const stage = stageNodes();
  let lab: EvmLab;
  let first: RpcProxy;
  let second: RpcProxy;
  beforeAll(() => {
    ({ lab, first, second } = stage.nodes);
  });

  const sparse = (): ChainScanner => stage.open({ rpc: [first.url], sparse: true });
  const pays = (to: string): Promise<string> =>
    lab.send({ to: lab.contracts.tether, data: lab.call('TetherLikeToken', 'transfer', [to, 5n]) });
  const paidIn = (blocks: readonly ScannedBlock[]) =>
    blocks.flatMap(({ height, transfers }) => transfers.map(({ to, units }) => ({ height, to, units })));

  test('R2: what a node left out of a range is found when the range is final, by the same node', async () => {
    const customer = lab.freshAddress();
    const scanner = sparse();
    await lab.mine(1);
    const { tip: start } = await scanner.head();
    const late: ScannedBlock[] = [];
    const look = async () => {
      const { tip } = await scanner.head();
      await scanner.late!(tip.height, watching([customer]), async (blocks) => void late.push(...blocks));
    };
    await look();
    await lab.mine(2);
    const txid = await pays(customer);
    await lab.mine(1);
    await pays(lab.freshAddress());
    await lab.mine(1);
    // A hole before a block that has logs: nothing speaks against it.
    first.behave({
      answer: ({ method, params }: Asked, logs) =>
        method === 'eth_getLogs' && (params[0] as { fromBlock?: string }).fromBlock !== undefined
          ? (logs as { transactionHash: string }[]).filter((log) => log.transactionHash !== txid)
          : undefined,
    });
    const { tip } = await scanner.head();
    const range = { from: start.height + 1, to: tip.height, after: start };
    expect(paidIn(await scanner.blocks(range, watching([customer])))).toEqual([]);
    first.behave({});
    await lab.mine(300);
    for (let ranges = 0; ranges < 5; ranges++) await look();
    expect(paidIn(late)).toMatchObject([{ to: customer, units: 5n, height: start.height + 3 }]);
  });

  test('R2: a hole in the index of a sole node, which it never fills, shows in the headers of a few blocks', async () => {
    const customer = lab.freshAddress();
    for (let blocks = 0; blocks < 130; blocks++) {
      await pays(blocks === 60 ? customer : lab.anvil.accounts[5]!.address);
      await lab.mine();
    }
    await lab.mine(300);
    first.behave({ instead: ({ method }: Asked) => (method === 'eth_getLogs' ? [] : undefined) });
    second.behave({ status: 503 });
    // The other one is away: then it stands alone as well.
    for (const rpc of [[first.url], [first.url, second.url]]) {
      const scanner = stage.open({ rpc, sparse: true });
      const late: ScannedBlock[] = [];
      const { tip } = await scanner.head();
      for (let ranges = 0; ranges < 3; ranges++)
        await scanner.late!(tip.height, watching([customer]), async (blocks) => void late.push(...blocks));
      expect(paidIn(late)).toMatchObject([{ to: customer, units: 5n }]);
      expect(stage.logged('warn')).toContain('node.logs_missing');
    }
  });

  test('what cannot be looked at again is left after ten polls, and holds up nothing', async () => {
    const scanner = sparse();
    await lab.mine(300);
    const { tip } = await scanner.head();
    first.behave({ refuse: ['eth_getBlockByNumber'] });
    for (let polls = 0; polls < 10; polls++)
      await scanner.late!(tip.height, watching([]), async () => undefined);
    expect(stage.logged('warn')).toEqual(['chain.omissions_unreadable']);
    first.behave({});
    await scanner.late!(tip.height, watching([]), async () => undefined);
    expect(first.asked).toContain('eth_getLogs');
  });

  test('R2: tokens that are credited to nobody do not cost the receipts of blocks whose filter admits them', async () => {
    const customer = lab.freshAddress();
    await pays(customer);
    const data = lab.call('OrdinaryToken', 'transfer', [customer, 6n]);
    await lab.send({ to: lab.contracts.usdc, data });
    const height = await lab.mine();
    const found = async (listed: boolean) => {
      const tokens = [
        { asset: 'usdt_ethereum', contract: lab.contracts.tether, decimals: 6 },
        { asset: 'usdc_ethereum', contract: lab.contracts.usdc, decimals: 6, listed },
      ];
      const scanner = stage.open({ rpc: [first.url], tokens });
      return paidIn(await scanner.blocks({ from: height, to: height }, watching([customer]))).length;
    };
    const shows = (logs: number) => ({
      answer: ({ method }: Asked, all: unknown) =>
        method === 'eth_getLogs' ? (all as unknown[]).slice(0, logs) : undefined,
    });
    first.behave(shows(1));
    expect([
      await found(false),
      first.asked.filter((method) => method === 'eth_getBlockReceipts').length,
    ]).toEqual([1, 0]);
    expect([
      await found(true),
      first.asked.filter((method) => method === 'eth_getBlockReceipts').length,
    ]).toEqual([2, 1]);
    first.behave(shows(0));
    expect(await found(false)).toBe(2);
  });
});
