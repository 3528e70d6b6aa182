/**
 * Reads the results of the tests from the output of `bun test`, and adds them up. A run without
 * tests is a failure.
 */
export interface TestOutcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Names of what failed, for the last lines. */
  readonly failures: readonly string[];
  /** Programs that are missing, so that tests were skipped. */
  readonly missing: readonly string[];
}

/** `output`: all that `bun test` wrote; `code`: its exit code. */
export function testOutcome(output: string, code: number): TestOutcome {
  const passed = counted(output, 'pass');
  const errors = counted(output, 'error');
  const needs = [...output.matchAll(/^skipped: needs (\S+)$/gm)].map((match) => match[1] ?? '');
  // A file may skip without bun's knowledge. Such a line counts as at least one test.
  const skipped = Math.max(counted(output, 'skip') + counted(output, 'todo'), needs.length);
  const problems: string[] = [];
  let failed = counted(output, 'fail') + errors;
  if (failed > 0) problems.push('tests');
  else if (passed + skipped === 0) problems.push('tests (none ran)');
  else if (code !== 0) problems.push(`tests (ended with ${code})`);
  if (problems.length > 0) failed = Math.max(failed, 1);
  return { passed, failed, skipped, failures: problems, missing: [...new Set(needs)] };
}

/** So much of what a test expected and received is repeated. */
const DIFFERENCE_MAX = 400;

/**
 * One line for each failed test in the output of `bun test`: its file, its name, the first line of
 * its error, and where it differs from what was expected. They go to the end of the report, where
 * who sees only its last lines still reads them.
 */
export function failedTests(output: string): readonly string[] {
  const found: string[] = [];
  let file = '';
  let error = '';
  for (const line of output.split('\n')) {
    const opened = /^(tests\/\S+\.test\.ts):$/.exec(line)?.[1];
    const name = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/.exec(line)?.[1];
    const late = /^ {2}\^ (this test timed out.*)$/.exec(line)?.[1];
    if (opened !== undefined) [file, error] = [opened, ''];
    else if (line.startsWith('error: ')) error = line.slice('error: '.length);
    else if (error !== '' && error.length < DIFFERENCE_MAX && isDifference(line))
      error += ` ${line.replace(/\s+/g, ' ').slice(0, DIFFERENCE_MAX)}`;
    else if (name !== undefined) {
      found.push(`${file}: ${name}${error === '' ? '' : ` (${error})`}`);
      error = '';
    } else if (late !== undefined) found.push(`${found.pop() ?? ''} (${late})`);
  }
  return found;
}

/** `Expected: 2`, `+   "what came"` or `-   "what should have"`; no line that counts such lines. */
function isDifference(line: string): boolean {
  return /^(Expected|Received): |^[-+] +(?!Expected |Received ).*\w/.test(line);
}

export function addUp(outcomes: readonly TestOutcome[]): TestOutcome {
  const sum = (pick: (outcome: TestOutcome) => number): number =>
    outcomes.reduce((total, outcome) => total + pick(outcome), 0);
  return {
    passed: sum((outcome) => outcome.passed),
    failed: sum((outcome) => outcome.failed),
    skipped: sum((outcome) => outcome.skipped),
    failures: outcomes.flatMap((outcome) => outcome.failures),
    missing: [...new Set(outcomes.flatMap((outcome) => outcome.missing))],
  };
}

/**
 * The last line of the form ` 12 pass`: the summary comes after everything a test may have printed.
 */
function counted(output: string, word: string): number {
  const lines = [...output.matchAll(new RegExp(`^ *(\\d+) ${word}s?$`, 'gm'))];
  return Number(lines.at(-1)?.[1] ?? 0);
}
