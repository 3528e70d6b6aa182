import { expect, test } from 'bun:test';
import { readsById } from '../../../../src/adapters/postgres/lists/reads-by-id.ts';

/** A table of the even numbers that counts its statements. */
function evenNumbers() {
  const statements: string[][] = [];
  const read = readsById(async (ids) => {
    statements.push([...ids]);
    await Bun.sleep(1);
    if (ids.includes('broken')) throw new Error('refused');
    return ids.filter((id) => Number(id) % 2 === 0).map((id) => ({ id }));
  });
  return { statements, read };
}

test('reads of one moment share a statement, and each gets its own row or null', async () => {
  const { statements, read } = evenNumbers();
  const ids = Array.from({ length: 300 }, (_, index) => String(index % 150));
  const rows = await Promise.all(ids.map(read));
  expect(rows.map((row) => row?.id ?? null)).toEqual(ids.map((id) => (Number(id) % 2 === 0 ? id : null)));
  expect(statements.length).toBe(5);
  expect(statements.every((batch) => new Set(batch).size === batch.length)).toBe(true);
});

test('a read alone is a statement of its own', async () => {
  const { statements, read } = evenNumbers();
  expect(await read('4')).toEqual({ id: '4' });
  expect(statements).toEqual([['4']]);
});

test('a statement that fails fails its reads, and later ones go on', async () => {
  const { read } = evenNumbers();
  const failed = await Promise.allSettled([read('broken'), read('2')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await read('2')).toEqual({ id: '2' });
});
