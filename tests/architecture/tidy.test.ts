/** The tidy rules hold for every file, and each rule catches what it is there for. */
import { describe, expect, test } from 'bun:test';
import { sourceFiles } from './source-tree.ts';
import { tidyFaults } from './tidy-rules.ts';

test('every file is tidy', () => {
  const files = sourceFiles();
  expect(files.length).toBeGreaterThan(10);
  expect(tidyFaults(files)).toEqual([]);
});

const faults = (path: string, text: string): readonly string[] => tidyFaults([{ path, text }]);

describe('refused, with its replacement', () => {
  const refused: [path: string, text: string, replacement: string][] = [
    ['src/app/a.ts', 'const t = Date.now();', 'Clock'],
    ['src/domain/a.ts', 'const t = new Date();', 'Clock'],
    ['src/domain/a.ts', 'const t = new Date;', 'Clock'],
    ['src/adapters/http/a.ts', 'if (Math.random() < 0.5) return;', 'IdSource'],
    ['src/app/a.ts', 'const id = crypto.randomUUID();', 'IdSource'],
    ['src/adapters/postgres/a.ts', "const id = randomBytes(12).toString('hex');", 'IdSource'],
    ['src/adapters/webhooks/a.ts', 'crypto.getRandomValues(bytes);', 'IdSource'],
    ['src/adapters/rates/a.ts', 'const rate = parseFloat(text);', 'decimal.ts'],
    ['tests/domain/a.test.ts', 'const rate = Number.parseFloat(text);', 'decimal.ts'],
    ['src/app/a.ts', '// TODO: the rest', 'finish it'],
    ['tests/a.test.ts', 'const x = 1; /* FIXME */', 'finish it'],
    ['src/app/a.ts', "console.log('here');", 'Logger'],
    ['tests/a.test.ts', "test.only('a', () => {});", '.only'],
    ['tests/a.test.ts', "describe.skipIf(x).only('a', () => {});", '.only'],
    ['src/app/a.ts', 'await run("SELECT id FROM invoices");', 'src/adapters/postgres'],
    ['src/app/a.ts', 'const q = `INSERT INTO invoices`;', 'src/adapters/postgres'],
    ['src/adapters/http/a.ts', 'await sql`select 1`;', 'src/adapters/postgres'],
    ['src/adapters/scheduler/a.ts', "run('UPDATE jobs SET state = 1');", 'src/adapters/postgres'],
    ['scripts/a.ts', "run('DELETE FROM jobs');", 'src/adapters/postgres'],
    ['src/app/a.ts', "run('CREATE TABLE jobs ()');", 'src/adapters/postgres'],
    ['src/adapters/postgres/a.ts', "await on.query('select 1');", 'statement()'],
    ['src/adapters/postgres/a.ts', 'const rows = await on.query<{ a: string }>(TEXT, [id]);', 'statement()'],
    ['src/compose/a.ts', 'await on.script(`set local jit = off`);', 'statement()'],
    ['src/app/a.ts', 'if (transfer.failure === GIVEN_UP) return;', 'a code'],
    ['src/app/a.ts', "if (error.message !== 'no such block') throw error;", 'a code'],
    ['src/adapters/postgres/a.ts', '`chain = $1 and note = $4`', 'a code'],
    ['src/adapters/postgres/a.ts', "`where t.failure = 'given up by an operator'`", 'a code'],
    ['src/app/a.ts', 'export default function a() {}', 'by name'],
    ['tests/a.test.ts', `// ${'word '.repeat(20)}`, 'at 100'],
    ['src/app/a.ts', ` * ${'word '.repeat(20)}`, 'at 100'],
    ['src/domain/index.ts', "export * from './a.ts';", 'defining file'],
  ];
  test.each(refused)('%s: %s', (path, text, replacement) => {
    expect(faults(path, text)).toEqual([expect.stringContaining(replacement)]);
  });
});

describe('allowed', () => {
  const allowed: [path: string, text: string][] = [
    ['src/adapters/system/clock.ts', 'const t = Date.now(); const d = new Date();'],
    ['src/adapters/http/checkout/client/a.ts', 'const t = Date.now();'],
    ['src/adapters/system/ids.ts', 'const b = randomBytes(6); Math.random();'],
    ['src/adapters/signer/seal.ts', 'const nonce = randomBytes(12);'],
    ['src/domain/a.ts', 'const t = new Date(event.at);'],
    ['src/domain/a.ts', 'type Day = Date; // never Date.now() here'],
    ['src/ports/a.ts', ' * Obeys SELECT ... FROM ... FOR UPDATE of its adapter.'],
    ['src/adapters/postgres/a.ts', 'await sql`SELECT 1 FROM invoices FOR UPDATE`;'],
    ['src/adapters/postgres/statement.ts', 'await on.query<Row>(text, given);'],
    ['tests/adapters/a.test.ts', "await database.query('select 1');"],
    ['tests/adapters/a.test.ts', 'await sql`SELECT 1`; const t = Date.now();'],
    ['scripts/a.ts', "console.log('done');"],
    ['src/main.ts', "console.log('ready');"],
    ['src/app/a.ts', `// ${'w'.repeat(97)}`],
    ['src/app/a.ts', `  const a = '${'w'.repeat(100)}';`],
    ['src/app/a.ts', "if (payout.held === null && note === '') return;"],
    ['src/adapters/postgres/a.ts', '`update signing_switch set stopped_at = $1, note = $2`'],
    ['src/app/a.ts', "throw new Error('Update the setting; select one from the list');"],
    ['tests/a.test.ts', "test('only this', () => {}); clock.only.run();"],
  ];
  test.each(allowed)('%s: %s', (path, text) => {
    expect(faults(path, text)).toEqual([]);
  });
});

test('a fault names its file and line', () => {
  expect(faults('src/app/a.ts', 'const a = 1;\nconst t = Date.now();\n')).toEqual([
    'src/app/a.ts:2 Date.now(: take the time from the Clock port, or from the event',
  ]);
});

test('a file may have 300 lines and no more', () => {
  expect(faults('tests/a.test.ts', 'const a = 1;\n'.repeat(300))).toEqual([]);
  expect(faults('tests/a.test.ts', 'const a = 1;\n'.repeat(301))).toEqual([
    'tests/a.test.ts has 301 lines: split it where it has a second reason to change',
  ]);
});
