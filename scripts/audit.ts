/** `bun run audit`: who changed what, in the console and by scripts. */
import { csvHead, csvLines } from '../src/adapters/http/kit/documents/csv.ts';
import {
  EVERY_ENTRY,
  EXPORT_COLUMNS,
  type ExportedEntry,
  exportedEntries,
  exportedEntry,
  exportOf,
} from '../src/app/audit/exported-entries.ts';
import { AUDIT_SUBJECTS, type AuditEntry } from '../src/domain/audit/audit-entry.ts';
import type { AuditFilter } from '../src/ports/audit/audit-log.ts';
import type { Arguments } from './support/arguments.ts';
import { withDatabase } from './support/database-only.ts';
import { UsageError } from './support/failures.ts';
import { type OfflineCommand, type OfflineContext, type Program, runProgram } from './support/program.ts';
import { shownTime, table } from './support/table.ts';
import { id, instant, oneOf, wholeNumber } from './support/values.ts';

const DEFAULT_LIMIT = 50;
const LIMIT_MAX = 10_000;
const TEXT_MAX = 300;
const FILTERS = {
  merchant: { value: 'ID', help: 'only what concerns this merchant' },
  subject: { value: 'SUBJECT', help: `only actions on these: ${AUDIT_SUBJECTS.join(', ')}` },
  id: { value: 'ID', help: 'only actions on the subject with this id' },
  actor: { value: 'TEXT', help: 'only those whose name has this in it: an e-mail address, an account' },
  action: { value: 'ACTION', help: 'only this action, or the part before its dot: payout.released, payout' },
  from: { value: 'ISO', help: 'at or after this instant (UTC without a zone)' },
  to: { value: 'ISO', help: 'at or before this instant' },
} as const;

const list: OfflineCommand = {
  name: 'list',
  about: 'Lists the newest entries: who did what, when, and which facts it changed. --json has them whole.',
  audits: [],
  positionals: [],
  options: {
    ...FILTERS,
    limit: { value: 'N', help: `how many (default ${DEFAULT_LIMIT})` },
  },
  examples: ['', '--subject payout --id 65f0c1d2e3a4b5c6d7e8f901', '--actor ann --from 2026-01-31 --json'],
  readOffline(args) {
    const filter = filterOf(args);
    const limit = args.read('limit', wholeNumber(1, LIMIT_MAX)) ?? DEFAULT_LIMIT;
    return (config) =>
      withDatabase(config, async ({ ports }) => {
        const entries = await ports.operatorQueries.auditEntries(filter, { before: null, limit });
        const text = table(COLUMNS, entries, { empty: 'no entries' });
        return { json: { entries: entries.map(exportedEntry) }, text };
      });
  },
};

const COLUMNS = [
  { title: 'TIME', cell: ({ at }: AuditEntry) => shownTime(at) },
  { title: 'WHO', cell: ({ actor }: AuditEntry) => actor.name },
  { title: 'FROM', cell: ({ actor }: AuditEntry) => actor.ip ?? actor.kind },
  { title: 'ACTION', cell: ({ action }: AuditEntry) => action },
  { title: 'ON', cell: (entry: AuditEntry) => entry.subjectId ?? '' },
  { title: 'MERCHANT', cell: (entry: AuditEntry) => entry.merchantId ?? '' },
  { title: 'CHANGED', cell: (entry: AuditEntry) => changed(entry).join(' ') },
  { title: 'NOTE', cell: ({ note }: AuditEntry) => note ?? '' },
];

/** The facts that differ; those of a subject that was made or removed are not named one by one. */
function changed({ before, after }: AuditEntry): readonly string[] {
  if (before === null || after === null) return [];
  return Object.keys({ ...before, ...after }).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}

const { action: EXPORTED } = exportOf(EVERY_ENTRY);

const exportAll: OfflineCommand = {
  name: 'export',
  about:
    'Prints the log on standard output as CSV, or as JSON with a line for each entry (--json), newest first. Keep such a file elsewhere: whoever owns the database can remove the log with it.',
  audits: [EXPORTED],
  positionals: [],
  options: FILTERS,
  examples: ['> audit.csv', '--json --from 2026-01-01 > audit.jsonl'],
  readOffline(args) {
    const filter = filterOf(args);
    const written = args.isSet('json') ? asJson : asCsv;
    return (config, context) =>
      withDatabase(config, async (database) => {
        await context.by(database).record(exportOf(filter));
        await written(context, exportedEntries(database.ports.operatorQueries, filter));
        return null;
      });
  },
};

type Pages = AsyncIterable<readonly ExportedEntry[]>;

async function asCsv({ print }: OfflineContext, pages: Pages): Promise<void> {
  await print(csvHead(EXPORT_COLUMNS));
  for await (const page of pages) await print(csvLines(EXPORT_COLUMNS, page));
}

async function asJson({ print }: OfflineContext, pages: Pages): Promise<void> {
  for await (const page of pages) await print(page.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
}

function filterOf(args: Arguments): AuditFilter {
  return {
    ...EVERY_ENTRY,
    merchantId: args.read('merchant', id),
    subject: args.read('subject', oneOf(AUDIT_SUBJECTS)),
    subjectId: args.read('id', someText),
    actor: args.read('actor', someText),
    action: args.read('action', someText),
    from: args.read('from', instant),
    to: args.read('to', instant),
  };
}

function someText(text: string): string {
  if (text === '' || text.length > TEXT_MAX || /\p{Cc}/u.test(text))
    throw new UsageError(`must be 1 to ${TEXT_MAX} printable characters`);
  return text;
}

export const program: Program = {
  name: 'audit',
  about: 'The audit log: who changed what, in the console and by scripts.',
  commands: [list, exportAll],
};

if (import.meta.main) await runProgram(program);
