/** The parameters that lists share (decision 0002), and what becomes of them. */
import type { DateRange, PageRequest, Sort } from '../../../../ports/queries.ts';
import { choiceOr, type QueryParameter, type Reading, text, wholeNumber } from './query.ts';

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
  'Only what was changed at this time or later (`updated_at`), inclusive. For catching up: a range with very many changes may be LIST_TOO_SLOW, and is read as CSV.',
  'start',
);

/** Longer than any address or transaction id of a chain. */
const CHAIN_TEXT_MAX = 128;

export function chainText(description: string): QueryParameter<string | null> {
  return text(description, CHAIN_TEXT_MAX);
}

/** A transaction id as given, and as chains write it whose ids are hexadecimal. */
export function txid(description: string): QueryParameter<readonly string[] | null> {
  const { read, ...rest } = chainText(description);
  return {
    ...rest,
    absent: null,
    read(given, catalog): Reading<readonly string[]> {
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

/** A bound beyond these is as good as these: nothing was created outside. Kept within what the database can compare. */
const EARLIEST_MS = Date.UTC(2009, 0, 1);
const LATEST_MS = Date.UTC(2101, 0, 1) - 1;
/** A bare year is refused: as seconds it would be a minute of 1970, which nobody means. */
const UNIX_SECONDS = /^(?!(?:19|20)\d\d$)\d{1,12}$/;
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:([Zz])|([+ -])(\d\d):?(\d\d))?)?$/;

function date(description: string, bound: 'start' | 'end'): QueryParameter<Date | null> {
  return {
    description: `${description} ISO-8601 (UTC unless it has an offset; a date alone means the whole day) or Unix seconds.`,
    absent: null,
    schema: { type: 'string', minLength: 1, maxLength: 40 },
    example: '2026-01-31T00:00:00Z',
    read(text): Reading<Date> {
      const span = UNIX_SECONDS.test(text) ? secondSpan(Number(text) * 1000) : isoSpan(text);
      if (span === null) return { message: 'must be an ISO-8601 datetime or a Unix timestamp in seconds' };
      const atMs = bound === 'start' ? span.startMs : span.endMs;
      return { value: new Date(Math.min(Math.max(atMs, EARLIEST_MS), LATEST_MS)) };
    },
  };
}

/** What a text names: an instant, or the whole second or day it leaves open, since answers show whole seconds only. */
interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

function secondSpan(startMs: number): Span {
  return { startMs, endMs: startMs + 999 };
}

function isoSpan(text: string): Span | null {
  const match = ISO.exec(text);
  if (!match) return null;
  const [, year, month, day, hour, minute, second, fraction, , sign, offsetHours, offsetMinutes] = match;
  const parts = [year, month, day, hour ?? 0, minute ?? 0, second ?? 0].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = parts;
  const midnight = new Date(Date.UTC(y, mo - 1, d));
  if (midnight.getUTCMonth() !== mo - 1 || midnight.getUTCDate() !== d) return null;
  if (h > 23 || mi > 59 || s > 59 || Number(offsetHours ?? 0) > 23 || Number(offsetMinutes ?? 0) > 59)
    return null;
  // A `+` in a query arrives as a space unless the client escaped it.
  const direction = sign === '-' ? -1 : 1;
  const offsetMs = direction * (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * 60_000;
  const wholeMs = midnight.getTime() + ((h * 60 + mi) * 60 + s) * 1000 - offsetMs;
  if (fraction !== undefined) {
    const startMs = wholeMs + Number(fraction.slice(0, 3).padEnd(3, '0'));
    return { startMs, endMs: startMs };
  }
  if (hour === undefined) return { startMs: wholeMs, endMs: wholeMs + 86_400_000 - 1 };
  return secondSpan(wholeMs);
}
