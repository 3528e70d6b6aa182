/**
 * Recognises that nodes, or the providers in front of them, were asked too often. It knows
 * statuses, codes and texts of Alchemy, Infura, QuickNode, Helius, TronGrid, toncenter and rippled,
 * as found in public code. An unknown sentence of a provider counts by its status alone.
 */
import type { NodeRefusal } from './node-budget.ts';

/** 402: the plan's allowance is used up. */
const OF_DAY_STATUS = 402;
const TOO_MANY_STATUS = 429;
/** TronGrid suspends a key with 403. A short text is also read under other statuses. */
const MAYBE_STATUSES = [200, 403, 503];
const SHORT_BYTES = 2_000;
const RATE_CODES = [429, -32429];
/** With these the text decides: Solana's nodes use them for slots that they do not have. */
const MAYBE_RATE_CODES = [-32005, -32007, -32029];

const RATE_TEXT =
  /rate.?limit|ratelimit|too many requests|request limit|requests? per second|compute units per second|frequency limit|allowed_rps|exceeded its .*capacity|slowDown|tooBusy|placing too much load/i;
const DAY_TEXT =
  /daily (request|limit)|monthly|per day|quota|credits? (have|has) been|out of (credits|requests)/i;
/** The same codes are used for ranges and answers that are too big, where smaller requests help. */
const TOO_BIG_TEXT = /range|results|response size|block height|logs matched|too large|exceeds? max/i;
const SUSPENDED = /suspended for (\d+) ?s/i;
const BACKOFF = /"backoff_seconds":\s*(\d+(?:\.\d+)?)/;

/** The limit that an HTTP answer reports; null: none. */
export function limitIn(answer: {
  status: number;
  bytes: Buffer;
  /** The headers Retry-After and Date. */
  retryAfter: string | null;
  date: string | null;
}): NodeRefusal | null {
  const { status, bytes } = answer;
  const said = bytes.length <= SHORT_BYTES ? bytes.toString('utf8') : '';
  if (status === TOO_MANY_STATUS || status === OF_DAY_STATUS) {
    const afterMs = waitIn(said) ?? toldIn(answer);
    return { afterMs, ofDay: status === OF_DAY_STATUS || isOfDay(said, afterMs) };
  }
  if (!MAYBE_STATUSES.includes(status)) return null;
  // Error results of JSON-RPC are read by their code (isRateError); this is for whole answers of
  // another shape.
  if (SUSPENDED.test(said) && RATE_TEXT.test(said)) return { afterMs: waitIn(said) };
  if (status !== 200 && RATE_TEXT.test(said)) return { afterMs: waitIn(said) ?? toldIn(answer) };
  return null;
}

/** The limit that a JSON-RPC error reports; null: none. */
export function limitInError({ code, message }: { code: number; message: string }): NodeRefusal | null {
  const isRate = RATE_CODES.includes(code) || RATE_TEXT.test(message);
  const mayBe =
    MAYBE_RATE_CODES.includes(code) && /exceed|limit/i.test(message) && !TOO_BIG_TEXT.test(message);
  if (!isRate && !mayBe) return null;
  const afterMs = waitIn(message);
  return { afterMs, ofDay: isOfDay(message, afterMs) };
}

/** Infura uses it for limits per second too, and then names the few seconds to wait. */
function isOfDay(said: string, afterMs: number | null): boolean {
  return afterMs === null && DAY_TEXT.test(said);
}

function waitIn(said: string): number | null {
  const seconds = SUSPENDED.exec(said)?.[1] ?? BACKOFF.exec(said)?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1_000);
}

/** Retry-After (RFC 9110, 10.2.3): seconds, or a date by the node's own clock. Milliseconds. */
function toldIn({ retryAfter, date }: { retryAfter: string | null; date: string | null }): number | null {
  if (retryAfter === null) return null;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const wait = Date.parse(retryAfter) - Date.parse(date ?? '');
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
