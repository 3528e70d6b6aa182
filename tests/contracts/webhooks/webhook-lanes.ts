/**
 * The contract of webhook queues for lanes: no backlog delays another merchant's webhook, or
 * another receiver's (safety W1).
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { NOW, secondsAfter } from '../../support/builders.ts';
import { BEGINNING, LEASE_SECONDS, laneDesk, type OpenedLanes } from '../../support/webhooks/lane-desk.ts';

export function describeWebhookLanes(name: string, open: () => Promise<OpenedLanes>): void {
  describe(`${name}: lanes of the webhook queue`, () => {
    const desk = laneDesk(open);
    const { queue, merchant, aHost, destinationOfHost, lane, ids, enqueued, pageOf, dueOf, claim, outcome } =
      desk;

    test('W1: a lane is due while something in it is due, free and not given up', async () => {
      const merchantId = await merchant();
      const [now, later, taken, dead] = [aHost(), aHost(), aHost(), aHost()];
      await enqueued(merchantId, now, 2);
      await enqueued(merchantId, later, 1, secondsAfter(10));
      for (const host of [taken, dead]) await enqueued(merchantId, host, 1);
      await claim([{ ...lane(merchantId, taken), most: 9 }]);
      const [given] = await claim([{ ...lane(merchantId, dead), most: 9 }]);
      await outcome(given, { state: 'dead' });
      const none = { troubled: false, trial: false };
      expect(await dueOf([merchantId])).toEqual([{ ...lane(merchantId, now), ...none }]);
      const all = (await dueOf([merchantId], secondsAfter(LEASE_SECONDS))).map(
        ({ destination }) => destination,
      );
      expect(all.toSorted()).toEqual([now, later, taken].map(destinationOfHost).toSorted());
    });

    test('W1: whatever the size of a page, a walk shows every due lane, and of no merchant more than its part in one page', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
          fc.integer({ min: 1, max: 4 }),
          fc.integer({ min: 1, max: 4 }),
          async (lanesOf, merchants, lanesEach) => {
            const expected = new Set<string>();
            for (const count of lanesOf) {
              const merchantId = await merchant();
              for (let index = 0; index < count; index += 1) {
                const host = aHost();
                await enqueued(merchantId, host, 1);
                expected.add(`${merchantId} ${destinationOfHost(host)}`);
              }
            }
            const found: string[] = [];
            let walk = BEGINNING;
            // One round per page of the merchant with the most lanes, and one for lanes that start
            // again.
            for (let round = 0; round <= 7 / lanesEach + 1; round += 1) {
              do {
                const page = await pageOf(walk, NOW, { merchants, lanesEach });
                const owners = new Map<string, number>();
                for (const { merchantId } of page.lanes)
                  owners.set(merchantId, (owners.get(merchantId) ?? 0) + 1);
                expect(owners.size).toBeLessThanOrEqual(merchants);
                expect(Math.max(0, ...owners.values())).toBeLessThanOrEqual(lanesEach);
                found.push(...page.lanes.map((one) => `${one.merchantId} ${one.destination}`));
                walk = page.walk;
              } while (walk.afterMerchant !== null);
            }
            for (const one of expected) expect(found).toContain(one);
            const left = (await dueOf([...expected].map((one) => one.split(' ')[0] ?? ''))).map((one) => ({
              ...one,
              most: 9,
            }));
            for (const delivery of await claim(left)) await outcome(delivery, { state: 'delivered' });
          },
        ),
        { numRuns: 8 },
      );
    }, 60_000);

    test('W1: a claim takes of each lane what it is allowed, the oldest due first, however long the backlog of another is', async () => {
      const [one, two] = [await merchant(), await merchant()];
      const [shared, own] = [aHost(), aHost()];
      await enqueued(one, shared, 40, secondsAfter(-1_000));
      const old = await enqueued(two, shared, 2, secondsAfter(-20));
      await enqueued(two, shared, 5, secondsAfter(-10));
      const alone = await enqueued(two, own, 1);
      await enqueued(two, own, 1, secondsAfter(1));
      const claimed = await claim([
        { ...lane(one, shared), most: 8 },
        { ...lane(two, shared), most: 2 },
        { ...lane(two, own), most: 4 },
      ]);
      expect(claimed.filter(({ merchantId }) => merchantId === one)).toHaveLength(8);
      expect(ids(claimed.filter(({ merchantId }) => merchantId === two))).toEqual(
        [...old, ...alone].toSorted(),
      );
      expect(await claim([])).toEqual([]);
    });

    test('W1: two dispatchers never claim one delivery twice', async () => {
      const merchantId = await merchant();
      const host = aHost();
      const all = await enqueued(merchantId, host, 120);
      const wanted = [{ ...lane(merchantId, host), most: 30 }];
      const claims = await Promise.all(Array.from({ length: 6 }, () => claim(wanted)));
      const rest = await claim([{ ...lane(merchantId, host), most: 1_000 }]);
      expect([...claims.flat(), ...rest].map(({ id }) => id).toSorted()).toEqual([...all]);
    });

    test('W1: a lease that is renewed keeps its delivery, and one that was lost stays lost', async () => {
      const merchantId = await merchant();
      const host = aHost();
      await enqueued(merchantId, host, 2);
      const wanted = [{ ...lane(merchantId, host), most: 1 }];
      const [kept] = await claim(wanted);
      const [lost] = await claim(wanted);
      if (!kept || !lost) throw new Error('nothing was claimed');
      await queue().renew([kept], secondsAfter(2 * LEASE_SECONDS));
      const [again] = await claim([{ ...lane(merchantId, host), most: 9 }], secondsAfter(LEASE_SECONDS));
      expect(again).toEqual({ ...lost, attempt: 2 });
      await queue().renew([lost], secondsAfter(1_000));
      expect(
        ids(await claim([{ ...lane(merchantId, host), most: 9 }], secondsAfter(2 * LEASE_SECONDS))),
      ).toEqual([kept.id, lost.id].toSorted());
    });
  });
}
