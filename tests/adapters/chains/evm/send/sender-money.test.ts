/**
 * What EVM transactions may and do cost: data fees of rollups, ceilings, the wallet's last wei, odd
 * tokens.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { takesDataFee } from '../../../../../src/adapters/chains/evm/send/data-fee.ts';
import type { EvmSenderOptions } from '../../../../../src/adapters/chains/evm/send/sender.ts';
import { readUnsigned } from '../../../../../src/adapters/chains/evm/send/transaction.ts';
import { CHAINS } from '../../../../../src/domain/catalog/chain.ts';
import { ChainUnavailable } from '../../../../../src/ports/chains/chain-scanner.ts';
import type { ChainSender, SendingOrder } from '../../../../../src/ports/sending/chain-sender.ts';
import type { RpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { anvilAvailable } from '../../../../support/evm/anvil.ts';
import { DEPOSIT, NATIVE, openSendingStage, type SendingStage } from '../../../../support/evm/evm-sending.ts';
import { needs } from '../../../../support/runtime/needs.ts';
import { changed, paymentOf, priced } from '../../../../support/utxo/lone-orders.ts';

const ORACLE = '0x420000000000000000000000000000000000000F';
const GWEI = 10n ** 9n;

describe.skipIf(!needs('anvil', anvilAvailable()))('what EVM transactions cost', () => {
  let stage: SendingStage;
  let proxy: RpcProxy;
  let sender: ChainSender;
  let deposit: string;
  beforeAll(async () => {
    stage = await openSendingStage();
    proxy = stage.proxy;
    sender = stage.open();
    deposit = stage.keys.address(DEPOSIT);
  });
  beforeEach(async () => {
    proxy.behave({});
    await stage.lab.mine();
  });
  afterAll(() => stage.stop());

  const outcome = (order: SendingOrder, bytes: { txid: string; raw: string; voids: boolean }) =>
    sender.outcome({
      wallet: order.wallet,
      nonce: order.nonce,
      transactions: [bytes],
      order,
      inputs: [],
    });
  const setBalance = (address: string, wei: bigint): Promise<unknown> =>
    stage.lab.anvil.rpc('anvil_setBalance', [address, `0x${wei.toString(16)}`]);
  const baseFee = async (): Promise<bigint> => {
    const history = await stage.lab.anvil.rpc<{ baseFeePerGas: readonly string[] }>('eth_feeHistory', [
      '0x1',
      'latest',
      [],
    ]);
    return BigInt(history.baseFeePerGas.at(-1)!);
  };

  test('the chains of the OP stack are base and optimism', () => {
    const evm = CHAINS.filter(({ family }) => family === 'evm').map(({ name }) => name);
    expect(evm.filter(takesDataFee)).toEqual(['base', 'optimism']);
  });

  describe('on an OP-stack chain', () => {
    const rollup = (changes: Partial<EvmSenderOptions> = {}): ChainSender =>
      stage.open({ chain: 'base', fees: { floorPerGas: GWEI }, ...changes });
    const placeOracle = async (): Promise<void> => {
      const deployed = await stage.lab.deployed('DataFeeOracle');
      const code = await stage.lab.anvil.rpc<string>('eth_getCode', [deployed, 'latest']);
      await stage.lab.anvil.rpc('anvil_setCode', [ORACLE, code]);
    };
    afterAll(() => stage.lab.anvil.rpc('anvil_setCode', [ORACLE, '0x']));

    test('without its oracle nothing is priced or prepared', async () => {
      await expect(rollup().price({ asset: NATIVE, to: null })).rejects.toThrow(ChainUnavailable);
      await expect(rollup().prepare(await stage.orderOf(), null)).rejects.toThrow(ChainUnavailable);
    });

    test('the fee for the data is in the price, and in the maximum of the transaction', async () => {
      await placeOracle();
      const plain = stage.open({ fees: { floorPerGas: GWEI } });
      for (const asset of [NATIVE, 'usdc_ethereum']) {
        const order = await stage.orderOf({ asset });
        const { payload, maxFeeUnits } = await rollup().prepare(order, null);
        const bytes = BigInt(payload.length - 2) / 2n;
        const forData = maxFeeUnits - readUnsigned(payload)!.maxFeeUnits;
        // Twice the upper bound of 11 wei per byte; the bytes are counted before the fee fields are
        // known.
        expect(forData).toBeGreaterThan(22n * (bytes - 20n));
        expect(forData).toBeLessThan(22n * (bytes + 20n));

        const [with_, without] = [await rollup().price(priced(order)), await plain.price(priced(order))];
        const expectedForData = with_.expectedUnits - without.expectedUnits;
        expect(expectedForData % 7n).toBe(0n);
        expect(with_.maxUnits - without.maxUnits).toBe((expectedForData / 7n) * 22n);
      }
    });

    test('an oracle without an upper bound counts for twice what it says now', async () => {
      await placeOracle();
      proxy.behave({
        refuse: ({ params }) => JSON.stringify(params).includes('0xf1c7a58b'),
      });
      const order = await stage.orderOf();
      const { payload, maxFeeUnits } = await rollup().prepare(order, null);
      const forData = maxFeeUnits - readUnsigned(payload)!.maxFeeUnits;
      expect(forData % 14n).toBe(0n);
      expect(forData).toBeGreaterThan(0n);
    });

    test('the receipt tells what the data cost', async () => {
      const order = await stage.orderOf();
      const bytes = await stage.signed(sender, order);
      await sender.broadcast(bytes.raw);
      await stage.lab.mine();
      const before = await outcome(order, bytes);
      proxy.behave({
        answer: ({ method }, result) =>
          method === 'eth_getTransactionReceipt' ? { ...(result as object), l1Fee: '0x3e8' } : undefined,
      });
      if (before.kind !== 'mined') throw new Error('the transaction was not mined');
      expect(await outcome(order, bytes)).toEqual({ ...before, feeUnits: before.feeUnits + 1_000n });
    });
  });

  test('a receipt from before EIP-1559 does not repeat the gas price: that of the transaction counts', async () => {
    const order = await stage.orderOf();
    const bytes = await stage.signed(sender, order);
    await sender.broadcast(bytes.raw);
    await stage.lab.mine();
    proxy.behave({
      answer: ({ method }, result) => {
        if (method !== 'eth_getTransactionReceipt') return undefined;
        const { effectiveGasPrice: _, ...older } = result as { effectiveGasPrice: string };
        return older;
      },
    });
    expect(await outcome(order, bytes)).toMatchObject({ feeUnits: bytes.maxFeeUnits });
  });

  test('where gas holds the price of the data, as on arbitrum, every limit follows the estimate', async () => {
    proxy.behave({ instead: ({ method }) => (method === 'eth_estimateGas' ? '0x61a80' : undefined) });
    for (const changes of [{}, { asset: 'usdc_ethereum' }, { voids: true }]) {
      const order = await stage.orderOf(changes);
      const { payload } = await sender.prepare(order, null);
      expect(readUnsigned(payload)!.gasLimit).toBe(540_000n);
      const { maxUnits } = await sender.price(priced(order));
      expect(maxUnits).toBeGreaterThan(400_000n * GWEI);
    }
  });

  test('a plain payment and one that voids are given exactly 21000 gas, the latter to the wallet itself', async () => {
    const order = await stage.orderOf();
    expect(readUnsigned((await sender.prepare(order, null)).payload)).toMatchObject({
      gasLimit: 21_000n,
      recipient: paymentOf(order).to,
      units: paymentOf(order).units,
    });
    const voiding = await sender.prepare({ ...order, asset: 'usdc_ethereum', voids: true }, null);
    expect(readUnsigned(voiding.payload)).toMatchObject({
      gasLimit: 21_000n,
      asset: { kind: 'native' },
      recipient: stage.wallet,
      units: 0n,
    });
  });

  test('above the ceiling nothing is signed, neither at first nor as a replacement', async () => {
    const order = await stage.orderOf();
    const base = await baseFee();
    const capped = (ceilingPerGas: bigint) => stage.open({ fees: { ceilingPerGas, floorPerGas: 1n } });
    const tooHigh = { name: 'SendingRefused', because: 'fees' };
    await expect(capped(base).prepare(order, null)).rejects.toMatchObject(tooHigh);
    const roomy = await stage.signed(sender, order);
    const ceiling = roomy.maxFeeUnits / 21_000n - base / 4n;
    const bytes = await stage.signed(capped(ceiling), order);
    expect(bytes.maxFeeUnits).toBe(21_000n * ceiling);
    expect((await capped(ceiling).price(priced(order))).maxUnits).toBe(21_000n * ceiling);
    await expect(capped(ceiling).prepare(order, bytes)).rejects.toMatchObject(tooHigh);
  });

  test('a replacement is not below present prices when they rose by more than an eighth', async () => {
    const order = await stage.orderOf();
    const bytes = await stage.signed(sender, order);
    const before = await baseFee();
    await stage.lab.anvil.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${(40n * before).toString(16)}`]);
    await stage.lab.mine();
    const { fees } = readUnsigned((await sender.prepare(order, bytes)).payload)!;
    expect(fees.kind === 'dynamic' && fees.maxFeePerGas).toBeGreaterThan(await baseFee());
    expect(await baseFee()).toBeGreaterThan(20n * before);
    await stage.lab.mine(40);
  });

  test('a transaction of another nonce cannot be replaced', async () => {
    const order = await stage.orderOf();
    const bytes = await stage.signed(sender, order);
    await expect(sender.prepare({ ...order, nonce: order.nonce + 1n }, bytes)).rejects.toThrow('nonce');
  });

  test('a wallet is emptied by its balance less the maximum of the price, and never asked for more than it has', async () => {
    const balance = 10n ** 18n;
    await setBalance(deposit, balance);
    const to = stage.wallet;
    const { maxUnits } = await sender.price({ asset: NATIVE, to });
    const order = await stage.orderOf({ wallet: deposit, to, nonce: 0n, units: balance - maxUnits });
    const roomy = await sender.prepare(order, null);
    expect(paymentOf(order).units + roomy.maxFeeUnits).toBeLessThanOrEqual(balance);

    // Less room for rising prices when that is all there is, but never less than prices now.
    const tighter = changed(order, { units: balance - (maxUnits * 3n) / 4n });
    const tight = await sender.prepare(tighter, null);
    expect(paymentOf(tighter).units + tight.maxFeeUnits).toBeLessThanOrEqual(balance);
    const bytes = stage.keys.sign(DEPOSIT, tight.payload);
    expect(await sender.broadcast(bytes.raw)).toEqual({ kind: 'accepted' });
    await stage.lab.mine();
    expect(await outcome(tighter, { ...bytes, voids: false })).toMatchObject({
      kind: 'mined',
      effects: [true],
    });

    const { block } = await sender.balances(deposit, [NATIVE]);
    await setBalance(deposit, balance);
    const tooMuch = changed(order, { nonce: 1n, units: balance - 21_000n * (await baseFee()) });
    await expect(sender.prepare(tooMuch, null)).rejects.toMatchObject({ because: 'money' });
    expect(block.height).toBeGreaterThan(0);
  });

  test('E9: a token whose decimals are not those of the catalog is neither sent nor counted', async () => {
    const tokens = [{ asset: 'usdt_ethereum', contract: stage.contracts.usdt, decimals: 18 }];
    const misled = stage.open({ tokens });
    const order = await stage.orderOf({ asset: 'usdt_ethereum' });
    await expect(misled.prepare(order, null)).rejects.toThrow('has 6 decimals, the catalog says 18');
    await expect(misled.balances(stage.wallet, ['usdt_ethereum'])).rejects.toThrow(ChainUnavailable);
    const payload = await misled.prepare({ ...order, voids: true }, null);
    expect(readUnsigned(payload.payload)).toMatchObject({ units: 0n });
  });

  test('E4: a token that answers `false` is refused before anything is signed', async () => {
    const failing = async (on: boolean): Promise<void> => {
      await stage.lab.send({
        to: stage.contracts.usdt,
        data: stage.lab.call('TetherLikeToken', 'setFailing', [on]),
      });
      await stage.lab.mine();
    };
    await failing(true);
    const order = await stage.orderOf({ asset: 'usdt_ethereum' });
    await expect(sender.prepare(order, null)).rejects.toMatchObject({ because: 'undone' });
    await failing(false);
    expect((await sender.prepare(order, null)).maxFeeUnits).toBeGreaterThan(0n);
  });

  test('E3: a token that keeps a part moved the money all the same: it is not undone', async () => {
    const setFee = async (basisPoints: number): Promise<void> => {
      await stage.lab.send({
        to: stage.contracts.usdt,
        data: stage.lab.call('TetherLikeToken', 'setFee', [basisPoints]),
      });
      await stage.lab.mine();
    };
    await setFee(100);
    const order = await stage.orderOf({ asset: 'usdt_ethereum' });
    const bytes = await stage.signed(sender, order);
    await sender.broadcast(bytes.raw);
    await stage.lab.mine();
    expect(await outcome(order, bytes)).toMatchObject({ kind: 'mined', effects: [true] });
    const { to, units: ordered } = paymentOf(order);
    const { units } = await sender.balances(to, ['usdt_ethereum']);
    expect(units.get('usdt_ethereum')).toBe(ordered - ordered / 100n);
    await setFee(0);
  });

  test('a recipient who emptied the account after the trial does not make the transfer run out of gas', async () => {
    const order = await stage.orderOf({ asset: 'usdc_ethereum', to: stage.lab.anvil.accounts[3]!.address });
    const transfer = (to: string, units: bigint): string =>
      stage.lab.call('BlacklistingToken', 'transfer', [to, units]);
    await stage.lab.send({ to: stage.contracts.usdc, data: transfer(paymentOf(order).to, 5n) });
    await stage.lab.mine();
    const bytes = await stage.signed(sender, order);
    await stage.lab.send({ from: 3, to: stage.contracts.usdc, data: transfer(stage.wallet, 5n) });
    await stage.lab.mine();
    await sender.broadcast(bytes.raw);
    await stage.lab.mine();
    expect(await outcome(order, bytes)).toMatchObject({ kind: 'mined', effects: [true] });
  });

  test('an asset of another chain is a fault of the caller', async () => {
    const order = await stage.orderOf({ asset: 'usdt_bsc' });
    await expect(sender.prepare(order, null)).rejects.toThrow('usdt_bsc is no asset of ethereum');
  });
});
