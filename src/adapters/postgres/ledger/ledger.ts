/**
 * Appends entries to the double-entry ledger, and keeps the merchant's summary and public feed beside them. The database
 * refuses an entry that does not balance, and a second credit of a deposit whose first was not reversed.
 */
import type { EntryKind } from '../../../domain/ledger.ts';
import type { LedgerRepository, NewEntry } from '../../../ports/repositories.ts';
import type { Sql } from '../client/sql.ts';
import { inOrder, prefixed, theOnly } from '../client/statements.ts';
import { nextNumber } from '../lists/numbering.ts';
import { insertEntries } from './insert-entries.ts';
import {
  type BalanceRow,
  balanceFromRow,
  ENTRY_COLUMNS,
  type EntryRow,
  entryFromRow,
  entryToRow,
  POSTINGS_AS_JSON,
  postingRows,
} from './ledger-row.ts';
import { type SummaryColumn, summaryChange } from './ledger-summary.ts';

const places = ENTRY_COLUMNS.map((_, position) => `$${position + 2}`).join(', ');
const INSERT = `
  with entry as (
    insert into ledger_entries (ordinal, ${ENTRY_COLUMNS.join(', ')})
    values ((select coalesce(max(ordinal), 0) + 1 from ledger_entries
             where reference_id = $${ENTRY_COLUMNS.indexOf('reference_id') + 2}), ${places})
    returning id)
  insert into ledger_postings (entry_id, ordinal, account, currency, amount)
  select entry.id, p.ordinal, p.account, p.currency, p.amount
  from entry, jsonb_to_recordset($1::jsonb)
    as p (ordinal smallint, account text, currency text, amount numeric)`;

const ENTRIES_OF = `
  select ${prefixed('e', ENTRY_COLUMNS)}, ${POSTINGS_AS_JSON}
  from ledger_entries e where e.reference_id = $1 order by e.ordinal`;

const markReversed = (column: 'deposit_id' | 'reference_id') => `
  update ledger_entries set reversed_by = $1
  where ${column} = $2 and kind = any ($3::text[]) and reversed_by is null returning id`;
const MARK_REVERSED_OF_DEPOSIT = markReversed('deposit_id');
const MARK_REVERSED_OF_REFERENCE = markReversed('reference_id');

const BALANCE = `
  select income_micro_usd, payouts_micro_usd, refunds_micro_usd from balances
  where merchant_id = $1 and sandbox = $2`;

// Merchants are inserted with their balance rows; this is for one that lost them.
const ZERO_BALANCE = `
  insert into balances (merchant_id, sandbox, income_micro_usd, payouts_micro_usd, refunds_micro_usd)
  values ($1, $2, 0, 0, 0) on conflict do nothing`;

const ADD_TO_BALANCE = `
  update balances set
    income_micro_usd = income_micro_usd + $3,
    payouts_micro_usd = payouts_micro_usd + $4,
    refunds_micro_usd = refunds_micro_usd + $5
  where merchant_id = $1 and sandbox = $2
  returning income_micro_usd - payouts_micro_usd - refunds_micro_usd as available`;

/** What a compensating entry about a deposit takes back; simulated ones have no deposit, and stand unmarked. */
const TAKES_BACK_OF_DEPOSIT: Partial<Record<EntryKind, readonly EntryKind[]>> = {
  deposit_departed: ['deposit_arrived'],
  income_reversed: ['income'],
  hold_reversed: ['hold'],
};
/** The same for entries about something that is paid out. */
const TAKES_BACK_OF_REFERENCE: Partial<Record<EntryKind, readonly EntryKind[]>> = {
  payout_released: ['payout_reserved', 'payout_retaken'],
  payout_unsettled: ['payout_settled'],
  refund_unsettled: ['refund_settled'],
  payout_fee_returned: ['payout_fee_charged'],
  refund_fee_returned: ['refund_fee_charged'],
  network_fee_reversed: ['network_fee'],
};

export function ledgerRepository(sql: Sql): LedgerRepository {
  return {
    async post(entry) {
      await addToSummary(sql, entry);
      const { merchantId, sandbox } = entry;
      if (entry.feed !== null && merchantId === null) throw new Error('a feed line needs its merchant');
      const number =
        entry.feed && merchantId !== null
          ? await nextNumber(sql, { merchantId, sandbox, stream: 'ledger', at: entry.at })
          : null;
      const row = entryToRow(number ? { ...entry, at: number.at } : entry, number?.seq ?? null);
      await sql.query(INSERT, [JSON.stringify(postingRows(entry)), ...inOrder(row, ENTRY_COLUMNS)]);
      await markTakenBack(sql, entry);
    },

    async postAll(entries) {
      for (const entry of entries)
        if (takenBackBy(entry).some((kinds) => kinds !== undefined) || entry.kind === 'payout_reserved')
          throw new Error(`a ${entry.kind} entry is posted by itself`);
      if (entries.length > 0) await insertEntries(sql, entries);
    },

    async entriesOf(referenceId) {
      const rows = await sql.query<EntryRow & { postings: string }>(ENTRIES_OF, [referenceId]);
      return rows.map(entryFromRow);
    },

    async lockBalance(merchantId, sandbox) {
      const lock = `${BALANCE} for no key update`;
      const [found] = await sql.query<BalanceRow>(lock, [merchantId, sandbox]);
      if (found) return balanceFromRow(found);
      await sql.query(ZERO_BALANCE, [merchantId, sandbox]);
      const made = await sql.query<BalanceRow>(lock, [merchantId, sandbox]);
      return balanceFromRow(theOnly(made, `balance of merchant ${merchantId}`));
    },
  };
}

/** The kinds of which the entry takes one back: of its deposit, and of its reference. */
function takenBackBy({ kind, depositId }: NewEntry) {
  return [
    depositId === null ? undefined : TAKES_BACK_OF_DEPOSIT[kind],
    TAKES_BACK_OF_REFERENCE[kind],
  ] as const;
}

async function markTakenBack(sql: Sql, entry: NewEntry): Promise<void> {
  const { id, kind, depositId, referenceId } = entry;
  const [ofDeposit, ofReference] = takenBackBy(entry);
  if (ofDeposit !== undefined) {
    const marked = await sql.query(MARK_REVERSED_OF_DEPOSIT, [id, depositId, [...ofDeposit]]);
    theOnly(marked, `${kind} of deposit ${depositId}: standing ${ofDeposit.join(' or ')}`);
  }
  if (ofReference !== undefined) {
    const marked = await sql.query(MARK_REVERSED_OF_REFERENCE, [id, referenceId, [...ofReference]]);
    theOnly(marked, `${kind} of ${referenceId}: standing ${ofReference.join(' or ')}`);
  }
}

async function addToSummary(sql: Sql, entry: NewEntry): Promise<void> {
  const { column, change } = summaryChange(entry);
  if (column === null || change === 0n) return;
  const changeOf = (wanted: SummaryColumn) => (column === wanted ? change.toString() : '0');
  const rows = await sql.query<{ available: string }>(ADD_TO_BALANCE, [
    entry.merchantId,
    entry.sandbox,
    changeOf('income'),
    changeOf('payouts'),
    changeOf('refunds'),
  ]);
  // What the chain decides may take a balance below zero (safety.md U7); accepting a payout never.
  const { available } = theOnly(rows, `balance of merchant ${entry.merchantId}`);
  if (entry.kind === 'payout_reserved' && BigInt(available) < 0n) {
    throw new Error(`payout ${entry.referenceId} would take the balance below zero`);
  }
}
