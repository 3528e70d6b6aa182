/**
 * `bun run simulate:planted`: plants one bug after the other into a copy of the code, and plays
 * histories there until a law breaks. A bug that no history finds is a hole in the simulation.
 */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { named } from '../../../scripts/support/arguments.ts';
import { oneOf } from '../../../scripts/support/values.ts';
import { readCommandLine } from '../../support/operators/read-command-line.ts';
import { TIERS } from '../world/storages.ts';
import type { PlantedBug } from './planted-bug.ts';
import { PLANTED_BUGS } from './planted-bugs.ts';

const ROOT = join(import.meta.dir, '..', '..', '..');
const COPIED = ['src', 'tests', 'scripts', 'drizzle', 'package.json', 'tsconfig.json', 'bunfig.toml'];

const HELP = `usage: bun run simulate:planted [--only NAME] [--histories COUNT] [--from SEED] [--tier TIER]

Plants each bug of tests/simulation/planted/planted-bugs.ts into a copy of the code, plays histories until one breaks a law,
and prints which history found it, by which law. Missing locks are looked for on the tier connections, other bugs in memory.

Options:
  --only NAME        one bug
  --histories COUNT  most histories for a bug (default: 2000 in memory, 200 of 30 turns on another tier)
  --from SEED        the first seed (default: 1)
  --tier TIER        only bugs of this tier: memory or connections
  --on TIER          plays on this tier instead, to see that it cannot find them
  --help             print this help

Exit codes:
  0  every bug was found
  1  a bug was not found
  2  the command line is wrong; nothing was begun`;

const { only, histories, from, tier, on } = readCommandLine(HELP, () => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      histories: { type: 'string' },
      tier: { type: 'string' },
      on: { type: 'string' },
      from: { type: 'string', default: '1' },
    },
  });
  if (values.only !== undefined && !PLANTED_BUGS.some(({ name }) => name === values.only))
    throw new Error(`There is no planted bug ${values.only}.`);
  const [ofTier, onTier] = (['tier', 'on'] as const).map((name) => {
    const given = values[name];
    return given === undefined ? undefined : named(`--${name}`, () => oneOf(TIERS)(given));
  });
  return { ...values, tier: ofTier, on: onTier };
});

/** A copy of the code, beside the same packages. */
async function copied(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'quittance-planted-'));
  for (const name of COPIED) await cp(join(ROOT, name), join(copy, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

interface Hunt {
  readonly found: { readonly seed: number; readonly law: string } | null;
  readonly seconds: number;
}

/** The copy is as before when it ends. */
async function hunt(copy: string, bug: PlantedBug): Promise<Hunt> {
  const file = join(copy, bug.file);
  const before = await readFile(file, 'utf8');
  await writeFile(
    file,
    before.replace(bug.find, () => bug.replace),
  );
  const began = performance.now();
  const where = on ?? bug.tier ?? 'memory';
  const count = histories ?? (where === 'memory' ? '2000' : '200');
  const options = ['--histories', count, '--from', from, '--tier', where, '--stop', '--quiet'];
  if (where !== 'memory') options.push('--turns', '30');
  if (bug.chains !== undefined) options.push('--chains', bug.chains);
  const child = Bun.spawn([process.execPath, 'tests/simulation/simulate.ts', ...options], {
    ...{ cwd: copy, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
  });
  const output = await new Response(child.stdout).text();
  const code = await child.exited;
  const seconds = (performance.now() - began) / 1_000;
  await writeFile(file, before);
  const broke = /^seed (\d+) broke: ([^:]+)/m.exec(output);
  if (code === 0) return { found: null, seconds };
  if (broke === null)
    throw new Error(`the histories with ${bug.name} ended with ${code}:\n${output.slice(-2_000)}`);
  return { found: { seed: Number(broke[1]), law: broke[2]! }, seconds };
}

const bugs = PLANTED_BUGS.filter(
  (bug) => (only ?? bug.name) === bug.name && (tier ?? bug.tier ?? 'memory') === (bug.tier ?? 'memory'),
);
const copy = await copied();
let missed = 0;
for (const bug of bugs) {
  const { found, seconds } = await hunt(copy, bug);
  if (found === null) missed += 1;
  const how = found === null ? 'NOT FOUND' : `seed ${found.seed}: ${found.law}`;
  console.log(`${bug.name}: ${how} (${seconds.toFixed(0)} s)`);
}
await rm(copy, { recursive: true });
console.log(`${bugs.length - missed} of ${bugs.length} planted bugs found`);
process.exit(missed === 0 ? 0 : 1);
