/** Runs an operators' script as an operator does: as a process of its own, with its environment and its streams. */
import { join } from 'node:path';

export interface ScriptEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const ROOT = join(import.meta.dir, '..', '..');
/** Nothing of the test process's own configuration leaks into the script. */
const OWN_VARIABLES = [
  'DATABASE_URL',
  'MASTER_KEY',
  'DATA_DIR',
  'CONFIG_FILE',
  'ROLE',
  'CHAINS',
  'LOG_LEVEL',
  'SIGNER_SOCKET',
  'SIGNER_POLICY',
  'DATABASE_URL_SIGNER',
];

/** `name` is the file's name in scripts/, without its ending. */
export async function runScript(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ScriptEnd> {
  const inherited = Object.entries(process.env).filter(([key]) => !OWN_VARIABLES.includes(key));
  const child = Bun.spawn([process.execPath, join(ROOT, 'scripts', `${name}.ts`), ...args], {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}
