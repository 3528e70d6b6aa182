/**
 * Appends entries to the double-entry ledger, and keeps the merchant's summary and public feed beside them. The database
 * refuses an entry that does not balance, and a second credit of a deposit whose first was not reversed.
 */
import type { EntryKind } from '../../domain/ledger.ts';
import type { LedgerRepository, NewEntry } from '../../ports/repositories.ts';
import type { Sql } from './client.ts';
import {
  type BalanceRow,
  balanceFromRow,
  ENTRY_COLUMNS,
  type EntryRow,
  entryFromRow,
  entryToRow,
  POSTINGS_AS_JSON,
} from './ledger-row.ts';
import { nextNumber } from './numbering.ts';
import { inOrder, prefixed, theOnly } from './statements.ts';

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

const MARK_REVERSED = `
  update ledger_entries set reversed_by = $1
  where deposit_id = $2 and kind = $3 and reversed_by is null returning id`;

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

/** What a compensating entry takes back. */
const TAKES_BACK: Partial<Record<EntryKind, EntryKind>> = {
  deposit_departed: 'deposit_arrived',
  income_reversed: 'income',
  hold_reversed: 'hold',
  refund_reversed: 'refund',
};

type SummaryColumn = 'income' | 'payouts' | 'refunds';
/** The column of the summary that an entry's posting to the merchant's account belongs to. */
const SUMMARY_COLUMN: Record<EntryKind, SummaryColumn | null> = {
  deposit_arrived: null,
  deposit_departed: null,
  income: 'income',
  income_reversed: 'income',
  hold: null,
  hold_reversed: null,
  payout_reserved: 'payouts',
  payout_settled: 'payouts',
  payout_released: 'payouts',
  refund: 'refunds',
  refund_reversed: 'refunds',
};

export function ledgerRepository(sql: Sql): LedgerRepository {
  return {
    async post(entry) {
      await addToSummary(sql, entry);
      const { merchantId, sandbox } = entry;
      const number =
        entry.feed && (await nextNumber(sql, { merchantId, sandbox, stream: 'ledger', at: entry.at }));
      const row = entryToRow(number ? { ...entry, at: number.at } : entry, number?.seq ?? null);
      const postings = entry.postings.map((posting, ordinal) => ({
        ordinal,
        account: posting.account,
        currency: posting.currency,
        amount: posting.amount.toString(),
      }));
      await sql.query(INSERT, [JSON.stringify(postings), ...inOrder(row, ENTRY_COLUMNS)]);
      const takenBack = TAKES_BACK[entry.kind];
      if (takenBack !== undefined && entry.depositId !== null) {
        const marked = await sql.query(MARK_REVERSED, [entry.id, entry.depositId, takenBack]);
        theOnly(marked, `${entry.kind} of deposit ${entry.depositId}: standing ${takenBack}`);
      }
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

/** The summary follows the postings to the merchant's account, never a figure of its own. */
async function addToSummary(sql: Sql, entry: NewEntry): Promise<void> {
  const owed = entry.postings
    .filter((posting) => posting.account === 'merchant')
    .reduce((sum, posting) => sum - posting.amount, 0n);
  const column = SUMMARY_COLUMN[entry.kind];
  const change = column === 'income' ? owed : -owed;
  if (column === null && owed !== 0n)
    throw new Error(`a ${entry.kind} entry must not touch the merchant's account`);
  if (entry.feed !== null && entry.feed.microUsd !== change) {
    throw new Error(
      `entry ${entry.id}: the feed says ${entry.feed.microUsd} micro-USD, the postings ${change}`,
    );
  }
  if (column === null || change === 0n) return;
  const changeOf = (wanted: SummaryColumn) => (column === wanted ? change.toString() : '0');
  const rows = await sql.query<{ available: string }>(ADD_TO_BALANCE, [
    entry.merchantId,
    entry.sandbox,
    changeOf('income'),
    changeOf('payouts'),
    changeOf('refunds'),
  ]);
  // Only a reversal may take a balance below zero (safety.md U7); paying out never.
  const { available } = theOnly(rows, `balance of merchant ${entry.merchantId}`);
  if (entry.kind === 'payout_reserved' && BigInt(available) < 0n) {
    throw new Error(`payout ${entry.referenceId} would take the balance below zero`);
  }
}
