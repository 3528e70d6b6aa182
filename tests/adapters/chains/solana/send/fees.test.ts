/**
 * What sending costs on Solana: the price of priority within floor and ceiling, rent, and who bears
 * what in sweeps.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { feeOf, storedTransaction } from '../../../../../src/adapters/chains/solana/codec/transaction.ts';
import { associatedAccount } from '../../../../../src/adapters/chains/solana/programs.ts';
import {
  offeredPrice,
  USUAL_CEILING,
  USUAL_FLOOR,
} from '../../../../../src/adapters/chains/solana/send/fee-market.ts';
import type { SendingOrder } from '../../../../../src/ports/sending/chain-sender.ts';
import { expiringSteps } from '../../../../contracts/sending/expiring-sender-steps.ts';
import { openSenderCase, type SolanaSenderCase } from '../../../../support/solana/sender-case.ts';
import { FEEFUL, NATIVE, senderOn, TOKEN } from '../../../../support/solana/sending.ts';
import type { Change } from '../../../../support/utxo/lone-orders.ts';

const RENT = 2_039_280n;
let chain: SolanaSenderCase;
let nonce = 0n;
const on = expiringSteps(() => chain);
const orderOf = (changes: Change<SendingOrder> = {}): Promise<SendingOrder> => {
  nonce += 1n;
  return on.orderOf({ nonce, ...changes });
};
const sweepOf = (changes: Change<SendingOrder>) =>
  orderOf({ feePayer: chain.wallet, to: chain.wallet, ...changes });

beforeAll(async () => {
  chain = await openSenderCase();
});
beforeEach(async () => {
  delete chain.lab.node.settings.priorityFee;
  await chain.mine(1);
});
afterAll(() => chain.close());

describe('the price of a compute unit', () => {
  const policy = { floorPrice: USUAL_FLOOR, ceilingUnits: USUAL_CEILING };

  test('is the market’s, above what died before, and never above what the ceiling allows in all', () => {
    const price = fc.bigInt({ min: 0n, max: 10n ** 12n });
    const offer = fc.record({
      market: price.map((told) => told + USUAL_FLOOR),
      replaced: fc.option(price, { nil: null }),
      unitLimit: fc.integer({ min: 1, max: 1_400_000 }),
      signatures: fc.constantFrom(1, 2),
    });
    fc.assert(
      fc.property(offer, (given) => {
        const unitPrice = offeredPrice(given, policy);
        if (unitPrice === null) return;
        const [feePayer, wallet] = ['payer', given.signatures === 1 ? 'payer' : 'wallet'];
        const { unitLimit, replaced, market } = given;
        const fee = feeOf({ feePayer: feePayer!, wallet: wallet!, unitLimit, unitPrice });
        expect(fee).toBeLessThanOrEqual(USUAL_CEILING);
        expect(unitPrice).toBeGreaterThanOrEqual(USUAL_FLOOR);
        // The ceiling alone keeps it from the market, and from half as much again.
        const next = feeOf({ feePayer: feePayer!, wallet: wallet!, unitLimit, unitPrice: unitPrice + 1n });
        const wanted = unitPrice >= market && unitPrice * 2n >= (replaced ?? 0n) * 3n;
        expect(wanted || next > USUAL_CEILING).toBe(true);
      }),
    );
  });

  test('there is none where the ceiling does not even allow the floor', () => {
    const offer = { market: USUAL_FLOOR, replaced: null, unitLimit: 100_000, signatures: 1 };
    expect(offeredPrice(offer, { floorPrice: USUAL_FLOOR, ceilingUnits: 5_999n })).toBeNull();
    expect(offeredPrice(offer, { floorPrice: USUAL_FLOOR, ceilingUnits: 6_000n })).toBe(USUAL_FLOOR);
  });

  test('follows the nodes, and rises when a transaction died', async () => {
    const order = await orderOf();
    const priceOf = async (after?: Awaited<ReturnType<typeof on.signed>>) => {
      const signed = await on.signed(order, after);
      return { signed, unitPrice: storedTransaction(signed.raw).unitPrice };
    };
    const usual = await priceOf();
    expect(usual.unitPrice).toBe(USUAL_FLOOR);
    const dearer = await priceOf(usual.signed);
    expect(dearer.unitPrice).toBe((USUAL_FLOOR * 3n) / 2n);
    chain.lab.node.settings.priorityFee = 250_000;
    expect((await priceOf()).unitPrice).toBe(250_000n);
  });

  test('a ceiling below what a transaction must cost refuses it for its fees', async () => {
    const sender = senderOn(chain.lab, [chain.lab.node.url], { fees: { ceilingUnits: 4_999n } });
    await expect(sender.prepare(await orderOf(), null)).rejects.toMatchObject({ because: 'fees' });
    await sender.close();
  });
});

describe('what sending costs in all', () => {
  test('is rent, too, where the recipient lacks a token account or nobody knows whether it does', async () => {
    const has = chain.ours.deposit(3);
    chain.ours.fund(has, TOKEN, 1n);
    const lacks = chain.freshAddress();
    const expected = async (to: string | null) =>
      (await chain.sender.price({ asset: TOKEN, to })).expectedUnits;
    expect(await expected(lacks)).toBe((await expected(has)) + RENT);
    expect(await expected(null)).toBe(await expected(lacks));
    for (const [to, rent] of [
      [has, 0n],
      [lacks, RENT],
    ] as const) {
      const order = await orderOf({ asset: TOKEN, to });
      const transaction = await on.sent(order);
      await chain.mine(1);
      const { feeUnits } = await on.minedOf(order, transaction);
      expect(feeUnits - rent).toBeGreaterThanOrEqual(5_000n);
      expect(feeUnits - rent).toBeLessThan(10_000n);
    }
  });

  test('G1: rent is quoted for recipients who lack an account, and for nobody else', async () => {
    const has = chain.ours.deposit(4);
    chain.ours.fund(has, TOKEN, 1n);
    const lacks = chain.freshAddress();
    const payments = [has, lacks].map((to) => ({ to, units: 1n, asset: TOKEN }));
    const told = await chain.sender.recipients?.price(chain.wallet, payments);
    expect([TOKEN, NATIVE].map((asset) => chain.sender.recipients?.concern(asset))).toEqual([true, false]);
    expect(told).toMatchObject([
      { extraGas: 0n, extraUnits: -RENT },
      { extraGas: RENT, extraUnits: 0n },
    ]);
    expect(await chain.sender.price({ asset: TOKEN, to: null })).toMatchObject({ extraGas: RENT });
    await chain.outage(true);
    expect(await chain.sender.recipients?.price(chain.wallet, payments)).toEqual([null, null]);
    await chain.outage(false);
  });

  test('G2: no account is made that was not quoted, also when its owner ends it after the payment was signed', async () => {
    const lacks = await orderOf({ asset: TOKEN, extraGas: 0n });
    await expect(chain.sender.prepare(lacks, null)).rejects.toMatchObject({ because: 'cost' });
    for (const extraGas of [RENT, null])
      await chain.sender.prepare(await orderOf({ asset: TOKEN, extraGas }), null);
    const has = chain.ours.deposit(5);
    chain.ours.fund(has, TOKEN, 7n);
    const quoted = { asset: TOKEN, to: has, extraGas: 0n };
    const paid = await orderOf(quoted);
    const first = await on.sent(paid);
    await chain.mine(1);
    expect(await on.minedOf(paid, first)).toMatchObject({ effects: [true], feeUnits: expect.any(BigInt) });
    const order = await orderOf(quoted);
    const transaction = await on.signed(order);
    const sweep = await orderOf({
      ...{ wallet: has, feePayer: chain.wallet, asset: TOKEN, to: chain.wallet },
      units: await chain.balanceOf(has, TOKEN),
    });
    await on.sent(sweep);
    await chain.mine(1);
    chain.force(transaction.raw);
    await chain.mine(1);
    const { effects, unfunded, feeUnits } = await on.minedOf(order, transaction);
    expect({ effects, unfunded }).toEqual({ effects: [false], unfunded: [false] });
    expect(feeUnits).toBeLessThan(10_000n);
  });

  test('a fee payer keeps what an account must hold', async () => {
    const asset = NATIVE;
    const units = (await chain.balanceOf(chain.wallet, asset)) - 890_880n - 5_000n;
    await expect(chain.sender.prepare(await orderOf({ units }), null)).rejects.toMatchObject({
      because: 'money',
    });
  });
});

describe('a sweep', () => {
  test('of a coin takes it to the last lamport, and the hot wallet bears the fee of two signatures', async () => {
    const wallet = chain.ours.deposit(10);
    chain.ours.fund(wallet, NATIVE, 5_000_000n);
    const order = await sweepOf({ wallet, units: 5_000_000n });
    const transaction = await on.sent(order);
    await chain.mine(1);
    const { feeUnits, hotFeeUnits, effects } = await on.minedOf(order, transaction);
    expect({ effects, hotFeeUnits }).toEqual({ effects: [true], hotFeeUnits: feeUnits });
    expect(feeUnits).toBeGreaterThanOrEqual(10_000n);
    expect(await chain.balanceOf(wallet, NATIVE)).toBe(0n);
  });

  test('of a token ends the emptied account, and gives its rent back: the fee is below nothing', async () => {
    const wallet = chain.ours.deposit(11);
    chain.ours.fund(wallet, TOKEN, 500n);
    const before = await chain.balanceOf(chain.wallet, NATIVE);
    const order = await sweepOf({ wallet, asset: TOKEN, units: 500n });
    const transaction = await on.sent(order);
    await chain.mine(1);
    const { feeUnits, hotFeeUnits } = await on.minedOf(order, transaction);
    expect(feeUnits).toBeLessThan(0n);
    expect(hotFeeUnits).toBe(feeUnits);
    expect(before - (await chain.balanceOf(chain.wallet, NATIVE))).toBe(feeUnits);
    expect(chain.lab.lamportsOf(associatedAccount(wallet, chain.lab.mints.usdc))).toBe(0n);
  });

  test('that leaves tokens behind leaves their account, too; so does one of Token-2022, which keeps withheld fees', async () => {
    const wallet = chain.ours.deposit(12);
    for (const [asset, units, left] of [
      [TOKEN, 400n, 100n],
      [FEEFUL, 495n, 0n],
    ] as const) {
      chain.ours.fund(wallet, asset, 500n);
      const order = await sweepOf({ wallet, asset, units });
      const transaction = await on.sent(order);
      await chain.mine(1);
      const { effects, feeUnits } = await on.minedOf(order, transaction);
      expect(effects).toEqual([true]);
      expect(feeUnits).toBeGreaterThan(0n);
      expect(await chain.balanceOf(wallet, asset)).toBe(left);
      const { mints } = chain.lab;
      const account = associatedAccount(wallet, asset === TOKEN ? mints.usdc : mints.feeful);
      expect(chain.lab.lamportsOf(account)).toBeGreaterThan(0n);
    }
  });

  test('that would leave a few lamports, which no account may hold, is refused', async () => {
    const wallet = chain.ours.deposit(13);
    chain.ours.fund(wallet, NATIVE, 5_000_001n);
    const order = await sweepOf({ wallet, units: 5_000_000n });
    await expect(chain.sender.prepare(order, null)).rejects.toMatchObject({ because: 'money' });
    expect(await on.signed({ ...order, payments: [{ to: chain.wallet, units: 4_000_000n }] })).toMatchObject({
      voids: false,
    });
  });
});
