/** Whatever a page or a comment names is there. */
import { expect, test } from 'bun:test';
import client from '../../clients/typescript/package.json';
import root from '../../package.json';
import { brokenReferences } from './references.ts';
import { pages, repositoryPaths, sourceFiles } from './source-tree.ts';

test('every file, section, script, safety case and decision that a page or a comment names exists', () => {
  const paths = repositoryPaths();
  expect(paths.length).toBeGreaterThan(100);
  const scripts = [root, client].flatMap((of) => Object.keys(of.scripts));
  expect(brokenReferences({ paths, scripts, pages: pages(), sources: sourceFiles() })).toEqual([]);
});

const PAGES = [
  { path: 'docs/safety.md', text: '# Safety\n\n## Money out\n\n1. One\n\n| G1 | it | is | `a` |\n' },
  { path: 'docs/decisions/0004-once.md', text: '# Once\n' },
  { path: 'docs/specification.md', text: '## Delivery\n\n1. Once\n2. Twice\n' },
];
const PATHS = ['src/app/pay.ts', 'tests/support/ton/a.ts', ...PAGES.map(({ path }) => path)];
const inComment = (said: string) =>
  brokenReferences({
    paths: PATHS,
    scripts: [],
    pages: PAGES,
    sources: [{ path: 'src/a.ts', text: `// ${said}\n` }],
  });
const inPage = (text: string) =>
  brokenReferences({
    paths: PATHS,
    scripts: ['docs'],
    pages: [...PAGES, { path: 'docs/a.md', text }],
    sources: [],
  });

test.each([
  'app/pay.ts obeys safety.md G1 (specification, "Delivery" 2)',
  'as decided (decision 0004)',
  'see safety.md, "Money out", and tests/support/{ton,xrp}',
  'src/app/*.ts, and https://example.com/docs/a.md',
])('a comment may say: %s', (said) => {
  expect(inComment(said)).toEqual([]);
});

test.each([
  ['app/paid.ts does it', 'app/paid.ts'],
  ['see chains.md', 'chains.md'],
  ['src/adapters/pay does it', 'src/adapters/pay'],
  ['obeys safety.md G1 and G2', 'safety.md G2'],
  ['safety.md, "Money in"', '"Money in"'],
  ['decisions 0004 and 0040', 'decision 0040'],
  ['specification, "Delivery" 3', '"Delivery" 3'],
  ['obeys (safety.md\n// G2)', 'safety.md G2'],
])('a comment may not say: %s', (said, named) => {
  expect(inComment(said)).toEqual([expect.stringContaining(named)]);
});

test('a link of a page leads to a file, and to a section of it; what it says to run can be run', () => {
  expect(inPage('[a](safety.md#money-out), [b](../src/app/pay.ts), [c](https://example.com)')).toEqual([]);
  expect(inPage('A [long\nname](safety.md#money-in)')).toEqual([expect.stringContaining('docs/a.md:1 ')]);
  expect(inPage('[a](safe.md)')).toHaveLength(1);
  expect(inPage('`bun run docs` and `bun run bun`')).toHaveLength(1);
  expect(inPage('```sh\ncat none.md\n```')).toEqual([]);
});
