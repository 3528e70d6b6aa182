/**
 * Notices to operators (decision 0045): which alarms are one notice, which messages a notice has,
 * and when a message is tried again. Pure.
 */
import type { JsonObject } from '../money/json.ts';

/**
 * `noted`: nothing reports the end of such an alarm. `open`: it lasts until its end is reported.
 * `over`: it has ended. `renewed`: it lasted, and a later notice has replaced this one.
 */
export const NOTICE_STATUSES = ['noted', 'open', 'over', 'renewed'] as const;
export type NoticeStatus = (typeof NOTICE_STATUSES)[number];
export const NOTICE_CHANNELS = ['mail', 'webhook'] as const;
export type NoticeChannelName = (typeof NOTICE_CHANNELS)[number];
/**
 * `raised`: at once. `again`: when the hour is over, if the alarm was raised more than once in it.
 * `over`: when its end was reported.
 */
export const NOTICE_MESSAGES = ['raised', 'again', 'over'] as const;
export type NoticeMessageKind = (typeof NOTICE_MESSAGES)[number];
export const NOTICE_DELIVERY_STATUSES = ['queued', 'sent', 'given_up'] as const;
export type NoticeDeliveryStatus = (typeof NOTICE_DELIVERY_STATUSES)[number];
/** Of the last try: the server refused the message, or there was none that took it. */
export const NOTICE_FAILURES = ['refused', 'unreachable'] as const;
export type NoticeFailure = (typeof NOTICE_FAILURES)[number];

export interface OperatorNotice {
  readonly id: string;
  /** The log event. */
  readonly event: string;
  /** The chain and asset that it is about; empty if it is about neither. */
  readonly subject: string;
  /** Of the newest alarm, without secrets. */
  readonly fields: JsonObject;
  readonly status: NoticeStatus;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** How often it was raised. */
  readonly count: number;
  /** When its end was reported; null before. */
  readonly overAt: Date | null;
}

export interface Alarm {
  readonly event: string;
  readonly subject: string;
  readonly fields: JsonObject;
  /** Whether an event reports its end. */
  readonly lasts: boolean;
  readonly at: Date;
  /** Later than `at` if several are stored at once. */
  readonly lastAt: Date;
  readonly count: number;
}

/** Alarms of the same event and subject within this time are one notice. */
export const GROUPED_MS = 3_600_000;

/**
 * The notices to write for an alarm. `newest` is the newest notice of its event and subject; null
 * if there is none.
 */
export function afterAlarm(
  newest: OperatorNotice | null,
  { lasts, at, lastAt, count, ...alarm }: Alarm,
  id: string,
): readonly OperatorNotice[] {
  const isCurrent = newest !== null && (newest.status === 'noted' || newest.status === 'open');
  if (isCurrent && Math.abs(at.getTime() - newest.firstAt.getTime()) < GROUPED_MS) {
    const last = new Date(Math.max(lastAt.getTime(), newest.lastAt.getTime()));
    return [{ ...newest, fields: alarm.fields, lastAt: last, count: newest.count + count }];
  }
  const begun: OperatorNotice = {
    ...{ id, ...alarm, count, firstAt: at, lastAt },
    ...{ status: lasts ? 'open' : 'noted', overAt: null },
  };
  return newest?.status === 'open' ? [{ ...newest, status: 'renewed' }, begun] : [begun];
}

/** The notice once its end was reported; null if none is open. */
export function afterEnd(newest: OperatorNotice | null, at: Date): OperatorNotice | null {
  if (newest?.status !== 'open') return null;
  return { ...newest, status: 'over', overAt: new Date(Math.max(at.getTime(), newest.firstAt.getTime())) };
}

/** One message of a notice to one recipient. */
export interface NoticeDelivery {
  readonly noticeId: string;
  readonly message: NoticeMessageKind;
  readonly channel: NoticeChannelName;
  /** The address of an e-mail; empty for the webhook, whose URL is a secret. */
  readonly recipient: string;
  readonly status: NoticeDeliveryStatus;
  /** Tries that were begun. */
  readonly tries: number;
  /** When the next try is due. */
  readonly dueAt: Date;
  /** Of the last try; null before one failed, and once it is sent. */
  readonly failure: NoticeFailure | null;
  /** The status of the notice that the message reported; null before it is sent. */
  readonly told: NoticeStatus | null;
  readonly createdAt: Date;
}

const MINUTE_MS = 60_000;
const PAUSE_MAX_MS = 3_600_000;
/** Older news is no help: the console has it. */
export const GIVEN_UP_AFTER_MS = 24 * 3_600_000;
/** A try that takes longer has died with its process: another may begin. */
export const TRY_MS = 5 * MINUTE_MS;

/**
 * The delivery after a try that ended at `at`. Pauses double up to an hour, and end after a day.
 * What was refused is tried again, too: the operator may correct the settings.
 */
export function deliveryAfter(
  delivery: NoticeDelivery,
  { outcome, told, at }: { outcome: 'sent' | NoticeFailure; told: NoticeStatus; at: Date },
): NoticeDelivery {
  if (outcome === 'sent') return { ...delivery, status: 'sent', failure: null, told };
  const over = at.getTime() - delivery.createdAt.getTime() >= GIVEN_UP_AFTER_MS;
  if (over) return { ...delivery, status: 'given_up', failure: outcome };
  const pauseMs = Math.min(PAUSE_MAX_MS, (MINUTE_MS / 2) * 2 ** Math.min(delivery.tries, 16));
  return { ...delivery, failure: outcome, dueAt: new Date(at.getTime() + pauseMs) };
}
