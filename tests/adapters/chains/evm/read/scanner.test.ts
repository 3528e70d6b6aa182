/**
 * The EVM scanner keeps the scanner's contract on a real node: with traces and the `finalized` tag,
 * and with neither behind a free plan.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type EvmScannerOptions, evmScanner } from '../../../../../src/adapters/chains/evm/read/scanner.ts';
import { describeChainScanner } from '../../../../contracts/chains/chain-scanner.ts';
import { type RpcProxy, startRpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { anvilAvailable } from '../../../../support/evm/anvil.ts';
import { type EvmLab, openEvmLab, recordingLogger } from '../../../../support/evm/evm-lab.ts';
import { behindPlan } from '../../../../support/providers/behind-plan.ts';
import { ALCHEMY_FREE } from '../../../../support/providers/plans.ts';
import { needs } from '../../../../support/runtime/needs.ts';

describe.skipIf(!needs('anvil', anvilAvailable()))('on anvil', () => {
  let lab: EvmLab;
  let proxy: RpcProxy;
  beforeAll(async () => {
    lab = await openEvmLab();
    proxy = await startRpcProxy(lab.anvil.url);
    await lab.mine(60);
  });
  afterAll(async () => {
    await proxy.stop();
    await lab.anvil.stop();
  });

  const options = (): EvmScannerOptions => ({
    chain: 'ethereum',
    chainId: lab.anvil.chainId,
    rpc: [proxy.url],
    finality: { confirmations: null },
    nativeAsset: 'eth_ethereum',
    tokens: [
      { asset: 'usdt_ethereum', contract: lab.contracts.tether, decimals: 6 },
      { asset: 'usdc_ethereum', contract: lab.contracts.usdc, decimals: 6 },
    ],
    logger: recordingLogger(),
    timing: { coolDownMs: 1, finalityMs: 0, pendingMs: 0 },
  });

  const settings = [
    {
      ...{ name: 'evm, tracing node, finalized tag', plan: null, sparse: false },
      ...{ finality: { confirmations: null }, final: 3, refuse: [] },
    },
    {
      ...{ name: `evm, no traces, 5 confirmations, behind ${ALCHEMY_FREE.name}` },
      ...{ plan: ALCHEMY_FREE, sparse: false },
      ...{ finality: { confirmations: 5 }, final: 5, refuse: ['debug_'] },
    },
    {
      ...{ name: 'evm, fast blocks', plan: null, sparse: true },
      ...{ finality: { confirmations: null }, final: 3, refuse: [] },
    },
  ];
  for (const { name, plan, finality, final, refuse, sparse } of settings)
    describeChainScanner(name, async () => {
      proxy.behave({ refuse });
      const on = { ...options(), finality, sparse, ...behindPlan(plan) };
      const scanner = evmScanner(on);
      return {
        scanner,
        several: evmScanner({ ...on, rpc: [proxy.url, proxy.url] }),
        shows: 'all of it',
        confirmations: final,
        assets: ['eth_ethereum', 'usdt_ethereum', 'usdc_ethereum'],
        showsPending: !sparse,
        unknownTxid: `0x${'f'.repeat(64)}`,
        freshAddress: () => lab.freshAddress(),
        pay: async ({ to, asset, units }) => {
          if (asset === 'eth_ethereum') return { txid: await lab.send({ to, value: units }) };
          const token = asset === 'usdt_ethereum' ? 'tether' : 'usdc';
          const contract = token === 'tether' ? 'TetherLikeToken' : 'OrdinaryToken';
          const data = lab.call(contract, 'transfer', [to, units]);
          return { txid: await lab.send({ to: lab.contracts[token], data }) };
        },
        mine: async (count) => {
          await lab.mine(count);
        },
        reorg: (depth) => lab.reorg(depth),
        outage: async (on) => proxy.behave(on ? { drop: true } : { refuse }),
        close: () => scanner.close(),
      };
    });

  describe('finality', () => {
    const finalizedLag = async (answer?: (tag: unknown) => unknown, refuseTag = false): Promise<number> => {
      proxy.behave({
        answer: ({ params }) => answer?.(params[0]),
        refuse: ({ params }) => refuseTag && params[0] === 'finalized',
      });
      const scanner = evmScanner(options());
      const { tip, finalizedHeight } = await scanner.head();
      await scanner.close();
      return tip.height - finalizedHeight;
    };

    test('a node that had the tag and refuses it once does not fall back to counting', async () => {
      proxy.behave({});
      const scanner = evmScanner(options());
      const before = (await scanner.head()).finalizedHeight;
      await lab.mine(20);
      proxy.behave({ refuse: ({ params }) => params[0] === 'finalized' });
      expect((await scanner.head()).finalizedHeight).toBe(before);
      proxy.behave({});
      expect((await scanner.head()).finalizedHeight).toBeGreaterThan(before);
      await scanner.close();
    });

    test('the finalized tag decides where the node has it', async () => {
      expect(await finalizedLag()).toBe(2);
    });

    test('a node without the tag is counted by the default confirmations of its chain', async () => {
      expect(await finalizedLag(undefined, true)).toBe(11);
      expect(await finalizedLag((tag) => (tag === 'finalized' ? null : undefined))).toBe(11);
    });
  });
});

test('importing deriver and scanner does not load ethers', async () => {
  const modules = ['evm/read/scanner.ts', 'evm/deriver.ts', 'fake/fake-chain.ts'].map((file) =>
    JSON.stringify(`${import.meta.dir}/../../../../../src/adapters/chains/${file}`),
  );
  const script = `${modules.map((file) => `await import(${file});`).join('')}
    console.log(Object.keys(require.cache).filter((path) => path.includes('/ethers/')).length)`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
  expect((await new Response(child.stdout).text()).trim()).toBe('0');
});
