/** One call over its attempts: which faults are tried again, and after what pause. */
import { QuittanceError } from './errors.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** A service that asks for more patience than this is not waited for. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** What an attempt came to. `retryAfter` is the header's text. */
export interface RefusedAttempt {
  readonly error: QuittanceError;
  readonly retryAfter: string | null;
}

export type Attempt<Result> = (signal: AbortSignal) => Promise<{ readonly result: Result } | RefusedAttempt>;

export interface AttemptOptions {
  /** Attempts after the first one. */
  readonly retries: number;
  /** Of each attempt, with the reading of its answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Throws the last attempt's QuittanceError, or the reason of the signal. */
export async function attempts<Result>(attempt: Attempt<Result>, options: AttemptOptions): Promise<Result> {
  for (let tried = 0; ; tried += 1) {
    const outcome = await within(attempt, options);
    if ('result' in outcome) return outcome.result;
    const pauseMs = pauseBefore(tried, outcome);
    if (tried >= options.retries || pauseMs === null) throw outcome.error;
    await pause(pauseMs, options.signal);
  }
}

async function within<Result>(
  attempt: Attempt<Result>,
  { timeoutMs, signal }: AttemptOptions,
): Promise<{ readonly result: Result } | RefusedAttempt> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await attempt(controller.signal);
  } catch (cause) {
    signal?.throwIfAborted();
    const error = late
      ? new QuittanceError(`no answer within ${timeoutMs} ms`, { code: 'TIMEOUT', cause })
      : new QuittanceError('the service could not be reached', { code: 'NETWORK', cause });
    return { error, retryAfter: null };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Null where another attempt would be answered the same, or only after too long. */
function pauseBefore(tried: number, { error, retryAfter }: RefusedAttempt): number | null {
  const { status } = error;
  const passing = status === 0 || status === 408 || status === 425 || status === 429 || status >= 500;
  if (!passing || status === 501) return null;
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** tried, LONGEST_PAUSE_MS);
  const jittered = longest / 2 + (Math.random() * longest) / 2;
  const asked = retryAfter === null ? 0 : afterMs(retryAfter);
  return asked > LONGEST_RETRY_AFTER_MS ? null : Math.max(jittered, asked);
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
function afterMs(retryAfter: string): number {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? 0 : at - Date.now();
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      signal?.removeEventListener('abort', abort);
      resolve();
    }
    function abort(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', abort, { once: true });
  });
}
