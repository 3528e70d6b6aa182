/** The list of planted bugs fits the source, so that `bun run mutants` says something about it. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plant } from '../mutants/mutant.ts';
import { MUTANTS } from '../mutants/mutants.ts';

const ROOT = join(import.meta.dir, '..', '..');

describe('each planted bug', () => {
  test('has its place in the source, exactly once, and leaves a file that can be read', () => {
    const transpiler = new Bun.Transpiler({ loader: 'ts' });
    for (const mutant of MUTANTS) {
      const source = readFileSync(join(ROOT, mutant.file), 'utf8');
      const isScript = mutant.file.endsWith('.ts');
      expect(() => {
        const planted = plant(source, mutant);
        if (isScript) transpiler.transformSync(planted);
      }, mutant.find).not.toThrow();
    }
  });

  test('names tests that exist', () => {
    const missing = MUTANTS.flatMap(({ tests }) => tests).filter((file) => !existsSync(join(ROOT, file)));
    expect(missing).toEqual([]);
    expect(MUTANTS.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });

  test('is planted once', () => {
    const texts = MUTANTS.map(({ file, find, replace }) => `${file}\n${find}\n${replace}`);
    expect(texts).toHaveLength(new Set(texts).size);
  });
});
