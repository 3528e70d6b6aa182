/**
 * A3 on an EVM chain: of two nodes one lies, or knows less. What it says of a block both have
 * credits nothing that the other does not say, too.
 */
import { describe, expect, test } from 'bun:test';
import { TRANSFER_TOPIC } from '../../../../../src/adapters/chains/evm/read/transfers.ts';
import type { ChainScanner, ScannedBlock, Transfer } from '../../../../../src/ports/chains/chain-scanner.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { anvilAvailable } from '../../../../support/evm/anvil.ts';
import { stageNodes } from '../../../../support/evm/evm-nodes.ts';
import { needs } from '../../../../support/runtime/needs.ts';

const WITHOUT_TRACES = { refuse: ['debug_'] } as const;

describe.skipIf(!needs('anvil', anvilAvailable()))('of two EVM nodes', () => {
  const stage = stageNodes();

  /** The newest block, and enough on top of it to make it final. */
  async function finalBlock(scanner: ChainScanner, to: readonly string[]): Promise<ScannedBlock> {
    const height = await stage.nodes.lab.mine();
    await stage.nodes.lab.mine(3);
    const [block] = await scanner.blocks({ from: height, to: height }, watching(to, to));
    return block!;
  }

  async function contractPays(to: string): Promise<void> {
    const { lab } = stage.nodes;
    const data = lab.call('Router', 'pay', [[to], 500n]);
    await lab.send({ to: lab.contracts.router, value: 500n, data });
  }

  test('one that invents a payment, or the size of one, is not believed in that, and in the rest it is', async () => {
    const { lab, first } = stage.nodes;
    const [customer, thief] = [lab.freshAddress(), lab.freshAddress()];
    const txid = await lab.send({ to: customer, value: 7_000n });
    const word = (hex: string): string => `0x${hex.slice(2).padStart(64, '0')}`;
    first.behave({
      answer: ({ method, params }, result) => {
        if (method !== 'eth_getLogs') return undefined;
        const [{ blockHash }] = params as [{ blockHash: string }];
        const log = {
          address: lab.contracts.tether,
          topics: [TRANSFER_TOPIC, word(customer), word(thief)],
          data: word('0x5f5e100'),
          ...{ blockHash, transactionHash: txid, logIndex: '0x0', removed: false },
        };
        return [...(result as unknown[]), log];
      },
    });
    const scanner = stage.open();
    const { transfers, ...block } = await finalBlock(scanner, [customer, thief]);
    expect(transfers.map(({ to, units }) => ({ to, units }))).toEqual([
      { to: customer, units: 7_000n },
      { to: thief, units: 100_000_000n },
    ]);
    expect(await scanner.confirmWithNodes(block, transfers)).toEqual({
      kind: 'agreed',
      disputed: [transfers[1]!],
    });
    expect(stage.lines().map(({ fields }) => fields)).toContainEqual({
      ...{ chain: 'ethereum', node: expect.stringMatching(/^node 2/), height: block.height },
      why: `it does not show 1 of 2 payments, ${txid} for one`,
    });
    const [real] = transfers as [Transfer];
    const doubled = { ...real, units: 2n * real.units };
    expect(await scanner.confirmWithNodes(block, [doubled])).toEqual({ kind: 'agreed', disputed: [doubled] });
  });

  test('one that calls its newest block final makes nothing final at the other, with the tag or without', async () => {
    const { lab, first, second } = stage.nodes;
    const tipAsFinal = async (): Promise<unknown> => lab.anvil.rpc('eth_getBlockByNumber', ['latest', false]);
    first.behave({
      answer: ({ params }) => (params[0] === 'finalized' ? tipAsFinal() : undefined),
    });
    const scanner = stage.open({ finality: { confirmations: null } });
    await lab.mine();
    const { tip, finalizedHeight } = await scanner.head();
    expect(finalizedHeight).toBe(tip.height);
    expect(await scanner.confirmWithNodes(tip, [])).toEqual({ kind: 'not_final' });
    second.behave({ refuse: ({ params }) => params[0] === 'finalized' });
    const untagged = stage.open({ finality: { confirmations: null } });
    expect(await untagged.confirmWithNodes(tip, [])).toEqual({ kind: 'not_final' });
    // The default of its chain for a node without the tag.
    await lab.mine(11);
    expect(await untagged.confirmWithNodes(tip, [])).toEqual({ kind: 'agreed', disputed: [] });
  });

  test('both have to trace what a contract paid, and a balance that tells of it is no trace', async () => {
    const { lab, second } = stage.nodes;
    const [customer, other] = [lab.freshAddress(), lab.freshAddress()];
    await contractPays(customer);
    await lab.send({ to: other, value: 9n });
    const scanner = stage.open();
    const { transfers, ...block } = await finalBlock(scanner, [customer, other]);
    expect(transfers.map(({ output }) => output).toSorted()).toEqual(['call:0', 'native']);
    expect(await scanner.confirmWithNodes(block, transfers)).toEqual({ kind: 'agreed', disputed: [] });
    second.behave(WITHOUT_TRACES);
    const internal = transfers.filter(({ output }) => output === 'call:0');
    expect(await stage.open().confirmWithNodes(block, transfers)).toEqual({
      kind: 'agreed',
      disputed: internal,
    });
  });

  test('each reconciles the balance that told the other of money, whether it traces or not', async () => {
    const { lab, first, second } = stage.nodes;
    first.behave(WITHOUT_TRACES);
    const customer = lab.freshAddress();
    await contractPays(customer);
    const scanner = stage.open();
    const { transfers, ...block } = await finalBlock(scanner, [customer]);
    expect(transfers).toMatchObject([{ kind: 'unexplained', to: customer, units: 500n }]);
    expect(await scanner.confirmWithNodes(block, transfers)).toEqual({ kind: 'agreed', disputed: [] });
    second.behave({ refuse: ['eth_getBalance', 'eth_call'] });
    expect(await scanner.confirmWithNodes(block, transfers)).toEqual({ kind: 'agreed', disputed: transfers });
  });

  test('one that told its hash and shows no more does not agree, and one that is away abstains', async () => {
    const { lab, second } = stage.nodes;
    const customer = lab.freshAddress();
    await lab.send({ to: customer, value: 9n });
    const scanner = stage.open();
    const { transfers, ...block } = await finalBlock(scanner, [customer]);
    second.behave({ refuse: ['eth_getLogs'] });
    expect(await scanner.confirmWithNodes(block, transfers)).toEqual({ kind: 'disputed' });
    second.behave({ answer: ({ method }) => (method === 'eth_getLogs' ? 'nonsense' : undefined) });
    expect(await scanner.confirmWithNodes(block, transfers)).toEqual({ kind: 'disputed' });
    second.behave({ drop: true });
    expect(await scanner.confirmWithNodes(block, transfers)).toEqual({ kind: 'agreed', disputed: [] });
  });

  test('U5: each reads the block once, however many payments are in it, and a node alone reads nothing', async () => {
    const { lab, first, second } = stage.nodes;
    const receivers = Array.from({ length: 40 }, () => lab.freshAddress());
    for (const to of receivers) await lab.send({ to, value: 9n });
    const scanner = stage.open();
    const { transfers, ...block } = await finalBlock(scanner, receivers);
    expect(transfers.length).toBe(40);
    const claimed = Array.from({ length: 5_000 }, (_, index) => transfers[index % 40]!);
    first.behave({});
    second.behave({});
    expect(await scanner.confirmWithNodes(block, claimed)).toEqual({ kind: 'agreed', disputed: [] });
    for (const { asked } of [first, second]) {
      const receipts = asked.filter((method) => /Receipt/.test(method));
      expect(receipts).toEqual(['eth_getBlockReceipts']);
      expect(asked.filter((method) => method === 'eth_getLogs').length).toBe(1);
      expect(asked.some((method) => method.startsWith('debug_'))).toBe(false);
    }
    const alone = stage.open({ rpc: [first.url] });
    await alone.head();
    first.behave({});
    expect(await alone.confirmWithNodes(block, claimed)).toEqual({ kind: 'agreed', disputed: [] });
    expect(first.asked).toEqual(['eth_getBlockByNumber']);
  });
});
