/** The bundle that a start runs: it is never one of other sources, and never half of one. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeBundle } from '../../../scripts/support/make-bundle.ts';
import { findBundle, type Inputs } from '../../../scripts/support/service-bundle.ts';

const ROOT = join(import.meta.dir, '..', '..', '..');
const FILES = {
  'package.json': '{"dependencies": {"elysia": "1", "xrpl": "1"}}',
  'tsconfig.json': '{}',
  'src/main.ts': `import { bundled } from 'elysia';
import { place } from './place.ts';
console.log(bundled, place, (await import('xrpl')).loaded);
`,
  'src/place.ts': 'export const place = import.meta.url + import.meta.dir;\n',
  'node_modules/elysia/package.json': '{"name": "elysia", "module": "./lib/index.mjs"}',
  'node_modules/elysia/lib/index.mjs': "export const bundled = 'elysia';\n",
  'node_modules/xrpl/package.json': '{"name": "xrpl", "main": "./index.js"}',
  'node_modules/xrpl/index.js': "exports.loaded = 'xrpl';\n",
};

let checkout: string;
const at = (name: string) => join(checkout, name);

beforeEach(async () => {
  checkout = mkdtempSync(join(tmpdir(), 'quittance-bundle-'));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  }
  for (const name of [
    'serve',
    'serve.ts',
    'bundle.ts',
    'support/make-bundle.ts',
    'support/service-bundle.ts',
  ]) {
    cpSync(join(ROOT, 'scripts', name), at(`scripts/${name}`));
  }
  // The clock of a disk moves in steps: what was just written could have the time of the bundling.
  await Bun.sleep(20);
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

const inputsOf = (bundle: string) => JSON.parse(readFileSync(join(bundle, 'inputs.json'), 'utf8')) as Inputs;

async function served(): Promise<{ said: string; complaints: string }> {
  const child = Bun.spawn([at('scripts/serve'), process.execPath], {
    env: { PATH: process.env.PATH },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [said, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { said, complaints };
}

const EXPECTED = () => `elysia ${Bun.pathToFileURL(at('src/place.ts')).href}${at('src')} xrpl\n`;

test('a bundle is found until a byte of anything it was made of changes', async () => {
  const bundle = await makeBundle(checkout);
  expect(findBundle(checkout)).toBe(bundle);
  const { files } = inputsOf(bundle);
  expect(files).toEqual([
    'node_modules/elysia/lib/index.mjs',
    'node_modules/elysia/package.json',
    'package.json',
    'scripts/support/make-bundle.ts',
    'scripts/support/service-bundle.ts',
    'src/main.ts',
    'src/place.ts',
    'tsconfig.json',
  ]);
  for (const file of files) {
    const text = readFileSync(at(file));
    appendFileSync(at(file), ' ');
    expect([file, findBundle(checkout)]).toEqual([file, null]);
    rmSync(at(file));
    expect([file, findBundle(checkout)]).toEqual([file, null]);
    writeFileSync(at(file), text);
  }
  expect(findBundle(checkout)).toBe(bundle);
});

test('a checkout that was moved needs another bundle', async () => {
  await makeBundle(checkout);
  const moved = `${checkout}-moved`;
  try {
    cpSync(checkout, moved, { recursive: true });
    expect(findBundle(moved)).toBeNull();
  } finally {
    rmSync(moved, { recursive: true, force: true });
  }
});

test('two that make one at the same time leave one whole bundle', async () => {
  const [one, other] = await Promise.all([makeBundle(checkout), makeBundle(checkout)]);
  expect(one).toBe(other);
  expect(readdirSync(at('.built'))).toHaveLength(1);
  expect(findBundle(checkout)).toBe(one);
});

test('a source that changes while it is bundled leaves no bundle', async () => {
  const making = makeBundle(checkout);
  writeFileSync(at('src/place.ts'), "export const place = 'changed';\n");
  await expect(making).rejects.toThrow('src/place.ts changed while it was bundled');
  expect(readdirSync(at('.built'))).toEqual([]);
});

test('the three that were used last are kept, and what a crash left is removed an hour later', async () => {
  const made: string[] = [];
  const abandoned = at('.built/.new-abandoned');
  mkdirSync(abandoned, { recursive: true });
  const twoHoursAgo = new Date(Date.now() - 7_200_000);
  utimesSync(abandoned, twoHoursAgo, twoHoursAgo);
  for (const version of [1, 2, 3, 4]) {
    writeFileSync(at('src/place.ts'), `export const place = ${version};\n`);
    await Bun.sleep(20);
    const bundle = await makeBundle(checkout);
    made.push(bundle);
    // The first one is started again later than the second.
    const used = new Date(Date.now() - 60_000 + (version === 1 ? 4_500 : version * 1_000));
    if (version < 4) utimesSync(bundle, used, used);
  }
  expect(made.map((bundle) => existsSync(bundle))).toEqual([true, false, true, true]);
  expect(existsSync(abandoned)).toBe(false);
});

test('a start makes the bundle, and runs the next time from it', async () => {
  expect(await served()).toEqual({ said: EXPECTED(), complaints: '' });
  const bundle = findBundle(checkout);
  if (bundle === null) throw new Error('none was made');
  appendFileSync(join(bundle, 'main.js'), "\nconsole.log('from the bundle');\n");
  expect((await served()).said).toBe(`${EXPECTED()}from the bundle\n`);
  appendFileSync(at('src/main.ts'), "console.log('changed');\n");
  expect((await served()).said).toBe(`${EXPECTED()}changed\n`);
});

test('where no bundle can be made, the sources run, and the reason is said', async () => {
  writeFileSync(at('.built'), 'a file where the folder should be');
  const { said, complaints } = await served();
  expect(said).toBe(EXPECTED());
  expect(complaints).toStartWith('The bundle of the service was not made: ');
});

test('a stack trace from a bundle names the lines of the sources', async () => {
  writeFileSync(at('src/place.ts'), "\n\nexport const place = new Error('here').stack;\n");
  await Bun.sleep(20);
  await makeBundle(checkout);
  expect((await served()).said).toContain(`${at('src/place.ts')}:3:`);
});
