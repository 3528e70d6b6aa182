/**
 * Turns alarms of the log into stored notices. The line is logged first; storing follows in the
 * background, so nothing ever waits for it, and what a database that is away cannot take is kept
 * until it is back. A notice that fails raises no alarm.
 */

import { noticeFields, noticeSubject } from '../../domain/notices/notice-fields.ts';
import { type Alarm, afterAlarm, afterEnd, GROUPED_MS } from '../../domain/notices/operator-notice.ts';
import { StorageUnavailable, type UnitOfWork } from '../../ports/repositories.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { IdSource } from '../../ports/runtime/id-source.ts';
import type { LogEvent } from '../../ports/runtime/log-events.ts';
import type { Logger } from '../../ports/runtime/logger.ts';
import type { Timers } from '../../ports/runtime/timers.ts';
import { ALARM_EVENTS, ENDED_BY, endOf, entryOf } from './alarms.ts';

type Fields = Readonly<Record<string, unknown>>;

interface RecorderNeeds {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Pick<IdSource, 'id'>;
  readonly logger: Logger;
  readonly unitOfWork: UnitOfWork;
  /** Masks secrets. */
  readonly redact: (fields: Fields) => Fields;
}

export interface NoticeRecorder {
  /** Logs like the given logger, and stores a notice of each alarm. */
  readonly logger: Logger;
  /** How often each alarm was raised in this process. */
  readonly alarms: ReadonlyMap<string, number>;
  /** Resolves when all that was raised is stored, or after `patienceMs`. */
  settled(patienceMs: number): Promise<void>;
}

type Change =
  | { readonly kind: 'alarm'; readonly alarm: Alarm }
  | { readonly kind: 'end'; readonly event: string; readonly subject: string; readonly at: Date };

const AGAIN_MS = 5_000;
/** Of what a database that is away could not take. The log has every line. */
const WAITING_MAX = 1_000;

export function noticeRecorder(needs: RecorderNeeds): NoticeRecorder {
  const { clock, logger, redact } = needs;
  const alarms = new Map(ALARM_EVENTS.map((event) => [event, 0]));
  const queue = storingQueue(needs);

  function note(event: LogEvent, fields: Fields): void {
    const [counted, ended] = [alarms.get(event), ENDED_BY.get(event)];
    if (counted === undefined && ended === undefined) return;
    const kept = noticeFields(redact(fields));
    const [subject, at] = [noticeSubject(kept), clock.now()];
    if (ended !== undefined) queue.add({ kind: 'end', event: ended, subject, at });
    if (counted === undefined) return;
    alarms.set(event, counted + 1);
    const lasts = endOf(entryOf(event)) !== null;
    queue.add({ kind: 'alarm', alarm: { event, subject, fields: kept, lasts, at, lastAt: at, count: 1 } });
  }

  const noting = (to: Logger, bound: Fields): Logger => ({
    info(event, fields) {
      to.info(event, fields);
      note(event, { ...bound, ...fields });
    },
    warn: (event, fields) => to.warn(event, fields),
    error(event, fields) {
      to.error(event, fields);
      note(event, { ...bound, ...fields });
    },
    with: (fields) => noting(to.with(fields), { ...bound, ...fields }),
  });
  return { logger: noting(logger, {}), alarms, settled: (patienceMs) => queue.settled(patienceMs) };
}

function storingQueue({ ids, logger, timers, unitOfWork }: RecorderNeeds) {
  const waiting: Change[] = [];
  let running: Promise<void> | null = null;
  /** Ends the pause before the next try. */
  let hurry: (() => void) | null = null;
  let isClosing = false;

  async function storeAll(): Promise<void> {
    let failed = false;
    for (let change = waiting[0]; change !== undefined; change = waiting[0]) {
      try {
        await store(unitOfWork, change, ids);
        failed = false;
      } catch (error) {
        if (!failed) logger.warn('notice.not_stored', { waiting: waiting.length, error: String(error) });
        failed = error instanceof StorageUnavailable;
        if (failed && isClosing) return;
        if (failed) await pause();
      }
      // What is refused for another reason would be refused again, and hold up the others.
      if (!failed) waiting.shift();
    }
  }

  function pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = timers.after(AGAIN_MS, resolve);
    hurry = () => {
      cancel();
      resolve();
    };
    return promise;
  }

  return {
    add(change: Change): void {
      const last = waiting.at(-1);
      // The first of them may be on its way.
      if (last !== undefined && waiting.length > 1 && areOne(last, change))
        waiting[waiting.length - 1] = joined(last, change);
      else if (waiting.length < WAITING_MAX) waiting.push(change);
      running ??= storeAll().finally(() => {
        running = null;
      });
    },
    async settled(patienceMs: number): Promise<void> {
      if (running === null) return;
      isClosing = true;
      hurry?.();
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = timers.after(patienceMs, resolve);
      await Promise.race([running, promise]);
      cancel();
    },
  };
}

function store(unitOfWork: UnitOfWork, change: Change, ids: Pick<IdSource, 'id'>): Promise<void> {
  return unitOfWork.run(async ({ operatorNotices }) => {
    if (change.kind === 'end') {
      const ended = afterEnd(await operatorNotices.lockNewest(change), change.at);
      if (ended !== null) await operatorNotices.save(ended);
      return;
    }
    const newest = await operatorNotices.lockNewest(change.alarm);
    for (const notice of afterAlarm(newest, change.alarm, ids.id())) await operatorNotices.save(notice);
  });
}

function areOne(last: Change, next: Change): boolean {
  return (
    last.kind === 'alarm' &&
    next.kind === 'alarm' &&
    last.alarm.event === next.alarm.event &&
    last.alarm.subject === next.alarm.subject &&
    next.alarm.at.getTime() - last.alarm.at.getTime() < GROUPED_MS
  );
}

/** Of the first time, with the newest fields. */
function joined(last: Change, next: Change): Change {
  if (last.kind !== 'alarm' || next.kind !== 'alarm') return next;
  const count = last.alarm.count + next.alarm.count;
  const { fields, lastAt } = next.alarm;
  return { kind: 'alarm', alarm: { ...last.alarm, fields, lastAt, count } };
}
