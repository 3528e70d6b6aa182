/**
 * The generated part of clients/typescript, made from our own OpenAPI document: the types by
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
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

type Content = Readonly<Record<'application/json', { readonly schema: Schema }>>;

/** The answer's envelope, as the document has it. */
interface Envelope {
  readonly properties: { readonly result: Schema; readonly pagination?: ReferenceObject };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const FOLDER = 'clients/typescript/src/generated';
const MADE = '/** Made by `bun run docs` from the OpenAPI document. */\n';

/** The files by their paths from the root of the checkout, as they have to be. */
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

/** One method of the class; what it takes and gives gets a name among the schemas. */
function methodOf(
  { method, path, operation }: { method: string; path: string; operation: Operation },
  schemas: Record<string, Schema>,
): string {
  const { operationId: id, parameters = [], requestBody, responses } = operation;
  const name = id[0]!.toUpperCase() + id.slice(1);
  const named = (part: string, schema: Schema): string => {
    if ('$ref' in schema) return `${schema.$ref.split('/').at(-1)}`;
    schemas[`${name}${part}`] = schema;
    return `${name}${part}`;
  };
  const { result, pagination } = envelopeOf(responses).properties;
  const header = (wanted: string) => parameters.some((parameter) => parameter.name === wanted);
  // the client reads JSON
  const query = parameters.filter((parameter) => parameter.in === 'query' && !inCsv(parameter));
  const [place] = parameters.filter((parameter) => parameter.in === 'path');
  const item = pagination === undefined ? '' : named('Item', (result as { items: Schema }).items);
  const output = pagination === undefined ? `${named('Result', result)}<D>` : pageOf(item, pagination);
  const takes = [
    ...(place === undefined ? [] : ['id: string']),
    ...(requestBody === undefined
      ? []
      : [
          `body: ${named('Body', requestBody.content['application/json'].schema)}<number | string>${requestBody.required ? '' : ' = {}'}`,
        ]),
    ...(query.length === 0 ? [] : [`query: ${named('Query', objectOf(query))} = {}`]),
  ];
  const request = [
    `method: '${method.toUpperCase()}'`,
    place === undefined ? `path: '${path}'` : `path: \`${path.replace(/\{\w+\}/, '$' + '{segment(id)}')}\``,
    ...(requestBody === undefined ? [] : ['body']),
    ...(query.length === 0 ? [] : ['query']),
    ...(header('Idempotency-Key') ? ['keyed: true'] : []),
    ...(header('X-Uniq-Id') ? ['payout: true'] : []),
  ].join(', ');
  const text = `${comment([operation.summary, operation.description])}
  ${id}(${[...takes, 'options: CallOptions = {}'].join(', ')}): Promise<${output}> {
    return this.${pagination === undefined ? 'one' : 'page'}({ ${request} }, options);
  }
`;
  if (pagination === undefined) return text;
  const asked = new Set(query.map((parameter) => parameter.name));
  const isYoungestFirst = asked.has('page') && !asked.has('order');
  const defaults = [
    ...(asked.has('order') ? ["order: 'asc'"] : []),
    ...(asked.has('limit') ? ['limit: 100'] : ['per_page: 100']),
  ].join(', ');
  return `${text}
${comment([`${operation.summary}, row by row`, `Fetches the next rows as you go.${asked.has('order') ? ' The oldest come first unless `order` says otherwise, so that no new row moves the others.' : ''}${isYoungestFirst ? ' Rows that are added meanwhile make none come twice.' : ''}`])}
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

function envelopeOf(responses: Operation['responses']): Envelope {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2'))!;
  return success.content['application/json'].schema as unknown as Envelope;
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

/**
 * Amounts are marked, so that the types of the client say what they are asked to be: numbers or
 * strings.
 */
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

/** Amounts have names of their own: no field is an amount here and a count there. */
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
