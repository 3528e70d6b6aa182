/**
 * Runs every check of the project. Each failed check that is no test counts as one failed test.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startSharedPostgres } from '../tests/support/postgres/shared-postgres.ts';
import { addUp, failedTests, type TestOutcome, testOutcome } from './check-outcome.ts';

const USAGE = `usage: ./scripts/test [--changed[=REV]] [PATH]...

Runs every check of the project, all of them even if one fails: format, lint, types, dead code, tests. Paths choose tests.
--changed runs the tests that depend on changes since main, or since REV. The last line counts the tests.

Environment: REQUIRE_ALL=1 fails where a test would be skipped because this machine lacks a program.`;

const root = join(import.meta.dir, '..');
/**
 * Tests that start processes take seconds on a busy machine, and those that mine Monero take more.
 * A time-out that a helper sets when it is loaded applies to only one file per process.
 */
const TEST_TIMEOUT_MS = 120_000;
/** More than cores: a test that waits for a node or a page leaves its core to others. */
const TEST_PROCESSES = 4;
/**
 * Test processes give no memory back while they run: where a page fault is dear, as in many virtual
 * machines, taking it again cost a third of their processor time.
 */
const ALLOCATOR = { MIMALLOC_PURGE_DELAY: '-1' };
/** The message of `bun test --changed` when there is nothing to run. */
const NONE_CHANGED = 'but no test files are affected';

const STATIC_CHECKS: readonly { name: string; command: readonly string[] }[] = [
  { name: 'format', command: ['biome', 'check', '--linter-enabled=false', '--error-on-warnings', '.'] },
  { name: 'lint', command: ['biome', 'lint', '--error-on-warnings', '.'] },
  { name: 'lint with types', command: ['oxlint', '--type-aware', '--deny-warnings', '.'] },
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'dead code', command: ['knip', '--no-progress', '--no-config-hints'] },
];

async function check(testPaths: readonly string[]): Promise<TestOutcome> {
  const before = await treeState();
  const outcomes: TestOutcome[] = [];
  for (const { name, command } of STATIC_CHECKS) outcomes.push(await staticCheck(name, command));
  outcomes.push(await tests(testPaths));
  if ((await treeState()) !== before) {
    outcomes.push(failed('clean tree', 'The checks changed files that git sees: git status shows which.'));
  }
  return addUp(outcomes);
}

async function staticCheck(name: string, command: readonly string[]): Promise<TestOutcome> {
  const began = performance.now();
  // --bun: the tools' own launchers need node, which may be missing.
  const { code, output } = await run(['run', '--bun', '--silent', ...command], { echo: false });
  if (code !== 0) return failed(name, output, began);
  told('ok', name, began);
  return addUp([]);
}

async function tests(paths: readonly string[]): Promise<TestOutcome> {
  const began = performance.now();
  const timings = join('.bun', 'test-timings.json');
  const server = await startSharedPostgres();
  mkdirSync(join(root, '.bun'), { recursive: true });
  const { code, output } = await run(
    [
      'test',
      `--parallel=${TEST_PROCESSES}`,
      // Loading every module anew for each file took as long as a quarter of the tests.
      '--no-isolate',
      `--timeout=${TEST_TIMEOUT_MS}`,
      '--only-failures',
      `--timings=${timings}`,
      '--update-timings',
      ...paths,
    ],
    { echo: true, env: { ...ALLOCATOR, ...server.env } },
  );
  await server.stop();
  const outcome = output.includes(NONE_CHANGED) ? addUp([]) : testOutcome(output, code);
  told(outcome.failures.length === 0 ? 'ok' : 'FAILED', 'tests', began);
  for (const line of failedTests(output)) console.log(`failed test: ${line}`);
  return outcome;
}

function failed(name: string, output: string, began = performance.now()): TestOutcome {
  told('FAILED', name, began);
  console.log(output.trimEnd());
  return { passed: 0, failed: 1, skipped: 0, failures: [name], missing: [] };
}

function told(verdict: 'ok' | 'FAILED', name: string, began: number): void {
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${verdict.padEnd(6)} ${name} (${seconds} s)`);
}

/** Runs Bun with these arguments in the checkout. The result has all of its output. */
async function run(
  args: readonly string[],
  { echo, env = {} }: { echo: boolean; env?: Readonly<Record<string, string>> },
): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let output = '';
  async function collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      const text = decoder.decode(chunk, { stream: true });
      output += text;
      if (echo) process.stdout.write(text);
    }
  }
  await Promise.all([collect(child.stdout), collect(child.stderr)]);
  return { code: await child.exited, output };
}

/** The changes that git sees; a constant text for a folder that is no git checkout. */
async function treeState(): Promise<string> {
  if (Bun.which('git') === null) return '';
  const git = Bun.spawn(['git', '-C', root, 'status', '--porcelain'], { stdout: 'pipe', stderr: 'ignore' });
  return new Response(git.stdout).text();
}

const given = process.argv.slice(2);
const isHelp = given.includes('--help') || given.includes('-h');
if (isHelp || given.some((argument) => /^-(?!-changed($|=.))/u.test(argument))) {
  (isHelp ? console.log : console.error)(USAGE);
  process.exit(isHelp ? 0 : 2);
}
const outcome = await check(
  given.map((argument) => (argument === '--changed' ? '--changed=main' : argument)),
);
if (outcome.failures.length > 0) console.log(`failed: ${outcome.failures.join(', ')}`);
for (const program of outcome.missing) console.log(`skipped: needs ${program}`);
console.log(`${outcome.passed} passed, ${outcome.failed} failed, ${outcome.skipped} skipped`);
process.exit(outcome.failed === 0 ? 0 : 1);
