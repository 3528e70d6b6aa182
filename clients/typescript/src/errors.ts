import type { ApiErrorCode } from './generated/fields.ts';

/**
 * `NETWORK`: no answer came. `TIMEOUT`: none came in time. `UNEXPECTED_ANSWER`: what came is not of
 * this API, as from a proxy. After these, and a 5xx, it is not known whether the request was
 * carried out.
 */
export type ErrorCode = ApiErrorCode | 'NETWORK' | 'TIMEOUT' | 'UNEXPECTED_ANSWER';

/** A call that failed, after its retries. */
export class QuittanceError extends Error {
  override readonly name = 'QuittanceError';
  readonly code: ErrorCode;
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** The first fault of a refused request, in words. */
  readonly hint: string | null;
  /** What the code adds: every faulty field, or the rule that refused. */
  readonly details: unknown;
  /** Names the request in the service's log. */
  readonly requestId: string | null;

  constructor(
    message: string,
    said: {
      readonly code: ErrorCode;
      readonly status?: number;
      readonly hint?: string;
      readonly details?: unknown;
      readonly requestId?: string | null;
      readonly cause?: unknown;
    },
  ) {
    super(message, said.cause === undefined ? {} : { cause: said.cause });
    this.code = said.code;
    this.status = said.status ?? 0;
    this.hint = said.hint ?? null;
    this.details = said.details ?? null;
    this.requestId = said.requestId ?? null;
  }
}

/** Why a webhook is not to be trusted. */
export type WebhookFault = 'NO_SIGNATURE' | 'WRONG_SIGNATURE' | 'WRONG_TIME' | 'NOT_JSON';

/** A webhook that is not to be trusted: answer it 401. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super(message);
    this.code = code;
  }
}
