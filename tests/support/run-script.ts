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

/** `name` is the file's name in scripts/, without its ending; `input` what it reads on standard input. */
export async function runScript(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input?: string,
): Promise<ScriptEnd> {
  const child = Bun.spawn(commandOf(name, args), {
    ...{ cwd: ROOT, env: environment(env) },
    stdin: input === undefined ? 'ignore' : Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}

/** The script at a terminal, where `typed` is entered once it asks something; `shown` is all that stands there in the end. */
export async function runAtTerminal(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  typed: string,
): Promise<{ readonly code: number; readonly shown: string }> {
  let shown = '';
  let answered = false;
  const child = Bun.spawn(commandOf(name, args), {
    ...{ cwd: ROOT, env: environment(env) },
    terminal: {
      data(terminal, chunk) {
        shown += new TextDecoder().decode(chunk);
        if (answered || !shown.endsWith(': ')) return;
        answered = true;
        terminal.write(`${typed}\n`);
      },
    },
  });
  return { code: await child.exited, shown };
}

const commandOf = (name: string, args: readonly string[]): string[] => [
  process.execPath,
  join(ROOT, 'scripts', `${name}.ts`),
  ...args,
];

function environment(env: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([key]) => !OWN_VARIABLES.includes(key));
  return { ...Object.fromEntries(inherited), ...env };
}
