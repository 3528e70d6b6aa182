/** Cases E1 to E11 of the safety catalogue on a real node: what must be credited on an EVM chain, and what must not. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type EvmScanner,
  type EvmScannerOptions,
  evmScanner,
} from '../../../src/adapters/chains/evm/scanner.ts';
import type { Transfer } from '../../../src/ports/chain-scanner.ts';
import { anvilAvailable } from '../../support/anvil.ts';
import { type EvmLab, openEvmLab, recordingLogger, TOKEN_SUPPLY } from '../../support/evm-lab.ts';
import { needs } from '../../support/needs.ts';
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts';
import { watching } from '../../support/watch-list.ts';

describe.skipIf(!needs('anvil', anvilAvailable()))('what an EVM chain credits', () => {
  let lab: EvmLab;
  let noTrace: RpcProxy;
  let tracing: EvmScanner;
  let blind: EvmScanner;
  const opened: EvmScanner[] = [];

  function open(changes: Partial<EvmScannerOptions> = {}): EvmScanner {
    const { tether, usdc } = lab.contracts;
    const scanner = evmScanner({
      chain: 'ethereum',
      chainId: lab.anvil.chainId,
      rpc: [lab.anvil.url],
      finality: { confirmations: null },
      nativeAsset: 'eth_ethereum',
      tokens: [
        { asset: 'usdt_ethereum', contract: tether, decimals: 6 },
        { asset: 'usdc_ethereum', contract: usdc, decimals: 6 },
      ],
      logger: recordingLogger(),
      ...changes,
    });
    opened.push(scanner);
    return scanner;
  }

  beforeAll(async () => {
    lab = await openEvmLab();
    noTrace = await startRpcProxy(lab.anvil.url);
    noTrace.behave({ refuse: ['debug_', 'trace_'] });
    tracing = open();
    blind = open({ rpc: [noTrace.url] });
  });
  afterAll(async () => {
    await Promise.all(opened.map((scanner) => scanner.close()));
    await noTrace.stop();
    await lab.anvil.stop();
  });

  /** What the last `depth` blocks pay to `addresses`, all of which also expect the native coin. */
  async function paid(
    addresses: readonly string[],
    scanner = tracing,
    depth = 1,
  ): Promise<readonly Transfer[]> {
    const { tip } = await scanner.head();
    const blocks = await scanner.blocks(
      { from: tip.height - depth + 1, to: tip.height },
      watching(addresses, addresses),
    );
    return blocks.flatMap(({ transfers }) => transfers);
  }

  const statusOf = async (txid: string): Promise<string> =>
    (await lab.anvil.rpc<{ status: string }>('eth_getTransactionReceipt', [txid])).status;
  const router = (method: string, args: readonly unknown[], value: bigint): Promise<string> =>
    lab.send({ to: lab.contracts.router, data: lab.call('Router', method, args), value });
  const tether = (method: string, args: readonly unknown[]): Promise<string> =>
    lab.send({ to: lab.contracts.tether, data: lab.call('TetherLikeToken', method, args) });
  const usdcCall = (method: string, args: readonly unknown[]): Promise<string> =>
    lab.send({ to: lab.contracts.usdc, data: lab.call('OrdinaryToken', method, args) });

  test('E1: a failed transaction pays nothing, in the native coin or a token', async () => {
    const [customer, refusesCoins] = [lab.freshAddress(), lab.contracts.usdc];
    const coins = await lab.send({ to: refusesCoins, value: 1_000n });
    const tokens = await usdcCall('transfer', [customer, TOKEN_SUPPLY + 1n]);
    await lab.mine();
    expect([await statusOf(coins), await statusOf(tokens)]).toEqual(['0x0', '0x0']);
    for (const scanner of [tracing, blind]) expect(await paid([customer, refusesCoins], scanner)).toEqual([]);
  });

  test('E1: call data that only looks like a token transfer pays nothing', async () => {
    const [customer, nobody] = [lab.freshAddress(), lab.freshAddress()];
    await lab.send({ to: nobody, data: lab.call('OrdinaryToken', 'transfer', [customer, 5_000_000n]) });
    expect(await tracing.pending(watching([customer]))).toEqual([]);
    await lab.mine();
    for (const scanner of [tracing, blind]) expect(await paid([customer], scanner)).toEqual([]);
  });

  test('E2: a Transfer event of an unlisted contract pays nothing', async () => {
    const customer = lab.freshAddress();
    const data = lab.call('SpoofingToken', 'spoof', [lab.anvil.accounts[3]!.address, customer, 9_000_000n]);
    await lab.send({ to: lab.contracts.spoofing, data });
    await lab.mine();
    expect(await paid([customer])).toEqual([]);
  });

  test('E2: logs of a listed contract that have another shape than an ERC-20 transfer pay nothing', async () => {
    const customer = lab.freshAddress();
    const { spoofing } = lab.contracts;
    const scanner = open({ tokens: [{ asset: 'usdt_ethereum', contract: spoofing, decimals: 6 }] });
    const data = lab.call('SpoofingToken', 'spoofShape', [
      lab.anvil.accounts[3]!.address,
      customer,
      9_000_000n,
    ]);
    const txid = await lab.send({ to: spoofing, data });
    await lab.mine();
    const { logs } = await lab.anvil.rpc<{ logs: unknown[] }>('eth_getTransactionReceipt', [txid]);
    expect(logs.length).toBe(3);
    expect(await paid([customer], scanner)).toEqual([]);
  });

  test('E3: a token that takes a fee is credited with what the log says arrived', async () => {
    const customer = lab.freshAddress();
    await tether('setFee', [100]);
    await tether('transfer', [customer, 1_000_000n]);
    await tether('setFee', [0]);
    await lab.mine();
    expect(await paid([customer])).toMatchObject([
      { asset: 'usdt_ethereum', units: 990_000n, kind: 'payment' },
    ]);
  });

  test('E4: a transfer that answers false without a log pays nothing', async () => {
    const customer = lab.freshAddress();
    await tether('setFailing', [true]);
    const txid = await tether('transfer', [customer, 1_000_000n]);
    await tether('setFailing', [false]);
    await lab.mine();
    expect(await statusOf(txid)).toBe('0x1');
    expect(await paid([customer])).toEqual([]);
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
      { message: expect.stringContaining('could not be reconciled') },
    ]);
    await pruned.stop();
  });

  test('E7: several matching logs in one transaction are as many deposits with keys of their own', async () => {
    const [alice, bob] = [lab.freshAddress(), lab.freshAddress()];
    const { usdc } = lab.contracts;
    const txid = await usdcCall('transferMany', [[alice, bob, alice], 2_500_000n]);
    await lab.mine();
    const found = await paid([alice, bob]);
    expect(found.map(({ output }) => output)).toEqual([
      `log:${usdc}:${alice}:0`,
      `log:${usdc}:${bob}:0`,
      `log:${usdc}:${alice}:1`,
    ]);
    for (const transfer of found)
      expect(transfer).toMatchObject({ txid, units: 2_500_000n, asset: 'usdc_ethereum' });
  });

  test('E8: a reorganisation that moves the transaction to another block and log index keeps its key', async () => {
    const [customer, spender] = [lab.freshAddress(), lab.freshAddress()];
    const txid = await usdcCall('transfer', [customer, 4_000_000n]);
    await lab.mine(2);
    const [before] = await paid([customer], tracing, 2);
    const raw = await lab.anvil.rpc<string>('eth_getRawTransactionByHash', [txid]);
    const earlier = await lab.sign({
      from: 7,
      to: lab.contracts.usdc,
      data: lab.call('OrdinaryToken', 'approve', [spender, 1n]),
      nonce: 0,
      gasPrice: 10n ** 12n,
    });
    const place = async () =>
      lab.anvil.rpc<{ blockNumber: string; logs: [{ logIndex: string }] }>('eth_getTransactionReceipt', [
        txid,
      ]);
    const old = await place();
    await lab.reorg(2, [
      [earlier, 1],
      [raw, 1],
    ]);
    const moved = await place();
    expect(Number(moved.blockNumber)).toBe(Number(old.blockNumber) + 1);
    expect([old.logs[0].logIndex, moved.logs[0].logIndex]).toEqual(['0x0', '0x1']);
    const after = await paid([customer], tracing, 2);
    expect(after).toEqual([before!]);
  });

  test('E9: a token with 18 decimals is credited by its own decimals, and one that contradicts the catalog is not scanned', async () => {
    const customer = lab.freshAddress();
    const { bscTether, usdc, router: noToken } = lab.contracts;
    const units = 1_500_000_000_000_000_000n;
    await lab.send({ to: bscTether, data: lab.call('OrdinaryToken', 'transfer', [customer, units]) });
    await usdcCall('transfer', [customer, 2_000_000n]);
    await lab.mine();
    const right = open({ tokens: [{ asset: 'usdt_bsc', contract: bscTether, decimals: 18 }] });
    expect(await paid([customer], right)).toMatchObject([{ asset: 'usdt_bsc', units }]);
    expect(right.assetFaults()).toEqual([]);

    const logger = recordingLogger();
    const wrong = open({
      logger,
      tokens: [
        { asset: 'usdt_bsc', contract: bscTether, decimals: 6 },
        { asset: 'usdc_bsc', contract: usdc, decimals: 6 },
        { asset: 'dai_bsc', contract: noToken, decimals: 18 },
        { asset: 'eurc_bsc', contract: lab.freshAddress(), decimals: 6 },
      ],
    });
    expect(await paid([customer], wrong)).toMatchObject([{ asset: 'usdc_bsc', units: 2_000_000n }]);
    expect(wrong.assetFaults()).toEqual([
      { asset: 'usdt_bsc', reason: expect.stringContaining('has 18 decimals, the catalog says 6') },
      { asset: 'dai_bsc', reason: expect.stringContaining('no decimals()') },
      { asset: 'eurc_bsc', reason: expect.stringContaining('not a token contract') },
    ]);
    expect(logger.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields.asset)).toEqual([
      'usdt_bsc',
      'dai_bsc',
      'eurc_bsc',
    ]);
  });

  test('E10: transfers of nothing are ignored, in a token (look-alike bait) and in the native coin', async () => {
    const customer = lab.freshAddress();
    const victim = lab.anvil.accounts[4]!.address;
    const bait = await usdcCall('transferFrom', [victim, customer, 0n]);
    const empty = await lab.send({ to: customer, value: 0n });
    await router('pay', [[customer], 0n], 0n);
    await lab.mine();
    expect([await statusOf(bait), await statusOf(empty)]).toEqual(['0x1', '0x1']);
    for (const scanner of [tracing, blind]) expect(await paid([customer], scanner)).toEqual([]);
  });

  test('E10: what an address sends to itself is no payment', async () => {
    const customer = lab.anvil.accounts[0]!.address.toLowerCase();
    await lab.send({ to: customer, value: 5_000n });
    await usdcCall('transfer', [customer, 5_000n]);
    await lab.mine();
    for (const scanner of [tracing, blind]) expect(await paid([customer], scanner)).toEqual([]);
  });

  test('E11: 2^256-1 units come through exactly', async () => {
    const customer = lab.freshAddress();
    const { spoofing } = lab.contracts;
    const units = 2n ** 256n - 1n;
    const data = lab.call('SpoofingToken', 'spoof', [lab.anvil.accounts[3]!.address, customer, units]);
    await lab.send({ to: spoofing, data });
    await lab.mine();
    const scanner = open({ tokens: [{ asset: 'usdt_ethereum', contract: spoofing, decimals: 6 }] });
    expect(await paid([customer], scanner)).toMatchObject([{ units }]);
  });

  test('a contract is listed in any letter case and matched by its bytes', async () => {
    const customer = lab.freshAddress();
    await usdcCall('transfer', [customer, 12n]);
    await lab.mine();
    const upper = `0x${lab.contracts.usdc.slice(2).toUpperCase()}`;
    const scanner = open({ tokens: [{ asset: 'usdc_ethereum', contract: upper, decimals: 6 }] });
    expect(await paid([customer], scanner)).toMatchObject([{ units: 12n }]);
  });

  test('the order within a block is that of its transactions', async () => {
    const customer = lab.freshAddress();
    const sent = [
      await usdcCall('transfer', [customer, 1n]),
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
