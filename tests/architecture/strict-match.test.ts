/** What tests compare with `toMatchObject` can fail (tests/support/runtime/strict-match.ts). */
import { expect, test } from 'bun:test';

test.each([
  ['dates', new Date(0), new Date(0), new Date(1)],
  ['maps', new Map([[1, 1]]), new Map([[1, 1]]), new Map([[1, 2]])],
  ['sets', new Set([1]), new Set([1]), new Set([2])],
  ['errors', new Error('a'), new Error('a'), new Error('b')],
  ['regular expressions', /a/, /a/, /b/],
  ['what is not there', 1, expect.any(Number), undefined],
])('toMatchObject tells %s apart, at any depth', async (_, value, equal, other) => {
  const received = { rest: 1, list: [{ rest: 1, value }] };
  const expected = (one: unknown) => ({ list: [{ value: one }] });
  expect(received).toMatchObject(expected(equal));
  expect(received).not.toMatchObject(expected(other));
  await expect(Promise.resolve(received)).resolves.toMatchObject(expected(equal));
  await expect(Promise.reject(received)).rejects.not.toMatchObject(expected(other));
  expect(() => expect(received).toMatchObject(expected(other))).toThrow('expect(received)');
});

test('toMatchObject asks for a property that is expected to be undefined, and for each element of a list', () => {
  expect({ there: undefined }).toMatchObject({ there: undefined });
  expect({}).not.toMatchObject({ there: undefined });
  expect([1, 2]).not.toMatchObject([1]);
  expect({ a: Object.create(null) }).toMatchObject({ a: {} });
});
