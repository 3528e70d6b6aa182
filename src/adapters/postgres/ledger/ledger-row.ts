/** Rows <-> port of `ledger_entries`, whose feed columns are all set or all null, with its postings, and of `balances`. */
import type { Account, BalanceSummary, EntryKind, Posting } from '../../../domain/ledger.ts';
import type { FeedLine, NewEntry } from '../../../ports/repositories.ts';
import { bigintOrNull, textOrNull } from '../invoices/invoice-row.ts';

export const ENTRY_TYPES = {
  id: 'text',
  merchant_id: 'text',
  sandbox: 'boolean',
  kind: 'text',
  reference_id: 'text',
  deposit_id: 'text',
  at: 'timestamptz',
  feed_type: 'text',
  feed_seq: 'bigint',
  feed_asset: 'text',
  feed_amount_units: 'numeric',
  feed_fee_units: 'numeric',
  feed_currency: 'text',
  feed_micro_usd: 'numeric',
  feed_reference_id: 'text',
} as const;
export type EntryColumn = keyof typeof ENTRY_TYPES;
export const ENTRY_COLUMNS = Object.keys(ENTRY_TYPES) as readonly EntryColumn[];

export interface EntryRow {
  readonly id: string;
  readonly merchant_id: string | null;
  readonly sandbox: boolean;
  readonly kind: EntryKind;
  readonly reference_id: string;
  readonly deposit_id: string | null;
  readonly at: Date;
  readonly feed_type: FeedLine['type'] | null;
  readonly feed_seq: string | null;
  readonly feed_asset: string | null;
  readonly feed_amount_units: string | null;
  readonly feed_fee_units: string | null;
  readonly feed_currency: string | null;
  readonly feed_micro_usd: string | null;
  readonly feed_reference_id: string | null;
}

/** The postings of entry `e` as one JSON text column; amounts as strings, since they outgrow JSON numbers. */
export const POSTINGS_AS_JSON = `
  (select json_agg(json_build_array(p.account, p.currency, p.amount::text) order by p.ordinal)::text
   from ledger_postings p where p.entry_id = e.id) as postings`;

export function entryFromRow(row: EntryRow & { readonly postings: string }): NewEntry {
  const postings: [Account, string, string][] = JSON.parse(row.postings);
  return {
    id: row.id,
    merchantId: row.merchant_id,
    sandbox: row.sandbox,
    kind: row.kind,
    referenceId: row.reference_id,
    depositId: row.deposit_id,
    postings: postings.map(
      ([account, currency, amount]): Posting => ({ account, currency, amount: BigInt(amount) }),
    ),
    feed: feedFromRow(row),
    at: row.at,
  };
}

function feedFromRow(row: EntryRow): FeedLine | null {
  const { feed_type: type, feed_asset: asset, feed_reference_id: referenceId } = row;
  if (type === null || asset === null || referenceId === null) return null;
  return {
    type,
    asset,
    amountUnits: BigInt(row.feed_amount_units ?? 0),
    feeUnits: bigintOrNull(row.feed_fee_units),
    currency: row.feed_currency,
    microUsd: BigInt(row.feed_micro_usd ?? 0),
    referenceId,
  };
}

/** `seq` is the entry's number in the public feed; null exactly when it is not part of it. */
export function entryToRow(entry: NewEntry, seq: string | null): EntryRow {
  const { feed } = entry;
  return {
    id: entry.id,
    merchant_id: entry.merchantId,
    sandbox: entry.sandbox,
    kind: entry.kind,
    reference_id: entry.referenceId,
    deposit_id: entry.depositId,
    at: entry.at,
    feed_type: feed?.type ?? null,
    feed_seq: seq,
    feed_asset: feed?.asset ?? null,
    feed_amount_units: textOrNull(feed?.amountUnits),
    feed_fee_units: textOrNull(feed?.feeUnits),
    feed_currency: feed?.currency ?? null,
    feed_micro_usd: textOrNull(feed?.microUsd),
    feed_reference_id: feed?.referenceId ?? null,
  };
}

/** The entry's postings as records for JSON; amounts as strings, as above. */
export function postingRows(entry: NewEntry): readonly Record<string, unknown>[] {
  return entry.postings.map(({ account, currency, amount }, ordinal) => ({
    entry_id: entry.id,
    ordinal,
    account,
    currency,
    amount: amount.toString(),
  }));
}

export interface BalanceRow {
  readonly income_micro_usd: string;
  readonly payouts_micro_usd: string;
  readonly refunds_micro_usd: string;
}

export function balanceFromRow(row: BalanceRow): BalanceSummary {
  return {
    incomeMicroUsd: BigInt(row.income_micro_usd),
    payoutsMicroUsd: BigInt(row.payouts_micro_usd),
    refundsMicroUsd: BigInt(row.refunds_micro_usd),
  };
}
