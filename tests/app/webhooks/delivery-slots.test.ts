/**
 * The places of webhooks under way: what no order of events may break, and how their number follows
 * what a process can take.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { deliverySlots, type LaneShare, webhookPlaces } from '../../../src/app/webhooks/delivery-slots.ts';
import type { AttemptMet } from '../../../src/app/webhooks/receiver-window.ts';
import { NOW } from '../../support/builders.ts';

const ALL = 10_000;
const lane = (merchant: number, destination: number) => ({
  merchantId: `m${merchant}`,
  destination: `https://h${destination}.example:443`,
  ...{ troubled: false, trial: false },
});
const met = (answer: AttemptMet['answer'], tookMs = 50): AttemptMet => ({ answer, tookMs });
const total = (shares: readonly LaneShare[]) => shares.reduce((sum, { most }) => sum + most, 0);

describe('W1: places', () => {
  test('W1: are never more than there are, never taken from nobody, and everybody has one while some are free', () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('share' as const),
        lanes: fc.uniqueArray(fc.tuple(fc.nat(30), fc.nat(12)), { maxLength: 60, selector: String }),
      }),
      fc.record({
        kind: fc.constant('end' as const),
        count: fc.nat(80),
        answer: fc.constantFrom<AttemptMet['answer'][]>('answered', 'busy', 'silent', 'none', 'exhausted'),
        tookMs: fc.constantFrom(1, 200, 5_000),
      }),
      fc.record({ kind: fc.constant('adapt' as const), lateMs: fc.constantFrom(0, 150, 900) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const slots = deliverySlots(512);
        const held: ReturnType<typeof lane>[] = [];
        for (const one of steps) {
          if (one.kind === 'adapt') slots.adapt(one.lateMs);
          if (one.kind === 'end') {
            for (const ended of held.splice(0, one.count))
              slots.giveBack(ended, 1, met(one.answer, one.tookMs), NOW);
          }
          if (one.kind === 'share') {
            const { inFlight: before, limit } = slots.figures();
            const due = one.lanes.map(([merchant, destination]) => lane(merchant, destination));
            const shares = slots.share(due, ALL);
            expect(before + total(shares)).toBeLessThanOrEqual(Math.max(before, limit));
            const waiting = due.filter(
              ({ merchantId }) =>
                !held.some((other) => other.merchantId === merchantId) &&
                !shares.some((share) => share.lane.merchantId === merchantId),
            );
            const perHost = (destination: string) =>
              [...held, ...shares.flatMap((share) => Array(share.most).fill(share.lane))].filter(
                (other) => other.destination === destination,
              ).length;
            // Who has none has none because no place is left, in the process or at the destination.
            for (const { destination } of waiting)
              expect(before + total(shares) >= limit || perHost(destination) >= 64).toBe(true);
            for (const share of shares) held.push(...Array(share.most).fill(share.lane));
          }
          expect(slots.figures().inFlight).toBe(held.length);
          expect(slots.figures().limit).toBeLessThanOrEqual(512);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('W1: grow twofold while they lack and the process keeps up, shrink when it does not, and again when few are used', () => {
    const slots = deliverySlots(1_024);
    const crowd = Array.from({ length: 2_000 }, (_, index) => lane(index, index));
    const given: LaneShare[] = [];
    const limits = () => {
      given.push(...slots.share(crowd, ALL));
      slots.adapt(0);
      return slots.figures().limit;
    };
    expect([limits(), limits(), limits(), limits(), limits()]).toEqual([128, 256, 512, 1_024, 1_024]);
    given.push(...slots.share(crowd, ALL));
    slots.adapt(150);
    expect(slots.figures().limit).toBe(1_024);
    slots.adapt(300);
    expect(slots.figures().limit).toBe(716);
    for (const { lane: taken, most } of given) slots.giveBack(taken, most, null, NOW);
    slots.share([], ALL);
    for (let tick = 0; tick < 6; tick += 1) slots.adapt(0);
    expect(slots.figures().limit).toBe(64);
    limits();
    for (let tick = 0; tick < 20; tick += 1) slots.adapt(900);
    expect(slots.figures().limit).toBe(64);
  });

  test('W1: are halved when the process has run out of sockets', () => {
    const slots = deliverySlots(1_024);
    const [share] = slots.share([lane(1, 1)], ALL);
    expect(share?.most).toBe(1);
    slots.giveBack(lane(1, 1), 1, met('exhausted'), NOW);
    expect(slots.figures()).toEqual({ inFlight: 0, limit: 32 });
  });

  test.each([
    [null, 64],
    [256, 64],
    [1_024, 128],
    [4_096, 896],
    [20_000, 1_024],
  ])('W1: of a process that may open %p files are at most %d', (files, places) => {
    expect(webhookPlaces(files)).toBe(places);
  });
});

describe('W1: a lane', () => {
  /** With as many places as there can be, and nobody else. */
  function alone() {
    const slots = deliverySlots(1_024);
    const crowd = Array.from({ length: 600 }, (_, index) => lane(1_000 + index, 1_000 + index));
    for (let tick = 0; tick < 6; tick += 1) {
      for (const { lane: taken, most } of slots.share(crowd, ALL)) slots.giveBack(taken, most, null, NOW);
      slots.adapt(0);
    }
    return slots;
  }
  const wide = () => {
    const slots = alone();
    return {
      slots,
      /** Takes what it may have and gives it back with what it met; answers how much it was. */
      round(answer: AttemptMet['answer'], tookMs?: number): number {
        const [share] = slots.share([lane(1, 1)], ALL);
        const most = share?.most ?? 0;
        for (let nth = 0; nth < most; nth += 1) slots.giveBack(lane(1, 1), 1, met(answer, tookMs), NOW);
        return most;
      },
    };
  };

  test('W1: has at most eight webhooks under way before its receiver has answered, however many places there are', () => {
    const { slots } = wide();
    expect(total(slots.share([lane(1, 1)], ALL))).toBeLessThanOrEqual(8);
    expect(total(slots.share([lane(1, 1)], ALL))).toBe(0);
  });

  test('W1: has more with each answer in time, half as many with each silence, and few when answers take seconds', () => {
    const { round } = wide();
    const first = round('answered');
    const second = round('answered');
    expect([first, second]).toEqual([8, 16]);
    let most = second;
    for (let nth = 0; nth < 8; nth += 1) most = round('answered');
    expect(most).toBeGreaterThan(64);
    round('silent');
    expect(round('none')).toBe(1);
    for (let nth = 0; nth < 10; nth += 1) round('answered');
    expect(round('answered', 5_000)).toBeGreaterThan(8);
    expect(round('answered', 5_000)).toBeLessThanOrEqual(4);
    expect(round('busy')).toBeLessThanOrEqual(4);
    expect(round('answered')).toBe(1);
  });
});
