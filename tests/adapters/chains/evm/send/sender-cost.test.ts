/**
 * What a recipient's own code makes a payment cost: it is quoted for that recipient, and nothing is
 * signed that may cost more.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readUnsigned } from '../../../../../src/adapters/chains/evm/send/transaction.ts';
import type { ChainSender } from '../../../../../src/ports/sending/chain-sender.ts';
import type { RecipientPrice } from '../../../../../src/ports/sending/recipient-pricing.ts';
import { anvilAvailable } from '../../../../support/evm/anvil.ts';
import { gasBurner, gasPriceTrap } from '../../../../support/evm/evm-burner.ts';
import { NATIVE, openSendingStage, type SendingStage } from '../../../../support/evm/evm-sending.ts';
import { needs } from '../../../../support/runtime/needs.ts';
import { paymentOf } from '../../../../support/utxo/lone-orders.ts';

const PLAIN_GAS = 21_000n;

describe.skipIf(!needs('anvil', anvilAvailable()))('what a recipient costs on EVM', () => {
  let stage: SendingStage;
  let sender: ChainSender;
  let till: string;
  beforeAll(async () => {
    stage = await openSendingStage();
    sender = stage.open({ timing: { coolDownMs: 1, quoteMs: 30_000 } });
    till = await stage.lab.deployed('Till');
  });
  beforeEach(() => stage.proxy.behave({}));
  afterAll(() => stage.stop());

  async function pricesOf(...to: readonly string[]): Promise<readonly (RecipientPrice | null)[]> {
    const payments = to.map((address) => ({ to: address, units: 12_345n, asset: NATIVE }));
    return (await sender.recipients?.price(stage.wallet, payments)) ?? [];
  }
  const limitOf = async (order: Parameters<ChainSender['prepare']>[0]): Promise<bigint> =>
    readUnsigned((await sender.prepare(order, null)).payload)!.gasLimit;

  test('G1: a plain recipient costs nothing more, a contract all the gas that may be signed for it', async () => {
    const [plain, contract] = await pricesOf(stage.lab.freshAddress(), till);
    expect(plain).toMatchObject({ extraGas: 0n, extraUnits: 0n });
    const { extraGas, extraUnits, ordinaryUnits } = contract!;
    expect(extraGas).toBeGreaterThan(0n);
    expect(extraUnits * PLAIN_GAS).toBe(ordinaryUnits * extraGas!);
    const order = await stage.orderOf({ to: till, extraGas });
    expect(await limitOf(order)).toBe(PLAIN_GAS + extraGas!);
  });

  test('G1: a recipient that burns eight million gas is too dear, whatever it is quoted beside', async () => {
    const burner = await gasBurner(stage.lab, 8_000_000);
    const [first, dear, last] = await pricesOf(till, burner, stage.lab.freshAddress());
    expect(dear).toMatchObject({ extraGas: null });
    expect(dear!.extraUnits).toBeGreaterThan(dear!.ordinaryUnits * 40n);
    expect([first?.extraGas === null, last?.extraGas]).toEqual([false, 0n]);
  });

  test('G2: a recipient that burns gas only where a price is paid is found out before it is signed', async () => {
    const trap = await gasPriceTrap(stage.lab);
    expect(await pricesOf(trap)).toMatchObject([{ extraGas: 0n }]);
    await expect(sender.prepare(await stage.orderOf({ to: trap, extraGas: 0n }), null)).rejects.toMatchObject(
      {
        because: 'undone',
      },
    );
  });

  test('G4: recipients of the coin who run code are told, whatever they were quoted; of tokens the contract decides', async () => {
    const trap = await gasPriceTrap(stage.lab);
    const asked = [trap, stage.lab.freshAddress(), till].map((to) => ({ asset: NATIVE, to }));
    const token = { asset: 'usdc_ethereum', to: till };
    expect(await sender.recipients?.runCode?.([...asked, token])).toEqual([true, false, true, false]);
  });

  test('G2: nothing is signed that takes more gas than was quoted, unless an operator lets it', async () => {
    const changing = await gasBurner(stage.lab, 20_000);
    const [quoted] = await pricesOf(changing);
    const { extraGas } = quoted!;
    const order = await stage.orderOf({ to: changing, extraGas });
    expect(await limitOf(order)).toBe(PLAIN_GAS + extraGas!);
    await gasBurner(stage.lab, 200_000, changing);
    await expect(sender.prepare(order, null)).rejects.toMatchObject({ because: 'cost' });
    const released = await stage.orderOf({ to: changing, extraGas: null });
    expect(await limitOf(released)).toBeGreaterThan(200_000n);
    const { payments: _payments, ...rest } = released;
    const { to, units } = paymentOf(released);
    expect(await limitOf({ ...rest, payments: [{ to, units }] })).toBeGreaterThan(200_000n);
  });

  test('G1: a contract that nobody could quote for is not paid at the price of a plain address', async () => {
    stage.proxy.behave({ refuse: ['eth_estimateGas'] });
    expect(await pricesOf(till)).toEqual([null]);
    stage.proxy.behave({});
    const order = await stage.orderOf({ to: till, extraGas: 0n });
    await expect(sender.prepare(order, null)).rejects.toMatchObject({ because: 'cost' });
    expect(await limitOf(await stage.orderOf({ extraGas: 0n }))).toBe(PLAIN_GAS);
  });

  test('G1: who is quoted for waits two seconds at most', async () => {
    const hasty = stage.open({ timing: { coolDownMs: 1, quoteMs: 50 } });
    const { promise: whenever, resolve } = Promise.withResolvers<undefined>();
    stage.proxy.behave({ answer: ({ method }) => (method === 'eth_estimateGas' ? whenever : undefined) });
    const payments = [{ to: till, units: 1n, asset: NATIVE }];
    expect(await hasty.recipients?.price(stage.wallet, payments)).toEqual([null]);
    resolve(undefined);
  });

  test('G1: a wallet without money tries recipients all the same', async () => {
    const poor = stage.lab.freshAddress();
    await stage.lab.send({ to: poor, value: 2n });
    await stage.lab.mine();
    const payments = [{ to: till, units: 10n ** 18n, asset: NATIVE }];
    const [told] = (await sender.recipients?.price(poor, payments)) ?? [];
    expect(told?.extraGas).toBeGreaterThan(0n);
  });

  test('G1: an ordinary token transfer passes its bound, to contracts too, and is quoted as it was tried', async () => {
    for (const asset of ['usdc_ethereum', 'usdt_ethereum']) {
      const price = await sender.price({ asset, to: null, from: stage.wallet });
      for (const to of [stage.lab.freshAddress(), till]) {
        const order = await stage.orderOf({ asset, to, extraGas: 0n });
        const transaction = await stage.signed(sender, order);
        await sender.broadcast(transaction.raw);
        await stage.lab.mine();
        const outcome = await sender.outcome({
          ...{ wallet: order.wallet, nonce: order.nonce, order, inputs: [] },
          transactions: [transaction],
        });
        expect(outcome).toMatchObject({ kind: 'mined', effects: [true] });
        if (outcome.kind !== 'mined') throw new Error('it is not mined');
        expect(outcome.feeUnits).toBeLessThanOrEqual((price.expectedUnits * 13n) / 10n);
      }
    }
  });
});
