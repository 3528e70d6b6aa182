/** The error responses of an endpoint, derived from its gates, with an example of each code. */
import {
  type ErrorCode,
  INVOICE_RULES,
  type InvoiceRule,
  PAYOUT_RULES,
  type PayoutRule,
} from '../../../domain/errors.ts';
import { HTTP_STATUS } from '../kit/errors.ts';
import type { Route } from '../kit/route.ts';
import type { JsonRecord } from './schemas.ts';

/** Every error code that the endpoint can return. */
export function codesOf(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(['UNAUTHORIZED', 'RATE_LIMITED', 'MERCHANT_INACTIVE', 'KYC_REQUIRED']);
  const add = (...more: readonly ErrorCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (route.access === 'payout') add('PAYOUTS_DISABLED', 'MISSING_HEADER', 'INVALID_HEADER');
  if (route.idempotent) add('INVALID_HEADER', 'IDEMPOTENCY_MISMATCH');
  if (route.idName !== null) add('INVALID_ID');
  if (route.query !== undefined) add('VALIDATION_ERROR');
  if (route.body !== undefined)
    add('INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'VALIDATION_ERROR');
  if (route.success.list) add('LIST_TOO_SLOW');
  add(...(route.rejects ?? []), 'INTERNAL_ERROR', 'UNAVAILABLE');
  return [...codes];
}

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request cannot be carried out as it is',
  401: 'Missing or unknown API key',
  403: "The merchant's status, or the caller's address, does not allow the request",
  404: 'No such resource for this merchant and environment',
  405: 'The path does not have this method. The Allow header lists its methods',
  409: 'X-Uniq-Id was used within two hours (`details` has what it created), or Idempotency-Key was used for another request',
  413: 'The body is too large',
  415: 'The body is not application/json',
  422: 'Fields failed validation. `details` lists every one',
  429: 'Too many requests. Retry-After has the seconds to wait, and RateLimit what the key has left',
  500: 'Internal error',
  503: 'Temporarily unavailable. Retry-After has the seconds to wait',
};

const EXAMPLES: Readonly<
  Record<ErrorCode, { message: string; hint?: string; details?: JsonRecord | readonly JsonRecord[] }>
> = {
  INVALID_JSON: { message: 'The body is not a JSON object. Send one JSON object.' },
  INVALID_ID: { message: 'The id in the path must be 24 hexadecimal characters.' },
  MISSING_HEADER: { message: 'Send a new UUIDv4 in the X-Uniq-Id header.' },
  INVALID_HEADER: { message: 'X-Uniq-Id must be a UUIDv4.' },
  INVOICE_REJECTED: {
    message: 'The amount is below the minimum of usdt_ethereum, which is 2.',
    details: { rule: 'below_minimum' satisfies InvoiceRule, asset: 'usdt_ethereum', min_amount: 2 },
  },
  PAYOUT_REJECTED: {
    message: 'The available balance does not cover this payout and its fee.',
    details: { rule: 'insufficient_balance' satisfies PayoutRule, available: 1.5, required: 102 },
  },
  SANDBOX_ONLY: { message: 'Only sandbox invoices can be simulated. This invoice is live.' },
  INVALID_TRANSITION: { message: 'A payment was seen, so this invoice can no longer be cancelled.' },
  NO_DESTINATION: {
    message:
      'The invoice has no notify_url and the merchant no callback_url. Ask the operator to set a callback_url.',
  },
  UNAUTHORIZED: { message: 'Send a valid API key in the x-api-key header.' },
  MERCHANT_INACTIVE: {
    message:
      'The merchant is paused. Live requests are refused until the operator activates it. The sandbox key still works.',
    details: { status: 'paused', kyc: 'approved' },
  },
  KYC_REQUIRED: {
    message:
      "The merchant's KYC is pending. Live requests are refused until it is approved. The sandbox key works before that.",
    details: { status: 'active', kyc: 'pending' },
  },
  PAYOUTS_DISABLED: {
    message: 'Payouts are not allowed from this address. Ask the operator to add it to allowed_subnets.',
    details: { ip: '203.0.113.7' },
  },
  NOT_FOUND: { message: 'No such invoice.' },
  METHOD_NOT_ALLOWED: { message: 'Use GET here.' },
  DUPLICATE: {
    message: 'This X-Uniq-Id was used within the last 2 hours: it created payout 0190f3a1b2c30a1b2c3d4e60.',
    details: { order_id: '0190f3a1b2c30a1b2c3d4e60' },
  },
  IDEMPOTENCY_MISMATCH: {
    message:
      'This Idempotency-Key was used for another request within the last 24 hours. Repeat that request unchanged, or use a new key.',
  },
  PAYLOAD_TOO_LARGE: { message: 'The body is larger than 262144 bytes.' },
  UNSUPPORTED_MEDIA_TYPE: { message: 'Send the body as application/json, in UTF-8.' },
  VALIDATION_ERROR: {
    message: 'Validation failed',
    hint: 'amount: is required',
    details: [{ field: 'amount', message: 'is required' }],
  },
  RATE_LIMITED: { message: 'Too many requests. Wait 3 s before the next one.' },
  LIST_TOO_SLOW: {
    message:
      'The list took too long. Use a shorter date range, filter by status or asset, or request an earlier page.',
  },
  RATES_UNAVAILABLE: {
    message: 'No fresh exchange rate is known at the moment. Repeat the request in a minute.',
  },
  UNAVAILABLE: { message: 'The service is temporarily unavailable. Repeat the request in a few seconds.' },
  INTERNAL_ERROR: {
    message: 'An internal error occurred. Report the request id to the operator.',
    details: { request_id: '6f1c2d3e-4a5b-4c6d-8e7f-901234567890' },
  },
};

const FAULT_LIST: JsonRecord = {
  type: 'array',
  items: {
    type: 'object',
    required: ['field', 'message'],
    properties: { field: { type: 'string' }, message: { type: 'string' } },
    additionalProperties: false,
  },
};

const HINT: JsonRecord = { type: 'string', description: 'The first failing field, as a sentence' };

const RETRY_AFTER: JsonRecord = {
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } },
};

