/**
 * The closing line of the checks counts what bun test printed and never calls an empty or broken
 * run a success.
 */
import { expect, test } from 'bun:test';
import { addUp, failedTests, testOutcome } from '../../scripts/check-outcome.ts';

const summary = (...counts: string[]) =>
  `\n${counts.map((count) => ` ${count}\n`).join('')}Ran it all. [1.00ms]\n`;

test('the counts of the summary are taken, skipped and todo together', () => {
  expect(testOutcome(summary('12 pass', '3 skip', '1 todo', '0 fail', '30 expect() calls'), 0)).toEqual({
    passed: 12,
    failed: 0,
    skipped: 4,
    failures: [],
    missing: [],
  });
});

test('lines that a test prints in the form of the summary do not count', () => {
  expect(testOutcome(` 99 pass\n 0 fail\n${summary('1 pass', '2 fail')}`, 1)).toMatchObject({
    passed: 1,
    failed: 2,
  });
});

test('an error outside any test is a failure', () => {
  expect(testOutcome(summary('1 pass', '0 fail', '1 error'), 1)).toMatchObject({
    failed: 1,
    failures: ['tests'],
  });
});

test('a run in which nothing ran is a failure', () => {
  expect(testOutcome('The following filters did not match any test files', 1)).toMatchObject({ failed: 1 });
  expect(testOutcome(summary('0 pass', '0 fail'), 0)).toMatchObject({ failed: 1 });
});

test('a run that ends badly without a failed test is a failure', () => {
  expect(testOutcome(summary('5 pass', '0 fail'), 137)).toMatchObject({
    failed: 1,
    failures: ['tests (ended with 137)'],
  });
});

test('missing programs are told by name, once each', () => {
  const output = `skipped: needs anvil\nskipped: needs pgbench\nskipped: needs anvil\n${summary('1 pass', '5 skip', '0 fail')}`;
  expect(testOutcome(output, 0)).toMatchObject({ skipped: 5, failed: 0, missing: ['anvil', 'pgbench'] });
});

test('each failed test is told in a line, with its file and its error', () => {
  const output = [
    'tests/app/one.test.ts:',
    '12 |   expect(1).toBe(2);',
    'error: expect(received).toBe(expected)',
    '',
    'Expected: 2',
    'Received: 1',
    '',
    '      at <anonymous> (/tests/app/one.test.ts:12:3)',
    '(fail) one > adds (in any order) [3.20ms]',
    '',
    'tests/app/two.test.ts:',
    '(fail) two > has no error line [1.00s]',
    'error: expect(received).toEqual(expected)',
    '',
    '- []',
    '+ [',
    '+   "nothing was forwarded",',
    '+ ]',
    '',
    '- Expected  - 1',
    '+ Received  + 3',
    '(fail) two > differs [9.10ms]',
    '(fail) two > never ends [100.36ms]',
    '  ^ this test timed out after 100ms.',
    summary('1 pass', '2 fail'),
  ].join('\n');
  expect(failedTests(output)).toEqual([
    'tests/app/one.test.ts: one > adds (in any order) (expect(received).toBe(expected) Expected: 2 Received: 1)',
    'tests/app/two.test.ts: two > has no error line',
    'tests/app/two.test.ts: two > differs (expect(received).toEqual(expected) + "nothing was forwarded",)',
    'tests/app/two.test.ts: two > never ends (this test timed out after 100ms.)',
  ]);
  expect(failedTests(summary('3 pass'))).toEqual([]);
});

test('results add up', () => {
  const one = testOutcome(summary('2 pass', '1 fail'), 1);
  expect(addUp([one, one, addUp([])])).toEqual({
    passed: 4,
    failed: 2,
    skipped: 0,
    failures: ['tests', 'tests'],
    missing: [],
  });
});
