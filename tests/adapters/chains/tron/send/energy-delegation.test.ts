/**
 * Energy of stake lent for a sweep and taken back: what it costs beside burning, and that it comes
 * back.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { addressHex } from '../../../../../src/adapters/chains/tron/address.ts';
import type { ChainSender, SendingOrder } from '../../../../../src/ports/sending/chain-sender.ts';
import { TRX } from '../../../../support/tron/parameters.ts';
import { openTronStage, type TronStage } from '../../../../support/tron/sending.ts';

const USDT = 'usdt_tron';

describe('energy lent for sweeps on Tron', () => {
  let stage: TronStage;
  let sender: ChainSender;
  let address: string;
  let needed: bigint;
  beforeAll(async () => {
    stage = await openTronStage();
    sender = stage.open();
    address = stage.deposit;
    await stage.lab.payToken('usdt', address, 900_000_000n);
    await stage.lab.mine(3);
  });
  afterAll(() => stage.stop());

  const hex = () => ({ hot: addressHex(stage.wallet)!, address: addressHex(address)! });
  const compare = () => sender.energy!.compare({ hot: stage.wallet, address, asset: USDT });
  async function mined(order: SendingOrder) {
    const signed = await stage.signed(sender, order);
    expect(await sender.broadcast(signed.raw)).toEqual({ kind: 'accepted' });
    await stage.lab.mine();
    const { wallet, nonce } = order;
    const outcome = await sender.outcome({ wallet, nonce, transactions: [signed], order, inputs: [] });
    if (outcome.kind !== 'mined') throw new Error(`the transaction is ${outcome.kind}`);
    return { ...outcome, signed };
  }
  const lending = (delegates: 'energy' | 'energy_back', units: bigint): SendingOrder => ({
    ...stage.orderOf({ to: address, units }),
    delegates,
  });

  test('without stake there is nothing to lend, and burning costs gas and an activation', async () => {
    const quote = await compare();
    expect(quote).toMatchObject({ lend: null, activates: true });
    const { energyUnits } = await sender.price({ asset: USDT, to: stage.wallet });
    expect(quote.burnUnits).toBe(energyUnits! + 1_100_000n);
    await expect(sender.energy!.compare({ hot: stage.wallet, address, asset: 'trx_tron' })).rejects.toThrow(
      'without energy',
    );
  });

  test('with stake lending is cheaper, and what it needs is what the sweep takes', async () => {
    await stage.lab.server.stake(hex().hot, 20_000n * TRX);
    await stage.lab.mine(3);
    const quote = await compare();
    expect(quote.lend!.costUnits).toBeLessThan(quote.burnUnits);
    expect(quote.lend!.stakeUnits).toBeLessThan(20_000n * TRX);
    await expect(sender.prepare(lending('energy', quote.lend!.stakeUnits), null)).rejects.toMatchObject({
      because: 'unclear',
      message: expect.stringContaining('not activated'),
    });
  });

  test('activated, lent, swept without burning a sun, and taken back', async () => {
    await mined(stage.orderOf({ to: address, units: 1n }));
    const { lend, activates } = await compare();
    expect(activates).toBe(false);
    needed = lend!.stakeUnits;
    expect(lend!.idleUnits).toBe(20_000n * TRX);
    const sweep = stage.orderOf({ wallet: address, asset: USDT, to: stage.wallet, units: 900_000_000n });
    await expect(sender.prepare(sweep, null)).rejects.toMatchObject({ because: 'money' });

    const given = await mined(lending('energy', lend!.stakeUnits));
    expect(given).toMatchObject({ effects: [true] });
    expect(given.feeUnits).toBeLessThanOrEqual(given.signed.maxFeeUnits);
    const { accounts } = stage.lab.server.chain.world;
    expect(accounts.lent(hex().hot, hex().address)).toBe(lend!.stakeUnits);

    expect(await mined(sweep)).toMatchObject({ effects: [true], feeUnits: 0n });
    expect(await stage.balanceOf(address, USDT)).toBe(0n);
    expect(await stage.balanceOf(address, 'trx_tron')).toBe(1n);

    const back = await mined(lending('energy_back', lend!.stakeUnits));
    expect(back).toMatchObject({ effects: [true] });
    const total = given.feeUnits + back.feeUnits;
    expect(total).toBeLessThanOrEqual(lend!.costUnits);
    expect(stage.lab.server.chain.world.accounts.lent(hex().hot, hex().address)).toBe(0n);
    expect(stage.lab.server.chain.world.accounts.get(hex().hot)!.staked).toBe(20_000n * TRX);
  });

  test('what the address used is the stake’s use, so less can be lent until it has come back, and its free bytes with it', async () => {
    expect((await compare()).lend).toBeNull();
    await expect(sender.prepare(lending('energy', 20_000n * TRX), null)).rejects.toMatchObject({
      because: 'money',
    });
    stage.lab.server.chain.pass(86_400_000);
    await stage.lab.mine(3);
    const order = lending('energy', 20_000n * TRX);
    expect((await sender.prepare(order, null)).validUntil).not.toBeNull();
    expect((await compare()).lend!.stakeUnits).toBe(needed);
  });

  test('a loan that expired is signed again only when it is dead', async () => {
    const order = lending('energy', 5n * TRX);
    const dead = await stage.signed(sender, order);
    await stage.pass(dead.validUntil!);
    await expect(sender.prepare(order, dead)).rejects.toMatchObject({ because: 'unclear' });
    await stage.lab.mine(3);
    expect((await stage.signed(sender, order, dead)).validUntil!).toBeGreaterThan(dead.validUntil!);
  });
});
