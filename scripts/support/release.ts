/** The conditions of a release, and its tag. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appError } from '../../src/domain/errors.ts';
import { Refused } from './failures.ts';

export interface Release {
  readonly version: string;
  readonly tag: string;
  readonly commit: string;
}

/**
 * The checked-out commit in `root`, with the version of package.json. Throws Refused with all that
 * is missing.
 */
export function releaseOf(root: string): Release {
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split('\n');
  const isDated = sections.some((line) => {
    const [heading, date] = line.split(' - ');
    return heading === `## [${version}]` && /^\d{4}-\d{2}-\d{2}$/.test(date ?? '');
  });
  const tag = `v${version}`;
  const branch = git(root, 'branch', '--show-current');
  const faults = [
    ...(branch === 'main' ? [] : [`main is not checked out, but ${branch || 'a commit'}`]),
    ...(git(root, 'status', '--porcelain') === '' ? [] : ['not everything is committed']),
    ...(isDated ? [] : [`CHANGELOG.md has no line "## [${version}] - YYYY-MM-DD"`]),
    ...(git(root, 'tag', '--list', tag) === '' ? [] : [`the tag ${tag} is there`]),
  ];
  if (faults.length > 0) throw new Refused(appError('INVALID_TRANSITION', faults.join('; ')));
  return { version, tag, commit: git(root, 'rev-parse', 'HEAD') };
}

export function setTag(root: string, { version, tag, commit }: Release): void {
  git(root, 'tag', '--annotate', '--message', `Quittance ${version}`, tag, commit);
}

function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();
}
