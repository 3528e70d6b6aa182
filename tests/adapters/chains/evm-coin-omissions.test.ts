/** R9 for the coin: what a node leaves out of its blocks shows in the balances that every node has after them. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { ChainScanner, ScannedBlock } from '../../../src/ports/chain-scanner.ts';
import { anvilAvailable } from '../../support/anvil.ts';
import type { EvmLab } from '../../support/evm-lab.ts';
import { stageNodes } from '../../support/evm-nodes.ts';
import { needs } from '../../support/needs.ts';
import type { RpcProxy } from '../../support/rpc-proxy.ts';
import { watching } from '../../support/watch-list.ts';

describe.skipIf(!needs('anvil', anvilAvailable()))('coins that one of two EVM nodes leaves out', () => {
  const stage = stageNodes();
  let lab: EvmLab;
  let first: RpcProxy;
  let second: RpcProxy;
  beforeAll(() => {
    ({ lab, first, second } = stage.nodes);
  });

  /** Reads the newest block, mines until it is final, and looks what was left out of it. */
  async function late(scanner: ChainScanner, customer: string, sparse: boolean) {
    const { tip } = await scanner.head();
    const watch = watching([customer]);
    const from = tip.height - (sparse ? 5 : 0);
    const after = (await scanner.blockAt(from - 1))!;
    const read = await scanner.blocks({ from, to: tip.height, after }, watch);
    await lab.mine(sparse ? 300 : 40);
    const found: ScannedBlock[] = [];
    for (let ranges = 0; ranges < 5; ranges++) {
      const { tip: now } = await scanner.head();
      await scanner.late!(now.height, watch, async (blocks) => void found.push(...blocks));
    }
    const units = (blocks: readonly ScannedBlock[]) =>
      blocks.flatMap(({ transfers }) => transfers.map((transfer) => transfer.units));
    return { read: units(read), found, late: units(found) };
  }

  async function paidTwice(): Promise<{ customer: string; txid: string }> {
    const customer = lab.freshAddress();
    await lab.send({ to: customer, value: 5n });
    const txid = await lab.send({ to: customer, value: 6n });
    await lab.mine();
    return { customer, txid };
  }

  /** Neither in its blocks nor, where it is asked for them, in its balances. */
  const without = (txid: string) => ({
    answer: ({ method, params }: { method: string; params: readonly unknown[] }, result: unknown) => {
      if (method === 'eth_call' && params.length === 3) return String(result).replace(/[1-9a-f]/g, '0');
      if (method !== 'eth_getBlockByNumber' || params[1] !== true) return undefined;
      const block = result as { transactions: { hash: string }[] };
      return { ...block, transactions: block.transactions.filter(({ hash }) => hash !== txid) };
    },
    refuse: ['debug_'],
  });

  for (const [how, sparse, read] of [
    ['where all blocks are read', false, [5n]],
    ['with fast blocks', true, []],
  ] as const)
    test(`R9: are found when the block is final, ${how}`, async () => {
      const { customer, txid } = await paidTwice();
      if (sparse) await lab.mine(3);
      first.behave(without(txid));
      const told = await late(stage.open({ sparse }), customer, sparse);
      expect(told.read).toEqual([...read]);
      expect(told.late).toEqual([5n, 6n]);
      expect(stage.logged('warn')).toEqual(['node.payments_missing']);
    });

  test('cost nothing more where the balances are explained by what was told', async () => {
    const { customer } = await paidTwice();
    second.behave({});
    const told = await late(stage.open({ sparse: false }), customer, false);
    expect(told.read).toEqual([5n, 6n]);
    expect(told.found).toEqual([]);
    expect(stage.logged('warn')).toEqual([]);
  });
});
