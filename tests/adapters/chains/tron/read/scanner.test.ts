/**
 * The Tron scanner keeps the scanner's contract on the test server: solidified blocks are final, or
 * more where that is asked for.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type TronScannerOptions,
  tronScanner,
} from '../../../../../src/adapters/chains/tron/read/scanner.ts';
import { describeChainScanner } from '../../../../contracts/chains/chain-scanner.ts';
import { behindPlan } from '../../../../support/providers/behind-plan.ts';
import { type Plan, TRONGRID } from '../../../../support/providers/plans.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';
import { openTronLab, type TronLab } from '../../../../support/tron/lab.ts';

describe('on the Tron test server', () => {
  let lab: TronLab;
  beforeAll(async () => {
    lab = await openTronLab({ solidBehind: 2 });
    await lab.mine(20);
  });
  afterAll(() => lab.server.stop());

  const options = (): TronScannerOptions => ({
    chain: 'tron',
    network: 'main',
    rpc: [lab.server.node.url],
    asset: 'trx_tron',
    tokens: [
      { asset: 'usdt_tron', contract: lab.contracts.usdt, decimals: 6 },
      { asset: 'usdc_tron', contract: lab.contracts.usdc, decimals: 6 },
    ],
    confirmations: null,
    logger: silentLogger,
    timing: { coolDownMs: 1 },
  });

  // The suite asks more calls a second than this; what is suspended for longer than a tip is waited
  // for would fail it.
  const plan: Plan = { ...TRONGRID, suspendsFor: 5 };
  const settings = [
    { name: 'tron, solidified', confirmations: null, final: 3, plan: null },
    { name: `tron, 5 confirmations, behind ${plan.name}`, confirmations: 5, final: 5, plan },
  ];
  for (const { name, confirmations, final, plan: limited } of settings)
    describeChainScanner(name, async () => {
      const on = { ...options(), confirmations, ...behindPlan(limited) };
      const scanner = tronScanner(on);
      return {
        scanner,
        several: tronScanner({ ...on, rpc: [lab.server.node.url, lab.server.node.url] }),
        shows: 'all of it',
        confirmations: final,
        assets: ['trx_tron', 'usdt_tron', 'usdc_tron'],
        showsPending: false,
        unknownTxid: 'f'.repeat(64),
        freshAddress: () => lab.freshAddress(),
        pay: async ({ to, asset, units }) => {
          if (asset === 'trx_tron') return { txid: await lab.payTrx(to, units) };
          return { txid: await lab.payToken(asset === 'usdt_tron' ? 'usdt' : 'usdc', to, units) };
        },
        mine: async (count) => {
          await lab.mine(count);
        },
        reorg: (depth) => lab.server.chain.fork(depth),
        outage: async (on) => lab.server.node.behave({ drop: on }),
        close: () => scanner.close(),
      };
    });

  test('fewer confirmations than solidification asks for change nothing', async () => {
    const [usual, eager] = [tronScanner(options()), tronScanner({ ...options(), confirmations: 1 })];
    expect(await eager.head()).toEqual(await usual.head());
    await usual.close();
    await eager.close();
  });
});

test('importing what reads and sends on Tron loads neither ethers nor tronweb', async () => {
  const modules = ['deriver.ts', 'read/scanner.ts', 'send/sender.ts', 'codec/sign.ts'].map((file) =>
    JSON.stringify(`${import.meta.dir}/../../../../../src/adapters/chains/tron/${file}`),
  );
  const script = `${modules.map((file) => `await import(${file});`).join('')}
    console.log(Object.keys(require.cache).filter((path) => /\\/(ethers|tronweb)\\//.test(path)).length)`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
  expect((await new Response(child.stdout).text()).trim()).toBe('0');
});
