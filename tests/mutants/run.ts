/**
 * `bun run mutants`: plants each bug of the list in a copy of the checkout, and runs the tests that
 * must notice it.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { readCommandLine } from '../support/operators/read-command-line.ts';
import { type SharedPostgres, startSharedPostgres } from '../support/postgres/shared-postgres.ts';
import { type Mutant, plant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';

const ROOT = join(import.meta.dir, '..', '..');
const TEST_TIMEOUT_MS = 30_000;
/** A bug that makes the tests hang is noticed, too. */
const RUN_TIMEOUT_MS = 240_000;
/** Of 100 that are planted in a layer, so many must die at least. */
const LEAST_KILLED_PERCENT: Readonly<Record<string, number>> = {
  'src/domain': 95,
  'src/app': 95,
  'src/adapters/postgres': 90,
  'src/adapters/signer': 90,
};

const HELP = `usage: bun run mutants [--only TEXT]... [--jobs COUNT]

Plants each bug of the list in a copy of the checkout, which is never touched itself, and runs the tests that must notice it, the
quick ones first, up to the first that fails.

Options:
  --only TEXT   takes those whose file or text contains TEXT, as in --only src/app/ (default: all)
  --jobs COUNT  how many copies there are at once (default: 2)
  --help        print this help

Exit codes:
  0  as the list says
  1  tests fail without a bug, a bug survives that is not named as a survivor, or the reverse, or fewer die in a whole layer than
     must: ${Object.entries(LEAST_KILLED_PERCENT)
       .map((least) => `${least.join(' ')} %`)
       .join(', ')}
  2  the command line is wrong; nothing was begun`;

const { values } = readCommandLine(HELP, () =>
  parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [''] },
      jobs: { type: 'string', default: '2' },
    },
  }),
);
const chosen = MUTANTS.filter(({ file, find }) =>
  values.only.some((text) => `${file} ${find}`.includes(text)),
);
const jobs = Math.max(1, Number(values.jobs) || 1);

/** Told to end, it ends the tests that run, and clears up. */
const told = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => told.abort());

/**
 * A copy of the checkout in which bugs are planted one after the other, and the PostgreSQL of its
 * tests.
 */
interface Copy {
  readonly path: string;
  readonly postgres: SharedPostgres;
}

async function makeCopy(files: readonly string[]): Promise<Copy> {
  const path = mkdtempSync(join(tmpdir(), 'quittance-mutants-'));
  for (const file of files) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    cpSync(join(ROOT, file), join(path, file));
  }
  for (const shared of ['node_modules', '.nodes']) symlinkSync(join(ROOT, shared), join(path, shared));
  return { path, postgres: await startSharedPostgres() };
}

interface Outcome {
  readonly passed: boolean;
  /** The first test that failed, or that none ended in time. */
  readonly failure: string;
  readonly seconds: number;
}

