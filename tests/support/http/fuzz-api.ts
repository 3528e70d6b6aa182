/**
 * Fuzzes a running API with valid and broken requests over every endpoint of its own document: no
 * 5xx, every answer in its envelope and as documented, and nothing accepted that the document
 * forbids. Works against anything that answers requests.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { API_ROUTES } from '../../../src/adapters/http/api.ts';
import { isJsonObject } from '../../../src/adapters/http/kit/input/exact-json.ts';
import { asMeant } from '../../../src/adapters/http/kit/input/lenient.ts';
import { loadDocument, type OpenApiDocument, type Operation, Validator } from './openapi-check.ts';
import { fitting, type JsonSchema, NASTY_PARAMETERS, NASTY_VALUES } from './schema-arbitrary.ts';

export interface FuzzTarget {
  readonly baseUrl: string;
  readonly liveKey: string;
  readonly sandboxKey: string;
  /** Sent with every request, for example an address that may make payouts. */
  readonly headers?: Readonly<Record<string, string>>;
  handle(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export interface FuzzOptions {
  readonly requests: number;
  readonly timeoutMs: number;
}

interface Attempt {
  readonly key: string | null;
  readonly operation: Endpoint;
  readonly id: string;
  readonly query: string;
  readonly uniqId: string | null;
  readonly contentType: string | null;
  readonly body: string | null;
}

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const DEFAULT_SEED = 20_260_301;
/** Ids that answers told, so that paths and filters meet rows that exist. */
const REMEMBERED_IDS = 300;

export function fuzzApi(name: string, open: () => Promise<FuzzTarget>, options: FuzzOptions): void {
  const seed = Number(process.env.FUZZ_SEED ?? DEFAULT_SEED);
  test(
    `${name}: ${options.requests} valid and broken requests get documented answers and no 5xx`,
    async () => {
      console.log(`fuzz seed ${seed} (repeat with FUZZ_SEED=${seed})`);
      const target = await open();
      try {
        await run(target, seed, options.requests);
      } finally {
        await target.close();
      }
    },
    options.timeoutMs,
  );
}

async function run(target: FuzzTarget, seed: number, requests: number): Promise<void> {
  const document = await loadDocument(target.baseUrl, target);
  const validator = new Validator(document);
  const ids: string[] = ['0190f3a1b2c30a1b2c3d4e5f'];
  const statuses = new Map<number, number>();
  const property = fc.asyncProperty(attempts(target, document, ids), async (attempt) => {
    const { status, text, type } = await send(target, attempt);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    expect(status, `${describeAttempt(attempt)} -> ${text.slice(0, 300)}`).toBeLessThan(500);
    if (type.startsWith('text/csv')) return expectDocumentedCsv(attempt, status);
    const json: unknown = JSON.parse(text);
    const path = attempt.operation.path.replace(/\{\w+\}/, '0');
    validator.check(attempt.operation.method, path, { status, json, text });
    if (status < 300) expectDocumentedBody(validator, attempt);
    remember(ids, text);
  });
  await fc.assert(property, { seed, numRuns: requests, endOnFailure: true });
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  console.log(`fuzz answers by status: ${counts.join(', ')}`);
  for (const status of [200, 201, 400, 401, 404, 422])
    expect(statuses.get(status) ?? 0, `answers ${status}`).toBeGreaterThan(0);
}

function expectDocumentedCsv({ operation }: Attempt, status: number): void {
  expect(status).toBe(200);
  expect(operation.operation.responses['200']?.content).toHaveProperty('text/csv');
}

/** A body that was accepted must be one that the document describes, as it is meant. */
function expectDocumentedBody(validator: Validator, { operation, body }: Attempt): void {
  const content = operation.operation.requestBody?.content;
  if (!content || body === null || body === '') return;
  const { schema } = content['application/json'];
  const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
  const route = API_ROUTES.find((each) => each.method === operation.method && each.path === path);
  // A byte order mark is no part of a text.
  const given = JSON.parse(body.replace(/^\uFEFF/, ''));
  const meant = route?.body && isJsonObject(given) ? asMeant(route.body.schema, given) : {};
  const written = JSON.parse(JSON.stringify(meant));
  const fault = validator.fits(`${operation.method} ${operation.path} body`, schema, written);
  expect(fault, `accepted ${body.slice(0, 500)}`).toBeNull();
}

function attempts(
  target: FuzzTarget,
  document: OpenApiDocument,
  ids: readonly string[],
): fc.Arbitrary<Attempt> {
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): Endpoint => ({ method: method.toUpperCase(), path, operation }),
    ),
  );
  const known = fc.nat().map((at) => ids[at % ids.length] ?? '');
  const key = fc.oneof(
    { weight: 12, arbitrary: fc.constant(target.sandboxKey) },
    { weight: 6, arbitrary: fc.constant(target.liveKey) },
    { weight: 1, arbitrary: fc.constantFrom(null, '', 'sk_live_wrong', 'x'.repeat(500)) },
  );
  const id = fc.oneof(
    { weight: 6, arbitrary: known },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'aaaaaaaaaaaaaaaaaaaaaaaa',
        'x',
        '%00',
        '%E0%A4%A',
        '..',
        'AAAAAAAAAAAAAAAAAAAAAAAA',
      ),
    },
  );
  return fc.oneof(
    ...endpoints.map((operation) =>
      fc.record({
        operation: fc.constant(operation),
        key,
        id,
        query: queries(operation.operation, known),
        uniqId: fc.oneof(
          { weight: 8, arbitrary: fc.uuid({ version: 4 }) },
          { weight: 1, arbitrary: fc.constantFrom(null, '', 'x', '00000000-0000-1000-8000-000000000000') },
        ),
        contentType: fc.oneof(
          { weight: 20, arbitrary: fc.constantFrom('application/json', 'Application/JSON; charset=UTF-8') },
          {
            weight: 1,
            arbitrary: fc.constantFrom(null, 'text/plain', 'application/json; charset=utf-16', 'x'),
          },
        ),
        body: bodies(operation.operation),
      }),
    ),
  );
}

