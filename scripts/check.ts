/**
 * Every check of the project, one after the other, all of them even if one fails: format, lint, types, dead code, tests.
 * The last line is the count of tests, with each failed check counted as one failed test. Arguments are paths for the tests;
 * `--changed` takes the tests that what changed since main can make fail, `--changed=REV` since another revision.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startSharedPostgres } from '../tests/support/postgres/shared-postgres.ts';
import { addUp, type Outcome, testOutcome } from './check-outcome.ts';

const root = join(import.meta.dir, '..');
/**
 * Tests that start processes take seconds on a busy machine, and those that mine Monero take more. What a helper sets when it
 * is loaded counts for one file of each process alone.
 */
const TEST_TIMEOUT_MS = 120_000;
const TEST_PROCESSES = 3;
/** What `bun test --changed` says where there is nothing to run. */
const NONE_CHANGED = 'but no test files are affected';

const STATIC_CHECKS: readonly { name: string; command: readonly string[] }[] = [
  { name: 'format', command: ['biome', 'check', '--linter-enabled=false', '--error-on-warnings', '.'] },
  { name: 'lint', command: ['biome', 'lint', '--error-on-warnings', '.'] },
  { name: 'lint with types', command: ['oxlint', '--type-aware', '--deny-warnings', '.'] },
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'dead code', command: ['knip', '--no-progress', '--no-config-hints'] },
];

async function check(testPaths: readonly string[]): Promise<Outcome> {
  const before = await treeState();
  const outcomes: Outcome[] = [];
  for (const { name, command } of STATIC_CHECKS) outcomes.push(await staticCheck(name, command));
  outcomes.push(await tests(testPaths));
  if ((await treeState()) !== before) {
    outcomes.push(failed('clean tree', 'The checks changed files that git sees: git status shows which.'));
  }
  return addUp(outcomes);
}

async function staticCheck(name: string, command: readonly string[]): Promise<Outcome> {
  const began = performance.now();
  // --bun: the tools' own launchers ask for node, which this machine need not have
  const { code, output } = await run(['run', '--bun', '--silent', ...command], { echo: false });
  if (code !== 0) return failed(name, output, began);
  told('ok', name, began);
  return addUp([]);
}

async function tests(paths: readonly string[]): Promise<Outcome> {
  const began = performance.now();
  const timings = join('.bun', 'test-timings.json');
  const server = await startSharedPostgres();
  mkdirSync(join(root, '.bun'), { recursive: true });
  const { code, output } = await run(
    [
      'test',
      `--parallel=${TEST_PROCESSES}`,
      // loading every module anew for each file took as long as a quarter of the tests
      '--no-isolate',
      `--timeout=${TEST_TIMEOUT_MS}`,
      '--only-failures',
      `--timings=${timings}`,
      '--update-timings',
      ...paths,
    ],
    { echo: true, env: server.env },
  );
  await server.stop();
  const outcome = output.includes(NONE_CHANGED) ? addUp([]) : testOutcome(output, code);
  told(outcome.failures.length === 0 ? 'ok' : 'FAILED', 'tests', began);
  return outcome;
}

function failed(name: string, output: string, began = performance.now()): Outcome {
  told('FAILED', name, began);
  console.log(output.trimEnd());
  return { passed: 0, failed: 1, skipped: 0, failures: [name], missing: [] };
}

function told(verdict: 'ok' | 'FAILED', name: string, began: number): void {
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${verdict.padEnd(6)} ${name} (${seconds} s)`);
}

/** Runs Bun with these arguments in the checkout; the answer holds everything it said. */
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

/** What git sees as changed; the same text for a folder that is no git checkout. */
async function treeState(): Promise<string> {
  if (Bun.which('git') === null) return '';
  const git = Bun.spawn(['git', '-C', root, 'status', '--porcelain'], { stdout: 'pipe', stderr: 'ignore' });
  return new Response(git.stdout).text();
}

const outcome = await check(
  process.argv.slice(2).map((argument) => (argument === '--changed' ? '--changed=main' : argument)),
);
if (outcome.failures.length > 0) console.log(`failed: ${outcome.failures.join(', ')}`);
for (const program of outcome.missing) console.log(`skipped: needs ${program}`);
console.log(`${outcome.passed} passed, ${outcome.failed} failed, ${outcome.skipped} skipped`);
process.exit(outcome.failed === 0 ? 0 : 1);
