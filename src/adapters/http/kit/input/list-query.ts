/** The query parameters that lists share (decision 0002). */
import type { DateRange, PageRequest, Sort } from '../../../../ports/list-queries.ts';
import { choiceOr, type QueryParameter, type ReadParameter, text, wholeNumber } from './query.ts';
import type { Faults } from './validate.ts';

export const PAGE = {
  page: wholeNumber({
    description: 'Page, from 1. A page past the end is empty.',
    absent: 1,
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
  }),
  per_page: wholeNumber({ description: 'Rows per page.', absent: 20, minimum: 1, maximum: 100 }),
} as const;

export const DATES = {
  date_from: date('Earliest creation time, inclusive.', 'start'),
  date_to: date('Latest creation time, inclusive.', 'end'),
} as const;

export const SORT = {
  sort: choiceOr('Sort key.', ['created_at', 'amount'], 'created_at'),
  order: choiceOr('Direction.', ['asc', 'desc'], 'desc'),
} as const;

export const UPDATED_FROM = date(
  'Only rows that changed at this time or later (`updated_at`). Use it to catch up. Read a range with very many changes as CSV: as a page it may be refused with `LIST_TOO_SLOW`.',
  'start',
);

/** Longer than any address or transaction id of a chain. */
const CHAIN_TEXT_MAX = 128;

export function chainText(description: string): QueryParameter<string | null> {
  return text(description, CHAIN_TEXT_MAX);
}

/** A transaction id as given, and in lower and upper case for chains with hexadecimal ids. */
export function txid(description: string): QueryParameter<readonly string[] | null> {
  const { read, ...rest } = chainText(description);
  return {
    ...rest,
    absent: null,
    read(given, catalog): ReadParameter<readonly string[]> {
      const reading = read(given, catalog);
      return 'message' in reading
        ? reading
        : { value: [...new Set([given, given.toLowerCase(), given.toUpperCase()])] };
    },
  };
}

export function pageOf(query: { page: number; per_page: number }): PageRequest {
  return { page: query.page, perPage: query.per_page };
}

export function rangeOf(query: { date_from: Date | null; date_to: Date | null }): DateRange {
  return { from: query.date_from, to: query.date_to };
}

export function sortOf(query: { sort: Sort['by']; order: Sort['order'] }): Sort {
  return { by: query.sort, order: query.order };
}

/**
 * Bounds are moved into this range, which the database can compare. Nothing was created outside it.
 */
const EARLIEST_MS = Date.UTC(2009, 0, 1);
const LATEST_MS = Date.UTC(2101, 0, 1) - 1;
/** A bare year is refused: as Unix seconds it would be a minute of 1970. */
const UNIX_SECONDS = /^(?!(?:19|20)\d\d$)\d{1,12}$/;
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:[Zz]|([+ -])(\d\d):?(\d\d))?)?$/;
const DAY_MS = 86_400_000;

function date(description: string, bound: 'start' | 'end'): QueryParameter<Date | null> {
  return {
    description: `${description} ISO-8601 (UTC without an offset; a date alone is the whole day) or Unix seconds.`,
    absent: null,
    schema: { type: 'string', minLength: 1, maxLength: 40 },
    example: '2026-01-31T00:00:00Z',
    read: (text): ReadParameter<Date> => readInstant(text, bound),
  };
}

/** A Moment field of a body. */
export function instantOf(given: string | number, field: string, faults: Faults): Date | null {
  const reading = readInstant(String(given), 'start');
  if ('value' in reading) return reading.value;
  faults.add(field, reading.message);
  return null;
}

function readInstant(text: string, bound: 'start' | 'end'): ReadParameter<Date> {
  const span = UNIX_SECONDS.test(text) ? secondSpan(Number(text) * 1000) : isoSpan(text);
  if (span === null) return { message: 'must be an ISO-8601 datetime or a Unix timestamp in seconds' };
  const atMs = bound === 'start' ? span.startMs : span.endMs;
  return { value: new Date(Math.min(Math.max(atMs, EARLIEST_MS), LATEST_MS)) };
}

/**
 * The span that a text names: an instant, a whole second or a whole day. Answers show whole seconds
 * only.
 */
interface TimeSpan {
  readonly startMs: number;
  readonly endMs: number;
}

function secondSpan(startMs: number): TimeSpan {
  return { startMs, endMs: startMs + 999 };
}

function isoSpan(text: string): TimeSpan | null {
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] =
    ISO.exec(text) ?? [];
  const midnightMs = startOfDay(Number(year), Number(month), Number(day));
  const clockMs = timeOfDay(hour, minute, second);
  const offsetMs = timeOfDay(offsetHour, offsetMinute);
  if (midnightMs === null || clockMs === null || offsetMs === null) return null;
  if (hour === undefined) return { startMs: midnightMs, endMs: midnightMs + DAY_MS - 1 };
  // A `+` in a query arrives as a space unless the client escaped it.
  const wholeMs = midnightMs + clockMs - (sign === '-' ? -offsetMs : offsetMs);
  if (fraction === undefined) return secondSpan(wholeMs);
  const startMs = wholeMs + Number(fraction.slice(0, 3).padEnd(3, '0'));
  return { startMs, endMs: startMs };
}

/** UTC, in milliseconds. Null for a day that is not in the calendar. */
function startOfDay(year: number, month: number, day: number): number | null {
  const midnight = new Date(Date.UTC(year, month - 1, day));
  const exists = midnight.getUTCMonth() === month - 1 && midnight.getUTCDate() === day;
  return exists ? midnight.getTime() : null;
}

/** Milliseconds since midnight, or of an offset. Null past 23:59:59. */
function timeOfDay(hour = '0', minute = '0', second = '0'): number | null {
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  return h > 23 || m > 59 || s > 59 ? null : ((h * 60 + m) * 60 + s) * 1000;
}
