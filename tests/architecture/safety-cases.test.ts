/**
 * docs/safety.md against the tests: every case has a test by its id in the file that the page
 * names, and no test has an unlisted id.
 */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from './source-tree.ts';

const ROOT = join(import.meta.dir, '..', '..');
/**
 * The ids that a test's name begins with, before its colon: one, or several with commas or `and`
 * between them.
 */
const NAMED = /\(\s*[`'"]((?:[A-Z]\d{1,2}(?:, | and )?)+): /g;
const ID = /[A-Z]\d{1,2}/g;

interface SafetyCase {
  readonly id: string;
  readonly files: readonly string[];
}

function listedCases(): readonly SafetyCase[] {
  const page = readFileSync(join(ROOT, 'docs', 'safety.md'), 'utf8');
  return page.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const [, id = '', input = '', outcome = '', files = ''] = cells;
    if (!/^[A-Z]\d{1,2}$/.test(id)) return [];
    if (input === '' || outcome === '') throw new Error(`docs/safety.md: ${id} says too little`);
    return [{ id, files: [...files.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file) }];
  });
}

/** The ids that tests are named by, by file. */
function namedIds(): ReadonlyMap<string, ReadonlySet<string>> {
  const tests = sourceFiles().filter(({ path }) => path.startsWith('tests/'));
  return new Map(
    tests.map(({ path, text }) => [
      path,
      new Set([...text.matchAll(NAMED)].flatMap(([, ids = '']) => ids.match(ID) ?? [])),
    ]),
  );
}

describe('docs/safety.md', () => {
  const cases = listedCases();
  const named = namedIds();

  test('names each case once', () => {
    const ids = cases.map(({ id }) => id);
    expect(ids.length).toBeGreaterThanOrEqual(48);
    expect(ids).toEqual([...new Set(ids)]);
  });

  test('names for each case a file with a test by its id', () => {
    const missing = cases.filter(
      ({ id, files }) => files.length === 0 || !files.every((file) => named.get(file)?.has(id) === true),
    );
    expect(missing).toEqual([]);
  });

  test('lists every id that a test is named by', () => {
    const listed = new Set(cases.map(({ id }) => id));
    const unlisted = [...named].flatMap(([file, ids]) =>
      [...ids].filter((id) => !listed.has(id)).map((id) => `${file}: ${id}`),
    );
    expect(unlisted).toEqual([]);
  });
});
