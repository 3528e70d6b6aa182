/** The storage in memory has every table that the Drizzle schema exports, by the same name. */
import { expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { SCHEMA } from './schema.ts';

const FOLDER = join(import.meta.dir, '../../../../src/adapters/postgres/schema');

test('SCHEMA names every table of the schema folder, and nothing else', async () => {
  const exported: [string, unknown][] = [];
  for (const file of await readdir(FOLDER, { recursive: true })) {
    if (!file.endsWith('.ts')) continue;
    const made = (await import(join(FOLDER, file))) as Record<string, unknown>;
    exported.push(...Object.entries(made).filter(([, value]) => is(value, PgTable)));
  }
  const byName = (a: [string, unknown], b: [string, unknown]) => a[0].localeCompare(b[0]);
  expect(exported.length).toBeGreaterThan(50);
  const names = (entries: [string, unknown][]) => entries.toSorted(byName).map(([name]) => name);
  expect(names(Object.entries(SCHEMA))).toEqual(names(exported));
  for (const [name, table] of exported) expect(SCHEMA[name as keyof typeof SCHEMA]).toBe(table as never);
});
