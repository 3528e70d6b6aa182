/**
 * `bun run mutants [--only TEXT] [--jobs 2]`: plants each bug of the list in a copy of the checkout and runs the tests that must
 * notice it. `--only` takes those whose file or text contains TEXT. Exit 1 when tests fail without a bug, when a bug survives
 * that is not named as a survivor, or the reverse, or when fewer than 95 % die in src/app or src/domain.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSharedPostgres } from '../support/shared-postgres.ts';
import { type Mutant, plant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';

const ROOT = join(import.meta.dir, '..', '..');
const TEST_TIMEOUT_MS = 30_000;
/** A bug that makes the tests hang is noticed, too. */
const RUN_TIMEOUT_MS = 240_000;
/** Of 100 that are planted in a layer, so many must die at least. */
const LEAST_KILLED_PERCENT: Readonly<Record<string, number>> = { 'src/app': 95, 'src/domain': 95 };

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, jobs: { type: 'string', default: '2' } },
});
const chosen = MUTANTS.filter(({ file, find }) => `${file} ${find}`.includes(values.only));
const jobs = Math.max(1, Number(values.jobs) || 1);

type Verdict = 'killed' | 'survived';

/** A copy of the checkout in which bugs are planted one after the other. */
function makeCopy(files: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'quittance-mutants-'));
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  for (const shared of ['node_modules', '.nodes']) symlinkSync(join(ROOT, shared), join(copy, shared));
  return copy;
}

async function testsPass(
  copy: string,
  tests: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  const run = Bun.spawn(
    [
      process.execPath,
      'test',
      '--bail',
      '--timeout',
      `${TEST_TIMEOUT_MS}`,
      ...tests.map((test) => `./${test}`),
    ],
    {
      cwd: copy,
      env: { ...process.env, ...env },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
      timeout: RUN_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    },
  );
  return (await run.exited) === 0;
}

async function judge(copy: string, mutant: Mutant, env: Readonly<Record<string, string>>): Promise<Verdict> {
  const path = join(copy, mutant.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, plant(source, mutant));
  try {
    return (await testsPass(copy, mutant.tests, env)) ? 'survived' : 'killed';
  } finally {
    writeFileSync(path, source);
  }
}

/** Runs `work` on each item, one at a time in each copy. */
async function spread<T>(
  copies: readonly string[],
  items: readonly T[],
  work: (copy: string, item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  await Promise.all(
    copies.map(async (copy) => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(copy, item);
    }),
  );
}

async function main(): Promise<boolean> {
  if (chosen.length === 0) throw new Error(`no mutant has ${values.only} in its file or text`);
  const list = Bun.spawnSync(['git', '-C', ROOT, 'ls-files', '--cached', '--others', '--exclude-standard']);
  const files = list.stdout
    .toString()
    .split('\n')
    .filter((file) => /^(src|tests|scripts|bench|drizzle)\/|^[^/]+\.(json|toml|lock)$/.test(file));
  const copies = Array.from({ length: jobs }, () => makeCopy(files));
  const server = await startSharedPostgres();
  const faults: string[] = [];
  const verdicts = new Map<Mutant, Verdict>();
  try {
    const sets = [...new Set(chosen.map(({ tests }) => tests.join(' ')))];
    await spread(copies, sets, async (copy, set) => {
      if (!(await testsPass(copy, set.split(' '), server.env))) faults.push(`fails without any bug: ${set}`);
    });
    if (faults.length > 0) return tell(faults);
    await spread(copies, chosen, async (copy, mutant) => {
      const verdict = await judge(copy, mutant, server.env);
      verdicts.set(mutant, verdict);
      const named = mutant.survives === undefined ? '' : ` (${mutant.survives})`;
      console.log(
        `${verdict.padEnd(8)} ${mutant.file}: ${oneLine(mutant.find)} -> ${oneLine(mutant.replace)}${named}`,
      );
      if ((verdict === 'survived') !== (mutant.survives !== undefined))
        faults.push(`${verdict}: ${mutant.file}: ${oneLine(mutant.replace)}`);
    });
  } finally {
    await server.stop();
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  }
  for (const [layer, all] of Map.groupBy(chosen, layerOf)) {
    const killed = all.filter((mutant) => verdicts.get(mutant) === 'killed').length;
    const percent = Math.floor((killed * 100) / all.length);
    console.log(`${layer}: ${killed} of ${all.length} killed (${percent} %)`);
    const least = LEAST_KILLED_PERCENT[layer] ?? 0;
    if (percent < least) faults.push(`${layer}: fewer than ${least} % killed`);
  }
  return tell(faults);
}

/** `src/domain`, or `src/adapters/postgres`. */
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
