/** Which alarms are one notice, and when its messages are tried again. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { noticeFields, noticeSubject } from '../../../src/domain/notices/notice-fields.ts';
import {
  type Alarm,
  afterAlarm,
  afterEnd,
  deliveryAfter,
  GIVEN_UP_AFTER_MS,
  GROUPED_MS,
  type NoticeDelivery,
  type OperatorNotice,
} from '../../../src/domain/notices/operator-notice.ts';

const START = Date.UTC(2026, 5, 1);
const alarm = (minutes: number, given: Partial<Alarm> = {}): Alarm => {
  const at = new Date(START + minutes * 60_000);
  return {
    event: 'chain.late',
    subject: 'tron',
    fields: {},
    lasts: true,
    at,
    lastAt: at,
    count: 1,
    ...given,
  };
};
const first = (given: Partial<Alarm> = {}): OperatorNotice => afterAlarm(null, alarm(0, given), 'one')[0]!;

describe('alarms', () => {
  test('within an hour are one notice, which keeps the first time and the newest fields', () => {
    const [again, ...more] = afterAlarm(first(), alarm(59, { fields: { lag: 7 } }), 'two');
    expect(more).toEqual([]);
    expect(again).toMatchObject({ id: 'one', count: 2, fields: { lag: 7 }, status: 'open' });
    // Several of them come at once, after the database was away.
    expect(afterAlarm(first({ count: 3 }), alarm(5, { count: 4 }), 'two')).toMatchObject([{ count: 7 }]);
    expect([again?.firstAt, again?.lastAt]).toEqual([new Date(START), new Date(START + 59 * 60_000)]);
  });

  test('of another hour are another notice, and of one that lasts only the newest is open', () => {
    const [before, now] = afterAlarm(first(), alarm(60), 'two');
    expect([before?.status, now?.status, now?.id]).toEqual(['renewed', 'open', 'two']);
    const noted = first({ lasts: false });
    expect(afterAlarm(noted, alarm(60, { lasts: false }), 'two').map(({ status }) => status)).toEqual([
      'noted',
    ]);
  });

  test('that ended and come back within the hour are reported anew', () => {
    const over = afterEnd(first(), new Date(START + 60_000));
    expect(over).toMatchObject({ status: 'over', overAt: new Date(START + 60_000) });
    expect(afterAlarm(over, alarm(2), 'two').map(({ id, status }) => [id, status])).toEqual([
      ['two', 'open'],
    ]);
  });

  test('end only where one is open', () => {
    expect(afterEnd(null, new Date(START))).toBeNull();
    expect(afterEnd(first({ lasts: false }), new Date(START))).toBeNull();
    const over = afterEnd(first(), new Date(START));
    expect(afterEnd(over, new Date(START))).toBeNull();
  });

  test('are counted without loss, whatever the times', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 600 })), fc.boolean(), (minutes, lasts) => {
        const stored = new Map<string, OperatorNotice>();
        let newest: OperatorNotice | null = null;
        for (const [nth, minute] of minutes.toSorted((a, b) => a - b).entries()) {
          const written = afterAlarm(newest, alarm(minute, { lasts }), String(nth));
          for (const notice of written) stored.set(notice.id, notice);
          newest = written.at(-1) ?? newest;
        }
        const all = [...stored.values()];
        expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(minutes.length);
        expect(all.filter(({ status }) => status === 'open').length).toBeLessThanOrEqual(1);
        for (const { firstAt, lastAt } of all)
          expect(lastAt.getTime() - firstAt.getTime()).toBeLessThan(GROUPED_MS);
      }),
    );
  });
});

describe('a message', () => {
  const queued: NoticeDelivery = {
    ...{ noticeId: 'one', message: 'raised', channel: 'mail', recipient: 'ann@shop.example' },
    ...{ status: 'queued', tries: 1, failure: null, told: null },
    ...{ dueAt: new Date(START), createdAt: new Date(START) },
  };
  const after = (delivery: NoticeDelivery, at: number) =>
    deliveryAfter(delivery, { outcome: 'unreachable', told: 'open', at: new Date(at) });

  test('that was sent reported the notice as it was then', () => {
    const at = new Date(START + 5);
    expect(
      deliveryAfter({ ...queued, failure: 'refused' }, { outcome: 'sent', told: 'over', at }),
    ).toMatchObject({
      ...{ status: 'sent', failure: null, told: 'over' },
    });
  });

  test('is tried again after growing pauses of at most an hour, and given up after a day', () => {
    let [now, delivery, before] = [START, queued, 0];
    for (let tries = 1; delivery.status === 'queued'; tries += 1) {
      delivery = after({ ...delivery, tries }, now);
      if (delivery.status !== 'queued') break;
      const pause = delivery.dueAt.getTime() - now;
      expect(pause).toBeGreaterThanOrEqual(before);
      expect(pause).toBeLessThanOrEqual(3_600_000);
      [now, before] = [delivery.dueAt.getTime(), pause];
    }
    expect(now - START).toBeGreaterThanOrEqual(GIVEN_UP_AFTER_MS);
    expect(now - START).toBeLessThan(GIVEN_UP_AFTER_MS + 3_600_001);
    expect(delivery).toMatchObject({ status: 'given_up', failure: 'unreachable', told: null });
    expect(after(queued, START + GIVEN_UP_AFTER_MS - 1).status).toBe('queued');
    expect(after(queued, START + GIVEN_UP_AFTER_MS).status).toBe('given_up');
  });
});

describe('what a notice keeps of a line', () => {
  test('is its subject: the chain and the asset', () => {
    expect(noticeSubject({ asset: 'usdt_tron', chain: 'tron', other: 1 })).toBe('tron usdt_tron');
    expect([noticeSubject({ chain: 'ton' }), noticeSubject({ chain: 5 })]).toEqual(['ton', '']);
  });

  test('is bounded JSON of text that every database takes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything({ withBigInt: true, withDate: true })), (fields) => {
        const kept = noticeFields(fields);
        const json = JSON.stringify(kept);
        expect(json.length).toBeLessThan(300_000);
        expect(json).not.toContain('\\u0000');
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(kept)));
      }),
    );
    const long = noticeFields({ text: 'x'.repeat(9_000), list: Array.from({ length: 99 }, String) });
    expect(String(long.text)).toHaveLength(500);
    expect(long.list).toHaveLength(20);
    expect(noticeFields({ line: 'a\nb\u0000c', units: 12n })).toEqual({ line: 'a b c', units: '12' });
  });
});
