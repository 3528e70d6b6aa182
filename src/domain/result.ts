/** Expected failures are values: a use case returns Ok or Err. Bugs throw. */
export type Result<Value, Failure> = Ok<Value> | Err<Failure>;
export interface Ok<Value> {
  readonly ok: true;
  readonly value: Value;
}
export interface Err<Failure> {
  readonly ok: false;
  readonly error: Failure;
}

export function ok<Value>(value: Value): Ok<Value> {
  return { ok: true, value };
}

export function err<Failure>(error: Failure): Err<Failure> {
  return { ok: false, error };
}

/** Ends a switch over a union: with a new member it does not compile. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`);
}
