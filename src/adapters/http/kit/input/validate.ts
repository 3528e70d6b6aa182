/** Compiled checks of bodies. A failure lists every failing field with a sentence. */
import type { TObject } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import type { FieldError } from '../../../../domain/errors.ts';
import type { JsonObject, JsonValue } from '../../../../domain/money/json.ts';
import { isJsonObject } from './exact-json.ts';
import { asMeant } from './lenient.ts';
import { leafFault } from './schema.ts';

/**
 * The faults of one request, the first of each field. Their number is limited, since a body can
 * have many thousands.
 */
export class Faults {
  readonly #byField = new Map<string, string>();
  static readonly MAX = 2_000;
  static readonly MAX_FIELD_LENGTH = 200;

  add(field: string, message: string): void {
    if (this.#byField.has(field) || this.#byField.size >= Faults.MAX) return;
    this.#byField.set(field.slice(0, Faults.MAX_FIELD_LENGTH), message);
  }

  get isEmpty(): boolean {
    return this.#byField.size === 0;
  }

  list(): FieldError[] {
    return [...this.#byField].map(([field, message]) => ({ field, message }));
  }
}

/** Compiles at its first body: a start would compile the schemas of all routes otherwise. */
export class BodyChecker {
  #compiled: TypeCheck<TObject> | null = null;
  readonly #schema: TObject;

  constructor(schema: TObject) {
    this.#schema = schema;
  }

  get #check(): TypeCheck<TObject> {
    this.#compiled ??= TypeCompiler.Compile(this.#schema);
    return this.#compiled;
  }

  /**
   * The body if it fits its schema, otherwise its valid fields. Further rules are then checked with
   * those, so that one response reports every fault.
   */
  check(body: JsonObject, faults: Faults): JsonObject {
    const given = asMeant(this.#schema, body);
    if (this.#check.Check(given)) return given;
    const failing = new Set<string>();
    for (const error of this.#check.Errors(given)) {
      const path = error.path.slice(1).replaceAll('/', '.');
      failing.add(path);
      faults.add(path, messageOf(error));
      if (failing.size >= Faults.MAX) break;
    }
    return withoutFailing(given, '', failing);
  }
}

function messageOf(error: ValueError): string {
  if (error.type === ValueErrorType.ObjectRequiredProperty) return 'is required';
  if (error.type === ValueErrorType.Object) return 'must be an object';
  if (error.type === ValueErrorType.Array) return 'must be a list';
  if (error.type === ValueErrorType.ArrayMinItems) return `must have at least ${error.schema.minItems} items`;
  if (error.type === ValueErrorType.ArrayMaxItems) return `must have at most ${error.schema.maxItems} items`;
  return leafFault(error.schema, error.value) ?? 'has the wrong type';
}

/**
 * `value` without the failing fields. A failing list item becomes null, so that the others keep
 * their index.
 */
function withoutFailing(value: JsonObject, prefix: string, failing: ReadonlySet<string>): JsonObject {
  const kept: Record<string, JsonValue> = {};
  for (const [key, inner] of Object.entries(value)) {
    const path = prefix + key;
    if (failing.has(path)) continue;
    kept[key] = Array.isArray(inner)
      ? inner.map((item: JsonValue, index) => {
          if (failing.has(`${path}.${index}`)) return null;
          return isJsonObject(item) ? withoutFailing(item, `${path}.${index}.`, failing) : item;
        })
      : inner;
  }
  return kept;
}
