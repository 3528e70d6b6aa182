/**
 * Forms are read by the rules of the API's bodies, so that console and API take the same and say
 * the same of what they refuse.
 */
import { type AppError, validationError } from '../../../../domain/errors.ts';
import type { JsonObject, JsonValue } from '../../../../domain/money/json.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import type { ApiContext } from '../../kit/call.ts';
import { BodyChecker, Faults } from '../../kit/input/validate.ts';
import type { BodyDefinition } from '../../kit/route.ts';
import type { Form } from './form.ts';

/** Reads a JSON body. */
export function formBody<Input>(
  definition: BodyDefinition<Input>,
): (body: JsonObject, context: ApiContext) => Result<Input, AppError> {
  const checker = new BodyChecker(definition.schema);
  return (body, context) => {
    const faults = new Faults();
    const input = definition.read(checker.check(body, faults), faults, context);
    return faults.isEmpty && input !== null ? ok(input) : err(validationError(faults.list()));
  };
}

/** The named fields of a form; empty ones are left out. */
export function given(form: Form, names: readonly string[]): Record<string, JsonValue> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = form.optional(name);
      return text === null ? [] : [[name, text]];
    }),
  );
}

/** `a, b` as a list. */
export function listed(text: string | null): readonly string[] | null {
  const parts = (text ?? '').split(/[\s,]+/).filter((part) => part !== '');
  return parts.length === 0 ? null : parts;
}
