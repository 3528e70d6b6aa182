/** The wait before a refused request is repeated, and the error of each exception. */
import { type AppError, appError, type ErrorCode } from '../../../domain/errors.ts';
import { AddressesNotDerived } from '../../../ports/chains/address-pool.ts';
import { ListRefused } from '../../../ports/list-queries.ts';
import { StorageUnavailable } from '../../../ports/repositories.ts';
import { IdempotencyKeyTaken } from '../../../ports/stored-answers.ts';
import { ERRORS } from './error-table.ts';

/**
 * The least seconds before a request with this error is repeated. Null where waiting does not help.
 */
export function retryAfterSeconds(code: ErrorCode): number | null {
  return ERRORS[code].retryAfterSeconds ?? null;
}

/**
 * An outage of the database is expected and reported as such. Anything else is a bug and shows the
 * request id only.
 */
export function errorOf(thrown: unknown, requestId: string): AppError {
  if (thrown instanceof StorageUnavailable || thrown instanceof IdempotencyKeyTaken) {
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
