/** The high-water mark of derivation beside the keystore (safety.md K6). */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { IssuedIndexesUnusable, issuedIndexes } from '../../../src/adapters/signer/issued-indexes.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';

let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeEach(async () => {
  folder = await temporaryDirectory();
});
afterEach(() => folder.remove());

const path = () => join(folder.path, 'issued-indexes.json');
const noted = async (...marks: readonly [deriver: string, index: number][]): Promise<void> => {
  const indexes = issuedIndexes(folder.path);
  await indexes.note(new Map(marks));
  await indexes.close();
};
const all = async (): Promise<Record<string, number>> =>
  Object.fromEntries(await issuedIndexes(folder.path).all());

describe('the indexes that were given out', () => {
  test('K6: never go back, whatever a restored database notes, and what another deriver noted stays', async () => {
    await noted(['evm', 900], ['tron', 5]);
    await noted(['evm', 40], ['tron', 6]);
    await noted(['bitcoin', 1]);
    expect(await all()).toEqual({ evm: 900, tron: 6, bitcoin: 1 });
  });

  test('are for the owner alone, are whole, and none is there before the first note', async () => {
    expect(await all()).toEqual({});
    expect(await readdir(folder.path)).toEqual([]);
    await noted(['evm', 3]);
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(path(), 'utf8'))).toEqual({ evm: 3 });
    expect((await readdir(folder.path)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('are all there when several processes note at once', async () => {
    const writers = Array.from({ length: 8 }, () => issuedIndexes(folder.path));
    await Promise.all(writers.map((writer, n) => writer.note(new Map([[`deriver-${n}`, n]]))));
    await Promise.all(writers.map((writer) => writer.close()));
    expect(Object.keys(await all())).toHaveLength(8);
  });

  test.each(['{"evm":', '[]', '{"evm":-1}', '{"evm":1.5}', '{"evm":"900"}', '{"evm":2147483649}'])(
    'K6: %s tells nothing, so no address is given out until the file is right',
    async (text) => {
      await writeFile(path(), text);
      await expect(all()).rejects.toBeInstanceOf(IssuedIndexesUnusable);
      await expect(noted(['evm', 1])).rejects.toBeInstanceOf(IssuedIndexesUnusable);
      expect(await readFile(path(), 'utf8')).toBe(text);
    },
  );
});
