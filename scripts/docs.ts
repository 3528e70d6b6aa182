/** `bun run docs`: writes the parts of the docs that are made from the code. A test fails while they differ. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATED_PAGES, regenerated } from './support/generated-docs.ts';

for (const page of GENERATED_PAGES) {
  const path = join(import.meta.dir, '..', page);
  const text = readFileSync(path, 'utf8');
  const made = regenerated(page, text);
  if (made === text) continue;
  writeFileSync(path, made);
  console.log(`wrote ${page}`);
}
