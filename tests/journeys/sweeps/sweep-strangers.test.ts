/**
 * What strangers send to a deposit address keeps nothing from being swept, and is not moved or
 * spent itself.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { requestSweeps } from '../../../src/app/sweeps/plan-sweeps.ts';
import { usdt } from '../../support/fake/fake-journey.ts';
import {
  ETH,
  ETHER,
  openTreasuryJourney,
  type TreasuryJourney,
  USDT,
} from '../../support/payouts/treasury-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('strangers at a deposit address', () => {
  let journey: TreasuryJourney;
  beforeEach(async () => {
    journey = await openTreasuryJourney({ funded: true });
  });
  afterEach(() => journey.close());

  const deps = () => journey.it.service.dependencies;
  const statuses = async (address: string) => (await journey.sweepsOf(address)).map(({ status }) => status);
  const decide = (status: string, asset: string, units: bigint) =>
    journey.damage(`update deposits set status = '${status}' where asset = '${asset}' and units = ${units}`);
  async function strayAt(address: string, asset: string, units: bigint): Promise<void> {
    journey.chain().pay({ to: address, asset, units });
    await journey.mineToFinality();
    const strays = await deps().operatorQueries.deposits({ statuses: ['stray'], sandbox: null, limit: 100 });
    expect(strays.filter((deposit) => deposit.address === address)).toMatchObject([{ asset, units }]);
  }

  test('a base unit that comes before, or while gas is on its way, does not keep the credited money there', async () => {
    const [before, meanwhile] = [await journey.credited('250'), await journey.credited('300')];
    await strayAt(before, USDT, 1n);
    await journey.sweep();
    expect(await statuses(before)).toEqual(['topping_up']);
    await strayAt(meanwhile, USDT, 1n);
    await journey.sweepToTheEnd();
    for (const address of [before, meanwhile]) {
      expect(await statuses(address)).toEqual(['done']);
      expect(journey.balanceOf(address, USDT)).toBe(1n);
    }
    expect(journey.balanceOf(journey.hot, USDT)).toBe(usdt('550'));
    expect(await journey.reconciled()).toMatchObject({ differences: [], unavailable: null });
  });

  test('a base unit that is not final does not, either, by itself and on demand', async () => {
    const address = await journey.credited('3');
    journey.chain().pay({ to: address, asset: USDT, units: 1n });
    journey.chain().mine();
    await journey.it.settle();
    expect(await requestSweeps(deps(), journey.on, { asset: null, address })).toEqual([
      { address, asset: USDT, units: usdt('3') },
    ]);
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual(['done']);
    expect([journey.balanceOf(address, USDT), journey.balanceOf(journey.hot, USDT)]).toEqual([1n, usdt('3')]);
  });

  test('a coin that nobody was credited for stays whole: the fee of the sweep is taken from what is swept', async () => {
    const address = await journey.credited(String(ETHER), ETH);
    await strayAt(address, ETH, ETHER / 7n);
    const hot = journey.balanceOf(journey.hot, ETH);
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual(['done']);
    expect(journey.balanceOf(address, ETH)).toBeGreaterThanOrEqual(ETHER / 7n);
    const swept = journey.balanceOf(journey.hot, ETH) - hot;
    expect(swept).toBeLessThan(ETHER);
    expect(swept).toBeGreaterThan((ETHER * 999n) / 1_000n);
    expect(await journey.reconciled()).toMatchObject({ differences: [], unavailable: null });
  });

  test('a coin that nobody was credited for is no gas for the token: that is sent', async () => {
    const address = await journey.credited('250');
    await strayAt(address, ETH, ETHER);
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual(['done']);
    expect(await journey.transfersOf('topup', address)).toHaveLength(1);
    expect(journey.balanceOf(address, ETH)).toBeGreaterThanOrEqual(ETHER);
    expect(journey.balanceOf(journey.hot, USDT)).toBe(usdt('250'));
  });

  test('only what the risk check keeps stops an address, and a sweep that had its gas gives its place up', async () => {
    const address = await journey.credited('250');
    await journey.sweep();
    await strayAt(address, USDT, 77n);
    await decide('held', USDT, 77n);
    await journey.finish();
    await journey.sweep();
    const keeps = { code: 'withheld' };
    expect(await journey.sweepsOf(address)).toMatchObject([
      { status: 'failed', reason: keeps },
      { status: 'planned', reason: keeps },
    ]);
    const active = await deps().unitOfWork.run((repositories) => repositories.sweeps.countActive('ethereum'));
    expect(active).toBe(0);
    await decide('rejected', USDT, 77n);
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual(['failed', 'planned']);
    await decide('stray', USDT, 77n);
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual(['failed', 'done']);
    // The gas of the first served the second.
    expect(await journey.transfersOf('topup', address)).toHaveLength(1);
    expect([journey.balanceOf(address, USDT), journey.balanceOf(journey.hot, USDT)]).toEqual([
      77n,
      usdt('250'),
    ]);
  });
});
