/**
 * Each error code as the API shows it: its HTTP status (decision 0003), its meaning for the guide
 * and docs/api-errors.md, and an example for the OpenAPI document.
 */
import type { ErrorCode, InvoiceRule, PayoutRule } from '../../../domain/errors.ts';
import type { JsonRecord } from '../openapi/schemas.ts';

interface ShownError {
  readonly status: number;
  /** The least seconds before the request is repeated. Absent where waiting does not help. */
  readonly retryAfterSeconds?: number;
  readonly means: string;
  readonly todo: string;
  readonly example: {
    readonly message: string;
    readonly hint?: string;
    readonly details?: JsonRecord | readonly JsonRecord[];
  };
}

export const ERRORS: Readonly<Record<ErrorCode, ShownError>> = {
  INVALID_JSON: {
    status: 400,
    means: 'The body is not one JSON object.',
    todo: 'Send one, in UTF-8.',
    example: { message: 'The body is not a JSON object. Send one JSON object.' },
  },
  INVALID_ID: {
    status: 400,
    means: 'The id in the path is malformed.',
    todo: 'Use the `order_id` or `id` of a response, unchanged.',
    example: { message: 'The id in the path must be 24 hexadecimal characters.' },
  },
  MISSING_HEADER: {
    status: 400,
    means: 'A required header is missing.',
    todo: 'Send a new UUIDv4 in `X-Uniq-Id` with each payout.',
    example: { message: 'Send a new UUIDv4 in the X-Uniq-Id header.' },
  },
  INVALID_HEADER: {
    status: 400,
    means: 'A header is malformed.',
    todo: 'Send a UUIDv4 in `X-Uniq-Id`, and 1 to 255 characters of printable ASCII in `Idempotency-Key`.',
    example: { message: 'X-Uniq-Id must be a UUIDv4.' },
  },
  INVOICE_REJECTED: {
    status: 400,
    means: 'A business rule refuses the invoice. `details.rule` names it.',
    todo: 'Look up the rule below. Change the amount or the asset.',
    example: {
      message: 'The amount is below the minimum of usdt_ethereum, which is 2.',
      details: { rule: 'below_minimum' satisfies InvoiceRule, asset: 'usdt_ethereum', min_amount: 2 },
    },
  },
  PAYOUT_REJECTED: {
    status: 400,
    means: 'A business rule refuses the payout. `details.rule` names it.',
    todo: 'Look up the rule below. Nothing was reserved or paid.',
    example: {
      message: 'The available balance does not cover this payout and its fee.',
      details: { rule: 'insufficient_balance' satisfies PayoutRule, available: 1.5, required: 102 },
    },
  },
  SANDBOX_ONLY: {
    status: 400,
    means: 'The request is possible in the sandbox only.',
    todo: 'Use the sandbox key and an invoice of the sandbox.',
    example: { message: 'Only sandbox invoices can be simulated. This invoice is live.' },
  },
  INVALID_TRANSITION: {
    status: 400,
    means: 'The current status of the resource does not allow the request.',
    todo: 'Read the resource and act on its status.',
    example: { message: 'A payment was seen, so this invoice can no longer be cancelled.' },
  },
  NO_DESTINATION: {
    status: 400,
    means: 'There is no URL for the webhook.',
    todo: 'Set `notify_url`, or ask the operator to set your `callback_url`.',
    example: {
      message:
        'The invoice has no notify_url and the merchant no callback_url. Ask the operator to set a callback_url.',
    },
  },
  UNAUTHORIZED: {
    status: 401,
    means: 'The API key is missing, unknown or no longer valid.',
    todo: 'Send the key in `x-api-key`. If it was replaced, use the new one.',
    example: { message: 'Send a valid API key in the x-api-key header.' },
  },
  MERCHANT_INACTIVE: {
    status: 403,
    means: 'Your account is paused or rejected, so live requests are refused.',
    todo: 'Contact the operator. The sandbox still works, unless your account was rejected.',
    example: {
      message:
        'The merchant is paused. Live requests are refused until the operator activates it. The sandbox key still works.',
      details: { status: 'paused', kyc: 'approved' },
    },
  },
  KYC_REQUIRED: {
    status: 403,
    means: 'Your account is not verified yet.',
    todo: 'Contact the operator. The sandbox works before that.',
    example: {
      message:
        "The merchant's KYC is pending. Live requests are refused until it is approved. The sandbox key works before that.",
      details: { status: 'active', kyc: 'pending' },
    },
  },
  PAYOUTS_DISABLED: {
    status: 403,
    means: 'Payouts are not allowed from your address (`details.ip`).',
    todo: 'Ask the operator to add it to `allowed_subnets`.',
    example: {
      message: 'Payouts are not allowed from this address. Ask the operator to add it to allowed_subnets.',
      details: { ip: '203.0.113.7' },
    },
  },
  NOT_FOUND: {
    status: 404,
    means: 'The resource does not exist for this key.',
    todo: 'Check the id, and that the key is of the right environment: a sandbox key does not see live data.',
    example: { message: 'No such invoice.' },
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    means: 'The path does not have this method.',
    todo: 'Use a method of the `Allow` header.',
    example: { message: 'Use GET here.' },
  },
  DUPLICATE: {
    status: 409,
    means: 'This `X-Uniq-Id` was used within the last two hours. `details` has the payout or the batch.',
    todo: 'After a time-out: the first request was carried out, so read its payout, or the items of its batch. For another payout use a new UUID.',
    example: {
      message: 'This X-Uniq-Id was used within the last 2 hours: it created payout 0190f3a1b2c30a1b2c3d4e60.',
      details: { order_id: '0190f3a1b2c30a1b2c3d4e60' },
    },
  },
  IDEMPOTENCY_MISMATCH: {
    status: 409,
    means: 'This `Idempotency-Key` was used for another request within the last 24 hours.',
    todo: 'Repeat that request unchanged, or use a new key for the new one.',
    example: {
      message:
        'This Idempotency-Key was used for another request within the last 24 hours. Repeat that request unchanged, or use a new key.',
    },
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    means: 'The body is too large.',
    todo: 'Send a batch in several requests.',
    example: { message: 'The body is larger than 262144 bytes.' },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    means: 'The `Content-Type` of the body is not JSON.',
    todo: 'Send `content-type: application/json`.',
    example: { message: 'Send the body as application/json, in UTF-8.' },
  },
  VALIDATION_ERROR: {
    status: 422,
    means: 'Fields are missing or invalid. `details` lists every one.',
    todo: 'Correct the fields. Each entry of `details` has a `field` and a `message`.',
    example: {
      message: 'Validation failed',
      hint: 'amount: is required',
      details: [{ field: 'amount', message: 'is required' }],
    },
  },
  RATE_LIMITED: {
    status: 429,
    retryAfterSeconds: 1,
    means:
      'Too many requests with this key, or without a valid key from your network. Or one of your long lists or replays is still running.',
    todo: 'Wait for the seconds of `Retry-After`. The `RateLimit` header reports in advance what is left.',
    example: { message: 'Too many requests. Wait 3 s before the next one.' },
  },
  LIST_TOO_SLOW: {
    status: 503,
    retryAfterSeconds: 30,
    means: 'The list took too long.',
    todo: 'Use a shorter date range, filter by status or asset, or request an earlier page.',
    example: {
      message:
        'The list took too long. Use a shorter date range, filter by status or asset, or request an earlier page.',
    },
  },
  RATES_UNAVAILABLE: {
    status: 503,
    retryAfterSeconds: 30,
    means: 'No fresh exchange rate is known.',
    todo: 'Repeat the request shortly. An amount in the asset itself may need no rate.',
    example: {
      message: 'No fresh exchange rate is known at the moment. Repeat the request in a minute.',
    },
  },
  UNAVAILABLE: {
    status: 503,
    retryAfterSeconds: 5,
    means: 'The service is temporarily unavailable.',
    todo: 'Repeat the request after `Retry-After`.',
    example: { message: 'The service is temporarily unavailable. Repeat the request in a few seconds.' },
  },
  INTERNAL_ERROR: {
    status: 500,
    means: 'An internal error.',
    todo: 'The request may or may not have been carried out. Repeat it soon with the same `Idempotency-Key` or `X-Uniq-Id`. If the error persists, report `details.request_id` to the operator.',
    example: {
      message: 'An internal error occurred. Report the request id to the operator.',
      details: { request_id: '6f1c2d3e-4a5b-4c6d-8e7f-901234567890' },
    },
  },
};

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];
