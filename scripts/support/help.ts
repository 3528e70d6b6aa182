/** The help texts: what a program does, its commands, every option, examples and exit codes. */
import { type ArgumentSpec, COMMON_OPTIONS, type OptionSpec } from './arguments.ts';

export interface CommandHelp extends ArgumentSpec {
  /** Null where this is the program's only command. */
  readonly name: string | null;
  /** One or two sentences. */
  readonly about: string;
  readonly examples: readonly string[];
}

export interface ProgramHelp {
  readonly name: string;
  readonly about: string;
  readonly commands: readonly CommandHelp[];
}

export const EXIT_CODES = `Exit codes:
  0  done
  1  refused or failed; one line on standard error says why
  2  the command line is wrong; nothing was touched

The database and the keys are found as the service finds them: by DATABASE_URL, MASTER_KEY, DATA_DIR and CONFIG_FILE.`;

export function programHelp(program: ProgramHelp): string {
  const only = program.commands.find((command) => command.name === null);
  if (only) return commandHelp(program, only);
  const width = Math.max(...program.commands.map((command) => command.name?.length ?? 0));
  const commands = program.commands.map(
    (command) => `  ${(command.name ?? '').padEnd(width)}  ${command.about.split(/(?<=\.) /)[0]}`,
  );
  return `usage: bun run ${program.name} <command> [options]

${program.about}

Commands:
${commands.join('\n')}

bun run ${program.name} <command> --help shows the arguments and options of a command.

${EXIT_CODES}`;
}

export function commandHelp(program: ProgramHelp, command: CommandHelp): string {
  const call = callOf(program, command);
  const synopsis = [
    ...positionalsOf(command),
    ...Object.entries(command.options).map(([name, option]) => synopsisOf(name, option)),
    '[--json]',
  ];
  const options = Object.entries({ ...command.options, ...COMMON_OPTIONS }).map(
    ([name, option]) => [flag(name, option), option.help] as const,
  );
  const width = Math.max(...options.map(([name]) => name.length));
  return `usage: ${call} ${synopsis.join(' ')}

${command.about}

Options:
${options.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`).join('\n')}

Examples:
${command.examples.map((example) => `  ${call} ${example}`.trimEnd()).join('\n')}

${EXIT_CODES}`;
}

/** How to call it, without its arguments. */
export function callOf(program: ProgramHelp, command: CommandHelp): string {
  return ['bun run', program.name, command.name].filter((part) => part !== null).join(' ');
}

/** Its positional arguments, as the synopsis shows them. */
export function positionalsOf(command: CommandHelp): readonly string[] {
  return [
    ...command.positionals.map((name) => `<${name}>`),
    ...(command.optional === undefined ? [] : [`[<${command.optional}>]`]),
  ];
}

function synopsisOf(name: string, option: OptionSpec): string {
  const shown = flag(name, option);
  if (option.required) return shown;
  return option.multiple ? `[${shown}]...` : `[${shown}]`;
}

export function flag(name: string, option: OptionSpec): string {
  return option.value === undefined ? `--${name}` : `--${name} ${option.value}`;
}
