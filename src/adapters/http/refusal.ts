/** What a gate refuses a request with, and the answer that says so. */
import { type AppError, appError } from '../../domain/errors.ts';
import type { Result } from '../../domain/result.ts';
import { errorResponse } from './answer.ts';
import { retryAfterSeconds } from './errors.ts';

export type Gate<Value> = Result<Value, Refusal>;

export interface Refusal {
  readonly error: AppError;
  readonly retryAfter?: number;
  readonly allow?: string;
  /** Whose request it was, where a key told it. */
  readonly merchantId?: string;
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
  });
}
