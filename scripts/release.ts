/** `bun run release`: tags the checked-out commit as the version in package.json. */
import { join } from 'node:path';
import { appError } from '../src/domain/errors.ts';
import { Refused } from './support/failures.ts';
import { type OfflineCommand, type Program, runProgram } from './support/program.ts';
import { releaseOf, setTag } from './support/release.ts';

const ROOT = join(import.meta.dir, '..');

const about =
  'Tags the checked-out commit as the version in package.json. It must be main with everything committed, CHANGELOG.md must date the version, and the tag must not exist. All checks run first, and no test may be skipped. Nothing is built or pushed: it prints what to do next.';

const release: OfflineCommand = {
  name: null,
  about,
  audits: [],
  positionals: [],
  options: { checked: { help: 'the checks of this commit passed already' } },
  examples: ['', '--checked'],
  readOffline(args) {
    const checked = args.isSet('checked');
    return async () => {
      const next = releaseOf(ROOT);
      if (!checked) await runChecks();
      setTag(ROOT, next);
      const { version, tag, commit } = next;
      return {
        json: next,
        text: [
          `${tag} is set on ${commit.slice(0, 12)}. Next:`,
          `  git push origin main ${tag}`,
          `  docker build --tag quittance:${version} .`,
        ].join('\n'),
      };
    };
  },
};

/** Their output goes to standard error, since standard output is the result. Throws Refused. */
async function runChecks(): Promise<void> {
  const checks = Bun.spawn([join(ROOT, 'scripts', 'test')], {
    env: { ...process.env, REQUIRE_ALL: '1' },
    stdio: ['ignore', 2, 2],
  });
  if ((await checks.exited) !== 0)
    throw new Refused(appError('INVALID_TRANSITION', 'the checks failed: no tag was set'));
}

export const program: Program = {
  name: 'release',
  about: 'Tags the checked-out commit as the version in package.json.',
  commands: [release],
};

if (import.meta.main) await runProgram(program);
