/** A systematic fault takes no more memory than shows its pattern, and hides no other one. */
import { expect, test } from 'bun:test';
import { foundFaults } from '../../../../src/adapters/postgres/books/found-faults.ts';

const fault = (check: string, reference: string) => ({ check, reference, expected: '0', found: '1' });

test('of each check so many faults are kept, each once, and one says that there are others', () => {
  const found = foundFaults(['sum', 'count', 'none'], 2);
  found.add([fault('count', 'c'), fault('sum', 'b'), fault('sum', 'b')]);
  found.add([fault('sum', 'a'), fault('sum', 'd'), fault('count', 'c')]);
  found.add(Array.from({ length: 5_000 }, (_, place) => fault('sum', `more ${place}`)));
  expect(found.all()).toEqual([
    fault('sum', 'a'),
    fault('sum', 'b'),
    { check: 'sum', reference: 'others', expected: 'none', found: 'more than these 2' },
    fault('count', 'c'),
  ]);
});
