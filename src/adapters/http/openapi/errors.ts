/** The error responses of an endpoint, derived from its gates, with an example of each code. */
import { type ErrorCode, INVOICE_RULES, PAYOUT_RULES } from '../../../domain/errors.ts';
import { ERROR_CODES, ERRORS } from '../kit/error-table.ts';
import type { Route } from '../kit/route.ts';
import type { JsonRecord } from './schemas.ts';

/** Every error code that the endpoint can return. */
export function codesOf(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(['UNAUTHORIZED', 'RATE_LIMITED', 'MERCHANT_INACTIVE', 'KYC_REQUIRED']);
  const add = (...more: readonly ErrorCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (route.access !== undefined) add('PAYOUTS_DISABLED');
  if (route.access === 'payout') add('MISSING_HEADER', 'INVALID_HEADER');
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
  for (const code of codes) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
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
        code: { type: 'string', enum: ERROR_CODES },
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
  return [code, { value: { ok: false, error: { code, ...ERRORS[code].example } } }];
}
