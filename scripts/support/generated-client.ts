/**
 * The generated part of clients/typescript, made from the OpenAPI document: types by
 * openapi-typescript, and a class with a method for each operation, named by its id.
 */
import type { OpenAPI3, ReferenceObject, SchemaObject } from 'openapi-typescript';
import ts from 'typescript-5';
import { API_ROUTES } from '../../src/adapters/http/api.ts';
import { openApiDocument } from '../../src/adapters/http/openapi/document.ts';

type Schema = SchemaObject | ReferenceObject;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly schema: SchemaObject;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: JsonContent };
  readonly responses: Readonly<Record<string, { readonly content: JsonContent }>>;
}

type JsonContent = Readonly<Record<'application/json', { readonly schema: Schema }>>;

/** The answer's envelope, as the document has it. */
interface AnswerEnvelope {
  readonly properties: { readonly result: Schema; readonly pagination?: ReferenceObject };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const FOLDER = 'clients/typescript/src/generated';
const MADE = '/** Made by `bun run docs` from the OpenAPI document. */\n';

/** The generated files as they have to be, by their paths from the root of the checkout. */
export async function generatedClient(): Promise<Readonly<Record<string, string>>> {
  const document = openApiDocument(API_ROUTES, { baseUrl: 'http://localhost' }) as unknown as Document;
  const schemas: Record<string, Schema> = { ...document.components.schemas };
  delete schemas.Error;
  const methods = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => methodOf({ method, path, operation }, schemas)),
  );
  return {
    [`${FOLDER}/schemas.ts`]: `${MADE}import type { Decimal } from '../types.ts';\n\n${await typesOf(schemas)}`,
    [`${FOLDER}/models.ts`]: modelsText(Object.keys(schemas)),
    [`${FOLDER}/fields.ts`]: fieldsText(schemas, codesIn(document)),
    [`${FOLDER}/operations.ts`]: operationsText(methods),
  };
}

/** An operation as a method of the class calls it. */
interface ClientCall {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  /** The operation's id, capitalised: the names of its models begin with it. */
  readonly name: string;
  /** The model of its body, with a default where the body may be left out. */
  readonly body: string | null;
  /** Without the choice of CSV: the client reads JSON. */
  readonly query: readonly Parameter[];
  readonly output: string;
  /** The model of the rows that it lists; null where it lists none. */
  readonly item: string | null;
}

type OperationPlace = Pick<ClientCall, 'operation' | 'method' | 'path'>;

/**
 * The text of a method, with a second one that walks through the rows of a list. Adds the models of
 * the operation to `schemas`.
 */
function methodOf(place: OperationPlace, schemas: Record<string, Schema>): string {
  const call = callOf(place, schemas);
  return call.item === null ? callText(call) : `${callText(call)}\n${walkText(call, call.item)}`;
}

function callOf(place: OperationPlace, schemas: Record<string, Schema>): ClientCall {
  const { operationId: id, parameters = [], requestBody, responses } = place.operation;
  const name = id[0]!.toUpperCase() + id.slice(1);
  const named = (part: string, schema: Schema): string => {
    if ('$ref' in schema) return `${schema.$ref.split('/').at(-1)}`;
    schemas[`${name}${part}`] = schema;
    return `${name}${part}`;
  };
  const { result, pagination } = envelopeOf(responses).properties;
  const item = pagination === undefined ? null : named('Item', (result as { items: Schema }).items);
  const output =
    item === null || pagination === undefined ? `${named('Result', result)}<D>` : pageOf(item, pagination);
  const body =
    requestBody === undefined
      ? null
      : `${named('Body', requestBody.content['application/json'].schema)}<number | string>${requestBody.required ? '' : ' = {}'}`;
  const query = parameters.filter((parameter) => parameter.in === 'query' && !inCsv(parameter));
  if (query.length > 0) named('Query', objectOf(query));
  return { ...place, name, body, query, output, item };
}

