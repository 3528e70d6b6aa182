/** The envelopes of all answers under /api/v2 (specification, "Conventions" 1 to 3). */
import type { AppError } from '../../../domain/errors.ts';
import type { StoredAnswer } from '../../../ports/stored-answers.ts';
import { ERRORS } from './error-table.ts';
import { stringifyExact } from './input/exact-json.ts';
import { sent } from './text-response.ts';

/** A successful answer: status, result and, for lists, the position in the list. */
export interface Answer {
  readonly status: 200 | 201;
  readonly result: unknown;
  readonly pagination?: Pagination | Onward;
  /** The JSON text that was stored for an Idempotency-Key. */
  readonly text?: StoredAnswer;
}

/** A result that is JSON text already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export interface Pagination {
  readonly page: number;
  readonly pages: number;
  readonly per_page: number;
  readonly total: number;
}

/** Where a list that is read in order goes on. */
export interface Onward {
  readonly next_after: number;
  readonly has_more: boolean;
}

export function answer(result: unknown): Answer {
  return { status: 200, result };
}

export function created(result: unknown): Answer {
  return { status: 201, result };
}

/**
 * `pages` is 0 when nothing matches. A page past the end is empty and has the true totals (decision
 * 0002).
 */
export function listed(
  rows: readonly unknown[],
  request: { readonly page: number; readonly perPage: number },
  total: number,
): Answer {
  return {
    status: 200,
    result: rows,
    pagination: {
      page: request.page,
      pages: Math.ceil(total / request.perPage),
      per_page: request.perPage,
      total,
    },
  };
}

/** The answer as JSON text. */
export function answerText({ status, result, pagination }: Answer): StoredAnswer {
  const written = result instanceof JsonText ? result.text : stringifyExact(result);
  const place = pagination === undefined ? '' : `,"pagination":${stringifyExact(pagination)}`;
  return { status, body: `{"ok":true,"result":${written}${place}}` };
}

export function successResponse(
  request: Request,
  answer: StoredAnswer,
  requestId: string,
  extraHeaders: Readonly<Record<string, string>> = {},
): Response {
  return sent(request, answer, { ...headersOf(requestId), ...extraHeaders });
}

export function errorResponse(
  error: AppError,
  requestId: string,
  extraHeaders: Readonly<Record<string, string>> = {},
): Response {
  // Absent fields are left out.
  const { code, message, hint, details } = error;
  const body = { ok: false, error: { code, message, hint, details } };
  return new Response(stringifyExact(body), {
    status: ERRORS[code].status,
    headers: { ...headersOf(requestId), ...extraHeaders },
  });
}

/** Headers of every JSON response. */
export function headersOf(requestId: string): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  };
}
