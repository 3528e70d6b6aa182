/**
 * R9 for the coin: what a node leaves out of its blocks shows in the balances that every node has
 * after them.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { ChainScanner, ScannedBlock } from '../../../../../src/ports/chains/chain-scanner.ts';
import type { SentTransaction } from '../../../../../src/ports/chains/watch-list.ts';
import type { RpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { spendingFrom, watching } from '../../../../support/chains/watch-list.ts';
import { anvilAvailable } from '../../../../support/evm/anvil.ts';
import type { EvmLab } from '../../../../support/evm/evm-lab.ts';
import { stageNodes } from '../../../../support/evm/evm-nodes.ts';
import { needs } from '../../../../support/runtime/needs.ts';

const GAS_PRICE = 10n ** 10n;

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

  /**
   * What is found of a block that pays 6 wei to an account of ours, from which the next block's
   * transaction sends `value` to `wallet`. The first node leaves the payment out where that is
   * said.
   */
  async function swept(given: { units: bigint; value: bigint; isKnown: boolean; isLeftOut: boolean }) {
    const { units, value, isKnown, isLeftOut } = given;
    const [customer, wallet] = [lab.anvil.accounts[3]!.address.toLowerCase(), lab.freshAddress()];
    const scanner = stage.open({ sparse: false });
    const sent: SentTransaction[] = [];
    const spending = spendingFrom(wallet, { sent: async () => sent });
    const watch = {
      ...watching([customer]),
      following: async () => [customer],
      ...(isKnown ? { spending } : {}),
    };
    const found: ScannedBlock[] = [];
    const look = async () => {
      for (let ranges = 0; ranges < 5; ranges++) {
        const { tip } = await scanner.head();
        await scanner.late!(tip.height, watch, async (blocks) => void found.push(...blocks));
      }
    };
    await look();
    await lab.mine();
    const paying = await lab.send({ to: customer, value: units });
    await lab.mine();
    const nonce = Number(await lab.anvil.rpc('eth_getTransactionCount', [customer, 'latest']));
    const raw = await lab.sign({ from: 3, to: wallet, value, gasPrice: GAS_PRICE, nonce });
    const txid = await lab.anvil.rpc<string>('eth_sendRawTransaction', [raw]);
    sent.push({ txid, from: customer, units: value });
    const tip = await lab.mine();
    if (isLeftOut) first.behave(without(paying));
    const read = await scanner.blocks({ from: tip - 1, to: tip }, watch);
    expect(read.flatMap(({ transfers }) => transfers).length).toBe(isLeftOut ? 0 : 1);
    await lab.mine(80);
    second.behave({});
    await look();
    return found.flatMap(({ transfers }) => transfers);
  }

  test('R9: are found although more was swept from their address in the same range', async () => {
    for (const isKnown of [false, true])
      expect(await swept({ units: 6n, value: 9n, isKnown, isLeftOut: true })).toMatchObject([{ units: 6n }]);
  });

  test('R9: are found although exactly as much was swept', async () => {
    const units = 9n + 21_000n * GAS_PRICE;
    expect(await swept({ units, value: 9n, isKnown: true, isLeftOut: true })).toMatchObject([{ units }]);
  });

  test('a sweep of ours costs its receipt, and no search', async () => {
    expect(await swept({ units: 6n, value: 9n, isKnown: true, isLeftOut: false })).toEqual([]);
    const asked = Map.groupBy(second.asked, (method) => method);
    // Of two ranges.
    expect([asked.get('eth_call')?.length, asked.get('eth_getTransactionReceipt')?.length]).toEqual([2, 2]);
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
