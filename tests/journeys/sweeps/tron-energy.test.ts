/**
 * Sweeps on Tron that have energy of the hot wallet's stake lent to them: what they cost, and that
 * nothing stays lent.
 */
import { describe, expect, test } from 'bun:test';
import { settleTransfer } from '../../../src/app/sending/settle-transfer.ts';
import { giveUpSweep } from '../../../src/app/sweeps/give-up-sweep.ts';
import { openCostModel } from '../../../src/app/sweeps/sweep-economics.ts';
import { treasuryStatus } from '../../../src/app/treasury/treasury.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { stageEnergyJourney } from '../../support/tron/energy-journey.ts';
import { TRX } from '../../support/tron/parameters.ts';

/** More than any step needs, in transactions of the database. */
const LIFE_MAX = 25;

describe.skipIf(!needs('postgres', postgresAvailable()))('energy lent for sweeps on Tron', () => {
  const on = stageEnergyJourney();
  const { hot, lentTo, usdtOf, stake, rest, use, paid } = on;
  const { sweepsOf, transfersOf, purposesOf, sweepToTheEnd, until } = on;

  test('without stake gas is sent, and burnt', async () => {
    const address = await paid();
    await sweepToTheEnd(address);
    expect(await purposesOf(address)).toEqual(['topup', 'sweep']);
    expect(BigInt((await transfersOf(address))[1]!.fee_units)).toBeGreaterThan(TRX);
    expect(await usdtOf(address)).toBe(0n);
    await on.chainIsRight();
  });

  test('with stake energy is lent, the sweep burns nothing, and the energy is taken back', async () => {
    await stake(20_000n);
    const address = await paid();
    const before = await usdtOf(hot());
    await sweepToTheEnd(address);
    const transfers = await transfersOf(address);
    expect(transfers.map(({ purpose }) => purpose)).toEqual(['topup', 'lend', 'sweep', 'reclaim']);
    expect(transfers.map(({ status }) => status)).toEqual(Array(4).fill('confirmed'));
    expect(transfers[2]!.fee_units).toBe('0');
    expect(lentTo(address)).toBe(0n);
    expect((await usdtOf(hot())) - before).toBeGreaterThanOrEqual(unitsOf('900', 6));
    expect(await on.lab.balanceOf(address, null)).toBe(1n);
    await on.chainIsRight();
  });

  test('a loan on its way is no money on its way, and the next one waits for no other', async () => {
    await rest();
    const addresses = [await paid(), await paid()];
    for (const address of addresses) await until(address, 'lend');
    const status = await treasuryStatus(on.it.service.dependencies, on.on);
    expect(status.assets.find(({ asset }) => asset === 'trx_tron')).toMatchObject({ leavingUnits: 0n });
    await on.settle();
    await on.mine(1);
    await on.chainIsRight();
    for (const address of addresses) await sweepToTheEnd(address);
    for (const address of addresses) expect(lentTo(address)).toBe(0n);
    await on.chainIsRight();
  });

  test('an address that the chain has is not activated again, and what the stake cannot lend to a second one is burnt', async () => {
    await rest();
    const addresses = [await paid(), await paid()];
    for (const address of addresses) await on.lab.payTrx(address, 1n);
    await on.mineToFinality();
    const asked = { hot: hot(), address: addresses[0]!, asset: 'usdt_tron' };
    const { stakeUnits, idleUnits } = (await on.on.sender.energy!.compare(asked)).lend!;
    use(hot(), (left) => (left * (idleUnits - (stakeUnits * 3n) / 2n)) / idleUnits);
    await on.sweep();
    const orders = await Promise.all(addresses.map(purposesOf));
    expect(new Set(orders.flat())).toEqual(new Set(['lend', 'topup']));
    expect(orders.flat()).toHaveLength(2);
    for (const address of addresses) {
      await sweepToTheEnd(address);
      expect(await usdtOf(address)).toBe(0n);
      expect(lentTo(address)).toBe(0n);
    }
    const ways = (await Promise.all(addresses.map(purposesOf))).map((purposes) => purposes.join(', '));
    expect(new Set(ways)).toEqual(new Set(['lend, sweep, reclaim', 'topup, sweep']));
  });

  test('a loan whose energy is gone before it is signed ends, and gas is burnt', async () => {
    await rest();
    const address = await paid();
    await until(address, 'lend');
    use(hot(), (left) => left);
    await sweepToTheEnd(address);
    expect(await purposesOf(address)).toEqual(['topup', 'lend', 'topup', 'sweep']);
    expect(await usdtOf(address)).toBe(0n);
    expect(lentTo(address)).toBe(0n);
    await on.chainIsRight();
  });

  test('what was lent is taken back when the sweep fails on the chain', async () => {
    await rest();
    const address = await paid();
    await until(address, 'sweep');
    await on.settle();
    await on.lab.set(on.lab.contracts.usdt, 'TronTetherToken', 'refuse', [hot(), true]);
    await on.mineToFinality();
    await on.lab.set(on.lab.contracts.usdt, 'TronTetherToken', 'refuse', [hot(), false]);
    await sweepToTheEnd(address);
    expect(await sweepsOf(address)).toMatchObject([{ status: 'failed' }]);
    expect((await transfersOf(address)).map(({ purpose, status }) => `${purpose} ${status}`)).toEqual([
      ...['topup confirmed', 'lend confirmed', 'sweep failed', 'reclaim confirmed'],
    ]);
    expect(lentTo(address)).toBe(0n);
    await on.chainIsRight();
  });

  test('and when an operator gives it up, at whatever step, and gives it up again', async () => {
    const giveUp = giveUpSweep(on.it.service.dependencies);
    for (const purpose of ['lend', 'sweep', null] as const) {
      await rest();
      const address = await paid();
      await until(address, purpose ?? 'lend');
      if (purpose === null) {
        await on.settle();
        await on.mineToFinality();
        await on.settle();
      }
      const [sweep] = await sweepsOf(address);
      expect(await giveUp(sweep!.id)).toMatchObject({ ok: true });
      if (purpose !== 'lend') {
        await until(address, 'reclaim');
        expect(await giveUp(sweep!.id)).toMatchObject({ ok: false });
      }
      await sweepToTheEnd(address);
      expect(await sweepsOf(address)).toMatchObject([{ status: 'failed', reason_code: 'operator' }]);
      expect(await usdtOf(address)).toBeGreaterThanOrEqual(unitsOf('900', 6));
      expect(lentTo(address)).toBe(0n);
    }
    await on.chainIsRight();
  });

  test('a sweep that cannot be sent gives its place up, so that its energy is free', async () => {
    await rest();
    const address = await paid();
    await until(address, 'sweep');
    // As if the contract took far more energy than when it was lent.
    use(address, (left) => left);
    await sweepToTheEnd(address);
    expect(await sweepsOf(address)).toMatchObject([{ status: 'failed', reason_code: 'unsigned' }]);
    expect(lentTo(address)).toBe(0n);
  });

  test('a sweep that is on its way for an hour is given up, and done if the chain has it all the same', async () => {
    await rest();
    const address = await paid();
    await until(address, 'sweep');
    on.lab.server.chain.pass(3_600_000);
    await on.mineToFinality();
    await on.sweep();
    expect(await sweepsOf(address)).toMatchObject([{ status: 'sweeping', reason_code: 'loan_late' }]);
    await sweepToTheEnd(address);
    expect(await sweepsOf(address)).toMatchObject([{ status: 'done', reason_code: null }]);
    expect(await usdtOf(address)).toBe(0n);
    expect(lentTo(address)).toBe(0n);
  });

  test('a reorganisation that takes its blocks opens the sweep again, until all is back in blocks', async () => {
    await rest();
    const address = await paid();
    await sweepToTheEnd(address);
    const before = await transfersOf(address);
    const { dependencies } = on.it.service;
    const { unitOfWork } = dependencies;
    for (const [purposes, status] of [
      [['reclaim'], 'reclaiming'],
      [['lend', 'reclaim'], 'reclaiming'],
      [['lend', 'sweep', 'reclaim'], 'sweeping'],
    ] as const) {
      const ids = before.filter(({ purpose }) => purposes.some((one) => one === purpose)).map(({ id }) => id);
      for (const transfer of await unitOfWork.run((r) => r.outgoing.find(ids)))
        await settleTransfer(dependencies, transfer, { type: 'reorganised' }, on.on.sender);
      await on.sweep();
      expect(await sweepsOf(address)).toMatchObject([{ status }]);
      await sweepToTheEnd(address);
      expect(await sweepsOf(address)).toMatchObject([{ status: 'done', reason_code: null }]);
      expect(await transfersOf(address)).toEqual(before);
    }
    await on.chainIsRight();
  });

  test('a token is weighed with the activation of its address', async () => {
    const { sender } = on.on;
    const known = on.lab.customer.address;
    const [sweep, gas] = [
      await sender.price({ asset: 'usdt_tron', to: hot() }),
      await sender.price({ asset: 'trx_tron', to: known }),
    ];
    // At 0.25 USD for a TRX, and a fiftieth of what it brings.
    const units = ((sweep.expectedUnits + gas.expectedUnits) * 50n) / 4n + 50n;
    const of = { sharePpm: 20_000n, assets: ['usdt_tron'] };
    const scales = await openCostModel(on.it.service.dependencies, on.on, of);
    expect(await scales.isWorth({ address: known, asset: 'usdt_tron', units })).toBe(true);
    expect(await scales.isWorth({ address: on.lab.freshAddress(), asset: 'usdt_tron', units })).toBe(false);
  });

  test('a worker that is killed between any two steps is followed by the same ones', async () => {
    await rest();
    const address = await paid();
    const state = async () =>
      JSON.stringify([await sweepsOf(address), await transfersOf(address), await on.signed()]);
    let deaths = 0;
    for (let life = 1, still = 0; still < 2; ) {
      const before = await state();
      deaths += await on.live(life);
      if ((await state()) !== before) {
        life = 1;
        still = 0;
      } else if (life < LIFE_MAX) life += 1;
      else {
        await on.lab.mine(4);
        await on.it.service.watchers.get('tron')?.poll();
        life = 1;
        still += 1;
      }
    }
    expect(deaths).toBeGreaterThan(50);
    expect(await sweepsOf(address)).toMatchObject([{ status: 'done' }]);
    expect(await purposesOf(address)).toEqual(['topup', 'lend', 'sweep', 'reclaim']);
    expect(await usdtOf(address)).toBe(0n);
    expect(lentTo(address)).toBe(0n);
    await on.chainIsRight();
  }, 120_000);
});
