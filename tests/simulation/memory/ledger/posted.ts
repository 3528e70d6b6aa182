/**
 * The books in memory as checks read them: each posting with its entry, in one pass, and sums of
 * postings by a key.
 */
import type { ledgerEntries, ledgerPostings } from '../../../../src/adapters/postgres/schema/ledger.ts';
import type { EntryKind } from '../../../../src/domain/ledger.ts';
import type { ReconciliationFault } from '../../../../src/ports/treasury/book-checks.ts';
import type { MemoryStore, Tables } from '../store/memory-store.ts';

export type Entry = typeof ledgerEntries.$inferSelect;
export type StoredPosting = typeof ledgerPostings.$inferSelect;

export interface Posted {
  readonly entry: Entry;
  readonly posting: StoredPosting;
}

export interface BooksRead {
  readonly tables: Tables;
  readonly posted: readonly Posted[];
}

/** The kinds that concern no merchant. */
export const HOUSE: ReadonlySet<EntryKind> = new Set([
  ...(['network_fee', 'network_fee_reversed', 'capital', 'forward', 'forward_reversed'] as const),
]);

export type Fault = Omit<ReconciliationFault, 'check'>;
/** By their names; each answers the places where the books disagree. */
export type Checks = Readonly<Record<string, (books: BooksRead) => Iterable<Fault>>>;

export function booksRead({ tables }: MemoryStore): BooksRead {
  const posted: Posted[] = [];
  let entry: Entry | undefined;
  for (const posting of tables.ledgerPostings.all()) {
    // Postings of an entry stand together.
    if (entry?.id !== posting.entryId) entry = tables.ledgerEntries.find(posting.entryId);
    if (entry !== undefined) posted.push({ entry, posting });
  }
  return { tables, posted };
}

export function addTo<Key>(sums: Map<Key, bigint>, key: Key, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}

/** Of each entry, by the currency. */
export function sumsByEntry({ ledgerPostings }: Tables): ReadonlyMap<string, ReadonlyMap<string, bigint>> {
  const sums = new Map<string, Map<string, bigint>>();
  for (const { entryId, currency, amount } of ledgerPostings.all()) {
    const byCurrency = sums.get(entryId) ?? new Map<string, bigint>();
    if (byCurrency.size === 0) sums.set(entryId, byCurrency);
    addTo(byCurrency, currency, amount);
  }
  return sums;
}

/** The sums of the postings that `of` chooses, by the entry's reference and the currency. */
export function sumsByReference(
  posted: readonly Posted[],
  of: (one: Posted) => boolean,
): ReadonlyMap<string, ReadonlyMap<string, bigint>> {
  const sums = new Map<string, Map<string, bigint>>();
  for (const one of posted) {
    if (!of(one)) continue;
    const { referenceId } = one.entry;
    const byCurrency = sums.get(referenceId) ?? new Map<string, bigint>();
    sums.set(referenceId, byCurrency);
    addTo(byCurrency, one.posting.currency, one.posting.amount);
  }
  return sums;
}

/** As `format('%s')` writes it. */
export const textOf = (value: bigint | string | null | undefined): string => String(value ?? '');

export const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
