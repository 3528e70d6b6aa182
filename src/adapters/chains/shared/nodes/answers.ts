/** Nodes' answers, checked: a value of another shape than the protocol's puts the node at fault. */
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
