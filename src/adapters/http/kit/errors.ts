/** The HTTP status of each error code (decision 0003), and the error of each exception. */
import { type AppError, appError, type ErrorCode } from '../../../domain/errors.ts';
import { AddressesNotDerived } from '../../../ports/chains/address-pool.ts';
import { KeyTaken } from '../../../ports/invoices/stored-answers.ts';
import { ListRefused } from '../../../ports/queries.ts';
import { StorageUnavailable } from '../../../ports/repositories.ts';

export const HTTP_STATUS = {
  INVALID_JSON: 400,
  INVALID_ID: 400,
  MISSING_HEADER: 400,
  INVALID_HEADER: 400,
  INVOICE_REJECTED: 400,
  PAYOUT_REJECTED: 400,
  SANDBOX_ONLY: 400,
  INVALID_TRANSITION: 400,
  NO_DESTINATION: 400,
  UNAUTHORIZED: 401,
  MERCHANT_INACTIVE: 403,
  KYC_REQUIRED: 403,
  PAYOUTS_DISABLED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  DUPLICATE: 409,
  IDEMPOTENCY_MISMATCH: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_ERROR: 422,
  RATE_LIMITED: 429,
  LIST_TOO_SLOW: 503,
  RATES_UNAVAILABLE: 503,
  UNAVAILABLE: 503,
  INTERNAL_ERROR: 500,
} as const satisfies Record<ErrorCode, number>;

const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = {
  RATE_LIMITED: 1,
  LIST_TOO_SLOW: 30,
  UNAVAILABLE: 5,
  RATES_UNAVAILABLE: 30,
};

/**
 * The least seconds before a request with this error is repeated. Null where waiting does not help.
 */
export function retryAfterSeconds(code: ErrorCode): number | null {
  return RETRY_AFTER_SECONDS[code] ?? null;
}

/**
 * An outage of the database is expected and reported as such. Anything else is a bug and shows the
 * request id only.
 */
export function errorOf(thrown: unknown, requestId: string): AppError {
  if (thrown instanceof StorageUnavailable || thrown instanceof KeyTaken) {
    return appError(
      'UNAVAILABLE',
      'The service is temporarily unavailable. Repeat the request in a few seconds.',
    );
  }
  if (thrown instanceof ListRefused) {
    return thrown.code === 'busy'
      ? appError(
          'RATE_LIMITED',
          'Too many of your list requests are still running. Wait for their responses.',
        )
      : appError(
          'LIST_TOO_SLOW',
          'The list took too long. Use a shorter date range, filter by status or asset, or request an earlier page.',
        );
  }
  if (thrown instanceof AddressesNotDerived) {
    return appError(
      'UNAVAILABLE',
      'The deposit addresses of this network are not ready yet. Repeat the request in a few seconds, or use another asset.',
    );
  }
  return appError('INTERNAL_ERROR', 'An internal error occurred. Report the request id to the operator.', {
    request_id: requestId,
  });
}

/**
 * The text is the same for a resource that never existed, of another merchant, and of the other
 * environment.
 */
export function notFound(what: string): AppError {
  return appError('NOT_FOUND', `No such ${what}.`);
}
