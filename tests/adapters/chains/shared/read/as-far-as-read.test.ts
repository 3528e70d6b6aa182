/** Lists of which a node answers only a part: that part is kept. */
import { expect, test } from 'bun:test';
import { NodeError, NodeLimited } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import { asFarAsRead } from '../../../../../src/adapters/chains/shared/read/as-far-as-read.ts';

const ITEMS = [1, 2, 3, 4, 5, 6, 7];
const failingAt = (bad: number, error: Error) => (item: number) =>
  item === bad ? Promise.reject(error) : Promise.resolve(item * 10);

test('R1: what was read before a node failed is kept, in order', async () => {
  const limited = new NodeLimited('its limit leaves no room at present');
  expect(await asFarAsRead(ITEMS, 3, failingAt(0, limited))).toEqual([10, 20, 30, 40, 50, 60, 70]);
  expect(await asFarAsRead(ITEMS, 3, failingAt(5, limited))).toEqual([10, 20, 30, 40]);
  expect(await asFarAsRead([], 3, failingAt(5, limited))).toEqual([]);
});

test('a node that fails at the first item is told, and so is what is no failure of a node', async () => {
  await expect(asFarAsRead(ITEMS, 3, failingAt(1, new NodeError('timed out')))).rejects.toThrow('timed out');
  await expect(asFarAsRead(ITEMS, 3, failingAt(5, new TypeError('a bug')))).rejects.toThrow('a bug');
});
