/**
 * E1, E5, E6 and E10 of the safety catalogue on a real node: what an EVM chain's own coin must and
 * must not credit.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { ChainScanner, ScannedBlock, Transfer } from '../../../../src/ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../src/ports/chains/watch-list.ts';
import { startRpcProxy } from '../../../support/chains/rpc-proxy.ts';
import { watching } from '../../../support/chains/watch-list.ts';
import { anvilAvailable } from '../../../support/evm/anvil.ts';
import { type EvmLab, recordingLogger, TOKEN_SUPPLY } from '../../../support/evm/evm-lab.ts';
import { stagePayments } from '../../../support/evm/evm-payments.ts';
import { needs } from '../../../support/runtime/needs.ts';

describe.skipIf(!needs('anvil', anvilAvailable()))('what the native coin of an EVM chain credits', () => {
  const stage = stagePayments();
  const { open, paid, statusOf, router, tether, usdc } = stage;
  let lab: EvmLab;
  let tracing: ChainScanner;
  let blind: ChainScanner;
  beforeAll(() => {
    ({ lab, tracing, blind } = stage);
  });

  test('E1: a failed transaction pays nothing, in the native coin or a token', async () => {
    const [customer, refusesCoins] = [lab.freshAddress(), lab.contracts.usdc];
    const coins = await lab.send({ to: refusesCoins, value: 1_000n });
    const tokens = await usdc('transfer', [customer, TOKEN_SUPPLY + 1n]);
    await lab.mine();
    expect([await statusOf(coins), await statusOf(tokens)]).toEqual(['0x0', '0x0']);
    for (const scanner of [tracing, blind]) expect(await paid([customer, refusesCoins], scanner)).toEqual([]);
  });

  test('E1: call data that only looks like a token transfer pays nothing', async () => {
    const [customer, nobody] = [lab.freshAddress(), lab.freshAddress()];
    await lab.send({ to: nobody, data: lab.call('OrdinaryToken', 'transfer', [customer, 5_000_000n]) });
    expect(await tracing.pending(watching([customer], [customer]))).toEqual([]);
    await lab.mine();
    for (const scanner of [tracing, blind]) expect(await paid([customer], scanner)).toEqual([]);
  });

  test('E5: an internal payment taken back by its reverted frame pays nothing, traced or reconciled', async () => {
    const customer = lab.freshAddress();
    const txid = await router('payAndRevertInside', [customer], 1_000n);
    await lab.mine();
    expect(await statusOf(txid)).toBe('0x1');
    for (const scanner of [tracing, blind]) expect(await paid([customer], scanner)).toEqual([]);
  });

  test('E5: a delegated call repeats the outer value and pays nothing', async () => {
    const customer = lab.freshAddress();
    await router('payNothingByDelegatecall', [customer], 1_000n);
    await lab.mine();
    for (const scanner of [tracing, blind]) expect(await paid([customer], scanner)).toEqual([]);
  });

  test('E6: internal payments are credited where the node traces, also by selfdestruct', async () => {
    const [alice, bob, carol] = [lab.freshAddress(), lab.freshAddress(), lab.freshAddress()];
    const [each, boom] = [
      await router('pay', [[alice, bob], 500n], 1_000n),
      await router('payBySelfdestruct', [carol], 77n),
    ];
    await lab.mine();
    const common = { asset: 'eth_ethereum', kind: 'payment' };
    expect(await paid([alice, bob, carol])).toEqual([
      expect.objectContaining({ ...common, txid: each, output: 'call:0', to: alice, units: 500n }),
      expect.objectContaining({ ...common, txid: each, output: 'call:1', to: bob, units: 500n }),
      expect.objectContaining({ ...common, txid: boom, output: 'call:0.0', to: carol, units: 77n }),
    ]);
  });

  test('E6: where the node does not trace they are unexplained money of their very block, and once', async () => {
    const [alice, bob] = [lab.freshAddress(), lab.freshAddress()];
    await lab.mine();
    await router('pay', [[alice, alice], 500n], 1_000n);
    const direct = await lab.send({ to: alice, value: 9_000n });
    const height = await lab.mine();
    await router('payBySelfdestruct', [bob], 77n);
    await lab.mine(2);
    const common = { asset: 'eth_ethereum', from: null, kind: 'unexplained' };
    const found = await paid([alice, bob], blind, 5);
    expect(found).toEqual([
      expect.objectContaining({ txid: direct, output: 'native', to: alice, units: 9_000n, kind: 'payment' }),
      { ...common, txid: `balance:ethereum:${height}`, output: `balance:${alice}`, to: alice, units: 1_000n },
      { ...common, txid: `balance:ethereum:${height + 1}`, output: `balance:${bob}`, to: bob, units: 77n },
    ]);
    expect(await paid([alice, bob], blind, 4)).toEqual(found);
    expect(await blind.lookup(`balance:ethereum:${height}`)).toMatchObject({ state: 'mined', height });
    expect(await blind.lookup(`balance:ethereum:${height + 1_000}`)).toEqual({ state: 'unknown' });
  });

  /**
   * Reads a block after each step, and looks at what was left for later; answers all that was
   * found.
   */
  async function followed(scanner: ChainScanner, steps: readonly (() => Promise<WatchList>)[]) {
    const found: Transfer[] = [];
    const note = (blocks: readonly ScannedBlock[]) =>
      found.push(...blocks.flatMap(({ transfers }) => transfers));
    let { tip: after } = await scanner.head();
    let from = after.height + 1;
    for (const step of steps) {
      const watch = await step();
      await lab.mine();
      const { tip } = await scanner.head();
      note(await scanner.blocks({ from: tip.height, to: tip.height, after }, watch));
      const range = { from, last: tip, seconds: 0 };
      if (await scanner.complete!(range, watch, async (blocks) => void note(blocks))) from = tip.height + 1;
      after = tip;
    }
    return { found, tip: after };
  }

  test('E6: at the tip that is told by its very block as well, once the node can compare ten blocks together', async () => {
    const lagging = await startRpcProxy(lab.anvil.url);
    const [customer, spender] = [lab.freshAddress(), lab.anvil.accounts[6]!.address.toLowerCase()];
    const watch = watching([customer, spender], [customer, spender]);
    const first = [
      () => router('pay', [[customer], 321n], 321n),
      () => lab.send({ from: 6, to: customer, value: 5n }),
      async () => {
        await router('pay', [[spender], 123n], 123n);
        await lab.send({ from: 6, to: lab.freshAddress(), value: 10n ** 17n });
      },
    ];
    const steps = Array.from({ length: 11 }, (_, at) => async () => {
      lagging.behave({
        refuse: ({ method, params }) =>
          method.startsWith('debug_') || (at === 9 && typeof params[1] === 'object'),
      });
      await first[at]?.();
      return watch;
    });
    const { found, tip } = await followed(open({ rpc: [lagging.url] }), steps);
    await lagging.stop();
    const parked = (to: string, block: number, units: bigint) => ({
      ...{ txid: `balance:ethereum:${tip.height - 11 + block}`, output: `balance:${to}`, to, units },
      kind: 'unexplained',
    });
    expect(found).toMatchObject([
      { to: customer, units: 5n, kind: 'payment' },
      parked(customer, 1, 321n),
      parked(spender, 3, 123n),
    ]);
  });

  test.each([
    ['traced in its block alone', 'payment', null],
    ['traced where the node traces again', 'payment', -32_000],
    ['parked', 'unexplained', -32_601],
  ])(
    'E6: what a contract paid is %s once ten blocks are compared, though nobody waits any more',
    async (_, kind, code) => {
      const customer = lab.freshAddress();
      const proxy = await startRpcProxy(lab.anvil.url);
      const refusal = { code: code ?? 0, message: 'no trace' };
      if (code !== null) proxy.behave({ refuse: ['debug_'], refusal });
      const pays = async () => {
        await router('pay', [[customer], 77n], 77n);
        return watching([customer], [customer]);
      };
      const later = async () => ({ ...watching([customer]), following: async () => [] });
      const tracesAgain = () => {
        if (code === -32_000) proxy.behave({});
        return later();
      };
      const steps = [later, pays, ...Array.from({ length: 8 }, () => later), tracesAgain];
      const { found } = await followed(open({ rpc: [proxy.url] }), steps);
      const traces = proxy.asked.filter((method) => method.startsWith('debug_')).length;
      await proxy.stop();
      expect(found).toMatchObject([{ to: customer, units: 77n, kind }]);
      expect(traces).toBe(1);
    },
  );

  test('E6: an address that spends meanwhile is reconciled with its payments and fees', async () => {
    const spender = lab.anvil.accounts[5]!.address.toLowerCase();
    await lab.send({ from: 5, to: lab.freshAddress(), value: 10n ** 18n });
    await lab.send({ from: 5, to: spender, value: 5n });
    await lab.send({ from: 5, to: lab.contracts.usdc, value: 3n });
    await lab.mine();
    expect(await paid([spender], blind)).toEqual([]);
    await lab.send({ from: 5, to: lab.freshAddress(), value: 10n ** 18n });
    await router('pay', [[spender], 123n], 123n);
    await lab.mine();
    expect(await paid([spender], blind)).toMatchObject([{ kind: 'unexplained', units: 123n }]);
  });

  test('E6: a node without state overrides is reconciled balance by balance', async () => {
    const customer = lab.freshAddress();
    await router('pay', [[customer], 321n], 321n);
    await lab.mine();
    const plain = await startRpcProxy(lab.anvil.url);
    for (const ignores of [true, false]) {
      plain.behave({
        refuse: ({ method, params }) => method.startsWith('debug_') || (!ignores && params.length === 3),
        answer: ({ params }) => (ignores && params.length === 3 ? '0x' : undefined),
      });
      expect(await paid([customer], open({ rpc: [plain.url] }))).toMatchObject([
        { kind: 'unexplained', units: 321n },
      ]);
    }
    await plain.stop();
  });

  test('E6: when the state of old blocks is gone the scan goes on and says so', async () => {
    const customer = lab.freshAddress();
    const direct = await lab.send({ to: customer, value: 11n });
    await lab.mine();
    const pruned = await startRpcProxy(lab.anvil.url);
    pruned.behave({
      refuse: ({ method, params }) => method.startsWith('debug_') || typeof params[1] === 'object',
    });
    const logger = recordingLogger();
    expect(await paid([customer], open({ rpc: [pruned.url], logger }))).toMatchObject([{ txid: direct }]);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { event: 'chain.balances_unreconciled' },
    ]);
    await pruned.stop();
  });

  test('E10: transfers of nothing are ignored, in a token (look-alike bait) and in the native coin', async () => {
    const customer = lab.freshAddress();
    const victim = lab.anvil.accounts[4]!.address;
    const bait = await usdc('transferFrom', [victim, customer, 0n]);
    const empty = await lab.send({ to: customer, value: 0n });
    await router('pay', [[customer], 0n], 0n);
    await lab.mine();
    expect([await statusOf(bait), await statusOf(empty)]).toEqual(['0x1', '0x1']);
    for (const scanner of [tracing, blind]) expect(await paid([customer], scanner)).toEqual([]);
  });

  test('E10: what an address sends to itself is no payment', async () => {
    const customer = lab.anvil.accounts[0]!.address.toLowerCase();
    await lab.send({ to: customer, value: 5_000n });
    await usdc('transfer', [customer, 5_000n]);
    await lab.mine();
    for (const scanner of [tracing, blind]) expect(await paid([customer], scanner)).toEqual([]);
  });

  test('the order within a block is that of its transactions', async () => {
    const customer = lab.freshAddress();
    const sent = [
      await usdc('transfer', [customer, 1n]),
      await lab.send({ to: customer, value: 2n }),
      await router('pay', [[customer], 3n], 3n),
      await tether('transfer', [customer, 4n]),
    ];
    await lab.mine();
    const found = await paid([customer]);
    expect(found.map(({ txid }) => txid)).toEqual(sent);
    expect(found.map(({ units }) => units)).toEqual([1n, 2n, 3n, 4n]);
  });
});
