/** Alarms of the log become notices, and nothing waits for that. */
import { describe, expect, test } from 'bun:test';
import { ALARM_EVENTS, ENDED_BY, entryOf } from '../../../src/app/notices/alarms.ts';
import { noticeRecorder } from '../../../src/app/notices/record-notices.ts';
import type { OperatorNotice } from '../../../src/domain/notices/operator-notice.ts';
import { type Repositories, StorageUnavailable, type UnitOfWork } from '../../../src/ports/repositories.ts';
import { anId } from '../../support/builders.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

/** A recorder over notices in memory, whose database can be away, and whose timers stand still. */
function stage() {
  const stored: OperatorNotice[] = [];
  const lines: LogLine[] = [];
  const due: (() => void)[] = [];
  const clock = testClock();
  let fault: Error | null = null;
  const operatorNotices = {
    lockNewest: async ({ event, subject }: { event: string; subject: string }) =>
      stored.findLast((notice) => notice.event === event && notice.subject === subject) ?? null,
    async save(notice: OperatorNotice) {
      const at = stored.findIndex(({ id }) => id === notice.id);
      stored.splice(at < 0 ? stored.length : at, 1, notice);
    },
  };
  const unitOfWork: UnitOfWork = {
    async run(work) {
      if (fault !== null) throw fault;
      return work({ operatorNotices } as unknown as Repositories);
    },
  };
  const recorder = noticeRecorder({
    ...{ clock, unitOfWork, logger: memoryLogger(lines), ids: { id: anId } },
    redact: ({ password: _secret, ...fields }) => fields,
    timers: {
      after(_ms, work) {
        due.push(work);
        return () => due.splice(due.indexOf(work), 1);
      },
    },
  });
  return {
    ...{ stored, lines, clock, recorder },
    fails: (error: Error | null) => {
      fault = error;
    },
    tick: async () => {
      for (const work of due.splice(0)) work();
      await Bun.sleep(1);
    },
  };
}

describe('an alarm', () => {
  test('is logged first, and then stored without its secrets, with what its logger had bound', async () => {
    const { recorder, stored, lines, clock } = stage();
    recorder.logger.with({ chain: 'tron' }).error('wallet.blocked', { nonce: '7', password: 'x' });
    expect(lines.map(({ event }) => event)).toEqual(['wallet.blocked']);
    expect(stored).toEqual([]);
    await recorder.settled(1_000);
    expect(stored).toMatchObject([
      { event: 'wallet.blocked', subject: 'tron', fields: { chain: 'tron', nonce: '7' }, count: 1 },
    ]);
    expect(stored[0]?.fields).not.toHaveProperty('password');
    expect([stored[0]?.status, stored[0]?.firstAt]).toEqual(['noted', clock.now()]);
  });

  test('that lasts is open until the event of its end, of the same chain', async () => {
    const { recorder, stored } = stage();
    recorder.logger.error('chain.late', { chain: 'tron' });
    recorder.logger.error('chain.late', { chain: 'ton' });
    recorder.logger.info('chain.in_time', { chain: 'ton' });
    await recorder.settled(1_000);
    expect(stored.map(({ subject, status }) => [subject, status])).toEqual([
      ['tron', 'open'],
      ['ton', 'over'],
    ]);
  });

  test('is counted by event for the metrics, also those that were never raised', () => {
    const { recorder } = stage();
    recorder.logger.error('books.disagree', { faults: 1 });
    recorder.logger.error('books.disagree', { faults: 1 });
    expect(recorder.alarms.get('books.disagree')).toBe(2);
    expect(recorder.alarms.get('deposit.reversed')).toBe(0);
    expect([...recorder.alarms.keys()].toSorted()).toEqual(ALARM_EVENTS.toSorted());
  });

  test('other lines are logged and not stored', async () => {
    const { recorder, stored, lines } = stage();
    recorder.logger.error('job.failed', { job: 'x', error: 'y' });
    recorder.logger.warn('node.failed', { node: 'x' });
    recorder.logger.info('service.ready', {});
    await recorder.settled(1_000);
    expect([lines.length, stored.length]).toEqual([3, 0]);
  });
});

describe('while the database is away', () => {
  test('alarms are kept and joined, and stored in their order when it is back', async () => {
    const { recorder, stored, lines, fails, tick, clock } = stage();
    fails(new StorageUnavailable('away'));
    const at = clock.now();
    recorder.logger.error('chain.late', { chain: 'tron' });
    for (let nth = 0; nth < 5; nth += 1) {
      clock.advance(60);
      recorder.logger.error('payout.unsignable', { payoutId: nth });
    }
    recorder.logger.info('chain.in_time', { chain: 'tron' });
    await tick();
    await tick();
    expect(stored).toEqual([]);
    expect(lines.filter(({ event }) => event === 'notice.not_stored')).toHaveLength(1);
    fails(null);
    await tick();
    expect(stored).toMatchObject([
      { event: 'chain.late', status: 'over', firstAt: at },
      { event: 'payout.unsignable', count: 5, fields: { payoutId: 4 }, lastAt: clock.now() },
    ]);
  });

  test('a stop waits no longer than it is told, and tries once more', async () => {
    const { recorder, stored, fails, tick } = stage();
    fails(new StorageUnavailable('away'));
    recorder.logger.error('books.disagree', {});
    await Bun.sleep(1);
    await recorder.settled(1_000);
    expect(stored).toEqual([]);
    await tick();
  });

  test('what the database refuses holds up no other', async () => {
    const { recorder, stored, lines, fails } = stage();
    fails(new Error('a CHECK'));
    recorder.logger.error('books.disagree', {});
    await recorder.settled(1_000);
    fails(null);
    recorder.logger.error('chain.late', { chain: 'tron' });
    await recorder.settled(1_000);
    expect(stored.map(({ event }) => event)).toEqual(['chain.late']);
    expect(lines.map(({ event }) => event)).toContain('notice.not_stored');
  });
});

test('the end of an alarm is an event of the table, and no failure of a notice is an alarm', () => {
  expect([...ENDED_BY].length).toBeGreaterThanOrEqual(4);
  for (const [end, alarm] of ENDED_BY) {
    expect([end, entryOf(end)?.level]).toEqual([end, 'info']);
    expect(ALARM_EVENTS).toContain(alarm);
  }
  expect(ALARM_EVENTS.filter((event) => /^(?:notice|mail|job|database)\./.test(event))).toEqual([]);
});
