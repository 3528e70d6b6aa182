/** The OpenAPI 3.1 document, made from the definitions that the server runs. */

import type { CsvList } from '../kit/documents/csv.ts';
import type { Route } from '../kit/route.ts';
import { codesOf, ERROR_ENVELOPE, errorResponses } from './errors.ts';
import { Components, type Json, type JsonRecord } from './schemas.ts';
import { webhookSection } from './webhooks.ts';

/** Version of the published interface (specification, "Versioning" 2). */
const API_VERSION = '2.0.0';

const INTRODUCTION = `Invoices, payouts, permanent deposit addresses, balance, ledger, catalog and webhook log of a crypto payment gateway.

**Keys.** Every request has an \`x-api-key\` header. A key that begins with \`sk_sandbox_\` works on the sandbox. Sandbox data and live data are separate.

**Amounts** are JSON numbers with exact decimals, in requests and responses. An amount with more decimals than its currency has is refused. A string of digits is accepted as a number.

**Responses** are \`{"ok": true, "result": ...}\`, with \`pagination\` for lists, or \`{"ok": false, "error": {"code", "message", "details"}}\`. Times are Unix seconds. Absent values are \`null\`.

**Repeated requests.** A request that creates something accepts an \`Idempotency-Key\` header with a key that you choose. Repeated with the same key and body within 24 hours, it creates nothing more: it returns the first response, with \`Idempotent-Replayed: true\`.

**Rate limits.** Each key has a quota of requests per minute. The \`RateLimit\` header reports what is left (draft-ietf-httpapi-ratelimit-headers). Above the quota the response is 429 with \`Retry-After\`.

**Large responses** are compressed if \`Accept-Encoding\` allows it. Responses to GET have an \`ETag\`. A request with that value in \`If-None-Match\` gets 304 while nothing has changed.

**From your server only.** CORS is not supported: a key is a secret and must not be in a browser.

**Request ids.** Every response has an \`X-Request-Id\`. It is the one of the request (1 to 64 of A-Z, a-z, 0-9, _ and -), or a new one.

**Other providers.** Clients of Cryptomus, Heleket, NOWPayments and CoinPayments have their own routes below \`/compat\`. This document does not describe them.`;

const TAGS: readonly JsonRecord[] = [
  { name: 'Invoices', description: 'Charge a customer.' },
  { name: 'Payouts', description: 'Send to an external address.' },
  { name: 'Permanent addresses', description: 'Deposit addresses bound to your users.' },
  { name: 'Merchant', description: 'Balance and ledger.' },
  { name: 'Catalog', description: 'Assets and exchange rates.' },
  { name: 'Notifications', description: 'Events, the log of webhook attempts, and tests.' },
  { name: 'Webhooks', description: 'What your server receives.' },
];

export function openApiDocument(routes: readonly Route[], config: { baseUrl: string }): JsonRecord {
  const components = new Components();
  const paths: { [path: string]: JsonRecord } = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, components) };
  }
  const webhooks = webhookSection(components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quittance',
      version: API_VERSION,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: config.baseUrl }],
    security: [{ ApiKey: [] }],
    tags: TAGS,
    paths,
    webhooks,
    components: {
      schemas: {
        ...components.schemas,
        Pagination: PAGINATION,
        Onward: ONWARD,
        Error: ERROR_ENVELOPE,
      },
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description:
            'A live key `sk_live_...` or a sandbox key `sk_sandbox_...`. The prefix selects the environment.',
        },
      },
    },
  };
}

const PAGINATION: JsonRecord = {
  type: 'object',
  required: ['page', 'pages', 'per_page', 'total'],
  additionalProperties: false,
  properties: {
    page: { type: 'integer', minimum: 1 },
    pages: { type: 'integer', minimum: 0, description: '0 when nothing matches' },
    per_page: { type: 'integer', minimum: 1, maximum: 100 },
    total: { type: 'integer', minimum: 0 },
  },
};
const ONWARD: JsonRecord = {
  type: 'object',
  required: ['next_after', 'has_more'],
  additionalProperties: false,
  properties: {
    next_after: {
      type: 'integer',
      minimum: 0,
      description:
        'The `after` of your next request. It is less than your `after` only if that is past the last number',
    },
    has_more: { type: 'boolean' },
  },
};

