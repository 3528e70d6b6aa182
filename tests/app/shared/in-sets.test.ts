/** Work that is asked for item by item and done in sets. */
import { describe, expect, test } from 'bun:test';
import { inSets } from '../../../src/app/shared/in-sets.ts';
import { StorageUnavailable } from '../../../src/ports/repositories.ts';

/** Doubles numbers; each set waits for its turn in `sets`. */
function stage(most = 3, fails: (some: readonly number[]) => Error | null = () => null) {
  const sets: (readonly number[])[] = [];
  const ask = inSets(most, async (some: readonly number[]) => {
    sets.push(some);
    await Promise.resolve();
    const failure = fails(some);
    if (failure !== null) throw failure;
    return some.map((one) => 2 * one);
  });
  const ends = async (...asked: readonly number[]) =>
    (await Promise.allSettled(asked.map(ask))).map((end) =>
      end.status === 'fulfilled' ? end.value : String(end.reason.message),
    );
  return { sets, ask, ends };
}

describe('work in sets', () => {
  test('what is asked for in one moment is done together, in its order, as many as a set may have', async () => {
    const { sets, ends } = stage();
    expect(await ends(1, 2, 3, 4)).toEqual([2, 4, 6, 8]);
    expect(sets).toEqual([[1, 2, 3], [4]]);
  });

  test('what is asked for while a set is under way forms the next one', async () => {
    const { sets, ask } = stage();
    const first = ask(1).then(() => ask(4));
    const second = Promise.resolve().then(() => Promise.resolve().then(() => Promise.all([ask(2), ask(3)])));
    expect(await Promise.all([first, second])).toEqual([8, [4, 6]]);
    expect(sets).toEqual([[1], [2, 3, 4]]);
  });

  test('a set has no more than its items may weigh, but always one', async () => {
    const sets: (readonly number[])[] = [];
    const ask = inSets(
      5,
      async (some: readonly number[]) => {
        sets.push(some);
        return some;
      },
      (one) => one,
    );
    await Promise.all([2, 3, 1, 9, 4, 1].map(ask));
    expect(sets).toEqual([[2, 3], [1], [9], [4, 1]]);
  });

  test('an item that fails does not stop the others', async () => {
    const { ends } = stage(9, (some) => (some.includes(2) ? new Error('poison') : null));
    expect(await ends(1, 2, 3, 4)).toEqual([2, 'poison', 6, 8]);
    expect(await ends(5)).toEqual([10]);
  });

  test('where the database is away nothing is tried again, and all that wait are told', async () => {
    const { sets, ends } = stage(2, () => new StorageUnavailable('away'));
    expect(await ends(1, 2, 3)).toEqual(['away', 'away', 'away']);
    expect(sets).toEqual([[1, 2]]);
    expect(await ends(4)).toEqual(['away']);
  });
});