/** `migrated`: every database runs the copy's own migrations, instead of being copied. */
async function runTests(
  { path: cwd, postgres }: Copy,
  tests: readonly string[],
  { migrated = false } = {},
): Promise<Outcome> {
  const began = performance.now();
  const paths = tests.map((test) => `./${test}`);
  const run = Bun.spawn([process.execPath, 'test', '--bail', '--timeout', `${TEST_TIMEOUT_MS}`, ...paths], {
    cwd,
    env: {
      ...process.env,
      ...postgres.env,
      ...(migrated ? { TEST_DATABASE_TEMPLATE: undefined } : {}),
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    signal: told.signal,
    timeout: RUN_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const [code, output] = await Promise.all([run.exited, new Response(run.stderr).text()]);
  if (code !== 0) await postgres.sweep();
  const failed = /^\(fail\) (.*?)(?: \[[^\]]*\])?$/m.exec(output)?.[1];
  return {
    passed: code === 0,
    failure:
      failed ??
      (run.signalCode === 'SIGKILL' ? 'did not end' : `no test ran: ${oneLine(output.slice(-300))}`),
    seconds: (performance.now() - began) / 1000,
  };
}

/**
 * Where tests must pass, a failure counts that comes twice: on a busy machine some fail by chance.
 */
async function runPassing(
  copy: Copy,
  tests: readonly string[],
  how: { migrated?: boolean } = {},
): Promise<Outcome> {
  const first = await runTests(copy, tests, how);
  return first.passed ? first : runTests(copy, tests, how);
}

async function judge(copy: Copy, mutant: Mutant, tests: readonly string[]): Promise<Outcome> {
  const path = join(copy.path, mutant.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, plant(source, mutant));
  try {
    const migrated = mutant.file.startsWith('drizzle/');
    return await (mutant.survives === undefined ? runTests : runPassing)(copy, tests, { migrated });
  } finally {
    writeFileSync(path, source);
  }
}

/** Runs `work` on each item, one at a time in each copy. */
async function spread<T>(
  copies: readonly Copy[],
  items: readonly T[],
  work: (copy: Copy, item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  await Promise.all(
    copies.map(async (copy) => {
      for (let item = queue.shift(); item !== undefined && !told.signal.aborted; item = queue.shift())
        await work(copy, item);
    }),
  );
}

async function main(): Promise<boolean> {
  if (chosen.length === 0) throw new Error(`no mutant has ${values.only.join(' or ')} in its file or text`);
  const list = Bun.spawnSync(['git', '-C', ROOT, 'ls-files', '--cached', '--others', '--exclude-standard']);
  const files = list.stdout
    .toString()
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)));
  const copies = await Promise.all(Array.from({ length: jobs }, () => makeCopy(files)));
  const faults: string[] = [];
  const survivors = new Set<Mutant>();
  try {
    const seconds = new Map<string, number>();
    await spread(copies, [...new Set(chosen.flatMap(({ tests }) => tests))], async (copy, test) => {
      const outcome = await runPassing(copy, [test]);
      seconds.set(test, outcome.seconds);
      if (!outcome.passed) faults.push(`fails without any bug: ${test}: ${outcome.failure}`);
    });
    if (told.signal.aborted) return false;
    if (faults.length > 0) return tell(faults);
    await spread(copies, chosen, async (copy, mutant) => {
      const quickFirst = mutant.tests.toSorted((a, b) => (seconds.get(a) ?? 0) - (seconds.get(b) ?? 0));
      const outcome = await judge(copy, mutant, quickFirst);
      const change = `${mutant.file}: ${oneLine(mutant.find)} -> ${oneLine(mutant.replace)}`;
      const by = outcome.passed ? (mutant.survives ?? 'NOT NAMED AS A SURVIVOR') : outcome.failure;
      const verdict = outcome.passed ? 'survived' : 'killed';
      console.log(`${verdict.padEnd(8)} ${change} (${outcome.seconds.toFixed(1)} s: ${by})`);
      if (outcome.passed) survivors.add(mutant);
      if (outcome.passed !== (mutant.survives !== undefined)) faults.push(`${verdict}: ${change}`);
    });
  } finally {
    await Promise.all(copies.map(({ postgres }) => postgres.stop()));
    for (const { path } of copies) rmSync(path, { recursive: true, force: true });
  }
  if (told.signal.aborted) return false;
  for (const [layer, all] of Map.groupBy(chosen, layerOf)) {
    const survived = all.filter((mutant) => survivors.has(mutant));
    const killed = all.length - survived.length;
    const percent = Math.floor((killed * 100) / all.length);
    console.log(`${layer}: ${killed} of ${all.length} killed (${percent} %)`);
    for (const { file, find, survives } of survived)
      console.log(`  survives: ${file}: ${oneLine(find)}: ${survives ?? 'not named'}`);
    const least = LEAST_KILLED_PERCENT[layer] ?? 0;
    const whole = MUTANTS.filter((mutant) => layerOf(mutant) === layer).length === all.length;
    if (whole && percent < least) faults.push(`${layer}: fewer than ${least} % killed`);
  }
  return tell(faults);
}

/** 'src/domain', or 'src/adapters/postgres'. */
function layerOf({ file }: Mutant): string {
  return file
    .split('/')
    .slice(0, file.startsWith('src/adapters/') ? 3 : 2)
    .join('/');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 90);
}

function tell(faults: readonly string[]): boolean {
  for (const fault of faults) console.log(`FAULT ${fault}`);
  return faults.length === 0;
}

process.exit((await main()) ? 0 : 1);
