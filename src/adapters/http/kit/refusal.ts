/** What a gate refuses a request with, and the answer that says so. */
import { type AppError, appError } from '../../../domain/errors.ts';
import type { Result } from '../../../domain/result.ts';
import { errorResponse } from './answer.ts';
import { retryAfterSeconds } from './errors.ts';
import { limitHeaders, type Quota } from './rate-limit.ts';

export type Gate<Value> = Result<Value, Refusal>;

export interface Refusal {
  readonly error: AppError;
  readonly retryAfter?: number;
  readonly allow?: string;
  /** Whose request it was, where a key told it. */
  readonly merchantId?: string;
  /** What the key has left, where its rate limit refused it. */
  readonly quota?: Quota | null;
}

export function tooMany(waitSeconds: number): Refusal {
  return {
    error: appError('RATE_LIMITED', `Too many requests. Wait ${waitSeconds} s before the next one.`),
    retryAfter: waitSeconds,
  };
}

export function refused(refusal: Refusal, requestId: string): Response {
  const retryAfter = refusal.retryAfter ?? retryAfterSeconds(refusal.error.code);
  return errorResponse(refusal.error, requestId, {
    ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
    ...(refusal.allow === undefined ? {} : { allow: refusal.allow }),
    ...limitHeaders(refusal.quota ?? null),
  });
}

/** Of the preflight of a browser: an API key is a secret, so pages of other sites may call nothing here. */
export function noCors(allowed: readonly string[], requestId: string): Response {
  const error = appError(
    'METHOD_NOT_ALLOWED',
    'There is no CORS here: an API key is a secret and must not be in a browser. Call from your server.',
  );
  return refused({ error, allow: allowed.join(', ') }, requestId);
}
