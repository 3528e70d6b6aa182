/**
 * `bun run docs` generates parts of the docs and of the client from the code. A test fails while
 * they differ.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedClient } from './support/generated-client.ts';
import { GENERATED_PAGES, regenerated } from './support/generated-docs.ts';

for (const page of GENERATED_PAGES) write(page, (text) => regenerated(page, text));
for (const [file, text] of Object.entries(await generatedClient())) write(file, () => text);

function write(file: string, make: (text: string) => string): void {
  const path = join(import.meta.dir, '..', file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const made = make(text);
  if (made === text) return;
  writeFileSync(path, made);
  console.log(`wrote ${file}`);
}