function operation(route: Route, components: Components): JsonRecord {
  const parameters = parametersOf(route);
  return {
    tags: [route.tag],
    operationId: route.operationId,
    summary: route.summary,
    description: route.description,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: route.body.required ?? true,
            content: {
              'application/json': {
                schema: components.ofBody(route.body.schema),
                examples: examplesOf(route.body.examples, (value) => value),
              },
            },
          },
        }),
    responses: { [route.success.status]: success(route, components), ...errorResponses(codesOf(route)) },
  };
}

/** draft-ietf-httpapi-ratelimit-headers-10. Absent when the operator has switched the limit off. */
const RATE_LIMIT_HEADERS: JsonRecord = {
  RateLimit: {
    description: '`r`: requests that this key may make now; `t`: seconds until its quota is full again',
    schema: { type: 'string' },
    example: '"key";r=599;t=1',
  },
  'RateLimit-Policy': {
    description: '`q`: requests per `w` seconds',
    schema: { type: 'string' },
    example: '"key";q=600;w=60',
  },
};

const REPLAYED: JsonRecord = {
  description: 'Present when this is the stored response to an earlier request with this Idempotency-Key',
  schema: { const: 'true' },
};

function success(route: Route, components: Components): JsonRecord {
  const { success } = route;
  const pagination =
    success.list === 'onward'
      ? { next_after: 43, has_more: false }
      : { page: 1, pages: 1, per_page: 20, total: 1 };
  const place = success.list === 'onward' ? 'Onward' : 'Pagination';
  const wrap = (result: Json): Json =>
    success.list ? { ok: true, result, pagination } : { ok: true, result };
  return {
    description: success.description,
    headers: {
      'X-Request-Id': { schema: { type: 'string' } },
      ...RATE_LIMIT_HEADERS,
      ...(route.idempotent ? { 'Idempotent-Replayed': REPLAYED } : {}),
    },
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: success.list ? ['ok', 'result', 'pagination'] : ['ok', 'result'],
          additionalProperties: false,
          properties: {
            ok: { const: true },
            result: components.of(success.result),
            ...(success.list ? { pagination: { $ref: `#/components/schemas/${place}` } } : {}),
          },
        },
        examples: examplesOf(success.examples, wrap),
      },
      ...(route.csv === undefined ? {} : { 'text/csv': csvOf(route.csv) }),
    },
  };
}

function csvOf({ columns }: CsvList): JsonRecord {
  return {
    schema: {
      type: 'string',
      description:
        'The whole list (RFC 4180): a line with the column names, then a line for each row. Times are ISO-8601 in UTC. A text that a spreadsheet would read as a formula begins with an apostrophe.',
    },
    examples: { 'The line of names': { value: `${columns.join(',')}\r\n` } },
  };
}

function examplesOf(examples: Readonly<Record<string, unknown>>, wrap: (value: Json) => Json): JsonRecord {
  return Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [name, { value: wrap(value as Json) }]),
  );
}

function parametersOf(route: Route): JsonRecord[] {
  const parameters: JsonRecord[] = [];
  if (route.idName !== null) {
    parameters.push({
      name: route.idName,
      in: 'path',
      required: true,
      description: '24 hexadecimal characters',
      schema: { type: 'string', pattern: '^[0-9a-fA-F]{24}$' },
      example: '0190f3a1b2c30a1b2c3d4e5f',
    });
  }
  if (route.access === 'payout') {
    parameters.push({
      name: 'X-Uniq-Id',
      in: 'header',
      required: true,
      description: 'A new UUIDv4. The same value is refused for two hours.',
      schema: { type: 'string', format: 'uuid' },
      example: '0b9f7f0e-9d0a-4d0e-8d69-5f5b2b8c6a11',
    });
  }
  if (route.idempotent) {
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Makes it safe to repeat this request. For 24 hours a request with the same key and body returns the first response again, and creates nothing.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
      example: 'order-1001-attempt',
    });
  }
  for (const [name, parameter] of Object.entries(route.query ?? {})) {
    parameters.push({
      name,
      in: 'query',
      required: false,
      description: parameter.description,
      schema: parameter.schema as JsonRecord,
      ...(parameter.example === undefined ? {} : { example: parameter.example }),
    });
  }
  return parameters;
}
