/**
 * Bun's `toMatchObject` takes any two dates, maps, sets, errors or regular expressions for equal
 * (1.4.5), so a test of them could not fail. This one compares them as `toStrictEqual` does. Loaded
 * before all tests (bunfig.toml).
 */
import { expect } from 'bun:test';

expect.extend({
  toMatchObject(received: unknown, expected: unknown) {
    const fault = faultOf(() => expect(partOf(received, expected)).toStrictEqual(expected));
    return { pass: fault === null, message: () => fault ?? 'the object has all of these properties' };
  },
});

/** What `expected` speaks of. */
function partOf(received: unknown, expected: unknown): unknown {
  if (Array.isArray(expected))
    return Array.isArray(received) ? received.map((each, at) => partOf(each, expected[at])) : received;
  if (!isPlain(expected) || !isObject(received)) return received;
  return Object.fromEntries(
    Object.keys(expected).flatMap((key) =>
      key in received ? [[key, partOf(received[key], expected[key])]] : [],
    ),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function isPlain(value: unknown): value is Record<string, unknown> {
  return isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function faultOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
