/** A refusal by a gate, and its response. */
import { type AppError, appError } from '../../../domain/errors.ts';
import type { Result } from '../../../domain/result.ts';
import { errorResponse } from './answer.ts';
import { retryAfterSeconds } from './errors.ts';
import { limitHeaders, type Quota } from './rate-limit.ts';

export type Gate<Value> = Result<Value, GateRefusal>;

export interface GateRefusal {
  readonly error: AppError;
  readonly retryAfter?: number;
  readonly allow?: string;
  /** The merchant of the request, if its key was found. */
  readonly merchantId?: string;
  /** The quota of the key, if its rate limit refused the request. */
  readonly quota?: Quota | null;
}

export function tooMany(waitSeconds: number): GateRefusal {
  return {
    error: appError('RATE_LIMITED', `Too many requests. Wait ${waitSeconds} s before the next one.`),
    retryAfter: waitSeconds,
  };
}

export function refused(refusal: GateRefusal, requestId: string): Response {
  const retryAfter = refusal.retryAfter ?? retryAfterSeconds(refusal.error.code);
  return errorResponse(refusal.error, requestId, {
    ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
    ...(refusal.allow === undefined ? {} : { allow: refusal.allow }),
    ...limitHeaders(refusal.quota ?? null),
  });
}

/** The response to a browser's preflight. An API key is a secret, so no page may call the API. */
export function noCors(allowed: readonly string[], requestId: string): Response {
  const error = appError(
    'METHOD_NOT_ALLOWED',
    'CORS is not supported: an API key is a secret and must not be in a browser. Call from your server.',
  );
  return refused({ error, allow: allowed.join(', ') }, requestId);
}
