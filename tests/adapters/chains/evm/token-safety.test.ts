/**
 * E2 to E4, E7 to E9 and E11 of the safety catalogue on a real node: which token logs are credited,
 * and as how much.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { ChainScanner } from '../../../../src/ports/chains/chain-scanner.ts';
import { anvilAvailable } from '../../../support/evm/anvil.ts';
import { type EvmLab, recordingLogger } from '../../../support/evm/evm-lab.ts';
import { stagePayments } from '../../../support/evm/evm-payments.ts';
import { needs } from '../../../support/runtime/needs.ts';

describe.skipIf(!needs('anvil', anvilAvailable()))('what tokens on an EVM chain credit', () => {
  const stage = stagePayments();
  const { open, paid, statusOf, tether, usdc, spoof } = stage;
  let lab: EvmLab;
  let tracing: ChainScanner;
  beforeAll(() => {
    ({ lab, tracing } = stage);
  });

  test('E2: a Transfer event of an unlisted contract pays nothing', async () => {
    const customer = lab.freshAddress();
    await spoof('spoof', customer, 9_000_000n);
    await lab.mine();
    expect(await paid([customer])).toEqual([]);
  });

  test('E2: logs of a listed contract that have another shape than an ERC-20 transfer pay nothing', async () => {
    const customer = lab.freshAddress();
    const { spoofing } = lab.contracts;
    const scanner = open({ tokens: [{ asset: 'usdt_ethereum', contract: spoofing, decimals: 6 }] });
    const txid = await spoof('spoofShape', customer, 9_000_000n);
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

  test('E7: several matching logs in one transaction are as many deposits with keys of their own', async () => {
    const [alice, bob] = [lab.freshAddress(), lab.freshAddress()];
    const { usdc: contract } = lab.contracts;
    const txid = await usdc('transferMany', [[alice, bob, alice], 2_500_000n]);
    await lab.mine();
    const found = await paid([alice, bob]);
    expect(found.map(({ output }) => output)).toEqual([
      `log:${contract}:${alice}:0`,
      `log:${contract}:${bob}:0`,
      `log:${contract}:${alice}:1`,
    ]);
    for (const transfer of found)
      expect(transfer).toMatchObject({ txid, units: 2_500_000n, asset: 'usdc_ethereum' });
  });

  test('E8: a reorganisation that moves the transaction to another block and log index keeps its key', async () => {
    const [customer, spender] = [lab.freshAddress(), lab.freshAddress()];
    const txid = await usdc('transfer', [customer, 4_000_000n]);
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
    const { bscTether, router: noToken } = lab.contracts;
    const units = 1_500_000_000_000_000_000n;
    await lab.send({ to: bscTether, data: lab.call('OrdinaryToken', 'transfer', [customer, units]) });
    await usdc('transfer', [customer, 2_000_000n]);
    await lab.mine();
    const right = open({ tokens: [{ asset: 'usdt_bsc', contract: bscTether, decimals: 18 }] });
    expect(await paid([customer], right)).toMatchObject([{ asset: 'usdt_bsc', units }]);
    expect(await right.unscannedAssets()).toEqual([]);

    const logger = recordingLogger();
    const wrong = open({
      logger,
      tokens: [
        { asset: 'usdt_bsc', contract: bscTether, decimals: 6 },
        { asset: 'usdc_bsc', contract: lab.contracts.usdc, decimals: 6 },
        { asset: 'dai_bsc', contract: noToken, decimals: 18 },
        { asset: 'eurc_bsc', contract: lab.freshAddress(), decimals: 6 },
      ],
    });
    expect(await paid([customer], wrong)).toMatchObject([{ asset: 'usdc_bsc', units: 2_000_000n }]);
    expect(await wrong.unscannedAssets()).toEqual([
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

  test("E9: a token that an operator listed must say its symbol; what others say is nobody's concern", async () => {
    const named = await lab.deployed('NamedToken', [6, 10n ** 12n, 'USD\u20AE0']);
    const { usdc, spoofing } = lab.contracts;
    const faultsOf = async (tokens: readonly { contract: string; symbol: string | null }[]) => {
      const listed = tokens.map((token, index) => ({ asset: `t${index}_ethereum`, decimals: 6, ...token }));
      const scanner = open({ logger: recordingLogger(), tokens: listed });
      return (await scanner.unscannedAssets()).map(({ reason }) => reason.slice(43));
    };
    expect(
      await faultsOf([
        { contract: named, symbol: 'USD\u20AE0' },
        { contract: spoofing, symbol: null },
        { contract: usdc, symbol: null },
      ]),
    ).toEqual([]);
    expect(
      await faultsOf([
        { contract: named, symbol: 'USDT' },
        { contract: spoofing, symbol: 'usdt' },
        { contract: usdc, symbol: 'USDC' },
      ]),
    ).toEqual([
      'says the symbol "USD\u20AE0", the catalog "USDT"',
      'says the symbol "USDT", the catalog "usdt"',
      'says no symbol, the catalog "USDC"',
    ]);
  });

  test('E11: 2^256-1 units come through exactly', async () => {
    const customer = lab.freshAddress();
    const { spoofing } = lab.contracts;
    const units = 2n ** 256n - 1n;
    await spoof('spoof', customer, units);
    await lab.mine();
    const scanner = open({ tokens: [{ asset: 'usdt_ethereum', contract: spoofing, decimals: 6 }] });
    expect(await paid([customer], scanner)).toMatchObject([{ units }]);
  });

  test('a contract is listed in any letter case and matched by its bytes', async () => {
    const customer = lab.freshAddress();
    await usdc('transfer', [customer, 12n]);
    await lab.mine();
    const upper = `0x${lab.contracts.usdc.slice(2).toUpperCase()}`;
    const scanner = open({ tokens: [{ asset: 'usdc_ethereum', contract: upper, decimals: 6 }] });
    expect(await paid([customer], scanner)).toMatchObject([{ units: 12n }]);
  });
});
