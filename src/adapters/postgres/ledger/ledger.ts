/**
 * Appends entries to the double-entry ledger, and updates the merchant's summary and public feed.
 * The database refuses an entry that does not balance, and a second credit of a deposit whose first
 * was not reversed.
 */
import { type AnyColumn, sql } from 'drizzle-orm';
import type { BalanceSummary, EntryKind } from '../../../domain/ledger.ts';
import type { LedgerRepository, NewEntry } from '../../../ports/ledger-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { nextNumber } from '../lists/numbering.ts';
import { ledgerEntries as e, ledgerPostings } from '../schema/ledger.ts';
import { balances as b } from '../schema/merchants.ts';
import { statement } from '../statement.ts';
import { columnsOf, insertInto, insertSelect, like, listOf, nullable, set } from '../statement-parts.ts';
import { insertEntries } from './insert-entries.ts';
import {
  BALANCE,
  ENTRY,
  entryFromRow,
  entryToRow,
  POSTING,
  POSTINGS,
  POSTINGS_OF_ENTRY,
  postingRows,
} from './ledger-row.ts';
import { summaryChange } from './ledger-summary.ts';

const INSERT = statement({
  given: { ...ENTRY, postings: POSTINGS },
  text: ({ postings, ...entry }) => sql`
    with entry as (
      ${insertInto(e, {
        ...entry,
        ordinal: sql<number>`(
          select coalesce(max(${e.ordinal}), 0) + 1 from ${e} where ${e.referenceId} = ${entry.referenceId})`,
      })}
      returning ${e.id})
    ${insertSelect(ledgerPostings, columnsOf('p', POSTING))} from ${postings}`,
});

const ENTRIES_OF = statement({
  given: { referenceId: e.referenceId },
  selects: { ...ENTRY, postings: POSTINGS_OF_ENTRY },
  text: ({ referenceId }, select) =>
    sql`select ${select} from ${e} where ${e.referenceId} = ${referenceId} order by ${e.ordinal}`,
});

const markReversed = (by: AnyColumn) =>
  statement({
    given: { reversedBy: e.id, of: e.id, kinds: listOf(e.kind) },
    selects: { id: e.id },
    text: ({ reversedBy, of, kinds }, select) => sql`
      update ${e} set ${set(e, { reversedBy })}
      where ${by} = ${of} and ${e.kind} = any (${kinds}) and ${e.reversedBy} is null returning ${select}`,
  });
const MARK_REVERSED_OF_DEPOSIT = markReversed(e.depositId);
const MARK_REVERSED_OF_REFERENCE = markReversed(e.referenceId);

const LOCK_BALANCE = statement({
  given: { merchantId: b.merchantId, sandbox: b.sandbox },
  selects: BALANCE,
  text: ({ merchantId, sandbox }, select) => sql`
    select ${select} from ${b} where ${b.merchantId} = ${merchantId} and ${b.sandbox} = ${sandbox}
    for no key update`,
});

const LOCK_BALANCES = statement({
  given: { merchantIds: listOf(b.merchantId), sandbox: b.sandbox },
  selects: { merchantId: b.merchantId, ...BALANCE },
  text: ({ merchantIds, sandbox }, select) => sql`
    select ${select} from ${b} where ${b.merchantId} = any (${merchantIds}) and ${b.sandbox} = ${sandbox}
    order by ${b.merchantId} for no key update`,
});
// Merchants are inserted with their balance rows; this covers a merchant whose row is missing.
const NO_MONEY = sql<bigint>`0`;
const ZERO_BALANCE = statement({
  given: { merchantId: b.merchantId, sandbox: b.sandbox },
  text: (its) => sql`
    ${insertInto(b, { ...its, incomeMicroUsd: NO_MONEY, payoutsMicroUsd: NO_MONEY, refundsMicroUsd: NO_MONEY })}
    on conflict do nothing`,
});

const ADD_TO_BALANCE = statement({
  given: {
    merchantId: nullable(b.merchantId),
    sandbox: b.sandbox,
    income: b.incomeMicroUsd,
    payouts: b.payoutsMicroUsd,
    refunds: b.refundsMicroUsd,
  },
  selects: {
    available: like(b.incomeMicroUsd, sql`${b.incomeMicroUsd} - ${b.payoutsMicroUsd} - ${b.refundsMicroUsd}`),
  },
  text: ({ merchantId, sandbox, income, payouts, refunds }, select) => sql`
    update ${b} set ${set(b, {
      incomeMicroUsd: sql<bigint>`${b.incomeMicroUsd} + ${income}`,
      payoutsMicroUsd: sql<bigint>`${b.payoutsMicroUsd} + ${payouts}`,
      refundsMicroUsd: sql<bigint>`${b.refundsMicroUsd} + ${refunds}`,
    })}
    where ${b.merchantId} = ${merchantId} and ${b.sandbox} = ${sandbox}
    returning ${select}`,
});

