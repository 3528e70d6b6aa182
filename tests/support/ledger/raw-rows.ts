/** Rows of a storage, to be changed behind the back of every rule that allows it. */
import type { PgTable } from 'drizzle-orm/pg-core';
import { ledgerEntries, ledgerPostings } from '../../../src/adapters/postgres/schema/ledger.ts';
import type { EntryKind } from '../../../src/domain/ledger.ts';
import type { Booked } from './booked.ts';

/** Neither a trigger nor a foreign key minds. */
export interface RawRows {
  rows<Row>(table: TableOf<Row>): Promise<readonly Row[]>;
  change<Row>(
    table: TableOf<Row>,
    which: (row: Row) => boolean,
    to: Partial<Row> | ((row: Row) => Partial<Row>),
  ): Promise<void>;
  remove<Row>(table: TableOf<Row>, which: (row: Row) => boolean): Promise<void>;
}

export type TableOf<Row> = PgTable & { readonly $inferSelect: Row };

/** A way to break the books of `booked`, and the checks that must notice. */
export type Damage = readonly [
  name: string,
  damage: (raw: RawRows, world: Booked) => Promise<void>,
  checks: readonly string[],
];

/** What tampering with entries also shows where sums of them are kept. */
export const SUMS = 'sums of days equal the ledger and the invoices';

/** The same where sums of verified entries are kept. */
export const CHANGED = 'verified entries are what they were';

/** The row of this record. */
export const is =
  ({ id }: { readonly id: string }) =>
  (row: { readonly id: string }) =>
    row.id === id;
/** Its entries, all or those of these kinds. */
export const entryOf =
  ({ id }: { readonly id: string }, ...kinds: readonly EntryKind[]) =>
  (row: { readonly referenceId: string; readonly kind: EntryKind }) =>
    row.referenceId === id && (kinds.length === 0 || kinds.includes(row.kind));

/** Adds to every posting to the fees. */
export const feesChangedBy = (units: bigint) => (raw: RawRows) =>
  raw.change(
    ledgerPostings,
    ({ account }) => account === 'fees',
    ({ amount }) => ({ amount: amount + units }),
  );

/** The ids of entries of a reference. */
export async function entryIds(
  raw: RawRows,
  which: (row: { readonly referenceId: string; readonly kind: EntryKind }) => boolean,
): Promise<ReadonlySet<string>> {
  return new Set((await raw.rows(ledgerEntries)).filter(which).map(({ id }) => id));
}

export async function withoutPostings(
  raw: RawRows,
  which: (row: { readonly referenceId: string; readonly kind: EntryKind }) => boolean,
): Promise<void> {
  const ids = await entryIds(raw, which);
  await raw.remove(ledgerPostings, ({ entryId }) => ids.has(entryId));
}
