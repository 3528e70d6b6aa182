/** Generates docs/scripts.md from the --help of each operators' script. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { COMMON_OPTIONS } from './arguments.ts';
import { type CommandHelp, callOf, EXIT_CODES, flag, type ProgramHelp, positionalsOf } from './help.ts';
import { firstSentence, head, row, wrapped } from './markdown.ts';
import type { Program } from './program.ts';

const PAGE_WIDTH = 100;
const ROOT = join(import.meta.dir, '..', '..');

/** Those of package.json, in its order: each script whose file exports a `program`. */
const PROGRAMS = await operatorPrograms();

export async function operatorPrograms(): Promise<readonly Program[]> {
  return Promise.all(Object.values(packageJson.scripts).flatMap(programOf));
}

function programOf(command: string): readonly Promise<Program>[] {
  const [, file] = /^bun (scripts\/.+\.ts)$/.exec(command) ?? [];
  if (file === undefined) return [];
  const path = join(ROOT, file);
  // Scripts without one do their work when they are imported.
  if (!readFileSync(path, 'utf8').includes('export const program:')) return [];
  return [import(path).then(({ program }: { program: Program }) => program)];
}

export function scriptsPage(): string {
  return `# Operators' scripts

Made by \`bun run docs\` from the scripts' own \`--help\`.

The scripts work while the service runs and while it does not. They read the same environment as
the service: \`DATA_DIR\`, \`CONFIG_FILE\`, \`DATABASE_URL\`, \`MASTER_KEY\`. If \`bun\` is not on your
PATH, write \`npx bun run\`. In the container image call the file: \`bun scripts/merchant.ts list\`.

${indexTable().join('\n')}

Every command takes \`--help\`, and \`--json\`:
${COMMON_OPTIONS.json?.help}.

\`\`\`
${EXIT_CODES.split('\n\n')[0]}
\`\`\`

${PROGRAMS.map(programSection).join('\n\n')}
`;
}

function indexTable(): readonly string[] {
  return [
    ...head(['script', 'what it does']),
    ...PROGRAMS.flatMap((program) =>
      program.commands.map((command) => {
        const call = callOf(program, command);
        return row([`[\`${call}\`](#${anchor(headingOf(program, command))})`, firstSentence(command.about)]);
      }),
    ),
  ];
}

function programSection(program: ProgramHelp): string {
  const intro = program.commands.some(({ name }) => name === null) ? [] : [program.about];
  return [
    `## ${program.name}`,
    ...intro,
    ...program.commands.map((each) => commandSection(program, each)),
  ].join('\n\n');
}

function commandSection(program: ProgramHelp, command: CommandHelp): string {
  const options = Object.entries(command.options);
  const table = [
    ...head(['option', 'meaning']),
    ...options.map(([name, option]) => {
      const notes = [option.required ? ' (needed)' : '', option.multiple ? ' (may be repeated)' : ''].join(
        '',
      );
      return row([`\`${flag(name, option)}\`${notes}`, option.help]);
    }),
  ].join('\n');
  const call = callOf(program, command);
  const examples = command.examples.map((example) => `${call} ${example}`.trimEnd());
  return [
    `### ${headingOf(program, command)}`,
    wrapped(command.about, PAGE_WIDTH).join('\n'),
    ...(options.length > 0 ? [table] : []),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ].join('\n\n');
}

const headingOf = (program: ProgramHelp, command: CommandHelp): string =>
  `\`${[callOf(program, command), ...positionalsOf(command)].join(' ')}\``;

/** The fragment that GitHub gives a heading. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
