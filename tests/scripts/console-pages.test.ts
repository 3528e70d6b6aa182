/**
 * Every command of an operators' script has its page in the console, or a reason why it stays a
 * script: docs/console/scripts.md. What it names in italics stands on a page.
 */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorPrograms } from '../../scripts/support/generated-scripts.ts';

const ROOT = join(import.meta.dir, '..', '..');
const rows = readFileSync(join(ROOT, 'docs/console/scripts.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, command, page] = /^\| `([^`]+)` \| (.+) \|$/.exec(line) ?? [];
    return command === undefined || page === undefined ? [] : [{ command, page }];
  });
const labels = (page: string): readonly string[] =>
  [...page.matchAll(/\*([^*]+)\*/g)].flatMap(([, label]) => label ?? []);

test('the table has every command of every script, once and in their order', async () => {
  const programs = await operatorPrograms();
  const commands = programs.flatMap((program) =>
    program.commands.map(({ name }) => (name === null ? program.name : `${program.name} ${name}`)),
  );
  expect(rows.map(({ command }) => command)).toEqual(commands);
});

test('each has a page, or says why it stays a script', () => {
  for (const { command, page } of rows)
    expect({ command, says: page.startsWith('Script: ') || page.startsWith('*') }).toEqual({
      command,
      says: true,
    });
});

test('what the table names stands in the console', () => {
  const pages = [...new Bun.Glob('src/adapters/http/console/**/*.ts').scanSync(ROOT)]
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');
  const missing = rows.flatMap(({ page }) =>
    // A name stands in quotes, or between tags.
    labels(page).filter((label) => !pages.includes(`'${label}'`) && !pages.includes(`>${label}<`)),
  );
  expect(missing).toEqual([]);
});