/**
 * The kinds that a compensating entry of a deposit reverses. Simulated ones have no deposit, and
 * stay unmarked.
 */
const TAKES_BACK_OF_DEPOSIT: Partial<Record<EntryKind, readonly EntryKind[]>> = {
  deposit_departed: ['deposit_arrived'],
  income_reversed: ['income'],
  hold_reversed: ['hold'],
};
/** The same for entries of a payout or refund. */
const TAKES_BACK_OF_REFERENCE: Partial<Record<EntryKind, readonly EntryKind[]>> = {
  payout_released: ['payout_reserved', 'payout_retaken'],
  payout_unsettled: ['payout_settled'],
  refund_unsettled: ['refund_settled'],
  payout_fee_returned: ['payout_fee_charged'],
  refund_fee_returned: ['refund_fee_charged'],
  network_fee_reversed: ['network_fee'],
  forward_reversed: ['forward'],
};

export function ledgerRepository(on: Sql): LedgerRepository {
  return {
    async post(entry) {
      await addToSummary(on, entry);
      const { merchantId, sandbox } = entry;
      if (entry.feed !== null && merchantId === null) throw new Error('a feed line needs its merchant');
      const number =
        entry.feed && merchantId !== null
          ? await nextNumber(on, { merchantId, sandbox, stream: 'ledger', latest: entry.at })
          : null;
      const row = entryToRow(number ? { ...entry, at: number.at } : entry, number?.seq ?? null);
      await INSERT(on, { ...row, postings: postingRows(entry) });
      await markTakenBack(on, entry);
    },

    async postAll(entries) {
      for (const entry of entries)
        if (takenBackBy(entry).some((kinds) => kinds !== undefined) || entry.kind === 'payout_reserved')
          throw new Error(`a ${entry.kind} entry is posted by itself`);
      if (entries.length > 0) await insertEntries(on, entries);
    },

    entriesOf: async (referenceId) => (await ENTRIES_OF(on, { referenceId })).map(entryFromRow),

    lockBalance: (merchantId, sandbox) => lockBalance(on, { merchantId, sandbox }),

    async lockBalances(merchantIds, sandbox) {
      const found = await LOCK_BALANCES(on, { merchantIds, sandbox });
      const balances = new Map(found.map(({ merchantId, ...balance }) => [merchantId, balance]));
      for (const merchantId of merchantIds)
        if (!balances.has(merchantId))
          balances.set(merchantId, await lockBalance(on, { merchantId, sandbox }));
      return balances;
    },
  };
}

async function lockBalance(on: Sql, its: { merchantId: string; sandbox: boolean }): Promise<BalanceSummary> {
  const [found] = await LOCK_BALANCE(on, its);
  if (found) return found;
  await ZERO_BALANCE(on, its);
  return theOnly(await LOCK_BALANCE(on, its), `balance of merchant ${its.merchantId}`);
}

/** The kinds of which the entry reverses one: of its deposit, and of its reference. */
export function takenBackBy({ kind, depositId }: NewEntry) {
  return [
    depositId === null ? undefined : TAKES_BACK_OF_DEPOSIT[kind],
    TAKES_BACK_OF_REFERENCE[kind],
  ] as const;
}

async function markTakenBack(on: Sql, entry: NewEntry): Promise<void> {
  const { id: reversedBy, kind, depositId, referenceId } = entry;
  const [ofDeposit, ofReference] = takenBackBy(entry);
  if (ofDeposit !== undefined && depositId !== null) {
    const marked = await MARK_REVERSED_OF_DEPOSIT(on, { reversedBy, of: depositId, kinds: ofDeposit });
    theOnly(marked, `${kind} of deposit ${depositId}: standing ${ofDeposit.join(' or ')}`);
  }
  if (ofReference !== undefined) {
    const marked = await MARK_REVERSED_OF_REFERENCE(on, { reversedBy, of: referenceId, kinds: ofReference });
    theOnly(marked, `${kind} of ${referenceId}: standing ${ofReference.join(' or ')}`);
  }
}

async function addToSummary(on: Sql, entry: NewEntry): Promise<void> {
  const { column, change } = summaryChange(entry);
  if (column === null || change === 0n) return;
  const { merchantId, sandbox } = entry;
  const none = { income: 0n, payouts: 0n, refunds: 0n };
  const rows = await ADD_TO_BALANCE(on, { merchantId, sandbox, ...none, [column]: change });
  // Decisions of the chain may take a balance below zero (safety.md U7); accepting a payout never
  // does.
  const { available } = theOnly(rows, `balance of merchant ${merchantId}`);
  if (entry.kind === 'payout_reserved' && available < 0n) {
    throw new Error(`payout ${entry.referenceId} would take the balance below zero`);
  }
}
