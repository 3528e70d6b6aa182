/**
 * The container image, without building it: what it copies is there and is sent to the builder, and
 * what the service reads is copied.
 */
import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import journal from '../../drizzle/meta/_journal.json';
import { sourceFiles } from './source-tree.ts';

const ROOT = join(import.meta.dir, '..', '..');
const linesOf = (file: string) => readFileSync(join(ROOT, file), 'utf8').split('\n');
const ignored = linesOf('.dockerignore').filter((line) => line !== '' && !line.startsWith('#'));

/**
 * As Docker reads .dockerignore: the last pattern that matches the path, or a folder that it is in,
 * decides.
 */
function isSent(path: string): boolean {
  const parts = path.split('/');
  const places = parts.map((_, end) => parts.slice(0, end + 1).join('/'));
  const last = ignored.findLast((line) => {
    const pattern = new Bun.Glob(line.replace(/^!/, ''));
    return places.some((place) => pattern.match(place));
  });
  return last === undefined || last.startsWith('!');
}

function filesOf(path: string): readonly string[] {
  if (path.includes('*')) return [...new Bun.Glob(path).scanSync(ROOT)];
  if (!existsSync(join(ROOT, path)) || statSync(join(ROOT, path)).isFile()) return [path];
  return readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join(path, entry.parentPath.slice(join(ROOT, path).length), entry.name));
}

const copied = linesOf('Dockerfile')
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .map((line) => line.split(/\s+/).slice(1));

test('the image copies what is in the repository and what .dockerignore lets through', () => {
  const sources = copied.flatMap((places) => places.slice(0, -1));
  expect(sources.length).toBeGreaterThan(4);
  const files = sources.flatMap(filesOf);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  expect(files.filter((file) => !isSent(file))).toEqual([]);
  const kept = [
    '.env',
    'data/keystore.json',
    'docs/safety.md',
    'drizzle/meta/0000_snapshot.json',
    'tests/a.ts',
  ];
  expect(kept.filter(isSent)).toEqual([]);
});

test('the image holds, at the same places, what the service reads beside its own source', () => {
  const places = copied.map((all) => posix.join(all.at(-1) ?? '').replace(/\/$/, ''));
  const read = sourceFiles()
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap(({ path, text }) => [
      ...[...text.matchAll(/['`]((?:\.\.?\/)+[\w./-]+)/g)].map(([, to = '']) =>
        posix.join(posix.dirname(path), to),
      ),
      ...[...text.matchAll(/join\(import\.meta\.dir((?:, '[\w.-]+')+)\)/g)].map(([, to = '']) =>
        posix.join(posix.dirname(path), ...[...to.matchAll(/'(.+?)'/g)].map(([, part = '']) => part)),
      ),
    ])
    .filter((to) => !to.startsWith('src/'));
  expect(read).toEqual(expect.arrayContaining(['docs/receivers/', 'drizzle', 'package.json']));
  const isThere = (to: string) =>
    places.some((place) => to === place || to.startsWith(`${place}/`)) ||
    copied.some((all) => all.includes(to));
  expect(read.filter((to) => !isThere(to))).toEqual([]);
});

test('the image holds every migration, and the journal that orders them', () => {
  const files = copied.flatMap((places) => places.slice(0, -1)).flatMap(filesOf);
  expect(files).toEqual(
    expect.arrayContaining([
      'drizzle/meta/_journal.json',
      ...journal.entries.map(({ tag }) => `drizzle/${tag}.sql`),
    ]),
  );
});
