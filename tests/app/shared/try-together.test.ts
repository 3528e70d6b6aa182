/** Work on many items in one transaction, where a failing item does not block the others. */
import { describe, expect, test } from 'bun:test';
import { tryTogether } from '../../../src/app/shared/try-together.ts';
import { StorageUnavailable } from '../../../src/ports/repositories.ts';

class Late extends StorageUnavailable {
  override readonly isLate = true;
}

/** Does what `fails` lets through, and tells what was done, and what failed. */
async function tried(count: number, fails: (some: readonly number[]) => Error | null) {
  const done: number[] = [];
  const failed: number[] = [];
  let tries = 0;
  const work = async (some: readonly number[]): Promise<void> => {
    tries += 1;
    const failure = fails(some);
    if (failure !== null) throw failure;
    done.push(...some);
  };
  const all = Array.from({ length: count }, (_, nth) => nth);
  const trying = { work, failed: (one: number) => void failed.push(one), stopping: undefined };
  const error = await tryTogether(all, trying).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { done, failed, tries, error };
}

describe('work that is tried together', () => {
  test('a set that misses its deadline is done in halves', async () => {
    const { done, failed, error } = await tried(10, ({ length }) => (length > 3 ? new Late() : null));
    expect({ done, failed, error }).toEqual({
      done: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      failed: [],
      error: null,
    });
  });

  test('one that always misses its deadline does not stop the others', async () => {
    const { done, failed, error } = await tried(5, (some) => (some.includes(2) ? new Late() : null));
    expect({ done, failed, error }).toEqual({ done: [0, 1, 3, 4], failed: [2], error: null });
  });

  test('where one after the other misses its deadline, nothing more is tried', async () => {
    const { done, failed, tries, error } = await tried(64, () => new Late());
    expect({ done, failed, error }).toEqual({ done: [], failed: [0], error: expect.any(Late) });
    expect(tries).toBe(8);
  });

  test('where the database is away, nothing more is tried', async () => {
    const { tries, error } = await tried(64, () => new StorageUnavailable());
    expect({ tries, error }).toEqual({ tries: 1, error: expect.any(StorageUnavailable) });
  });
});
