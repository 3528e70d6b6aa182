/**
 * Holds answers against the OpenAPI document that the server itself publishes: no answer may differ
 * from what is promised.
 */
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';

export interface CheckedAnswer {
  readonly status: number;
  readonly json: unknown;
  readonly text: string;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: object;
  readonly example?: unknown;
}

interface Content {
  readonly 'application/json': {
    readonly schema: object;
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

type Handle = { handle(request: Request): Promise<Response> };
export type OpenApiCheck = (method: string, path: string, answer: CheckedAnswer) => Promise<void>;

/** Throws, naming the call and the difference, for an answer that the document does not allow. */
export function openApiChecker(baseUrl: string, server: Handle): OpenApiCheck {
  let loaded: Promise<Validator> | null = null;
  return async (method, path, answer) => {
    loaded ??= loadDocument(baseUrl, server).then(validatorOf);
    (await loaded).check(method, path, answer);
  };
}

/** Compiling a schema takes long, and most tests share one document. */
const validators = new Map<string, Validator>();

function validatorOf(document: OpenApiDocument): Validator {
  const text = JSON.stringify(document);
  const known = validators.get(text) ?? new Validator(document);
  validators.set(text, known);
  return known;
}

export async function loadDocument(baseUrl: string, server: Handle): Promise<OpenApiDocument> {
  const response = await server.handle(new Request(`${baseUrl}/openapi.json`));
  return (await response.json()) as OpenApiDocument;
}

export class Validator {
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #patterns: readonly (readonly [pattern: RegExp, path: string])[];

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv.addSchema({ $id: 'document', components: document.components });
    this.#patterns = Object.keys(document.paths)
      .toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
      .map((path) => [new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`), path]);
  }

  check(method: string, path: string, answer: CheckedAnswer): void {
    const [pathname = ''] = path.split('?');
    const known = this.#patterns.find(([pattern]) => pattern.test(pathname))?.[1];
    const operation = known === undefined ? undefined : this.#document.paths[known]?.[method.toLowerCase()];
    const name = `${method} ${known ?? 'unknown path'} ${answer.status}`;
    const documented = operation?.responses[String(answer.status)]?.content?.['application/json'].schema;
    if (operation && !documented) throw new Error(`${name} is not documented: ${answer.text.slice(0, 300)}`);
    const validate = this.#validator(name, documented ?? { $ref: '#/components/schemas/Error' });
    if (!validate(answer.json)) {
      throw new Error(
        `${name} differs from the document: ${this.#ajv.errorsText(validate.errors)} in ${answer.text.slice(0, 500)}`,
      );
    }
  }

  /** Whether `value` fits a schema of the document. */
  fits(name: string, schema: object, value: unknown): string | null {
    const validate = this.#validator(name, schema);
    return validate(value) ? null : this.#ajv.errorsText(validate.errors);
  }

  #validator(name: string, schema: object): ValidateFunction {
    const known = this.#compiled.get(name);
    if (known) return known;
    const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components');
    const compiled = this.#ajv.compile(JSON.parse(text));
    this.#compiled.set(name, compiled);
    return compiled;
  }
}
