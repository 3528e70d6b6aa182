/**
 * The frame of every operators' script. It reads the command line, composes the service without
 * starting it, runs one use case, prints the result, and closes everything. With --json standard
 * output has exactly one line.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomIds } from '../../src/adapters/system/random-ids.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import type { Service } from '../../src/compose/compose.ts';
import type { ComposedDatabase } from '../../src/compose/database.ts';
import type { Config } from '../../src/config/types.ts';
import { Arguments } from './arguments.ts';
import { type Recorder, recorder, type ScriptAudit, scriptActor, scriptAudit } from './audit.ts';
import { Misconfigured, Refused, UsageError } from './failures.ts';
import { type CommandHelp, commandHelp, type ProgramHelp, programHelp } from './help.ts';
import { printable } from './table.ts';

export interface CommandReport {
  /** The output of --json. Amounts are exact decimals in strings, times Unix seconds. */
  readonly json: unknown;
  /** The output for a terminal. */
  readonly text: string;
  /** 1 where the result itself is a fault (books that do not agree). */
  readonly exitCode?: 0 | 1;
}

export interface CommandContext extends ScriptAudit {
  readonly config: Config;
  /**
   * The composed service; it neither listens nor runs jobs. Transactions of its dependencies cannot
   * write: what changes something runs in `act`.
   */
  readonly service: Service;
  /** A line on standard error, for work that takes long. */
  progress(line: string): void;
}

/** Every command says which actions it writes into the audit log; none if it changes nothing. */
interface Audits {
  readonly audits: readonly string[];
}

export interface OfflineContext {
  /** The audit log of a database that the command opened. */
  by(database: Pick<ComposedDatabase, 'ports'>): Recorder;
  /** A part of a result that is too long for a report, on standard output as it is. */
  print(text: string): Promise<void>;
}

export interface Command extends CommandHelp, Audits {
  /** Checks the whole command line before anything is opened, and returns the work. */
  read(args: Arguments): (context: CommandContext) => Promise<CommandReport>;
}

/** A command that needs the configuration only, or opens the database itself. */
export interface OfflineCommand extends CommandHelp, Audits {
  /** A report that is null was printed. */
  readOffline(args: Arguments): (config: Config, context: OfflineContext) => Promise<CommandReport | null>;
}

export interface Program extends ProgramHelp {
  readonly commands: readonly (Command | OfflineCommand)[];
}

/** The program's arguments, and its output streams. */
export interface ProgramCall {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The result; one line with --json. */
  out(text: string): void;
  /** A part of a result, without a line's end. */
  print(text: string): Promise<void>;
  /** Everything else. */
  err(text: string): void;
}

/** Runs the program on this process's command line, and ends the process. */
export async function runProgram(program: Program): Promise<never> {
  const streams = {
    out: (text: string) => console.log(text),
    print: writtenOut,
    err: (text: string) => console.error(text),
  };
  process.exit(await execute(program, { args: process.argv.slice(2), env: process.env, ...streams }));
}

/** Waits until the reader takes it: a long result is never in memory. */
function writtenOut(text: string): Promise<void> {
  return new Promise((done, failed) => {
    process.stdout.write(text, (error) => (error ? failed(error) : done()));
  });
}

/** Runs it within this process, and returns its exit code. */
export async function execute(program: Program, call: ProgramCall): Promise<number> {
  const json = call.args.includes('--json');
  try {
    const chosen = choose(program, call.args);
    if ('help' in chosen) {
      call.out(chosen.help);
      return 0;
    }
    const report = await run(chosen.command, new Arguments(chosen.args, chosen.command), call);
    if (report !== null) call.out(json ? JSON.stringify(report.json) : report.text);
    return report?.exitCode ?? 0;
  } catch (error) {
    return tell(program, error, json, call);
  }
}

type ProgramChoice =
  | { readonly help: string }
  | { readonly command: Command | OfflineCommand; readonly args: readonly string[] };