function queries(operation: Operation, knownId: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  if (parameters.length === 0) return fc.constantFrom('', '?unknown=1&page=x');
  const each = parameters.map((parameter) => {
    const valid = fitting({
      examples: parameter.example === undefined ? [] : [parameter.example],
      ...parameter.schema,
    }).map(String);
    const value = fc.oneof(
      { weight: 6, arbitrary: valid },
      { weight: 2, arbitrary: parameter.name.includes('id') ? knownId : valid },
      { weight: 1, arbitrary: fc.constantFrom(...NASTY_PARAMETERS) },
    );
    return fc.option(
      value.map((text) => `${parameter.name}=${encodeURIComponent(text.toWellFormed())}`),
      { freq: 3 },
    );
  });
  const joined = fc.tuple(...each).map((parts) => parts.filter((part) => part !== null));
  return fc
    .tuple(joined, fc.constantFrom('', '', '', '', '', '&', '&page', '&page=%zz', '&%'))
    .map(([parts, tail]) => (parts.length === 0 && tail === '' ? '' : `?${parts.join('&')}${tail}`));
}

/** Nothing, a fitting body, or one that was broken in one of the usual ways. */
function bodies(operation: Operation): fc.Arbitrary<string | null> {
  const content = operation.requestBody?.content['application/json'];
  if (!content) return fc.constantFrom(null, null, null, '{}', '{');
  const schema = content.schema as JsonSchema;
  const examples = Object.values(content.examples ?? {}).map(({ value }) => value);
  const valid = fc.oneof(fitting(schema), fc.constantFrom(...examples)) as fc.Arbitrary<
    Readonly<Record<string, unknown>>
  >;
  const names = fieldsOf(schema);
  const broken = fc
    .tuple(valid, fc.constantFrom(...names, 'unknown', '__proto__'), fc.constantFrom(...NASTY_VALUES))
    .map(([body, name, value]) => withField(body, name, value));
  const dropped = fc
    .tuple(valid, fc.constantFrom(...names))
    .map(([body, name]) =>
      JSON.stringify(Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))),
    );
  const cut = fc.tuple(valid, fc.nat({ max: 200 })).map(([body, at]) => JSON.stringify(body).slice(0, at));
  const other = fc.constantFrom(
    null,
    '',
    ' ',
    '[]',
    '"x"',
    '1',
    'null',
    '{"a":1,"a":2}',
    '\u{feff}{}',
    '{"a":}',
    `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
  );
  return fc.oneof(
    { weight: 8, arbitrary: valid.map((body) => JSON.stringify(body)) },
    { weight: 6, arbitrary: broken },
    { weight: 2, arbitrary: dropped },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: other },
  );
}

function fieldsOf(schema: JsonSchema): string[] {
  return Object.keys(schema.properties ?? {});
}

/**
 * The body with a field whose value is given as JSON text, so that texts no value has can be sent
 * too.
 */
function withField(body: Readonly<Record<string, unknown>>, name: string, value: string): string {
  const [item] = Array.isArray(body.items) ? body.items : [];
  if (typeof item === 'object' && item !== null && name === 'unknown') {
    return `{"items":[${withField(item, 'amount', value)}]}`;
  }
  const rest = Object.entries(body).filter(([key]) => key !== name);
  const fields = rest.map(([key, inner]) => `${JSON.stringify(key)}:${JSON.stringify(inner)}`);
  return `{${[...fields, `${JSON.stringify(name)}:${value}`].join(',')}}`;
}

async function send(
  target: FuzzTarget,
  attempt: Attempt,
): Promise<{ status: number; text: string; type: string }> {
  const { operation, key, uniqId, contentType, body } = attempt;
  const path = operation.path.replace(/\{\w+\}/, attempt.id);
  const hasBody = body !== null && operation.method !== 'GET';
  const request = new Request(`${target.baseUrl}${path}${attempt.query}`, {
    method: operation.method,
    headers: {
      ...target.headers,
      ...(key === null ? {} : { 'x-api-key': key }),
      ...(uniqId === null ? {} : { 'x-uniq-id': uniqId }),
      ...(hasBody && contentType !== null ? { 'content-type': contentType } : {}),
    },
    ...(hasBody ? { body } : {}),
  });
  const response = await target.handle(request);
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, text: await response.text(), type };
}

function remember(ids: string[], text: string): void {
  for (const [, id] of text.matchAll(/"(?:order_id|id)":"([0-9a-f]{24})"/g)) {
    if (id === undefined) continue;
    if (ids.length < REMEMBERED_IDS) ids.push(id);
    else ids[Number.parseInt(id.slice(-4), 16) % REMEMBERED_IDS] = id;
  }
}

function describeAttempt({ operation, id, query, body, key }: Attempt): string {
  return `${operation.method} ${operation.path} id=${id} ${query} key=${key?.slice(0, 12)} body=${body?.slice(0, 400)}`;
}
