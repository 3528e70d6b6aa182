/** Every expected failure that a caller of the API can meet; adapters/http/errors.ts gives each code its HTTP status. */
export type ErrorCode =
  | 'INVALID_JSON'
  | 'INVALID_ID'
  | 'MISSING_HEADER'
  | 'INVALID_HEADER'
  | 'INVOICE_REJECTED'
  | 'PAYOUT_REJECTED'
  | 'SANDBOX_ONLY'
  | 'INVALID_TRANSITION'
  | 'NO_DESTINATION'
  | 'UNAUTHORIZED'
  | 'MERCHANT_INACTIVE'
  | 'KYC_REQUIRED'
  | 'PAYOUTS_DISABLED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'DUPLICATE'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VALIDATION_ERROR'
  | 'RATE_LIMITED'
  | 'RATES_UNAVAILABLE'
  | 'UNAVAILABLE'
  | 'INTERNAL_ERROR';

/** `message` says what to do next and shows no internals; `details` is context of the code's own shape (decisions.md, "Errors"). */
export interface AppError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: unknown;
}

export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

export function appError(code: ErrorCode, message: string, details?: unknown): AppError {
  return details === undefined ? { code, message } : { code, message, details };
}

/** VALIDATION_ERROR with every failing field (specification, "Errors"). */
export function validationError(faults: readonly FieldFault[]): AppError {
  return { code: 'VALIDATION_ERROR', message: 'Validation failed', details: faults };
}
