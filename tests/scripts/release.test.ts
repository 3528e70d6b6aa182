/** What is released is on main, whole, dated in the changelog, and tagged once. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseOf, setTag } from '../../scripts/support/release.ts';
import { temporaryDirectory } from '../support/runtime/temp-directory.ts';

let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', folder.path, ...args], {
    encoding: 'utf8',
  }).trim();
const write = (file: string, text: string) => writeFileSync(join(folder.path, file), text);
const commit = () => {
  git('add', '.');
  git('commit', '--quiet', '--message', 'all');
};

beforeAll(async () => {
  folder = await temporaryDirectory();
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'T');
  git('config', 'user.email', 't@t');
  write('package.json', '{ "version": "1.2.3" }');
});
afterAll(() => folder.remove());

test('a commit that is not ready is refused with all that is missing', () => {
  write('CHANGELOG.md', '## [1.2.3]\n\n## [1.2.30] - 2026-01-31\n');
  commit();
  git('checkout', '--quiet', '-b', 'side');
  write('new.txt', '');
  expect(() => releaseOf(folder.path)).toThrow(
    'main is not checked out, but side; not everything is committed; CHANGELOG.md has no line "## [1.2.3] - YYYY-MM-DD"',
  );
  git('checkout', '--quiet', 'main');
});

test('a version is tagged at the commit that was looked at, and only once', () => {
  write('CHANGELOG.md', '## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n');
  commit();
  const release = releaseOf(folder.path);
  expect(release).toEqual({ version: '1.2.3', tag: 'v1.2.3', commit: git('rev-parse', 'HEAD') });
  write('later.txt', '');
  commit();
  setTag(folder.path, release);
  expect(git('cat-file', '-t', 'v1.2.3')).toBe('tag');
  expect(git('rev-parse', 'v1.2.3^{commit}')).toBe(release.commit);
  expect(() => releaseOf(folder.path)).toThrow('the tag v1.2.3 is there');
});
