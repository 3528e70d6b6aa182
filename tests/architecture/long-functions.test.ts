/** Functions of at most 80 lines and complexity 15, by lint; the files that are exempt from that become fewer. */
import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import config from '../../.oxlintrc.json';

const ROOT = join(import.meta.dir, '..', '..');
/** Lower it with each file that needs no exemption any more. */
const EXEMPT_MOST = 2;
const RULES = ['eslint/max-lines-per-function', 'eslint/complexity'] as const;

test('every file that is exempt from the length of functions still needs it, and no more are', () => {
  const exempt = config.overrides.at(-1)!.files;
  expect(exempt.length).toBeLessThanOrEqual(EXEMPT_MOST);
  const rules = Object.fromEntries(RULES.map((rule) => [rule, config.rules[rule]]));
  const found = faultyFiles(rules, exempt);
  expect(exempt.filter((file) => !found.has(file))).toEqual([]);
});

function faultyFiles(rules: object, files: readonly string[]): ReadonlySet<string> {
  const dir = mkdtempSync(join(tmpdir(), 'quittance-lint-'));
  const only = join(dir, 'rules.json');
  writeFileSync(only, JSON.stringify({ plugins: [], categories: {}, rules }));
  const { stdout } = spawnSync(
    process.execPath,
    ['run', '--bun', '--silent', 'oxlint', '-c', only, '-f', 'json', ...files],
    { cwd: ROOT },
  );
  rmSync(dir, { recursive: true });
  const { diagnostics } = JSON.parse(stdout.toString()) as { diagnostics: readonly { filename: string }[] };
  return new Set(diagnostics.map(({ filename }) => filename));
}