/** Responses by status, each with the codes of this endpoint and an example of each code. */
export function errorResponses(codes: readonly ErrorCode[]): JsonRecord {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes)
    byStatus.set(HTTP_STATUS[code], [...(byStatus.get(HTTP_STATUS[code]) ?? []), code]);
  const responses: JsonRecord = {};
  for (const [status, own] of [...byStatus].sort(([a], [b]) => a - b)) {
    responses[status] = {
      description: DESCRIPTIONS[status] ?? 'Error',
      ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
      content: {
        'application/json': { schema: envelopeWith(own), examples: Object.fromEntries(own.map(exampleOf)) },
      },
    };
  }
  return responses;
}

/** The body of every refusal. Each response of an endpoint narrows it to its own codes. */
export const ERROR_ENVELOPE: JsonRecord = {
  type: 'object',
  required: ['ok', 'error'],
  additionalProperties: false,
  properties: {
    ok: { const: false },
    error: {
      type: 'object',
      required: ['code', 'message'],
      additionalProperties: false,
      properties: {
        code: { type: 'string', enum: Object.keys(HTTP_STATUS) },
        message: { type: 'string' },
        hint: HINT,
        details: { description: 'Further data, which depends on the code' },
      },
    },
  },
};

function envelopeWith(codes: readonly ErrorCode[]): JsonRecord {
  const listsFaults = codes.length === 1 && codes[0] === 'VALIDATION_ERROR';
  const error: JsonRecord = {
    ...(listsFaults ? { required: ['details'] } : {}),
    properties: { code: { enum: [...codes] }, details: listsFaults ? FAULT_LIST : contextOf(codes) },
  };
  return { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { error } }] };
}

/** A refusal by a business rule names the rule. The other codes of the same status have none. */
function contextOf(codes: readonly ErrorCode[]): JsonRecord {
  const rules = {
    ...(codes.includes('INVOICE_REJECTED') ? INVOICE_RULES : {}),
    ...(codes.includes('PAYOUT_REJECTED') ? PAYOUT_RULES : {}),
  };
  if (Object.keys(rules).length === 0) return { description: 'Further data, which depends on the code' };
  const meanings = Object.entries(rules).map(([rule, meaning]) => `- \`${rule}\`: ${meaning}`);
  return {
    description: 'Further data, which depends on the code',
    properties: {
      rule: {
        type: 'string',
        enum: Object.keys(rules),
        description: ['The business rule that refused the request', ...meanings].join('\n'),
      },
    },
  };
}

/** The code, with an example of its response. */
export function exampleOf(code: ErrorCode): [string, { value: JsonRecord }] {
  return [code, { value: { ok: false, error: { code, ...EXAMPLES[code] } } }];
}
