/**
 * Docs and client say what the code says: what is made from it is up to date, and every log event
 * can be told from every other.
 */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedClient } from '../../scripts/support/generated-client.ts';
import { GENERATED_PAGES, regenerated } from '../../scripts/support/generated-docs.ts';
import { LOG_EVENTS } from '../../src/ports/runtime/log-events.ts';
import { sourceFiles } from './source-tree.ts';

const root = join(import.meta.dir, '..', '..');

test.each(GENERATED_PAGES)('what is made from the code in %s is up to date: else `bun run docs`', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  expect(text === regenerated(page, text)).toBe(true);
});

test('the client of TypeScript has the types and methods of the OpenAPI document: else `bun run docs`', async () => {
  for (const [file, made] of Object.entries(await generatedClient())) {
    expect(readFileSync(join(root, file), 'utf8') === made, file).toBe(true);
  }
});

test('every log event is logged somewhere, its name is defined once, and its text is its own', () => {
  const files = sourceFiles().filter(({ path }) => path.startsWith('src/'));
  const tables = files.filter(({ path }) => path.startsWith('src/ports/runtime/log-events/'));
  const code = files
    .filter((file) => !tables.includes(file))
    .map(({ text }) => text)
    .join('\n');
  const defined = tables.flatMap(({ text }) =>
    [...text.matchAll(/^ {2}'([a-z_.]+)': \{/gm)].map(([, name]) => name!),
  );
  expect(defined.toSorted()).toEqual(Object.keys(LOG_EVENTS).toSorted());
  // signer.signed and signer.derived are named by the kind of answer
  const unused = defined.filter(
    (event) => !code.includes(`'${event}'`) && !/^signer\.(signed|derived)$/.test(event),
  );
  expect(unused).toEqual([]);
  const texts = Object.values(LOG_EVENTS).map(({ text }) => text);
  expect(texts.length).toBe(new Set(texts).size);
});
