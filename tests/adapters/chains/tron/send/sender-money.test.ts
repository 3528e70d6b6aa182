/**
 * What sending on Tron costs, what is refused before it is signed, and what the chain carries
 * without effect.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { addressHex } from '../../../../../src/adapters/chains/tron/address.ts';
import { storedTransaction } from '../../../../../src/adapters/chains/tron/codec/transaction.ts';
import type { ChainSender, SendingOrder } from '../../../../../src/ports/sending/chain-sender.ts';
import type { TronLab } from '../../../../support/tron/lab.ts';
import { TRX, USUAL_PARAMETERS } from '../../../../support/tron/parameters.ts';
import { openTronStage, type TronStage } from '../../../../support/tron/sending.ts';
import { paymentOf } from '../../../../support/utxo/lone-orders.ts';

const { energyFee } = USUAL_PARAMETERS;
const USDT = 'usdt_tron';

describe('money of a Tron sender', () => {
  let stage: TronStage;
  let lab: TronLab;
  let sender: ChainSender;
  beforeAll(async () => {
    stage = await openTronStage();
    lab = stage.lab;
    sender = stage.open();
  });
  beforeEach(async () => {
    lab.server.chain.penalties.clear();
    await lab.mine(3);
  });
  afterAll(() => stage.stop());

  const refused = (order: SendingOrder, because: string, by = sender) =>
    expect(by.prepare(order, null)).rejects.toMatchObject({ name: 'SendingRefused', because });
  async function mined(order: SendingOrder, spoil: () => Promise<unknown> = async () => {}, by = sender) {
    const signed = await stage.signed(by, order);
    await spoil();
    expect(await by.broadcast(signed.raw)).toEqual({ kind: 'accepted' });
    await lab.mine();
    const { wallet, nonce } = order;
    const outcome = await by.outcome({ wallet, nonce, transactions: [signed], order, inputs: [] });
    if (outcome.kind !== 'mined') throw new Error(`the transaction is ${outcome.kind}`);
    return { ...outcome, signed };
  }
  const infoOf = (txid: string) =>
    lab.server.chain.find(txid)!.entry.info as { receipt: Record<string, bigint> };

  test('an address that the chain does not have costs its activation, and one that it has its bytes', async () => {
    const to = lab.freshAddress();
    expect(await sender.price({ asset: 'trx_tron', to })).toMatchObject({
      maxUnits: 1_100_000n,
      energyUnits: 0n,
    });
    expect((await sender.price({ asset: 'trx_tron', to: null })).maxUnits).toBe(1_100_000n);
    expect((await mined(stage.orderOf({ to }))).feeUnits).toBe(1_100_000n);
    const { maxUnits } = await sender.price({ asset: 'trx_tron', to });
    expect(maxUnits).toBeLessThan(300_000n);
    const { feeUnits, signed } = await mined(stage.orderOf({ to }));
    expect(feeUnits).toBeLessThanOrEqual(maxUnits);
    expect(signed.maxFeeUnits).toBeGreaterThanOrEqual(feeUnits);
  });

  test('a token costs more to somebody who has none of it, and the price tells what energy costs', async () => {
    const to = lab.freshAddress();
    const [fresh, anybody] = [
      await sender.price({ asset: USDT, to }),
      await sender.price({ asset: USDT, to: null }),
    ];
    expect(anybody).toEqual(fresh);
    const first = await mined(stage.orderOf({ asset: USDT, to }));
    const holder = await sender.price({ asset: USDT, to });
    const second = await mined(stage.orderOf({ asset: USDT, to }));
    expect(fresh.energyUnits! - holder.energyUnits!).toBe(15_000n * energyFee);
    for (const [price, { txid, feeUnits }] of [
      [fresh, first],
      [holder, second],
    ] as const) {
      const { receipt } = infoOf(txid);
      const energy = receipt.energy_usage_total! * energyFee;
      expect(price.energyUnits! * 100n).toBeGreaterThan(energy * 95n);
      expect(price.energyUnits! * 100n).toBeLessThan(energy * 105n);
      expect(price.maxUnits).toBeGreaterThan(feeUnits);
    }
  });

  test('a busy contract costs its penalty, in the price as in the fee_limit', async () => {
    const to = lab.freshAddress();
    const before = await sender.price({ asset: USDT, to });
    lab.server.chain.penalties.set(addressHex(lab.contracts.usdt)!, 340n);
    const { energyUnits } = await sender.price({ asset: USDT, to });
    expect(Number(energyUnits! * 100n) / Number(before.energyUnits!)).toBeCloseTo(440, 0);
    const { effects, feeUnits } = await mined(stage.orderOf({ asset: USDT, to }));
    expect(effects).toEqual([true]);
    expect(feeUnits).toBeGreaterThan(10n * TRX);
  });

  test('energy of stake is used before sun is burned, and less sun is needed then', async () => {
    const party = await lab.party();
    const hex = addressHex(stage.deposit)!;
    await lab.payToken('usdt', stage.deposit, 10n ** 9n);
    await lab.server.fund(hex, 10_001n * TRX);
    await lab.server.stake(hex, 10_000n * TRX);
    await lab.mine();
    const order = stage.orderOf({ wallet: stage.deposit, asset: USDT, to: party.address });
    const { feeUnits, txid } = await mined(order);
    expect(feeUnits).toBe(0n);
    expect(infoOf(txid).receipt.energy_usage).toBeGreaterThan(20_000n);
  });

  test('a fee_limit has room for a recipient who gives away the last he holds meanwhile', async () => {
    const party = await lab.party();
    await lab.payToken('usdt', party.address, 5n);
    await lab.mine();
    const order = stage.orderOf({ asset: USDT, to: party.address });
    const { effects } = await mined(order, async () => {
      await lab.payToken('usdt', lab.customer.address, 5n, party);
      await lab.mine();
    });
    expect(effects).toEqual([true]);
  });

  test('G2: a fee_limit is never above what was reserved for the payment, to somebody new or not', async () => {
    const { maxUnits } = await sender.price({ asset: USDT, to: null });
    const holder = await lab.party();
    await lab.payToken('usdt', holder.address, 5n);
    await lab.mine();
    for (const to of [lab.freshAddress(), holder.address]) {
      const { maxFeeUnits } = await sender.prepare(stage.orderOf({ asset: USDT, to, extraGas: 0n }), null);
      expect(maxFeeUnits).toBeLessThanOrEqual(maxUnits);
    }
  });

  test('G2: a transfer that takes more than others do is refused, and one at a contract that got busier is not', async () => {
    const order = stage.orderOf({ asset: USDT, extraGas: 0n });
    await sender.prepare(order, null);
    lab.server.chain.penalties.set(addressHex(lab.contracts.usdt)!, 90n);
    await sender.prepare(order, null);
    lab.server.chain.penalties.clear();
    const recipient = addressHex(paymentOf(order).to)!.slice(2);
    lab.server.node.behave({
      answer: (path, question, given) =>
        path.endsWith('triggerconstantcontract') && JSON.stringify(question).includes(recipient)
          ? { ...(given as object), energy_used: 90_000 }
          : undefined,
    });
    await refused(order, 'cost');
    await sender.prepare(stage.orderOf({ asset: USDT, to: paymentOf(order).to, extraGas: null }), null);
    lab.server.node.behave({});
  });

  test('T1: what runs out of energy all the same burns its whole fee_limit and is without effect', async () => {
    const order = stage.orderOf({ asset: USDT });
    const signed = await stage.signed(sender, order);
    lab.server.chain.penalties.set(addressHex(lab.contracts.usdt)!, 900n);
    await sender.broadcast(signed.raw);
    await lab.mine();
    const outcome = await sender.outcome({ ...order, transactions: [signed], order });
    const { feeLimit } = storedTransaction(signed.raw);
    expect(outcome).toMatchObject({ kind: 'mined', effects: [false] });
    expect(infoOf(signed.txid).receipt).toMatchObject({ energy_fee: feeLimit, result: 'OUT_OF_ENERGY' });
  });

  test('T1: a transfer that reverts on the chain is mined without effect, for its fee', async () => {
    const order = stage.orderOf({ asset: USDT });
    const to = order.payments[0]!.to;
    const before = await stage.balanceOf(stage.wallet, 'trx_tron');
    const { effects, feeUnits } = await mined(order, () =>
      lab.set(lab.contracts.usdt, 'TronTetherToken', 'refuse', [to, true]),
    );
    expect({ effects, arrived: await stage.balanceOf(to, USDT) }).toEqual({ effects: [false], arrived: 0n });
    expect(before - (await stage.balanceOf(stage.wallet, 'trx_tron'))).toBe(feeUnits);
    await refused(order, 'undone');
    await lab.set(lab.contracts.usdt, 'TronTetherToken', 'refuse', [to, false]);
  });

  test('T6: a transfer that answers false has moved the money, and one that logs nothing has not', async () => {
    const fails = (on: boolean) => lab.set(lab.contracts.usdt, 'TronTetherToken', 'setFailing', [on]);
    const works = await mined(stage.orderOf({ asset: USDT }));
    expect(works.effects).toEqual([true]);
    const order = stage.orderOf({ asset: USDT });
    expect((await mined(order, () => fails(true))).effects).toEqual([false]);
    await refused(order, 'unclear');
    await fails(false);
  });

  test('a token that keeps a part for itself has moved the money all the same', async () => {
    await lab.set(lab.contracts.usdt, 'TronTetherToken', 'setFee', [100]);
    expect((await mined(stage.orderOf({ asset: USDT }))).effects).toEqual([true]);
    await lab.set(lab.contracts.usdt, 'TronTetherToken', 'setFee', [0]);
  });

  test('what the chain would never carry is refused as undone', async () => {
    await refused(stage.orderOf({ to: lab.contracts.router }), 'undone');
    await refused(stage.orderOf({ to: stage.wallet }), 'undone');
    await refused(stage.orderOf({ to: 'T-nobody' }), 'undone');
  });

  test('a wallet that is not on the chain, or cannot pay the fee of a token, is refused for money', async () => {
    const wallet = await stage.signing.addressOf({ role: 'deposit', index: 8 });
    await lab.payToken('usdt', wallet, 10n ** 9n);
    await lab.mine();
    const order = stage.orderOf({ wallet, asset: USDT });
    await expect(sender.prepare(order, null)).rejects.toThrow('is not activated');
    await lab.payTrx(wallet, 2n * TRX);
    await lab.mine();
    await refused(order, 'money');
    await lab.payTrx(wallet, 20n * TRX);
    await lab.mine();
    expect((await sender.prepare(order, null)).validUntil).not.toBeNull();
  });

  test('T5: a wallet whose permissions were changed is not sent from', async () => {
    const thief = await lab.party();
    const victim = await lab.party();
    await lab.changePermissions(victim, thief);
    await lab.mine();
    await expect(sender.prepare(stage.orderOf({ wallet: victim.address }), null)).rejects.toMatchObject({
      because: 'unclear',
      message: expect.stringContaining('permissions'),
    });
  });

  test('a fee above the ceiling is refused, and a fee_limit is never above it', async () => {
    const order = stage.orderOf({ asset: USDT });
    await refused(order, 'fees', stage.open({ fees: { ceiling: 2n * TRX } }));
    const ceiling = 5n * TRX;
    expect((await stage.open({ fees: { ceiling } }).prepare(order, null)).maxFeeUnits).toBe(ceiling);
    await refused(stage.orderOf(), 'fees', stage.open({ fees: { ceiling: TRX } }));
  });

  test('an asset whose contract does not fit the catalog is not sent', async () => {
    const tokens = [{ asset: USDT, contract: lab.contracts.usdt, decimals: 18 }];
    const wrong = stage.open({ tokens });
    await refused(stage.orderOf({ asset: USDT }), 'unclear', wrong);
    await expect(wrong.balances(stage.wallet, [USDT])).rejects.toThrow('cannot be used');
    await expect(sender.price({ asset: 'usdt_ethereum', to: null })).rejects.toThrow('is no asset of tron');
  });

  test('all of the coin can leave where the free bytes of the day pay for it', async () => {
    const wallet = await stage.signing.addressOf({ role: 'deposit', index: 9 });
    await lab.payTrx(wallet, 5n * TRX);
    await lab.mine();
    const order = stage.orderOf({ wallet, units: 5n * TRX, to: stage.wallet });
    expect((await sender.prepare(order, null)).maxFeeUnits).toBeLessThan(300_000n);
    await refused(stage.orderOf({ wallet, units: 5n * TRX }), 'money');
  });
});
