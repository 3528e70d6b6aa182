/**
 * R2 to R6, R9 and R10: what EVM nodes leave out, refuse for once, or do not have yet, and what
 * must not be lost by it.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { accountFor, admits } from '../../../../../src/adapters/chains/evm/read/logs-bloom.ts';
import {
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
  type Transfer,
} from '../../../../../src/ports/chains/chain-scanner.ts';
import type { RpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { anvilAvailable } from '../../../../support/evm/anvil.ts';
import type { EvmLab } from '../../../../support/evm/evm-lab.ts';
import { LONG_MS, stageNodes } from '../../../../support/evm/evm-nodes.ts';
import { needs } from '../../../../support/runtime/needs.ts';

describe.skipIf(!needs('anvil', anvilAvailable()))('what EVM nodes leave out', () => {
  const stage = stageNodes();
  const { open, logged } = stage;
  let lab: EvmLab;
  let first: RpcProxy;
  let second: RpcProxy;
  beforeAll(() => {
    ({ lab, first, second } = stage.nodes);
  });

  const alone = () => open({ rpc: [first.url] });
  const tokenPayment = (to: string, units: bigint): Promise<string> =>
    lab.send({
      to: lab.contracts.tether,
      data: lab.call('TetherLikeToken', 'transfer', [to, units]),
    });
  /** What came to `to` in the newest blocks. */
  async function arrived(scanner: ChainScanner, to: string, blocks = 1): Promise<readonly Transfer[]> {
    const height = Number(await lab.anvil.rpc<string>('eth_blockNumber'));
    const range = { from: height - blocks + 1, to: height };
    return (await scanner.blocks(range, watching([to], [to]))).flatMap(({ transfers }) => transfers);
  }

  const noLogs = ({ method }: { method: string }): unknown => (method === 'eth_getLogs' ? [] : undefined);

  describe('logs', () => {
    test('the filter of a real block admits what is in it, and is accounted for by all of it alone', async () => {
      await tokenPayment(lab.freshAddress(), 5n);
      await lab.send({
        to: lab.contracts.usdc,
        data: lab.call('OrdinaryToken', 'transfer', [lab.freshAddress(), 6n]),
      });
      await lab.mine();
      const { logsBloom } = await lab.anvil.rpc<{ logsBloom: string }>('eth_getBlockByNumber', [
        'latest',
        false,
      ]);
      const logs = await lab.anvil.rpc<{ address: string; topics: string[] }[]>('eth_getLogs', [{}]);
      const items = logs.flatMap(({ address, topics }) => [address, ...topics]);
      expect(admits(logsBloom, items)).toBe(true);
      expect(admits(logsBloom, [lab.contracts.bscTether])).toBe(false);
      expect(accountFor(logsBloom, [...items, lab.contracts.bscTether])).toBe(true);
      for (const left of new Set(items))
        expect(
          accountFor(
            logsBloom,
            items.filter((item) => item !== left),
          ),
        ).toBe(false);
      expect(accountFor(`0x${'0'.repeat(512)}`, [])).toBe(true);
    });

    test('R2: an empty answer is held against the header: the receipts tell what was left out', async () => {
      const customer = lab.freshAddress();
      await tokenPayment(customer, 5n);
      await lab.mine();
      first.behave({});
      const told = await arrived(alone(), customer);
      expect(first.asked).not.toContain('eth_getBlockReceipts');
      expect(told).toMatchObject([{ asset: 'usdt_ethereum', units: 5n }]);
      for (const refuse of [[], ['eth_getBlockReceipts']]) {
        first.behave({ instead: noLogs, refuse });
        expect(await arrived(alone(), customer)).toEqual(told);
      }
      expect(logged('warn')).toEqual(['node.logs_missing', 'node.logs_missing']);
    });

    test('R2: a short answer is held against the header, too', async () => {
      const customer = lab.freshAddress();
      const data = lab.call('OrdinaryToken', 'transfer', [customer, 6n]);
      await tokenPayment(customer, 5n);
      await lab.send({ to: lab.contracts.usdc, data });
      await lab.mine();
      first.behave({
        answer: ({ method }, logs) =>
          method === 'eth_getLogs' ? (logs as unknown[]).slice(0, 1) : undefined,
      });
      const tokens = [
        { asset: 'usdt_ethereum', contract: lab.contracts.tether, decimals: 6 },
        { asset: 'usdc_ethereum', contract: lab.contracts.usdc, decimals: 6 },
      ];
      const found = await arrived(open({ rpc: [first.url], tokens }), customer);
      expect(found.map(({ units }) => units)).toEqual([5n, 6n]);
    });

    test('R2: a node whose receipts do not account for the header either is left for another', async () => {
      const customer = lab.freshAddress();
      await tokenPayment(customer, 5n);
      await lab.mine();
      for (const receipts of [
        () => [],
        () => null,
        (real: unknown) => (real as object[]).map((each) => ({ ...each, logs: [] })),
      ]) {
        first.behave({
          instead: noLogs,
          answer: ({ method }, real) => (method === 'eth_getBlockReceipts' ? receipts(real) : undefined),
        });
        await expect(arrived(alone(), customer)).rejects.toThrow(ChainUnavailable);
        expect(await arrived(open(), customer)).toMatchObject([{ units: 5n }]);
      }
    });

    test('R3: a log of a transaction that its block does not list stops nothing, and counts by its receipt if it pays us', async () => {
      const [customer, anybody] = [lab.freshAddress(), lab.freshAddress()];
      await lab.send({ to: customer, value: 9n });
      const txid = await tokenPayment(customer, 5n);
      await tokenPayment(anybody, 6n);
      await lab.mine();
      const unlisted = (keep: (transaction: { hash: string }) => boolean) =>
        first.behave({
          answer: ({ method, params }, result) => {
            if (method !== 'eth_getBlockByNumber' || params[1] !== true) return undefined;
            const block = result as { transactions: { hash: string }[] };
            return { ...block, transactions: block.transactions.filter(keep) };
          },
          refuse: ['debug_'],
        });
      unlisted(({ hash }) => hash !== txid);
      expect(await arrived(alone(), customer)).toMatchObject([{ units: 9n }, { txid, units: 5n }]);
    });
  });

  describe('traces', () => {
    const tracesAsked = (): number => first.asked.filter((method) => method.startsWith('debug_')).length;
    async function contractPays(to: string): Promise<void> {
      const data = lab.call('Router', 'pay', [[to], 6n]);
      await lab.send({ to: lab.contracts.router, data, value: 6n });
      await lab.mine();
    }

    for (const [how, code, message] of [
      ['a time-out', -32_000, 'execution timeout'],
      ['an internal error', -32_603, 'internal error'],
    ] as const)
      test(`R5: ${how} on the first trace leaves that block to balances, and the next is traced`, async () => {
        const customer = lab.freshAddress();
        const scanner = alone();
        await contractPays(customer);
        first.behave({ refuse: ['debug_'], refusal: { code, message } });
        expect(await arrived(scanner, customer)).toMatchObject([{ kind: 'unexplained', units: 6n }]);
        expect(logged('warn')).toEqual(['node.trace_failed']);
        first.behave({});
        await contractPays(customer);
        expect(await arrived(scanner, customer)).toMatchObject([{ kind: 'payment', units: 6n }]);
      });

    for (const status of [402, 500, 504])
      test(`R4: HTTP ${status} for traces alone leaves the blocks to balances, and stops neither node nor chain`, async () => {
        const customer = lab.freshAddress();
        const scanner = alone();
        await contractPays(customer);
        first.behave({ statusOf: ({ method }) => (method.startsWith('debug_') ? status : undefined) });
        for (let scans = 0; scans < 4; scans++)
          expect(await arrived(scanner, customer)).toMatchObject([{ kind: 'unexplained', units: 6n }]);
        // The second failure in a row makes tracing rest for a while.
        expect(tracesAsked()).toBe(2);
        expect(logged('warn')).toEqual(['node.trace_failed', 'node.trace_failed']);
      });
  });

  test('balances after a range are not asked again before the next', async () => {
    const customer = lab.freshAddress();
    const scanner = open({ rpc: [first.url], trace: false });
    const next = async () => {
      const height = await lab.mine();
      return (await scanner.blocks({ from: height, to: height }, watching([customer], [customer])))[0]!;
    };
    await next();
    first.behave({});
    await next();
    expect(first.asked.filter((method) => method === 'eth_call').length).toBe(1);
    const data = lab.call('Router', 'pay', [[customer], 6n]);
    await lab.send({ to: lab.contracts.router, data, value: 6n });
    expect((await next()).transfers).toMatchObject([{ kind: 'unexplained', units: 6n }]);
    expect((await next()).transfers).toEqual([]);
  });

  describe('finality', () => {
    test('R6: what a node that has the tag refuses for once is not counted instead', async () => {
      await lab.mine(30);
      const scanner = open({ rpc: [first.url], finality: { confirmations: null } });
      const ofTag = ({ params }: { params: readonly unknown[] }): boolean => params[0] === 'finalized';
      first.behave({ refuse: ofTag, refusal: { code: -32_603, message: 'internal error' } });
      expect((await scanner.head()).finalizedHeight).toBe(-1);
      first.behave({});
      const { tip, finalizedHeight } = await scanner.head();
      expect(tip.height - finalizedHeight).toBe(2);
      for (const refusal of [
        { code: -32_602, message: 'invalid argument 0: hex string without 0x prefix' },
        { code: -32_000, message: 'finalized block not found' },
      ]) {
        first.behave({ refuse: ofTag, refusal });
        const untagged = await open({ rpc: [first.url], finality: { confirmations: null } }).head();
        expect(tip.height - untagged.finalizedHeight).toBe(11);
      }
    });
  });

  describe('several machines', () => {
    /** The newest block is not there for the first so many questions about it. */
    function lagging(times: number): () => number {
      let missed = 0;
      let tip = '';
      first.behave({
        answer: ({ method, params }, result) => {
          if (params[0] === 'latest') tip = (result as { number: string }).number;
          if (method !== 'eth_getBlockByNumber' || params[0] !== tip || missed >= times) return undefined;
          missed += 1;
          return null;
        },
      });
      return () => missed;
    }

    test('R10: a block that one machine told of and another lacks is asked for again, without a warning', async () => {
      const customer = lab.freshAddress();
      const scanner = open({ rpc: [first.url], timing: { lagMs: 1_000 } });
      await lab.send({ to: customer, value: 9n });
      await lab.mine();
      const missed = lagging(2);
      await scanner.head();
      expect(await arrived(scanner, customer, 3)).toMatchObject([{ units: 9n }]);
      expect(missed()).toBe(2);
      expect(stage.lines()).toEqual([]);
    });

    test('R10: one that stays away is no reorganisation, and is not waited for where no machine told of it', async () => {
      const scanner = open({ rpc: [first.url], timing: { lagMs: 1 } });
      const { tip } = await scanner.head();
      lagging(99);
      await scanner.head();
      await expect(arrived(scanner, lab.freshAddress())).rejects.toThrow(`has no block ${tip.height}`);
      const patient = open({ rpc: [first.url], timing: { lagMs: LONG_MS } });
      const range = { from: tip.height + 1, to: tip.height + 1 };
      await expect(patient.blocks(range, watching([]))).rejects.toThrow(`has no block ${tip.height + 1}`);
    });

    test('R9: what one node leaves out of a block, filter and all, another shows', async () => {
      const customer = lab.freshAddress();
      await tokenPayment(customer, 5n);
      const txid = await tokenPayment(customer, 6n);
      await tokenPayment(lab.freshAddress(), 7n);
      const height = await lab.mine();
      const [, sixth] = await arrived(open({ rpc: [second.url] }), customer);
      first.behave({
        answer: ({ method }, logs) =>
          method === 'eth_getLogs'
            ? (logs as { transactionHash: string }[]).filter((log) => log.transactionHash !== txid)
            : undefined,
      });
      expect(await arrived(open(), customer)).toMatchObject([{ units: 5n }]);
      await lab.mine(40);
      // A plan of ten blocks a question.
      second.behave({
        refuse: ({ method, params: [asked] }) => {
          const { fromBlock, toBlock } = (asked ?? {}) as { fromBlock?: string; toBlock?: string };
          return method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 10;
        },
        refusal: { code: -32_600, message: 'You can make eth_getLogs requests with up to a 10 block range' },
      });
      const taken: ScannedBlock[] = [];
      const look = async (scanner: ChainScanner): Promise<readonly ScannedBlock[]> => {
        taken.splice(0);
        const { tip } = await scanner.head();
        for (let times = 0; times < 4; times++)
          await scanner.late!(tip.height, watching([customer]), async (blocks) => void taken.push(...blocks));
        return taken;
      };
      expect(await look(open())).toMatchObject([{ height, transfers: [{ units: 5n }, { units: 6n }] }]);
      expect(taken[0]!.transfers[1]).toEqual(sixth!);
      expect(logged('warn')).toEqual(['node.payments_missing']);
      second.behave({ drop: true });
      expect(await look(open())).toMatchObject([{ height, transfers: [{ units: 5n }] }]);
    });
  });
});
