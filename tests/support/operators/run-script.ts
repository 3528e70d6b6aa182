/**
 * Runs an operators' script as an operator does: as a process of its own, with its environment and
 * its streams. Or, where nothing depends on that, within this process, which costs a tenth.
 */
import { join } from 'node:path';
import { program as audit } from '../../../scripts/audit.ts';
import { program as backup } from '../../../scripts/backup.ts';
import { program as chains } from '../../../scripts/chains.ts';
import { program as links } from '../../../scripts/links.ts';
import { program as merchant } from '../../../scripts/merchant.ts';
import { program as notices } from '../../../scripts/notices.ts';
import { program as operator } from '../../../scripts/operator.ts';
import { program as payouts } from '../../../scripts/payouts.ts';
import { program as reconcile } from '../../../scripts/reconcile.ts';
import { program as refund } from '../../../scripts/refund.ts';
import { program as release } from '../../../scripts/release.ts';
import { program as rescan } from '../../../scripts/rescan.ts';
import { program as restore } from '../../../scripts/restore.ts';
import { program as risk } from '../../../scripts/risk.ts';
import { program as signer } from '../../../scripts/signer.ts';
import { program as strays } from '../../../scripts/strays.ts';
import { execute } from '../../../scripts/support/program.ts';
import { program as treasury } from '../../../scripts/treasury.ts';
import { program as wallet } from '../../../scripts/wallet.ts';
import { program as webhooks } from '../../../scripts/webhooks.ts';

export interface ScriptEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const PROGRAMS = {
  audit,
  backup,
  chains,
  links,
  merchant,
  operator,
  notices,
  payouts,
  reconcile,
  refund,
  release,
  rescan,
  restore,
  risk,
  signer,
  strays,
  treasury,
  wallet,
  webhooks,
};
export type ProgramName = keyof typeof PROGRAMS;

const ROOT = join(import.meta.dir, '..', '..', '..');
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

/** Without a process of its own. */
export async function runHere(
  name: ProgramName,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ScriptEnd> {
  const said = { stdout: '', stderr: '' };
  const code = await execute(PROGRAMS[name], {
    args,
    env: environment(env),
    out: (text) => {
      said.stdout += `${text}\n`;
    },
    print: async (text) => {
      said.stdout += text;
    },
    err: (text) => {
      said.stderr += `${text}\n`;
    },
  });
  return { code, ...said };
}

/**
 * `name` is the file's name in scripts/, without its ending; `input` what it reads on standard
 * input.
 */
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

/**
 * The script at a terminal, where `typed` is entered once it asks something; `shown` is all that
 * stands there in the end.
 */
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
