/** The words of a notice: what happened, what it means, and what to do. */
import type { NoticeDelivery, OperatorNotice } from '../../domain/notices/operator-notice.ts';
import type { NoticeMessage } from '../../ports/notices/notice-channel.ts';
import { entryOf } from './alarms.ts';

export interface AlarmAdvice {
  /** What happened, in one line. */
  readonly what: string;
  readonly meaning: string;
  readonly action: string;
}

const UNKNOWN = 'This version does not know the event';

/** The event of a notice that an operator orders to see whether notices arrive. */
export const TEST_NOTICE = 'notice.test';
/** The first line of one, and what it says. */
const TEST_WORDS = {
  title: 'TEST: alarms of Quittance arrive here',
  text: 'Nothing is wrong: an operator tries the settings.',
} as const;

/** Without Markdown. Pages are named from the root of the repository. */
export function adviceOn(event: string): AlarmAdvice {
  if (event === TEST_NOTICE) return { what: 'A test notice', meaning: TEST_WORDS.text, action: '' };
  const entry = entryOf(event);
  if (entry === null || !('meaning' in entry)) return { what: event, meaning: UNKNOWN, action: '' };
  return { what: plain(entry.text), meaning: plain(entry.meaning), action: plain(entry.action) };
}

/** `site`: which gateway it is, by its URL. */
export function noticeMessage(
  { message, recipient }: Pick<NoticeDelivery, 'message' | 'recipient'>,
  notice: OperatorNotice,
  site: string,
): NoticeMessage {
  const { id, event, subject, fields, count, firstAt, lastAt, overAt } = notice;
  if (event === TEST_NOTICE) return testMessage({ id: `${id}.${message}`, recipient, at: firstAt }, site);
  const advice = adviceOn(event);
  const status = overAt === null ? 'alarm' : 'over';
  const about = subject === '' ? advice.what : `${subject}: ${advice.what}`;
  const title = `${status === 'over' ? 'OVER' : message === 'again' ? 'STILL' : 'ALARM'}: ${about}`;
  return {
    ...{ id: `${id}.${message}`, recipient, title, event, subject, status, fields, count, firstAt, lastAt },
    text: [title, ...linesOf(notice, advice), `${event} at ${site}`].join('\n'),
  };
}

/** It reports no alarm: programs that read the status have nothing to open. */
export function testMessage(
  { id, recipient, at }: Pick<NoticeMessage, 'id' | 'recipient'> & { readonly at: Date },
  site: string,
): NoticeMessage {
  const { title, text } = TEST_WORDS;
  return {
    ...{ id, recipient, title, text: `${title}\n\n${text}\n\n${TEST_NOTICE} at ${site}` },
    ...{ event: TEST_NOTICE, subject: '', status: 'over', fields: {}, count: 1, firstAt: at, lastAt: at },
  };
}

function linesOf(
  { fields, count, firstAt, lastAt, overAt }: OperatorNotice,
  { meaning, action }: AlarmAdvice,
): readonly string[] {
  const times = count === 1 ? '' : `, ${count} times until ${minute(lastAt)}`;
  const over = overAt === null ? '' : `. Over since ${minute(overAt)}`;
  const shown = Object.entries(fields).map(([name, value]) => `${name}: ${inOneLine(value)}`);
  return [
    '',
    `Raised ${minute(firstAt)}${times}${over}`,
    `Meaning: ${meaning}`,
    ...(overAt === null && action !== '' ? [`Do: ${action}`] : []),
    ...(shown.length === 0 ? [] : ['', ...shown]),
    '',
  ];
}

const inOneLine = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const minute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\(([^)]*)\)/g, '$1 (docs/operations/$2)').replaceAll('`', '');
}