function choose(program: Program, args: readonly string[]): ProgramChoice {
  const wantsHelp = args.includes('--help') || args.includes('-h');
  const [name, ...rest] = args;
  const only = program.commands.find((known) => known.name === null);
  const command = only ?? program.commands.find((known) => known.name === name);
  if (wantsHelp) return { help: command ? commandHelp(program, command) : programHelp(program) };
  if (command) return { command, args: only ? args : rest };
  const names = program.commands.map((known) => known.name).join(', ');
  if (name === undefined || name.startsWith('-')) throw new UsageError(`name a command first: ${names}`);
  throw new UsageError(`unknown command ${name}; known: ${names}`);
}

async function run(
  command: Command | OfflineCommand,
  args: Arguments,
  { env, err, print }: ProgramCall,
): Promise<CommandReport | null> {
  const actor = scriptActor(env);
  if ('readOffline' in command) {
    const offline = command.readOffline(args);
    const config = await configuration(env);
    const parts = { clock: systemClock, ids: randomIds(systemClock) };
    const by: OfflineContext['by'] = ({ ports: { unitOfWork } }) =>
      recorder({ ...parts, unitOfWork }, actor, command.audits);
    return offline(config, { by, print });
  }
  const work = command.read(args);
  const config = await configuration(env);
  const service = await composed(config, err);
  const release = stopOnSignals(service);
  try {
    const { dependencies, readOnly } = service;
    return await work({
      ...scriptAudit(dependencies, actor, command.audits),
      ...{ config, progress: err },
      service: { ...service, dependencies: { ...dependencies, unitOfWork: readOnly } },
    });
  } finally {
    release();
    await service.stop();
  }
}

/** Loaded here, so that help and usage errors are fast. */
async function composed(config: Config, err: ProgramCall['err']): Promise<Service> {
  const { operatorsLogger } = await import('./operators-logger.ts');
  const { compose } = await import('../../src/compose/compose.ts');
  return compose(config, { logger: operatorsLogger(config, err), schedule: false });
}

/** Like scripts/start: a checkout's own `data` folder, in any working directory. */
async function configuration(env: ProgramCall['env']): Promise<Config> {
  const { configFaults, readConfig } = await import('../../src/compose/load-config.ts');
  const dataDir = env.DATA_DIR?.trim() || join(import.meta.dir, '..', '..', 'data');
  const files = { read: (path: string) => readFileSync(path, 'utf8') };
  const read = readConfig({ ...env, DATA_DIR: dataDir }, files);
  if (!read.ok) throw new Misconfigured(configFaults(read.faults));
  return read.config;
}

/**
 * Every step of the work is a transaction, so an end between two of them leaves nothing half done.
 */
function stopOnSignals(service: Service): () => void {
  const stop = (signal: 'SIGINT' | 'SIGTERM') => {
    console.error(`stopped by ${signal}; what was reported as done is done`);
    const code = signal === 'SIGINT' ? 130 : 143;
    service.stop().then(
      () => process.exit(code),
      () => process.exit(code),
    );
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return () => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
}

function tell(program: Program, error: unknown, json: boolean, { env, out, err }: ProgramCall): number {
  if (error instanceof Misconfigured) {
    err(error.message);
    return 1;
  }
  const told = error instanceof Error ? error.message : String(error);
  // An error is one line; those of a start have several.
  const message = printable(told.replaceAll(/\n\s*/g, ' '));
  if (error instanceof UsageError) {
    err(`${program.name}: ${message} (--help tells more)`);
    return 2;
  }
  err(`${program.name}: ${message}`);
  if (env.LOG_LEVEL === 'debug' && error instanceof Error) err(error.stack ?? '');
  const code = error instanceof Refused ? error.error.code : 'FAILED';
  if (json) out(JSON.stringify({ error: { code, message } }));
  return 1;
}
