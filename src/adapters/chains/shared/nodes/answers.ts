/** Checks what nodes answer: a value of another shape than the protocol's throws NodeError. */
import { NodeError } from './node-errors.ts';

type Fields = Readonly<Record<string, unknown>>;

export const unusable = (what: string): NodeError => new NodeError(`unusable answer: ${what}`);

export function fields(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unusable(what);
  return value as Fields;
}

export function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw unusable(what);
  return value;
}
