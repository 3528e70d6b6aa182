/** The treasury on the operators' desk: wallets, sweeps, and the operator's own money. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { anAddress } from '../../support/builders.ts';
import {
  type DeskStage,
  faultOf,
  formId,
  okOf,
  openDeskStage,
  waitingOf,
} from '../../support/console/desk-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const ETHER = 10n ** 18n;

describe.skipIf(!needs('postgres', postgresAvailable()))("the treasury on the operators' desk", () => {
  let on: DeskStage;
  let desk: DeskStage['desks']['operatorDesk'];

  beforeAll(async () => {
    on = await openDeskStage({ CONSOLE_APPROVAL_USD: '100' });
    desk = on.desks.operatorDesk;
    await on.paid('2000', { amount: 1_980 });
  });
  afterAll(() => on.journey.close());

  test('the treasury shows wallets, plans sweeps, and a chain that is not here has a code', async () => {
    const admin = on.seat();
    const [status] = okOf(await desk.treasury('ethereum'));
    expect(status).toMatchObject({ chain: 'ethereum', unavailable: null });
    expect(status?.status?.assets.some(({ asset }) => asset === 'usdt_ethereum')).toBe(true);
    expect(okOf(await desk.treasury(null)).length).toBeGreaterThan(5);
    for (const fault of [
      faultOf(await desk.treasury('nowhere')),
      faultOf(await desk.requestSweeps(admin, { chain: 'nowhere', asset: null, address: null })),
      faultOf(await desk.previewCapital({ chain: 'nowhere', asset: 'x' })),
      faultOf(await desk.assignFunding(admin, { chain: 'nowhere', txid: 'x', address: 'y' })),
    ])
      expect(fault).toMatchObject({ code: 'NOT_HERE', details: { chain: 'nowhere' } });
    const [planned] = await on.entriesOf(
      () => desk.requestSweeps(admin, { chain: 'ethereum', asset: 'usdt_ethereum', address: null }),
      'sweep.requested',
    );
    expect(okOf(planned).length).toBeGreaterThan(0);
    const sweep = okOf(await desk.treasury('ethereum'))[0]?.status?.sweeps[0];
    const [given] = await on.entriesOf(() => desk.giveUpSweep(admin, sweep?.id ?? ''), 'sweep.given_up');
    expect(okOf(given)).toMatchObject({ transfer: null, gas: null, sweep: { status: 'failed' } });
    const [thawed] = await on.entriesOf(() =>
      desk.thawAddress(admin, { chain: 'ethereum', address: anAddress() }),
    );
    expect(faultOf(thawed).code).toBe('NOT_FOUND');
    const frozen = { chain: 'ethereum', address: anAddress() };
    await on.deps.unitOfWork.run(({ frozen: freezes }) =>
      freezes.freeze({ ...frozen, reason: 'owner changed', at: on.clock.now() }),
    );
    await on.entriesOf(() => desk.thawAddress(admin, frozen), 'address.unfrozen');
    const [strange] = await on.entriesOf(() =>
      desk.requestSweeps(admin, { chain: 'ethereum', asset: 'x'.repeat(9_999), address: null }),
    );
    expect(faultOf(strange).code).toBe('NOT_FOUND');
    expect(await desk.unbookedFunding(10)).toEqual([]);
  });

  test('funding is booked as it was previewed, by two operators above the limit, and once', async () => {
    const [ann, bob] = [on.seat(), on.seat()];
    await on.it.settle();
    const of = { chain: 'ethereum', asset: 'eth_ethereum' };
    const first = await desk.previewCapital(of);
    if (!first.ok) {
      // Transfers of the hot wallet are on their way: they settle first.
      for (let round = 0; round < 4; round += 1) {
        await on.journey.mineToFinality();
        await on.it.settle();
      }
    }
    const { units, booked } = okOf(await desk.previewCapital(of));
    expect(booked).toBe(false);
    expect(units > 0n).toBe(true);
    const book = (by: typeof ann, given: bigint, form = formId()) =>
      desk.bookCapital(by, { ...of, note: 'gas', units: given }, form);
    const [other] = await on.entriesOf(() => book(ann, 1n));
    expect(faultOf(other)).toMatchObject({ code: 'INVALID_TRANSITION' });
    const [asked] = await on.entriesOf(() => book(ann, units), 'approval.requested');
    const [approved] = await on.entriesOf(
      () => desk.approve(bob, waitingOf(asked).id),
      ...['approval.approved', 'capital.booked'],
    );
    expect(okOf(approved).approval).toMatchObject({
      status: 'done',
      made: { found_units: expect.any(String) },
    });
    await on.journey.mineToFinality();
    expect(okOf(await desk.previewCapital(of)).units).toBe(0n);
    expect(units).toBeLessThanOrEqual(100n * ETHER);
    await on.journey.booksAreRight();
  });
});
