import { expect, test } from 'bun:test';
import { boundedMap } from '../../src/domain/bounded-map.ts';

test('a bounded map forgets what was set the longest ago, and never grows beyond its bound', () => {
  const map = boundedMap<number, string>(3);
  for (let key = 0; key < 3; key += 1) map.set(key, `${key}`);
  map.set(0, 'again');
  for (let key = 3; key < 5; key += 1) map.set(key, `${key}`);
  expect([0, 1, 2, 3, 4].map((key) => map.get(key))).toEqual(['again', undefined, undefined, '3', '4']);
  map.delete(3);
  expect([map.get(3), map.size]).toEqual([undefined, 2]);
});