function callText(call: ClientCall): string {
  const { operation, name, body, query, output, item } = call;
  const { operationId: id, summary, description } = operation;
  const takes = [
    ...(hasId(operation) ? ['id: string'] : []),
    ...(body === null ? [] : [`body: ${body}`]),
    ...(query.length === 0 ? [] : [`query: ${name}Query = {}`]),
    'options: CallOptions = {}',
  ];
  return `${comment([summary, description])}
  ${id}(${takes.join(', ')}): Promise<${output}> {
    return this.${item === null ? 'one' : 'page'}({ ${requestText(call)} }, options);
  }
`;
}

function requestText({ operation, method, path, body, query }: ClientCall): string {
  const hasHeader = (wanted: string) => operation.parameters?.some(({ name }) => name === wanted) === true;
  return [
    `method: '${method.toUpperCase()}'`,
    hasId(operation) ? `path: \`${path.replace(/\{\w+\}/, '$' + '{segment(id)}')}\`` : `path: '${path}'`,
    ...(body === null ? [] : ['body']),
    ...(query.length === 0 ? [] : ['query']),
    ...(hasHeader('Idempotency-Key') ? ['keyed: true'] : []),
    ...(hasHeader('X-Uniq-Id') ? ['payout: true'] : []),
  ].join(', ');
}

function hasId({ parameters = [] }: Operation): boolean {
  return parameters.some((parameter) => parameter.in === 'path');
}

function walkText({ operation, path, name, query }: ClientCall, item: string): string {
  const { operationId: id, summary } = operation;
  const asked = new Set(query.map((parameter) => parameter.name));
  const isYoungestFirst = asked.has('page') && !asked.has('order');
  const defaults = [
    ...(asked.has('order') ? ["order: 'asc'"] : []),
    asked.has('limit') ? 'limit: 100' : 'per_page: 100',
  ].join(', ');
  const text = [
    'Fetches the next rows as you go.',
    ...(asked.has('order')
      ? ['The oldest come first unless `order` says otherwise, so that no new row moves the others.']
      : []),
    ...(isYoungestFirst ? ['Rows that are added meanwhile make none come twice.'] : []),
  ].join(' ');
  return `${comment([`${summary}, row by row`, text])}
  ${id.replace(/^list/, 'all')}(query: Omit<${name}Query, 'page' | 'per_page' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<${item}<D>> {
    return this.walk({ method: 'GET', path: '${path}', query: { ${defaults}, ...query }${isYoungestFirst ? ', youngest: true' : ''} }, options);
  }
`;
}

function inCsv({ schema }: Parameter): boolean {
  return schema.enum?.includes('csv') === true;
}

function pageOf(item: string, pagination: ReferenceObject): string {
  return `Page<${item}<D>, ${pagination.$ref.split('/').at(-1)}>`;
}

function envelopeOf(responses: Operation['responses']): AnswerEnvelope {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2'))!;
  return success.content['application/json'].schema as unknown as AnswerEnvelope;
}

function objectOf(parameters: readonly Parameter[]): SchemaObject {
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, description, schema }) => [name, { description, ...schema }]),
    ),
  } as SchemaObject;
}

async function typesOf(schemas: Readonly<Record<string, Schema>>): Promise<string> {
  const { default: openapiTypeScript, astToString } = await generator();
  const document = { openapi: '3.1.0', info: { title: '', version: '' }, components: { schemas } };
  const nodes = await openapiTypeScript(document as unknown as OpenAPI3, {
    silent: true,
    defaultNonNullable: false,
    transform: ({ type }) => (isNumber(type) ? decimalNode(type) : undefined),
  });
  const components = nodes.filter(
    (node) => ts.isInterfaceDeclaration(node) && ts.idText(node.name) === 'components',
  );
  return astToString(components);
}

function isNumber(type: unknown): type is string | readonly string[] {
  return type === 'number' || (Array.isArray(type) && type.includes('number'));
}

/** Marks an amount, which the client gives as a number or as a string. */
function decimalNode(type: string | readonly string[]): ts.TypeNode {
  const decimal = ts.factory.createTypeReferenceNode('Decimal');
  if (!type.includes('null')) return decimal;
  return ts.factory.createUnionTypeNode([decimal, ts.factory.createLiteralTypeNode(ts.factory.createNull())]);
}

