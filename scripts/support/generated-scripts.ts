/** Generates docs/scripts.md from the --help of each operators' script. */
import { program as backup } from '../backup.ts';
import { program as chains } from '../chains.ts';
import { program as merchant } from '../merchant.ts';
import { program as payouts } from '../payouts.ts';
import { program as reconcile } from '../reconcile.ts';
import { program as refund } from '../refund.ts';
import { program as release } from '../release.ts';
import { program as rescan } from '../rescan.ts';
import { program as restore } from '../restore.ts';
import { program as risk } from '../risk.ts';
import { program as signer } from '../signer.ts';
import { program as strays } from '../strays.ts';
import { program as treasury } from '../treasury.ts';
import { program as wallet } from '../wallet.ts';
import { program as webhooks } from '../webhooks.ts';
import { COMMON_OPTIONS } from './arguments.ts';
import { type CommandHelp, callOf, EXIT_CODES, flag, type ProgramHelp, positionalsOf } from './help.ts';
import { firstSentence, head, row, wrapped } from './markdown.ts';

const PAGE_WIDTH = 100;

const PROGRAMS: readonly ProgramHelp[] = [
  merchant,
  payouts,
  refund,
  strays,
  risk,
  webhooks,
  treasury,
  reconcile,
  chains,
  rescan,
  backup,
  restore,
  wallet,
  signer,
  release,
];

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
