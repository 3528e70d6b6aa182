/** ./scripts/start explains itself and says what is missing, without a package manager at hand. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VARIABLES } from '../../src/config/variables.ts';

const ROOT = join(import.meta.dir, '..', '..');
/** The POSIX tools the scripts use: a PATH of these alone has neither npm nor Bun. */
const TOOLS = 'sh dirname sed cat cksum mktemp readlink ln mv rm mkdir chmod sleep'.split(' ');

let checkout: string;
let tools: string;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'quittance-start-'));
  tools = join(checkout, 'tools');
  mkdirSync(tools);
  for (const tool of TOOLS) symlinkSync(Bun.which(tool) ?? '', join(tools, tool));
  cpSync(join(ROOT, 'scripts'), join(checkout, 'scripts'), { recursive: true });
  for (const file of ['package.json', 'bun.lock']) cpSync(join(ROOT, file), join(checkout, file));
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

function start(...args: string[]) {
  return Bun.spawn([join(checkout, 'scripts', 'start'), ...args], {
    env: { PATH: tools },
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

function program(name: string, script: string): void {
  writeFileSync(join(tools, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

test('--help names every variable that the configuration reads', async () => {
  const help = await new Response(start('--help').stdout).text();
  const names = Object.keys(VARIABLES);
  expect(names.length).toBeGreaterThan(13);
  for (const name of names) expect(help).toContain(`\n  ${name} `);
});

test('what `bun run start` runs explains itself, too', async () => {
  const serve = (...args: string[]) =>
    Bun.spawn([join(checkout, 'scripts', 'serve'), ...args], { env: { PATH: tools }, stderr: 'pipe' });
  const help = await new Response(start('--help').stdout).text();
  expect(await new Response(serve('--help').stdout).text()).toBe(help);
  const refused = serve('--port=80');
  expect(await new Response(refused.stderr).text()).toBe(help);
  expect(await refused.exited).toBe(2);
});

test('an unknown argument is refused with the help', async () => {
  const child = start('--port=80');
  expect(await new Response(child.stderr).text()).toStartWith('usage:');
  expect(await child.exited).toBe(2);
});

test('a machine with neither npm nor Bun is told what it needs', async () => {
  const child = start();
  expect(await new Response(child.stderr).text()).toBe(
    'Quittance needs Node.js with npm, or Bun 1.4, on PATH. Neither is there.\n',
  );
  expect(await child.exited).toBe(1);
});

test('what a failing install said is shown', async () => {
  program('npm', 'echo "the registry is away" >&2; exit 7');
  const child = start();
  const said = await new Response(child.stderr).text();
  expect(said).toContain('the registry is away\n');
  expect(said).toContain('with npm (status 7)');
  expect(await child.exited).toBe(1);
});

test('SIGTERM during the install ends the install too', async () => {
  const pidFile = join(checkout, 'pid');
  program('npm', `echo $$ >'${pidFile}.draft'; mv '${pidFile}.draft' '${pidFile}'; exec sleep 60`);
  const child = start();
  const deadline = performance.now() + 5_000;
  while (!(await Bun.file(pidFile).exists()) && performance.now() < deadline) await Bun.sleep(10);
  const install = Number(readFileSync(pidFile, 'utf8'));
  child.kill('SIGTERM');
  expect(await child.exited).toBe(143);
  expect(() => process.kill(install, 0)).toThrow('ESRCH');
});

test('a Bun of the pinned version on PATH becomes the service, with paths relative to the caller', async () => {
  program(
    'bun',
    'case $1 in --version) echo 1.4.9 ;; install) mkdir -p "$3/node_modules" ;; *) echo "$1 $DATA_DIR $PWD" ;; esac',
  );
  const child = Bun.spawn([join(checkout, 'scripts', 'start')], {
    cwd: tools,
    env: { PATH: tools, DATA_DIR: 'mine' },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  expect(await new Response(child.stdout).text()).toBe(`scripts/serve.ts ${tools}/mine ${checkout}\n`);
});

test('the service runs with a bounded growth of its heap, and keeps free memory; an operator may set each', async () => {
  program('bun', 'echo "$1 $PWD $BUN_JSC_forceRAMSize $BUN_JSC_smallHeapGrowthFactor $MIMALLOC_PURGE_DELAY"');
  async function served(env: Record<string, string>): Promise<string> {
    const child = Bun.spawn([join(checkout, 'scripts', 'serve')], {
      cwd: tools,
      env: { PATH: tools, ...env },
      stdout: 'pipe',
      stderr: 'inherit',
    });
    return new Response(child.stdout).text();
  }
  expect(await served({})).toBe(`scripts/serve.ts ${checkout} ${2 ** 30} 1.7 -1\n`);
  const own = {
    BUN_JSC_forceRAMSize: '4294967296',
    BUN_JSC_smallHeapGrowthFactor: '2',
    MIMALLOC_PURGE_DELAY: '10',
  };
  expect(await served(own)).toBe(`scripts/serve.ts ${checkout} ${2 ** 32} 2 10\n`);
});
