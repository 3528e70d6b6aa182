/**
 * The contract of every store of circuits, with the queue whose lanes they hold back (safety W1).
 */
import { describe, expect, test } from 'bun:test';
import { NOW, secondsAfter } from '../../support/builders.ts';
import { LEASE_SECONDS, laneDesk, type OpenedLanes } from '../../support/webhooks/lane-desk.ts';

const DAY_SECONDS = 86_400;

export function describeReceiverCircuits(name: string, open: () => Promise<OpenedLanes>): void {
  describe(`${name}: circuits of receivers`, () => {
    const desk = laneDesk(open);
    const { queue, circuits, merchant, aHost, destinationOfHost, lane, ids, enqueued, dueOf, claim, met } =
      desk;

    test('W1: a circuit opens after five silences in a row, and holds back those who met them until its trial, and nobody else', async () => {
      const [one, two] = [await merchant(), await merchant()];
      const [silent, other] = [aHost(), aHost()];
      for (const [merchantId, host] of [
        [one, silent],
        [two, silent],
        [two, other],
      ] as const)
        await enqueued(merchantId, host, 3);
      expect(await met(silent, 3, [one])).toEqual([]);
      expect((await dueOf([one])).map(({ troubled, trial }) => ({ troubled, trial }))).toEqual([
        { troubled: true, trial: false },
      ]);
      const opened = { destination: destinationOfHost(silent), isOpen: true, tryAt: secondsAfter(5) };
      expect(await met(silent, 2, [one])).toEqual([{ ...opened, reason: 'no answer in time' }]);
      const sendsOn = { ...lane(two, silent), troubled: true, trial: false };
      expect(await dueOf([one, two])).toContainEqual(sendsOn);
      expect(await met(silent, 1, [two, two])).toEqual([]);
      expect(await dueOf([one, two])).toEqual([{ ...lane(two, other), troubled: false, trial: false }]);
      const [held, free] = [lane(one, silent), lane(two, other)].map((each) => ({ ...each, most: 1 }));
      if (!held || !free) throw new Error('two lanes went in');
      expect((await claim([held, free])).map(({ merchantId }) => merchantId)).toEqual([two]);
      expect(await dueOf([one], secondsAfter(5))).toEqual([
        { ...lane(one, silent), troubled: true, trial: true },
      ]);
      expect(await claim([held])).toEqual([]);
      expect(await claim([{ ...held, trial: true }])).toHaveLength(1);
    });

    test('W1: an answer in between closes the circuit, and the count begins again', async () => {
      const host = aHost();
      expect([await met(host, 4), await met(host, 0), await met(host, 4)]).toEqual([[], [], []]);
      expect(await met(host, 1)).toHaveLength(1);
      const closed = await met(host, 0);
      expect(closed).toEqual([
        { destination: destinationOfHost(host), isOpen: false, tryAt: null, reason: 'no answer in time' },
      ]);
      expect(await met(host, 0)).toEqual([]);
    });

    test('W1: silences that several dispatchers meet at once are counted one by one, and open the circuit once', async () => {
      const host = aHost();
      await met(host, 1);
      const changes = await Promise.all(Array.from({ length: 8 }, () => met(host, 1)));
      expect(changes.flat()).toEqual([
        expect.objectContaining({ destination: destinationOfHost(host), isOpen: true }),
      ]);
    });

    test('W1: of several dispatchers one makes the trial; one that never came back is made again', async () => {
      const host = aHost();
      await met(host, 5);
      const begin = (seconds: number) =>
        circuits().beginTrials([destinationOfHost(host), 'https://unknown.example:443'], {
          now: secondsAfter(seconds),
          until: secondsAfter(seconds + LEASE_SECONDS),
        });
      expect(await begin(4)).toEqual([]);
      const begun = await Promise.all([begin(5), begin(5), begin(5), begin(5)]);
      expect(begun.flat()).toEqual([destinationOfHost(host)]);
      expect(await begin(5 + LEASE_SECONDS - 1)).toEqual([]);
      expect(await begin(5 + LEASE_SECONDS)).toEqual([destinationOfHost(host)]);
    });

    test('W1: the trial is the turn of who met the silence the longest ago, and a second later of the next one', async () => {
      const [one, two] = [await merchant(), await merchant()];
      const host = aHost();
      for (const merchantId of [one, two]) await enqueued(merchantId, host, 1);
      const turnsAt = async (seconds: number) =>
        (await dueOf([one, two], secondsAfter(seconds))).map(({ merchantId }) => merchantId).toSorted();
      await met(host, 5, [one, two]);
      expect([await turnsAt(4), await turnsAt(5), await turnsAt(6)]).toEqual([
        [],
        [one],
        [one, two].toSorted(),
      ]);
      const [now, until] = [secondsAfter(5), secondsAfter(20)];
      await circuits().beginTrials([destinationOfHost(host)], { now, until });
      await met(host, 1, [one], now);
      expect([await turnsAt(9), await turnsAt(10), await turnsAt(11)]).toEqual([
        [],
        [two],
        [one, two].toSorted(),
      ]);
    });

    test('W1: each of those who share a silent host has had its turn before trials come further apart', async () => {
      const merchants = [await merchant(), await merchant(), await merchant()];
      const host = aHost();
      await met(host, 5, merchants);
      const waits: number[] = [];
      let at = 5;
      for (const silent of [...merchants, ...merchants]) {
        const now = secondsAfter(at);
        await circuits().beginTrials([destinationOfHost(host)], { now, until: secondsAfter(at + 15) });
        await met(host, 1, [silent], now);
        const [open] = (await circuits().open(1_000)).filter(
          ({ destination }) => destination === destinationOfHost(host),
        );
        const wait = ((open?.tryAt?.getTime() ?? 0) - now.getTime()) / 1_000;
        waits.push(wait);
        at += wait;
      }
      expect(waits).toEqual([5, 5, 10, 10, 10, 20]);
    });

    test('W1: trials that fail come further and further apart, and never more than five minutes', async () => {
      const merchantId = await merchant();
      const host = aHost();
      await enqueued(merchantId, host, 1);
      await met(host, 5, [merchantId]);
      let at = 5;
      const gaps: number[] = [];
      for (let trial = 0; trial < 8; trial += 1) {
        const now = secondsAfter(at);
        await circuits().beginTrials([destinationOfHost(host)], {
          now,
          until: secondsAfter(at + 15),
        });
        await met(host, 1, [merchantId], now);
        const before = at;
        while ((await dueOf([merchantId], secondsAfter(at))).length === 0) at += 5;
        gaps.push(at - before);
      }
      expect(gaps).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
    });

    test('W1: what a silent receiver held back for longer than a day is given up, its attempts made or not, and nothing else', async () => {
      const merchantId = await merchant();
      const [gone, answering] = [aHost(), aHost()];
      const late = secondsAfter(-2 * DAY_SECONDS);
      await enqueued(merchantId, gone, 3, late);
      const fresh = await enqueued(merchantId, gone, 1);
      await enqueued(merchantId, answering, 1, late);
      const giveUp = () => queue().giveUpHeldBack({ before: secondsAfter(-DAY_SECONDS), now: NOW, limit: 2 });
      expect(await giveUp()).toBe(0);
      const [underWay] = await claim([{ ...lane(merchantId, gone), most: 1 }]);
      await met(gone, 5, [await merchant()]);
      expect(await giveUp()).toBe(0);
      await met(gone, 1, [merchantId]);
      expect([await giveUp(), await giveUp()]).toEqual([2, 0]);
      await met(gone, 0);
      const left = await claim([
        { ...lane(merchantId, gone), most: 9 },
        { ...lane(merchantId, answering), most: 9 },
      ]);
      expect(left).toHaveLength(2);
      expect(ids(left)).toContain(fresh[0] ?? '');
      expect(ids(left)).not.toContain(underWay?.id ?? '');
    });

    test('W1: the open circuits are listed with what waits for them, and forgotten when nothing happens any more', async () => {
      const [one, two] = [await merchant(), await merchant()];
      const [host, closed] = [aHost(), aHost()];
      await enqueued(one, host, 2);
      await enqueued(two, host, 1, secondsAfter(900));
      await met(host, 2, [], secondsAfter(-40));
      await met(host, 3);
      const mine = async () =>
        (await circuits().open(1_000)).filter(({ destination }) =>
          [host, closed].map(destinationOfHost).includes(destination),
        );
      expect(await mine()).toEqual([
        {
          ...{ destination: destinationOfHost(host), state: 'open', silences: 5, failedTrials: 0 },
          ...{ tryAt: secondsAfter(5), silentSince: secondsAfter(-40), reason: 'no answer in time' },
          ...{ waiting: 3, merchants: 2 },
        },
      ]);
      await met(closed, 5);
      expect((await mine()).map(({ silentSince }) => silentSince)).toEqual([secondsAfter(-40), NOW]);
      await met(closed, 0);
      await met(closed, 1);
      await circuits().forget(NOW);
      expect(await mine()).toHaveLength(1);
      await circuits().forget(secondsAfter(1));
      expect(await mine()).toEqual([]);
      expect(await met(closed, 4)).toEqual([]);
    });
  });
}
