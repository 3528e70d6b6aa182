/** The plan of the house holds, and each of its rules catches what it is there for. */
import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { circleFaults, folderFaults, orderFaults } from './house-rules.ts';
import { sourceFiles } from './source-tree.ts';

const product = () => sourceFiles().filter(({ path }) => path.startsWith('src/'));

test('no folder of src or tests has more than 20 files of its own', () => {
  const tracked = execFileSync('git', [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    'src',
    'tests',
  ])
    .toString()
    .trim()
    .split('\n');
  expect(tracked.length).toBeGreaterThan(10);
  expect(folderFaults(tracked)).toEqual([]);
});

test('features lean on each other in one direction', () => {
  expect(orderFaults(product())).toEqual([]);
});

test('no files import each other in a circle', () => {
  expect(circleFaults(product())).toEqual([]);
});

describe('each rule', () => {
  test('finds a folder of 21 files', () => {
    const paths = Array.from({ length: 21 }, (_, number) => `src/app/payouts/file-${number}.ts`);
    expect(folderFaults(paths.slice(1))).toEqual([]);
    expect(folderFaults([...paths, 'src/app/payouts/within/a.ts'])).toEqual([
      'src/app/payouts has 21 files: give what belongs together a folder in it',
    ]);
  });

  test('finds an import of a later feature, and a folder that is none', () => {
    const file = (path: string, text: string) => [{ path, text }];
    expect(orderFaults(file('src/app/sweeps/a.ts', "import { b } from '../payouts/b.ts';"))).toEqual([]);
    expect(orderFaults(file('src/app/payouts/a.ts', "import { b } from '../caller.ts';"))).toEqual([]);
    expect(orderFaults(file('src/app/payouts/a.ts', "import type { B } from '../sweeps/b.ts';"))).toEqual([
      'src/app/payouts/a.ts may not import src/app/sweeps/b.ts: sweeps comes after payouts',
    ]);
    expect(orderFaults(file('src/domain/helpers/a.ts', ''))).toEqual([
      expect.stringContaining('helpers is no feature'),
    ]);
  });

  test('finds a circle of types', () => {
    const files = [
      { path: 'src/a.ts', text: "import type { B } from './b.ts';" },
      { path: 'src/b.ts', text: "import { c } from './c.ts';" },
      { path: 'src/c.ts', text: "const a = await import('./a.ts');" },
    ];
    expect(circleFaults(files)).toEqual(['a circle of imports: src/a.ts, src/b.ts, src/c.ts']);
    expect(circleFaults(files.slice(0, 2))).toEqual([]);
  });
});
