/** The OpenAPI 3.1 document, made from the very data that the server runs. */

import type { CsvList } from '../kit/csv.ts';
import type { Route } from '../kit/route.ts';
import { codesOf, ERROR_ENVELOPE, errorResponses } from './errors.ts';
import { Components, type Json, type JsonRecord } from './schemas.ts';
import { webhookSection } from './webhooks.ts';

/** Version of the published interface (specification, "Versioning" 2). */
const API_VERSION = '2.0.0';

const INTRODUCTION = `Invoices, payouts, permanent deposit addresses, balance, ledger, catalog and webhook log of a crypto payment gateway.

**Keys.** Every call carries \`x-api-key\`. A key that begins with \`sk_sandbox_\` works on the sandbox, whose data never mix with live data.

**Amounts** are JSON numbers with their exact decimals, in both directions. An amount with more decimals than its currency has is refused. A text of digits is taken for a number.

**Answers** are \`{"ok": true, "result": ...}\`, with \`pagination\` for lists, or \`{"ok": false, "error": {"code", "message", "details"}}\`. Times are Unix seconds. Absent values are \`null\`.

**Repeating.** A request that makes something takes an \`Idempotency-Key\` of yours: repeated with the same key and body within 24 hours it makes nothing more, and is answered as the first was, with \`Idempotent-Replayed: true\`.

**Limits.** Each key has its requests a minute; \`RateLimit\` tells what is left (draft-ietf-httpapi-ratelimit-headers). Above it the answer is 429 with \`Retry-After\`.

**Large answers** are compressed where \`Accept-Encoding\` allows it. Those of GET carry an \`ETag\`; \`If-None-Match\` with it is answered 304 while nothing changed.

**From your server only.** There is no CORS: a key is a secret and must not be in a browser.

**Request ids.** \`X-Request-Id\` (1 to 64 of A-Z, a-z, 0-9, _ and -) is taken over from the request, or made, and answered.

**Other providers.** Clients of Cryptomus, Heleket, NOWPayments and CoinPayments have routes of their own below \`/compat\`, which this document does not describe.`;

const TAGS: readonly JsonRecord[] = [
  { name: 'Invoices', description: 'Charge a customer.' },
  { name: 'Payouts', description: 'Send to an external address.' },
  { name: 'Permanent addresses', description: 'Deposit addresses bound to your users.' },
  { name: 'Merchant', description: 'Balance and ledger.' },
  { name: 'Catalog', description: 'Assets and exchange rates.' },
  { name: 'Notifications', description: 'Webhooks: what was told, the log of attempts, tests.' },
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
            'A live key `sk_live_...` or a sandbox key `sk_sandbox_...`; the prefix selects the environment.',
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
        'Give it as `after` to go on. Less than your `after` only where that is past the last number',
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

/** draft-ietf-httpapi-ratelimit-headers-10. Not there where the operator switched the limit off. */
const RATE_LIMIT_HEADERS: JsonRecord = {
  RateLimit: {
    description: '`r`: requests this key may make now; `t`: seconds until all of its quota is there again',
    schema: { type: 'string' },
    example: '"key";r=599;t=1',
  },
  'RateLimit-Policy': {
    description: '`q`: requests in `w` seconds',
    schema: { type: 'string' },
    example: '"key";q=600;w=60',
  },
};

const REPLAYED: JsonRecord = {
  description: 'There when an earlier request with this Idempotency-Key is answered again',
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
        'The whole list (RFC 4180): a line of names, then a line for each row. Times are ISO-8601 in UTC; a text that would be a formula begins with an apostrophe.',
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
      description: 'A fresh UUIDv4. The same value is refused for two hours.',
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
        'Makes repeating this request safe: for 24 hours the same key with the same body is told the same again, and makes nothing.',
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
