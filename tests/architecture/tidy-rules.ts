/** What no file may contain, where its home is, and what to write instead. */
import type { SourceFile } from './source-tree.ts';

interface TidyRule {
  readonly bans: RegExp;
  /** Files the rule is about; `home` within them is exempt. */
  readonly within: RegExp;
  readonly home?: RegExp;
  /** Completes "<what was found>: ...". */
  readonly instead: string;
  /** Comments count too. */
  readonly comments?: true;
}

const PRODUCT = /^src\//;
const EVERYWHERE = /./;
const SYSTEM = /^src\/adapters\/system\//;
/** What runs in a browser has no port to take the time from. */
const CLOCKS = /^src\/adapters\/(?:system|http\/checkout\/client)\//;
/** Without imports. */
const LINES_MAX = 300;
/** Lists of data, which no reader takes in one piece, and what is made from the code. */
const LISTS = /^(?:tests\/mutants\/|clients\/[a-z]+\/src\/generated\/|src\/domain\/catalog\/chain-rows\.ts$)/;

/** Made from the code. */
const MADE = /^clients\/[a-z]+\/src\/generated\//;

/** Split so that this file does not break its own rules. */
const UNFINISHED = new RegExp(`\\b(?:TO${'DO'}|FIX${'ME'})\\b`);

const RULES: readonly TidyRule[] = [
  {
    bans: /\bDate\.now\s*\(/,
    within: PRODUCT,
    home: CLOCKS,
    instead: 'take the time from the Clock port, or from the event',
  },
  {
    bans: /\bnew Date\s*(?:\(\s*\)|(?![\w\s(]))/,
    within: PRODUCT,
    home: SYSTEM,
    instead: 'take the time from the Clock port, or from the event',
  },
  {
    bans: /\bMath\.random\s*\(/,
    within: PRODUCT,
    home: SYSTEM,
    instead: 'take ids from the IdSource port',
  },
  {
    // the vault's keys, salts and nonces must not be foreseeable, so nothing passes them in
    bans: /\b(?:randomUUID|randomUUIDv7|randomBytes|randomInt|randomFillSync|getRandomValues)\s*\(/,
    within: PRODUCT,
    home: /^src\/adapters\/(?:embedded-postgres|secrets|shared\/files|signer|system)\//,
    instead: 'take ids from the IdSource port',
  },
  {
    bans: /\bparseFloat\s*\(/,
    within: EVERYWHERE,
    instead: 'read decimals exactly with src/domain/money/decimal.ts: money never touches a binary float',
  },
  {
    bans: UNFINISHED,
    within: EVERYWHERE,
    instead: 'finish it, or say in docs what is not done',
    comments: true,
  },
  {
    bans: /\bconsole\.log\s*\(/,
    within: PRODUCT,
    home: /^src\/main\.ts$/,
    instead: 'log through the Logger port',
  },
  {
    bans: /\b(?:test|it|describe)\b[^;]*\.only\s*\(/,
    within: /^tests\//,
    instead: 'remove .only: the other tests of the file would not run',
  },
  {
    bans: /\b(?:SELECT\s.*\bFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|(?:CREATE|ALTER|DROP)\s+(?:TABLE|INDEX|TYPE|FUNCTION)|TRUNCATE\s+\w|FOR\s+UPDATE)\b|\bsql(?:<[^`]*>)?`/,
    within: /^(?:src|scripts)\//,
    home: /^src\/adapters\/postgres\//,
    instead: 'put it into src/adapters/postgres, behind a port',
  },
  {
    bans: /\.(?:query|script|unsafe)\s*(?:<[^(]*>)?\(/,
    within: /^(?:src|scripts)\//,
    // statement.ts makes the texts, the connection, the client and the reads from a replica hand
    // them on, with begin and rollback. The others have what no statement can be made of:
    // migrations and the table that they are noted in, the settings of one plan, in one round trip
    // on a path that is hot, and the lock of a table, which cannot be prepared by its text.
    home: /^src\/adapters\/postgres\/(?:statement|client\/(?:connection|client|replica-reads|migrate|by-index|lock-table))\.ts$/,
    instead: 'make it with statement() from the schema (decision 0034)',
  },
  {
    bans: /\.(?:text|note|failure|reason|held|message|msg)\s*[!=]==(?!\s*(?:null\b|undefined\b|''))|\b(?:where|and|or|when)\s+(?:\w+\.)?(?:note|failure|reason|held|waiting)\s*(?:=|<>|is distinct from)\s/,
    within: /^(?:src|scripts)\//,
    home: /^src\/domain\/(?:reason|payouts\/waiting-reasons)\.ts$/,
    instead: 'compare a code: sentences are for people, and may be reworded',
  },
  {
    // code in a comment keeps its lines: it is indented
    bans: /^(?!.*\b(?:biome|oxlint)-)(?=\s*(?:\/\/|\/\*|\* )(?! {2,})).{101,}$/,
    within: EVERYWHERE,
    home: MADE,
    instead: 'wrap comments at 100',
    comments: true,
  },
  {
    bans: /^export default\b/,
    within: /^(?:src|scripts|tests)\//,
    instead: 'export it by name',
  },
];

/** One sentence per fault: the file, the line, what was found and what to do instead. */
export function tidyFaults(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const rules = RULES.filter(({ within, home }) => within.test(file.path) && !home?.test(file.path));
    const lines = file.text.replace(/\n$/, '').split('\n');
    return [
      ...fileFaults(file.path, lines),
      ...lines.flatMap((line, index) => lineFaults(file.path, line, index, rules)),
    ];
  });
}

function fileFaults(path: string, lines: readonly string[]): readonly string[] {
  const faults: string[] = [];
  const length = lines.length - importLines(lines);
  if (length > LINES_MAX && !LISTS.test(path)) {
    faults.push(`${path} has ${length} lines: split it where it has a second reason to change`);
  }
  if (/(?:^|\/)index\.ts$/.test(path)) faults.push(`${path} is a barrel: import the defining file`);
  return faults;
}

/**
 * How many of the lines belong to imports: their number is that of what a file needs, not of what
 * it does.
 */
function importLines(lines: readonly string[]): number {
  return (
    lines
      .join('\n')
      .match(/^import\s[^;]*;$/gm)
      ?.join('\n')
      .split('\n').length ?? 0
  );
}

function lineFaults(
  path: string,
  line: string,
  index: number,
  rules: readonly TidyRule[],
): readonly string[] {
  const code = withoutComment(line);
  return rules.flatMap(({ bans, instead, comments }) => {
    const found = bans.exec(comments ? line : code)?.[0];
    return found === undefined ? [] : [`${path}:${index + 1} ${found.trim()}: ${instead}`];
  });
}

/** Good for this house's style: a comment has its own line, or a space before its slashes. */
function withoutComment(line: string): string {
  return /^\s*(?:\/\/|\/\*|\*)/.test(line) ? '' : line.replace(/\s\/\/ .*$/, '');
}
