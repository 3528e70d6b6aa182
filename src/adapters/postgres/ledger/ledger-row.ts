/**
 * Rows <-> port of `ledger_entries`, whose feed columns are all set or all null, with their
 * postings; and the columns of a balance.
 */
import { getTableColumns, sql } from 'drizzle-orm';
import type { Account, Posting } from '../../../domain/ledger.ts';
import type { FeedLine, NewEntry } from '../../../ports/ledger-repository.ts';
import { ledgerEntries as e, ledgerPostings as p } from '../schema/ledger.ts';
import { balances as b } from '../schema/merchants.ts';
import type { RowOf } from '../statement.ts';
import { records } from '../statement-parts.ts';

const { ordinal: _, reversedBy: _reversed, ...columns } = getTableColumns(e);
export const ENTRY = columns;
export type EntryRow = RowOf<typeof ENTRY>;

export const POSTING = getTableColumns(p);
/** Postings as a table `p`. */
export const POSTINGS = records('p', POSTING);

/** A row of these columns is a BalanceSummary. */
export const BALANCE = {
  incomeMicroUsd: b.incomeMicroUsd,
  payoutsMicroUsd: b.payoutsMicroUsd,
  refundsMicroUsd: b.refundsMicroUsd,
};

/**
 * The postings of an entry as one JSON text, with amounts as strings because they may exceed JSON
 * numbers.
 */
export const POSTINGS_OF_ENTRY = sql`
  (select json_agg(json_build_array(${p.account}, ${p.currency}, ${p.amount}::text) order by ${p.ordinal})::text
   from ${p} where ${p.entryId} = ${e.id})`.mapWith(postingsFromText);

function postingsFromText(text: string): readonly Posting[] {
  const postings: readonly [Account, string, string][] = JSON.parse(text);
  return postings.map(([account, currency, amount]) => ({ account, currency, amount: BigInt(amount) }));
}

export function entryFromRow(row: EntryRow & Pick<NewEntry, 'postings'>): NewEntry {
  const { id, merchantId, sandbox, kind, referenceId, depositId, postings, at } = row;
  return { id, merchantId, sandbox, kind, referenceId, depositId, postings, feed: feedFromRow(row), at };
}

function feedFromRow(row: EntryRow): FeedLine | null {
  const { feedType: type, feedAsset: asset, feedReferenceId: referenceId } = row;
  if (type === null || asset === null || referenceId === null) return null;
  return {
    type,
    asset,
    amountUnits: row.feedAmountUnits ?? 0n,
    feeUnits: row.feedFeeUnits,
    currency: row.feedCurrency,
    microUsd: row.feedMicroUsd ?? 0n,
    referenceId,
  };
}

/** `seq` is the entry's number in the public feed; null if it is not part of it. */
export function entryToRow(entry: NewEntry, seq: bigint | null): EntryRow {
  const { feed } = entry;
  return {
    id: entry.id,
    merchantId: entry.merchantId,
    sandbox: entry.sandbox,
    kind: entry.kind,
    referenceId: entry.referenceId,
    depositId: entry.depositId,
    at: entry.at,
    feedType: feed?.type ?? null,
    feedSeq: seq,
    feedAsset: feed?.asset ?? null,
    feedAmountUnits: feed?.amountUnits ?? null,
    feedFeeUnits: feed?.feeUnits ?? null,
    feedCurrency: feed?.currency ?? null,
    feedMicroUsd: feed?.microUsd ?? null,
    feedReferenceId: feed?.referenceId ?? null,
  };
}

export function postingRows(entry: NewEntry): readonly RowOf<typeof POSTING>[] {
  return entry.postings.map((posting, ordinal) => ({ entryId: entry.id, ordinal, ...posting }));
}
