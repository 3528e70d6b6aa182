import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  isExactNumber,
  parseExactJson,
  stringifyExact,
} from '../../../../../src/adapters/http/kit/input/exact-json.ts';
import { firstRepeatedKey, nestingDepth } from '../../../../../src/adapters/http/kit/input/json-scan.ts';

function read(text: string, refuseRepeatedKeys = false) {
  return parseExactJson(text, { refuseRepeatedKeys });
}

function value(text: string) {
  const reading = read(text);
  if (reading.kind !== 'object') throw new Error(`not read: ${JSON.stringify(reading)}`);
  return reading.value;
}

test('numbers come back out with the very digits they came in with', () => {
  for (const digits of [
    '0.1234567890123456789',
    '1e3',
    '1.50',
    '-0',
    '9007199254740993',
    '123456789012345678901234567890',
    '1E-7',
    '42',
  ]) {
    expect(stringifyExact(value(`{"n":${digits},"list":[${digits}]}`))).toBe(
      `{"n":${digits},"list":[${digits}]}`,
    );
  }
});

test('a number that a float prints alike stays a plain number', () => {
  const { plain, exact } = value('{"plain":25.5,"exact":25.50}');
  expect(plain).toBe(25.5);
  expect(isExactNumber(exact)).toBe(true);
});

test('every JSON object is read to the value that JSON.parse reads, and writes the same text', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (object) => {
      const text = JSON.stringify(object);
      const reading = read(text);
      if (reading.kind !== 'object') return;
      fc.pre(!/"(__proto__|constructor|prototype)":/.test(text));
      expect(stringifyExact(reading.value)).toBe(text);
    }),
    { seed: 7, numRuns: 2_000 },
  );
});

test('keys that reach for a prototype are dropped at every depth', () => {
  const kept = value('{"a":{"__proto__":{"x":1},"constructor":2,"b":[{"prototype":3,"c":4}]},"__proto__":5}');
  expect(stringifyExact(kept)).toBe('{"a":{"b":[{"c":4}]}}');
  expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
});

test('what is not a JSON object is malformed', () => {
  for (const text of [
    '',
    ' ',
    'x',
    '{',
    '{"a":}',
    '{"a":1,}',
    "{'a':1}",
    '[]',
    '1',
    '"x"',
    'null',
    '1.50',
    '{"a":01}',
    '{"a":1}x',
    '{"a":"\n"}',
  ]) {
    expect(read(text).kind, text).toBe('malformed');
  }
});

test('nesting is allowed up to sixteen levels', () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  expect(read(nested(16)).kind).toBe('object');
  expect(read(nested(17)).kind).toBe('refused');
  expect(read(nested(30_000)).kind).toBe('refused');
  expect(nestingDepth('{"a":"[[[[{{{{\\"[["}', 16)).toBe(1);
});

test('a repeated key is named by its path, in every spelling', () => {
  expect(firstRepeatedKey('{"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]}')).toBeNull();
  expect(firstRepeatedKey('{"a":1,"b":2,"a":3}')).toBe('a');
  expect(firstRepeatedKey('{"items":[{"x":"}"},{"amount":1,"y":["amount",{"amount":2}],"amount":3}]}')).toBe(
    'items.1.amount',
  );
  expect(firstRepeatedKey('{"amount":1,"\\u0061mount":2}')).toBe('amount');
  expect(firstRepeatedKey('{"a":"\\\\","a":1}')).toBe('a');
  expect(firstRepeatedKey('{"a":"\\"a\\":","b":"a"}')).toBeNull();
  expect(read('{"a":1,"a":1}', true)).toEqual({
    kind: 'refused',
    faults: [{ field: 'a', message: 'is given more than once' }],
  });
});

test('text and numbers that a database cannot hold are refused on their field', () => {
  const fields = (text: string) => {
    const reading = read(text);
    return reading.kind === 'refused' ? reading.faults.map(({ field }) => field) : [];
  };
  expect(fields('{"title":"a\\u0000b","metadata":{"k":["\\ud800"]}}')).toEqual(['title', 'metadata.k.0']);
  expect(fields('{"metadata":{"\\u0000":1}}')).toEqual(['metadata']);
  expect(fields('{"n":1e400,"m":1e-400}')).toEqual(['n', 'm']);
  expect(fields(`{"n":${'9'.repeat(100)}}`)).toEqual(['n']);
  expect(fields('{"pair":"\\ud83d\\ude00","n":1e20}')).toEqual([]);
});
