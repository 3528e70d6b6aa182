/**
 * Query parameters as data: how each is read, its default, and its JSON Schema. Unknown parameters
 * are ignored.
 */
import type { AssetCatalog } from '../../../../domain/catalog/asset.ts';
import { isStorableText, UNSTORABLE_TEXT } from './exact-json.ts';
import { charactersIn } from './schema.ts';
import type { Faults } from './validate.ts';

export type ReadParameter<Value> = { readonly value: Value } | { readonly message: string };

export interface QueryParameter<Value> {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: string;
  readonly absent: Value;
  /**
   * Reads the decoded text. A message completes a sentence that begins with the parameter's name.
   */
  read(text: string, catalog: AssetCatalog): ReadParameter<Value>;
}

export type QuerySpec = Readonly<Record<string, QueryParameter<unknown>>>;
export type QueryValues<Spec extends QuerySpec> = {
  readonly [Name in keyof Spec]: Spec[Name] extends QueryParameter<infer Value> ? Value : never;
};

/**
 * Reads every parameter of `spec` from the URL. A parameter that is given twice is refused, since
 * it is ambiguous.
 */
export function readQuery<Spec extends QuerySpec>(
  spec: Spec,
  url: string,
  catalog: AssetCatalog,
  faults: Faults,
): QueryValues<Spec> {
  const start = url.indexOf('?');
  const given = new URLSearchParams(start === -1 ? '' : url.slice(start).replace(/#.*$/s, ''));
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(spec)) {
    values[name] = parameter.absent;
    const texts = given.getAll(name);
    const [text] = texts;
    if (text === undefined) continue;
    if (texts.length > 1) {
      faults.add(name, 'is given more than once');
      continue;
    }
    const reading = isStorableText(text) ? parameter.read(text, catalog) : { message: UNSTORABLE_TEXT };
    if ('message' in reading) faults.add(name, reading.message);
    else values[name] = reading.value;
  }
  return values as QueryValues<Spec>;
}

export function wholeNumber(options: {
  description: string;
  absent: number;
  minimum: number;
  maximum: number;
}): QueryParameter<number> {
  const { description, absent, minimum, maximum } = options;
  const allowed =
    maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `between ${minimum} and ${maximum}`;
  return {
    description,
    absent,
    schema: { type: 'integer', minimum, maximum, default: absent },
    read(text) {
      const value = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
      return value >= minimum && value <= maximum
        ? { value }
        : { message: `must be a whole number ${allowed}` };
    },
  };
}

export function choice<const Value extends string>(
  description: string,
  values: readonly Value[],
): QueryParameter<Value | null> {
  return choiceOr(description, values, null);
}

export function choiceOr<const Value extends string, Absent extends Value | null>(
  description: string,
  values: readonly Value[],
  absent: Absent,
): QueryParameter<Value | Absent> {
  return {
    description,
    absent,
    schema: { type: 'string', enum: [...values], ...(absent === null ? {} : { default: absent }) },
    read(text) {
      const value = values.find((known) => known === text);
      return value === undefined ? { message: `must be one of ${values.join(', ')}` } : { value };
    },
  };
}

/** As different languages write them (`True` in Python, 1 in PHP). */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

export function flag(description: string): QueryParameter<boolean | null> {
  return {
    description,
    absent: null,
    schema: { type: 'boolean' },
    read(given) {
      const value = FLAGS.get(given.toLowerCase());
      return value === undefined ? { message: 'must be true or false' } : { value };
    },
  };
}

export function text(description: string, maxLength: number): QueryParameter<string | null> {
  return {
    description,
    absent: null,
    schema: { type: 'string', minLength: 1, maxLength },
    read: (given) =>
      given.length >= 1 && charactersIn(given) <= maxLength
        ? { value: given }
        : { message: `must have 1 to ${maxLength} characters` },
  };
}

const ID = /^[0-9a-f]{24}$/i;

/** A 24-hex id in lower case as it is stored, or null for another text. */
export function asId(given: string): string | null {
  return ID.test(given) ? given.toLowerCase() : null;
}

export function oneId(description: string): QueryParameter<string | null> {
  return {
    description,
    absent: null,
    schema: { type: 'string', pattern: '^[0-9a-fA-F]{24}$' },
    example: '0190f3a1b2c30a1b2c3d4e5f',
    read(given) {
      const value = asId(given);
      return value === null ? { message: 'must be 24 hexadecimal characters' } : { value };
    },
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function uuid(description: string): QueryParameter<string | null> {
  return {
    description,
    absent: null,
    schema: { type: 'string', format: 'uuid' },
    read: (given) => (UUID.test(given) ? { value: given } : { message: 'must be a UUID' }),
  };
}

const MAX_IDS = 500;

/** Comma-separated ids, each once. */
export function idList(description: string): QueryParameter<readonly string[] | null> {
  return {
    description: `${description} At most ${MAX_IDS}.`,
    absent: null,
    schema: { type: 'string', pattern: '^[0-9a-fA-F]{24}(,[0-9a-fA-F]{24})*$' },
    example: '0190f3a1b2c30a1b2c3d4e5f',
    read(given) {
      const parts = given.split(',');
      if (parts.length > MAX_IDS) return { message: `must have at most ${MAX_IDS} ids` };
      const ids = parts.map(asId);
      return ids.every((id) => id !== null)
        ? { value: [...new Set(ids)] }
        : { message: 'must be ids of 24 hexadecimal characters, separated by commas' };
    },
  };
}

export function assetName(description: string): QueryParameter<string | null> {
  return {
    description,
    absent: null,
    schema: { type: 'string', minLength: 1, maxLength: 64 },
    example: 'usdt_tron',
    read(given, catalog) {
      const found = catalog.resolve(given);
      return 'asset' in found ? { value: found.asset.key } : { message: `${found.message.slice(0, 300)}` };
    },
  };
}

/** Comma-separated asset names, resolved to full keys. */
export function assetNames(description: string): QueryParameter<readonly string[] | null> {
  return {
    description,
    absent: null,
    schema: { type: 'string', minLength: 1, maxLength: 2_000 },
    example: 'btc_bitcoin,usdt_tron',
    read(given, catalog) {
      const keys = new Set<string>();
      for (const name of given.split(',')) {
        const found = catalog.resolve(name);
        if ('message' in found) return { message: found.message.slice(0, 300) };
        keys.add(found.asset.key);
      }
      return { value: [...keys] };
    },
  };
}
