/** The parts of the docs that are generated from the code, so that they cannot contradict it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repeating } from '../../src/adapters/http/guide/errors.ts';
import { ERROR_CODES, ERRORS } from '../../src/adapters/http/kit/error-table.ts';
import { STRAY_REASONS } from '../../src/domain/deposits/stray-reason.ts';
import { INVOICE_RULES, PAYOUT_RULES } from '../../src/domain/errors.ts';
import { HELD_CODES } from '../../src/domain/payouts/held.ts';
import { WAITING_REASONS } from '../../src/domain/payouts/waiting-reasons.ts';
import { FAILURE_CODES } from '../../src/domain/sending/outgoing-failure.ts';
import { SWEEP_REASONS } from '../../src/domain/sweeps/sweep-reason.ts';
import { isAlarm, type LogEventEntry, textOf } from '../../src/ports/runtime/log-events/entry.ts';
import { LOG_EVENTS } from '../../src/ports/runtime/log-events.ts';
import { collectingTable, finalityTable, unlistedTable } from './generated-catalog.ts';
import {
  chainTable,
  envExample,
  nodeTable,
  otherKeysTable,
  policyTable,
  variableHelp,
  variableTable,
} from './generated-configuration.ts';
import { scriptsPage } from './generated-scripts.ts';
import { head, row } from './markdown.ts';

interface GeneratedSection {
  /** The page's path from the root of the checkout. */
  readonly page: string;
  /** Between `<!-- made by bun run docs: NAME -->` and `<!-- end: NAME -->`. */
  readonly name: string;
  readonly lines: () => readonly string[];
}

/** Files of docs/receivers, and the language of their code. */
const RECEIVERS = {
  'receiver.ts': 'ts',
  'receiver.py': 'python',
  'receiver.php': 'php',
  'receiver.go': 'go',
  'receiver.rb': 'ruby',
};

/** Rows of bench/results.md that the README shows, by their beginning. */
const README_ROWS: readonly string[] = [
  'POST /invoices, 100 merchants / pgbench, one statement an invoice',
  'GET /invoices/{id} / a bare route with one select',
  'payments of one block, 50 merchants',
  'memory of the service, highest under load',
];

const SECTIONS: readonly GeneratedSection[] = [
  { page: 'README.md', name: 'figures', lines: figureTable },
  { page: 'docs/operations/alerts.md', name: 'log events', lines: logEventTable },
  { page: 'docs/operations/alerts.md', name: 'reason codes', lines: reasonTable },
  { page: 'docs/api-errors.md', name: 'error codes', lines: errorCodeTable },
  { page: 'docs/api-errors.md', name: 'error rules', lines: errorRuleTable },
  { page: 'docs/chains/README.md', name: 'finality defaults', lines: finalityTable },
  { page: 'docs/operations/treasury.md', name: 'collecting costs', lines: collectingTable },
  { page: 'docs/operations/tokens.md', name: 'unlisted tokens', lines: unlistedTable },
  { page: 'docs/configuration.md', name: 'variables', lines: variableTable },
  { page: 'docs/configuration.md', name: 'chains', lines: chainTable },
  { page: 'docs/configuration.md', name: 'nodes', lines: nodeTable },
  { page: 'docs/configuration.md', name: 'other keys', lines: otherKeysTable },
  { page: 'docs/configuration.md', name: 'signer policy', lines: policyTable },
  ...Object.entries(RECEIVERS).map(([file, language]) => ({
    page: 'docs/webhooks.md',
    name: file,
    lines: () => receiver(file, language),
  })),
];

/** Files that are generated as a whole, or with marks of their own. */
const FILES: Readonly<Record<string, (text: string) => string>> = {
  'docs/scripts.md': scriptsPage,
  '.env.example': envExample,
  'scripts/start': (text) =>
    between(text, 'Environment, with defaults:\n', 'HELP\n}', `${variableHelp().join('\n')}\n`),
};

export const GENERATED_PAGES: readonly string[] = [
  ...new Set(SECTIONS.map(({ page }) => page)),
  ...Object.keys(FILES),
];

