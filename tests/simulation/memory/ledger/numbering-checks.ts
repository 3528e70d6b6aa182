/**
 * Reconciliation's checks of the lists' dense numbers in memory: those of
 * src/adapters/postgres/books/verified-numbers.ts, under the same names.
 */
import type { Stream } from '../../../../src/adapters/postgres/schema/merchants.ts';
import type { Scope } from '../../../../src/ports/list-queries.ts';
import { removedNumbers } from '../lists/removed-numbers.ts';
import type { Tables } from '../store/memory-store.ts';
import type { Checks, Fault } from './posted.ts';

interface List<Row> {
  readonly rows: Iterable<Row>;
  /** Null if it is not part of the list. */
  readonly seqOf: (row: Row) => bigint | null;
  /** Null where times may cross. */
  readonly timeOf: (row: Row) => Date | null;
  /** Numbers in the middle that have no row any more. */
  readonly removed?: (scope: Scope) => readonly bigint[];
}

export const NUMBERING_CHECKS: Checks = {
  'invoices are numbered without gaps': ({ tables }) =>
    wrongNumbers(tables, 'invoices', {
      rows: tables.invoices.all(),
      seqOf: ({ seq }) => seq,
      timeOf: ({ createdAt }) => createdAt,
      removed: (scope) => removedNumbers(tables, scope),
    }),
  'payouts are numbered without gaps': ({ tables }) =>
    wrongNumbers(tables, 'payouts', {
      rows: tables.payouts.all(),
      seqOf: ({ seq }) => seq,
      timeOf: ({ createdAt }) => createdAt,
    }),
  'the ledger feed is numbered without gaps': ({ tables }) =>
    wrongNumbers(tables, 'ledger', {
      rows: tables.ledgerEntries.all(),
      seqOf: ({ feedSeq }) => feedSeq,
      timeOf: ({ at }) => at,
    }),
  // Attempts are numbered as they end, so the times they were sent may cross.
  'attempts are numbered without gaps': ({ tables }) =>
    wrongNumbers(tables, 'notifications', {
      rows: tables.webhookAttempts.all(),
      seqOf: ({ seq }) => seq,
      timeOf: () => null,
    }),
  // Replays repeat a number.
  'events are numbered without gaps': ({ tables }) =>
    wrongNumbers(tables, 'events', {
      rows: tables.webhookDeliveries.all(),
      seqOf: ({ eventAt, eventSeq }) => (eventAt === null ? null : eventSeq),
      timeOf: ({ eventAt }) => eventAt,
    }),
};

interface Numbered {
  readonly seq: bigint;
  readonly at: Date | null;
}

/** Numbers run from 1 to the counter's value without a gap, and times never decrease along them. */
function* wrongNumbers<Row extends { readonly merchantId: string | null; readonly sandbox: boolean }>(
  { counters }: Tables,
  stream: Stream,
  { rows, seqOf, timeOf, removed }: List<Row>,
): Iterable<Fault> {
  const byScope = new Map<string, Numbered[]>();
  for (const row of rows) {
    const seq = seqOf(row);
    if (seq === null) continue;
    const scope = scopeText(row);
    const numbered = byScope.get(scope) ?? [];
    byScope.set(scope, numbered);
    numbered.push({ seq, at: timeOf(row) });
  }
  for (const counter of counters.by('stream', stream)) {
    const reference = scopeText(counter);
    const numbered = byScope.get(reference) ?? [];
    numbered.sort((a, b) => (a.seq < b.seq ? -1 : 1));
    const gone = removed?.(counter) ?? [];
    const seqs = new Set(numbered.map(({ seq }) => seq));
    const twice = gone.filter((seq) => seqs.has(seq)).length;
    const [newest, newestGone] = [numbered.at(-1)?.seq ?? counter.removed, gone.at(-1) ?? 0n];
    const last = newest > newestGone ? newest : newestGone;
    const rows = counter.removed + BigInt(numbered.length + gone.length);
    const backwards = numbered.some(({ at }, n) => isBefore(at, numbered[n - 1]?.at ?? null));
    if (counter.value === rows && counter.value === last && !backwards && twice === 0) continue;
    const times = backwards ? ', times running backwards' : '';
    const both = twice > 0 ? `, ${twice} of them removed and still there` : '';
    yield {
      reference,
      expected: String(counter.value),
      found: `${rows} rows up to ${last}${times}${both}`,
    };
  }
}

const scopeText = ({ merchantId, sandbox }: { merchantId: string | null; sandbox: boolean }): string =>
  `${merchantId} ${sandbox ? 'sandbox' : 'live'}`;

const isBefore = (at: Date | null, previous: Date | null): boolean =>
  at !== null && previous !== null && at < previous;
