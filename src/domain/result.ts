/** Expected failures are values: a use case answers Ok or Err, and a bug throws. */
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

/** Ends a switch over a union: adding a member stops the program from compiling here. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`);
}
