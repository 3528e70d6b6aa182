/** Every bug to plant still fits the code. */
import { describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PLANTED_BUGS } from './planted-bugs.ts';

const ROOT = join(import.meta.dir, '..', '..', '..');

describe('the bugs to plant', () => {
  test('are at least twenty, each with its own name', () => {
    expect(PLANTED_BUGS.length).toBeGreaterThanOrEqual(20);
    expect(new Set(PLANTED_BUGS.map(({ name }) => name)).size).toBe(PLANTED_BUGS.length);
  });

  test.each(PLANTED_BUGS.map((bug) => [bug.name, bug] as const))('%s fits one place', async (_, bug) => {
    const code = await readFile(join(ROOT, bug.file), 'utf8');
    expect(code.split(bug.find).length - 1).toBe(1);
    expect(bug.replace).not.toBe(bug.find);
  });
});
