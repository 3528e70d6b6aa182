/** The one table from error codes to HTTP statuses (decision 0003), and what becomes of an exception. */
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

/** Seconds a caller should wait before it repeats a request refused with this code, or null where waiting does not help. */
export function retryAfterSeconds(code: ErrorCode): number | null {
  return RETRY_AFTER_SECONDS[code] ?? null;
}

/** Of an exception: storage that is away is expected and says so; everything else is a bug and shows only the request id. */
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
          'Too many lists are being made for you. Wait for the answers of the earlier ones.',
        )
      : appError(
          'LIST_TOO_SLOW',
          'The list took too long. Narrow it, by a shorter date range, a status or an asset, or ask for an earlier page.',
        );
  }
  if (thrown instanceof AddressesNotDerived) {
    return appError(
      'UNAVAILABLE',
      'The deposit addresses of this network are not ready yet. Repeat the request in a few seconds, or take another asset.',
    );
  }
  return appError('INTERNAL_ERROR', 'Something went wrong on our side. Quote the request id to support.', {
    request_id: requestId,
  });
}

/** The same text whether a resource never existed, is another merchant's or belongs to the other environment. */
export function notFound(what: string): AppError {
  return appError('NOT_FOUND', `No such ${what}.`);
}