/** The generator needs TypeScript's interface for programs, which TypeScript 7 does not have. */
async function generator(): Promise<typeof import('openapi-typescript')> {
  Bun.plugin({
    name: 'the TypeScript of openapi-typescript',
    setup: (build) => void build.module('typescript', () => ({ exports: { default: ts }, loader: 'object' })),
  });
  return await import('openapi-typescript');
}

function modelsText(names: readonly string[]): string {
  const models = names.map(
    (name) => `export type ${name}<D extends number | string = number> = With<Schemas['${name}'], D>;`,
  );
  return `${MADE}import type { With } from '../types.ts';
import type { components } from './schemas.ts';

type Schemas = components['schemas'];

${models.join('\n')}
`;
}

interface Alternatives {
  readonly anyOf?: readonly { readonly type?: string | readonly string[] }[];
  readonly additionalProperties?: unknown;
}

/**
 * Throws where a field is an amount in one place and a count in another: fields are known by name.
 */
function fieldsText(schemas: Readonly<Record<string, Schema>>, codes: readonly string[]): string {
  const found = { decimal: new Set<string>(), whole: new Set<string>(), free: new Set<string>() };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, field] of Object.entries((value as { properties?: object }).properties ?? {})) {
      const { anyOf = [field], additionalProperties } = field as Alternatives;
      const types = anyOf.flatMap(({ type }) => type ?? []);
      if (types.includes('number')) found.decimal.add(name);
      else if (types.includes('integer')) found.whole.add(name);
      if (additionalProperties === true) found.free.add(name);
    }
    Object.values(value).forEach(visit);
  };
  visit(schemas);
  const both = [...found.decimal].filter((name) => found.whole.has(name) || found.free.has(name));
  if (both.length > 0) throw new Error(`amounts need names of their own: ${both.join(', ')}`);
  const set = (names: ReadonlySet<string>) => `new Set(${JSON.stringify([...names].toSorted())})`;
  return `${MADE}
/** Fields that hold amounts. */
export const DECIMAL_FIELDS: ReadonlySet<string> = ${set(found.decimal)};

/** Objects of the merchant's own making. */
export const FREE_FIELDS: ReadonlySet<string> = ${set(found.free)};

/** Codes of refusals. */
export type ApiErrorCode =
${codes.map((code) => `  | '${code}'`).join('\n')};
`;
}

function codesIn({ paths }: Document): readonly string[] {
  const refusals = Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status]) => Number(status) >= 400);
  const codes = refusals.flatMap(([, answer]) =>
    [...JSON.stringify(answer.content).matchAll(/"code":\{[^}]*"enum":\[([^\]]*)\]/g)].flatMap(
      ([, list = '']) => JSON.parse(`[${list}]`) as string[],
    ),
  );
  return [...new Set(codes)].toSorted();
}

function operationsText(methods: readonly string[]): string {
  const models = [
    ...new Set(methods.join('').match(/\b[A-Z]\w+(?=<D>|<number)|\b\w+Query\b|\b(?:Pagination|Onward)\b/g)),
  ];
  return `${MADE}import { type CallOptions, type Page, type Request, segment } from '../types.ts';
import type { ${models.toSorted().join(', ')} } from './models.ts';

/** A method for each operation of the API; D is what amounts are told as. */
export abstract class Operations<D extends number | string> {
  protected abstract one<Result>(request: Request, options: CallOptions): Promise<Result>;

  protected abstract page<Item, Place>(request: Request, options: CallOptions): Promise<Page<Item, Place>>;

  protected abstract walk<Item>(request: Request, options: CallOptions): AsyncGenerator<Item>;

${methods.join('\n')}}
`;
}

function comment([title = '', text = '']: readonly string[]): string {
  return `  /**\n   * ${title}.\n   *\n   * ${text.replaceAll('*/', '* /')}\n   */`;
}