/** The page with all of its generated sections. Throws when the marks of one are missing. */
export function regenerated(page: string, text: string): string {
  const made = FILES[page]?.(text) ?? text;
  return SECTIONS.filter((section) => section.page === page).reduce((now, { name, lines }) => {
    const [begin, end] = [`<!-- made by bun run docs: ${name} -->\n`, `<!-- end: ${name} -->`];
    return between(now, begin, end, `\n${lines().join('\n')}\n\n`);
  }, made);
}

function between(text: string, begin: string, end: string, content: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page lacks the mark ${begin.trim()}, or ${end.trim()}`);
  return `${text.slice(0, from + begin.length)}${content}${text.slice(to)}`;
}

/** Alarms first, then by level; info lines without an explanation are left out. */
function logEventTable(): readonly string[] {
  const entries: readonly (readonly [string, LogEventEntry])[] = Object.entries(LOG_EVENTS);
  const rows = (heading: string, belongs: (entry: LogEventEntry) => boolean): readonly string[] =>
    entries.flatMap(([event, entry]) =>
      belongs(entry) && 'meaning' in entry
        ? [row([`\`${event}\``, heading, textOf(entry), entry.meaning, entry.action])]
        : [],
    );
  return [
    ...head(['event', 'level', 'msg', 'meaning', 'do']),
    ...rows('**error, page**', isAlarm),
    ...rows('error', (entry) => entry.level === 'error' && !isAlarm(entry)),
    ...rows('warn', ({ level }) => level === 'warn'),
    ...rows('info', ({ level }) => level === 'info'),
  ];
}

/** As the last run of the bench wrote them. */
function figureTable(): readonly string[] {
  const results = readFileSync(join(import.meta.dir, '..', '..', 'bench', 'results.md'), 'utf8').split('\n');
  const figures = README_ROWS.map((wanted) => {
    const found = results.find((line) => line.startsWith(`| ${wanted}`));
    if (found === undefined) throw new Error(`bench/results.md lacks the row ${wanted}`);
    const [what, target, measured, , , , command] = found.slice(2, -2).split(' | ');
    if (what === undefined || target === undefined || measured === undefined || command === undefined)
      throw new Error(`bench/results.md has other columns in the row ${wanted}`);
    return row([what, target, measured, command]);
  });
  return [...head(['measurement', 'target', 'measured [min - max]', 'command']), ...figures];
}

/** The codes that lists show with their text, by field. */
function reasonTable(): readonly string[] {
  const tables: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['`held_code` of a payout', HELD_CODES],
    ['`waiting_code` of a payout', WAITING_REASONS],
    ['`stray_reason` of a deposit', STRAY_REASONS],
    ['`reason_code` of a sweep', SWEEP_REASONS],
    ['`failure_code` of a transfer', FAILURE_CODES],
  ];
  return [
    ...head(['where', 'code', 'meaning']),
    ...tables.flatMap(([where, codes]) =>
      Object.entries(codes).map(([code, meaning]) => row([where, `\`${code}\``, meaning])),
    ),
  ];
}

/** The values of `error.code`. */
function errorCodeTable(): readonly string[] {
  return [
    ...head(['code', 'HTTP', 'meaning', 'what to do', 'repeat it?']),
    ...ERROR_CODES.map((code) => {
      const { status, means, todo } = ERRORS[code];
      const again = repeating(code).split(': ')[0] ?? '';
      return row([`\`${code}\``, String(status), means, todo, again]);
    }),
  ];
}

/** The values of `error.details.rule`. */
function errorRuleTable(): readonly string[] {
  const tables = { INVOICE_REJECTED: INVOICE_RULES, PAYOUT_REJECTED: PAYOUT_RULES };
  return [
    ...head(['code', 'rule', 'meaning']),
    ...Object.entries(tables).flatMap(([code, rules]) =>
      Object.entries(rules).map(([rule, meaning]) => row([code, `\`${rule}\``, meaning])),
    ),
  ];
}

function receiver(file: string, language: string): readonly string[] {
  const source = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'receivers', file), 'utf8');
  return [`\`\`\`${language}`, source.trimEnd(), '```'];
}
