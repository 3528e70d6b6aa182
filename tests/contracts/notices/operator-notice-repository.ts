/** The contract of OperatorNoticeRepository, and of what operators read of it. */
import { describe, expect, test } from 'bun:test';
import {
  type NoticeChannelName,
  type NoticeStatus,
  type OperatorNotice,
  TRY_MS,
} from '../../../src/domain/notices/operator-notice.ts';
import type {
  NoticeRecipient,
  TakenDelivery,
} from '../../../src/ports/notices/operator-notice-repository.ts';
import type { OperatorQueries } from '../../../src/ports/operator-queries.ts';
import { anId, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

interface OpenedNotices extends Opened {
  readonly operatorQueries: Pick<OperatorQueries, 'operatorNotices' | 'metrics'>;
}

const HOUR = 3_600;
const DAY = 24 * HOUR;
const ANN: NoticeRecipient = { channel: 'mail', recipient: 'ann@shop.example' };
const HOOK: NoticeRecipient = { channel: 'webhook', recipient: '' };

export function describeOperatorNotices(name: string, open: () => Promise<OpenedNotices>): void {
  describe(`${name}: notices to operators`, () => {
    const storage = openedFor(open);
    const aNotice = (given: Partial<OperatorNotice> = {}): OperatorNotice => ({
      ...{ id: anId(), event: 'chain.late', subject: `chain ${anId()}`, fields: { lag: 5, why: 'ä' } },
      ...{ status: 'open', firstAt: NOW, lastAt: NOW, count: 1, overAt: null },
      ...given,
    });
    const save = async (notice: OperatorNotice) => {
      await storage.run(({ operatorNotices }) => operatorNotices.save(notice));
      return notice;
    };
    const newest = ({ event, subject }: OperatorNotice) =>
      storage.run(({ operatorNotices }) => operatorNotices.lockNewest({ event, subject }));
    const plan = (now: Date, to: readonly NoticeRecipient[] = [ANN, HOOK]) =>
      storage.run(({ operatorNotices }) => operatorNotices.plan({ to, now }));
    const CHANNELS: readonly NoticeChannelName[] = ['mail', 'webhook'];
    /** Those of a notice; the messages of others stay due. */
    async function taken(notice: OperatorNotice, now: Date, channels = CHANNELS) {
      const all: TakenDelivery[] = [];
      for (const channel of channels)
        all.push(
          ...(await storage.run(({ operatorNotices }) =>
            operatorNotices.take({ channel, now, until: now, limit: 1_000 }),
          )),
        );
      return all.filter(({ delivery }) => delivery.noticeId === notice.id);
    }
    async function sent(notice: OperatorNotice, now: Date, told: NoticeStatus) {
      await plan(now);
      const mine = await taken(notice, now);
      for (const { delivery } of mine)
        await storage.run(({ operatorNotices }) =>
          operatorNotices.saveDelivery({ ...delivery, status: 'sent', told }),
        );
      return mine.map(({ delivery }) => `${delivery.message} ${delivery.channel}`).toSorted();
    }

    test('the newest of an event and subject is found as it was saved', async () => {
      const older = await save(aNotice());
      const { event, subject } = older;
      const later = secondsAfter(HOUR, NOW);
      const newer = await save(aNotice({ event, subject, firstAt: later, lastAt: later }));
      await save(aNotice({ event: 'books.disagree', subject }));
      expect(await newest(older)).toEqual(newer);
      const over = { ...newer, status: 'over', overAt: secondsAfter(1, later), count: 9 } as const;
      await save(over);
      expect(await newest(older)).toEqual(over);
      expect(await newest(aNotice())).toBeNull();
    });

    test('the open ones of an event are found by whoever did not raise them, and no others', async () => {
      const event = 'clock.differs';
      const openOf = () => storage.run(({ operatorNotices }) => operatorNotices.openOf(event));
      expect(await openOf()).toEqual([]);
      const [b, a] = [
        await save(aNotice({ event, subject: 'b' })),
        await save(aNotice({ event, subject: 'a' })),
      ];
      await save(aNotice({ event, subject: 'b', status: 'renewed', firstAt: secondsAfter(-HOUR, NOW) }));
      await save(aNotice({ event, subject: 'c', status: 'over', overAt: NOW }));
      await save(aNotice({ event: 'books.disagree', subject: 'a' }));
      expect(await openOf()).toEqual([a, b]);
    });

    test('of processes that raise the same at once each sees what the one before stored', async () => {
      const { event, subject } = aNotice();
      const raise = () =>
        storage.run(async ({ operatorNotices }) => {
          const found = await operatorNotices.lockNewest({ event, subject });
          const counted = found ?? aNotice({ event, subject, count: 0 });
          await operatorNotices.save({ ...counted, count: counted.count + 1 });
        });
      await save(aNotice({ event, subject }));
      await Promise.all([raise(), raise(), raise()]);
      expect((await newest(aNotice({ event, subject })))?.count).toBe(4);
    });

    test('each recipient gets one message, however often it is planned', async () => {
      const notice = await save(aNotice());
      await plan(NOW);
      await plan(NOW);
      const found = await taken(notice, NOW);
      expect(found.map(({ delivery }) => [delivery.channel, delivery.tries])).toEqual(
        expect.arrayContaining([
          ['mail', 1],
          ['webhook', 1],
        ]),
      );
      expect(found).toHaveLength(2);
      expect(found[0]?.notice).toEqual(notice);
    });

    test('a try that has begun is not due again before its time, and then counts on', async () => {
      const notice = await save(aNotice());
      await plan(NOW, [ANN]);
      const until = new Date(NOW.getTime() + TRY_MS);
      await storage.run(({ operatorNotices }) =>
        operatorNotices.take({ channel: 'mail', now: NOW, until, limit: 1_000 }),
      );
      expect(await taken(notice, NOW)).toEqual([]);
      const [again] = await taken(notice, until);
      expect(again?.delivery.tries).toBe(2);
    });

    test('messages that are taken at once come in the order of their times, and one after the other of a notice', async () => {
      const BOB: NoticeRecipient = { channel: 'mail', recipient: 'bob@shop.example' };
      const [first, second, third] = [aNotice(), aNotice(), aNotice()];
      const later = secondsAfter(1, NOW);
      await save(third);
      await plan(NOW, [ANN]);
      for (const notice of [second, first]) await save(notice);
      await plan(later, [BOB, ANN]);
      const mine = new Set([first.id, second.id, third.id]);
      const found = await storage.run(({ operatorNotices }) =>
        operatorNotices.take({ channel: 'mail', now: later, until: later, limit: 1_000 }),
      );
      const order = found.flatMap(({ delivery: { noticeId, recipient } }) =>
        mine.has(noticeId) ? [[noticeId, recipient]] : [],
      );
      expect(order).toEqual([
        [third.id, ANN.recipient],
        [first.id, ANN.recipient],
        [first.id, BOB.recipient],
        [second.id, ANN.recipient],
        [second.id, BOB.recipient],
        [third.id, BOB.recipient],
      ]);
    });

    test('another channel than those asked for is left alone', async () => {
      const notice = await save(aNotice());
      await plan(NOW);
      const found = await taken(notice, NOW, ['webhook']);
      expect(found.map(({ delivery }) => delivery.channel)).toEqual(['webhook']);
    });

    test('repetitions are reported when the hour is over', async () => {
      const notice = await save(aNotice({ status: 'noted' }));
      expect(await sent(notice, NOW, 'noted')).toEqual(['raised mail', 'raised webhook']);
      await save({ ...notice, count: 4 });
      expect(await sent(notice, secondsAfter(HOUR - 1, NOW), 'noted')).toEqual([]);
      expect(await sent(notice, secondsAfter(HOUR, NOW), 'noted')).toEqual(['again mail', 'again webhook']);
      expect(await sent(notice, secondsAfter(2 * HOUR, NOW), 'noted')).toEqual([]);
    });

    test('an end is reported to whoever was told of the beginning, even after days', async () => {
      const notice = await save(aNotice());
      await sent(notice, NOW, 'open');
      const end = secondsAfter(3 * DAY, NOW);
      await save({ ...notice, status: 'over', overAt: end });
      expect(await sent(notice, end, 'over')).toEqual(['over mail', 'over webhook']);
      expect(await sent(notice, end, 'over')).toEqual([]);
    });

    test('a beginning that is reported after the end says so, and nothing follows', async () => {
      const notice = await save(aNotice({ status: 'over', overAt: secondsAfter(60, NOW) }));
      expect(await sent(notice, secondsAfter(90, NOW), 'over')).toEqual(['raised mail', 'raised webhook']);
      expect(await sent(notice, secondsAfter(91, NOW), 'over')).toEqual([]);
    });

    test('a notice that was replaced before it was reported is left to the one that replaced it', async () => {
      const notice = await save(aNotice({ status: 'renewed' }));
      expect(await sent(notice, NOW, 'renewed')).toEqual([]);
    });

    test('an alarm of more than a day ago is no news', async () => {
      const notice = await save(aNotice());
      expect(await sent(notice, secondsAfter(DAY + 1, NOW), 'open')).toEqual([]);
    });

    test('what was last raised long ago is forgotten with its messages', async () => {
      const at = new Date('2020-01-01');
      const notice = await save(aNotice({ firstAt: at, lastAt: at }));
      await sent(notice, at, 'open');
      const forget = (before: Date) =>
        storage.run(({ operatorNotices }) => operatorNotices.forget({ before, limit: 100 }));
      expect(await forget(at)).toBe(0);
      expect(await forget(secondsAfter(1, at))).toBe(1);
      expect(await newest(notice)).toBeNull();
    });

    test('operators read open ones first, then the newest, with what became of the messages', async () => {
      const at = new Date('2030-01-01');
      const opened = await save(aNotice({ firstAt: at, lastAt: at }));
      const later = secondsAfter(60, at);
      const noted = await save(aNotice({ status: 'noted', firstAt: later, lastAt: later }));
      await plan(later);
      const [mail, hook] = await taken(noted, later);
      await storage.run(async ({ operatorNotices }) => {
        await operatorNotices.saveDelivery({ ...mail!.delivery, status: 'sent', told: 'noted' });
        const { delivery } = hook!;
        await operatorNotices.saveDelivery({ ...delivery, status: 'given_up', failure: 'refused' });
      });
      const { operatorQueries } = storage.ports();
      const read = await operatorQueries.operatorNotices({ limit: 1_000 });
      expect(read[0]).toEqual({ ...opened, sent: 0, unsent: 2, givenUp: 0 });
      expect(read.find(({ id }) => id === noted.id)).toEqual({ ...noted, sent: 1, unsent: 0, givenUp: 1 });
      const open = read.filter(({ status }) => status === 'open').length;
      expect(read.slice(0, open).every(({ status }) => status === 'open')).toBe(true);
      expect(await operatorQueries.operatorNotices({ limit: 1 })).toHaveLength(1);
      expect((await operatorQueries.metrics(later)).noticesOpen).toBe(open);
      expect((await operatorQueries.metrics(later)).noticesUnsent).toBeGreaterThanOrEqual(2);
    });
  });
}
