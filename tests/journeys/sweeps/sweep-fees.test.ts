/**
 * A sweep that waited goes at the price of the day, or waits on: it is never done at any price
 * unless an operator wants it.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { planSweeps, requestSweeps } from '../../../src/app/sweeps/plan-sweeps.ts';
import { openCostModel } from '../../../src/app/sweeps/sweep-economics.ts';
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

const NOT_WORTH_IT = { code: 'not_worth_it' };

describe.skipIf(!needs('postgres', postgresAvailable()))('fees of sweeps', () => {
  let journey: TreasuryJourney;
  beforeEach(async () => {
    journey = await openTreasuryJourney({ funded: false });
  });
  afterEach(() => journey.close());

  const deps = () => journey.it.service.dependencies;
  const fundHot = () => journey.chain().fund(journey.hot, ETH, 10n * ETHER);
  /** As a step of the sweeper does, without beginning anything. */
  async function planOnly(): Promise<void> {
    const scales = await openCostModel(deps(), journey.on, { sharePpm: 20_000n, assets: [ETH, USDT] });
    await planSweeps(deps(), journey.on)(scales);
  }
  async function paidFor(address: string): Promise<bigint> {
    const transfers = [
      ...(await journey.transfersOf('topup', address)),
      ...(await journey.transfersOf('sweep', address)),
    ];
    return transfers.reduce((sum, { feeUnits }) => sum + (feeUnits ?? 0n), 0n);
  }

  test('one that waited for gas is weighed again before it begins, and goes when fees are down', async () => {
    const address = await journey.credited('25');
    await journey.sweep();
    expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'planned' }]);
    journey.chain().setFeeLevel(10_000);
    fundHot();
    await journey.sweepToTheEnd();
    expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'planned', reason: NOT_WORTH_IT }]);
    expect(await paidFor(address)).toBe(0n);
    journey.chain().setFeeLevel(100);
    await journey.sweepToTheEnd();
    expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'done', reason: null }]);
    // 2 % of 25 USD, at 2,000 USD per coin.
    expect(await paidFor(address)).toBeLessThanOrEqual(ETHER / 4_000n);
  });

  test('one that an operator wants goes at any price', async () => {
    const address = await journey.credited('25');
    fundHot();
    await planOnly();
    journey.chain().setFeeLevel(10_000);
    await journey.sweep();
    expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'planned', reason: NOT_WORTH_IT }]);
    await requestSweeps(deps(), journey.on, { asset: null, address });
    await journey.sweepToTheEnd();
    expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'done', forced: true }]);
    expect(journey.balanceOf(journey.hot, USDT)).toBe(usdt('25'));
  });

  test('one whose gas arrived when fees had risen is planned again, and weighed as any other', async () => {
    fundHot();
    const address = await journey.credited('25');
    await journey.sweep();
    await journey.finish();
    journey.chain().setFeeLevel(10_000);
    await journey.sweepToTheEnd();
    expect(await journey.sweepsOf(address)).toMatchObject([
      { status: 'failed', reason: { code: 'fees_rose' } },
      { status: 'planned', reason: NOT_WORTH_IT },
    ]);
    expect(await journey.transfersOf('topup', address)).toHaveLength(1);
    journey.chain().setFeeLevel(100);
    await journey.sweepToTheEnd();
    expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'failed' }, { status: 'done' }]);
    expect(journey.balanceOf(journey.hot, USDT)).toBe(usdt('25'));
  });

  test('a token that waits does not keep the coin of its address', async () => {
    const address = await journey.credited('25');
    journey.chain().pay({ to: address, asset: ETH, units: ETHER });
    await journey.mineToFinality();
    await journey.damage(`update deposits set status = 'credited' where asset = '${ETH}'`);
    await planOnly();
    journey.chain().setFeeLevel(10_000);
    await journey.sweepToTheEnd();
    const swept = await journey.sweepsOf(address);
    expect(swept.find(({ asset }) => asset === USDT)).toMatchObject({
      status: 'planned',
      reason: NOT_WORTH_IT,
    });
    expect(swept.find(({ asset }) => asset === ETH)).toMatchObject({ status: 'done' });
    expect(journey.balanceOf(address, USDT)).toBe(usdt('25'));
  });

  /** A sweep of a coin that was ordered, beside coins that nobody decided about. */
  async function orderedBeside(stray: bigint) {
    const address = await journey.credited(String(ETHER), ETH);
    journey.chain().pay({ to: address, asset: ETH, units: stray });
    await journey.mineToFinality();
    await journey.sweep();
    const [ordered] = await journey.transfersOf('sweep', address);
    return { address, ordered: ordered?.units ?? 0n };
  }

  test('G9: fees that rise before a coin is sent are not paid by coins that nobody decided about: less is sent', async () => {
    const stray = ETHER / 10n;
    const { address, ordered } = await orderedBeside(stray);
    journey.chain().setFeeLevel(1_000);
    await journey.sweepToTheEnd();
    const unsigned = { status: 'failed', reason: { code: 'unsigned' } };
    expect(await journey.sweepsOf(address)).toMatchObject([unsigned, { ...unsigned, status: 'planned' }]);
    journey.clock.advance(900);
    await journey.sweepToTheEnd();
    const [, swept] = await journey.sweepsOf(address);
    expect(swept).toMatchObject({ status: 'done', reason: null });
    expect(swept?.units).toBeLessThan(ordered);
    expect(journey.balanceOf(address, ETH)).toBeGreaterThanOrEqual(stray);
  });

  test('G9: nor are fees that rise once it is sent: it waits, and goes when they are down', async () => {
    const stray = ETHER / 10n;
    const { address, ordered } = await orderedBeside(stray);
    await journey.send();
    journey.chain().setFeeLevel(1_000);
    journey.clock.advance(3_600);
    await journey.sweepToTheEnd();
    expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'sweeping', units: ordered }]);
    journey.chain().setFeeLevel(100);
    await journey.sweepToTheEnd();
    expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'done', units: ordered }]);
    expect(journey.balanceOf(address, ETH)).toBeGreaterThanOrEqual(stray);
  });

  test('a coin that cannot pay its own fee waits, also when an operator wants it, and goes when it can', async () => {
    const units = ETHER / 100n;
    const [planned, wanted] = [
      await journey.credited(String(units), ETH),
      await journey.credited(String(units), ETH),
    ];
    await planOnly();
    await requestSweeps(deps(), journey.on, { asset: ETH, address: wanted });
    journey.chain().setFeeLevel(100_000);
    await journey.sweepToTheEnd();
    expect(await journey.sweepsOf(planned)).toMatchObject([{ status: 'planned', reason: NOT_WORTH_IT }]);
    expect(await journey.sweepsOf(wanted)).toMatchObject([
      { status: 'planned', reason: { code: 'too_dear' } },
    ]);
    journey.chain().setFeeLevel(100);
    await journey.sweepToTheEnd();
    for (const address of [planned, wanted])
      expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'done' }]);
    expect(journey.balanceOf(journey.hot, ETH)).toBeGreaterThan(units);
  });
});
