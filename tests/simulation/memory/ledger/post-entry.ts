/**
 * Appends an entry to the ledger in memory, and updates the merchant's summary and public feed. An
 * entry that does not balance is refused at the end of the transaction; nothing else here changes
 * or removes what was posted.
 */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import { takenBackBy } from '../../../../src/adapters/postgres/ledger/ledger.ts';
import { entryToRow, postingRows } from '../../../../src/adapters/postgres/ledger/ledger-row.ts';
import { summaryChange } from '../../../../src/adapters/postgres/ledger/ledger-summary.ts';
import type { ledgerEntries } from '../../../../src/adapters/postgres/schema/ledger.ts';
import { availableMicroUsd, type EntryKind } from '../../../../src/domain/ledger.ts';
import type { NewEntry } from '../../../../src/ports/ledger-repository.ts';
import { check } from '../store/checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { requiredNumber } from '../store/numbering.ts';
import { addTo, HOUSE } from './posted.ts';

export function postEntry(store: MemoryStore, entry: NewEntry): void {
  addToSummary(store, entry);
  const number = numberOf(store, entry);
  const row = entryToRow(number ? { ...entry, at: number.at } : entry, number?.seq ?? null);
  insert(store, row, entry);
  markTakenBack(store, entry);
}

function addToSummary({ tables }: MemoryStore, entry: NewEntry): void {
  const { column, change } = summaryChange(entry);
  if (column === null || change === 0n) return;
  const { merchantId, sandbox } = entry;
  const row = merchantId === null ? undefined : tables.balances.find(merchantId, sandbox);
  const balance = theOnly(row ? [row] : [], `balance of merchant ${merchantId}`);
  const name = `${column}MicroUsd` as const;
  check('balances_sums', balance[name] + change >= 0n);
  const changed = tables.balances.update(balance, { [name]: balance[name] + change });
  if (entry.kind === 'payout_reserved' && availableMicroUsd(changed) < 0n)
    throw new Error(`payout ${entry.referenceId} would take the balance below zero`);
}

function numberOf(store: MemoryStore, entry: NewEntry): { seq: bigint; at: Date } | null {
  const { feed, merchantId, sandbox, at } = entry;
  if (feed === null) return null;
  if (merchantId === null) throw new Error('a feed line needs its merchant');
  return requiredNumber(store, { merchantId, sandbox, stream: 'ledger', latest: at });
}

type NewRow = Omit<typeof ledgerEntries.$inferSelect, 'ordinal' | 'reversedBy'>;

function insert(store: MemoryStore, row: NewRow, entry: NewEntry): void {
  const { ledgerEntries, ledgerPostings } = store.tables;
  check('ledger_entries_house', (row.merchantId === null) === HOUSE.has(row.kind));
  let ordinal = 1;
  for (const other of ledgerEntries.by('referenceId', row.referenceId))
    if (other.ordinal >= ordinal) ordinal = other.ordinal + 1;
  ledgerEntries.insert({ ...row, ordinal });
  for (const posting of postingRows(entry)) {
    check('ledger_postings_amount', posting.amount !== 0n);
    ledgerPostings.insert(posting);
  }
  assertBalanced(store, row.id);
}

function assertBalanced({ tables }: MemoryStore, entryId: string): void {
  const sums = new Map<string, bigint>();
  for (const { currency, amount } of tables.ledgerPostings.by('entryId', entryId))
    addTo(sums, currency, amount);
  check('ledger_entry_balances', sums.size > 0 && [...sums.values()].every((sum) => sum === 0n));
}

function markTakenBack({ tables }: MemoryStore, entry: NewEntry): void {
  const { id: reversedBy, kind, depositId, referenceId } = entry;
  const { ledgerEntries } = tables;
  const [ofDeposit, ofReference] = takenBackBy(entry);
  const mark = (among: ReturnType<typeof ledgerEntries.by>, kinds: readonly EntryKind[], what: string) => {
    const standing = among.filter((row) => kinds.includes(row.kind) && row.reversedBy === null);
    ledgerEntries.update(theOnly(standing, `${kind} of ${what}: standing ${kinds.join(' or ')}`), {
      reversedBy,
    });
  };
  if (ofDeposit !== undefined && depositId !== null)
    mark(ledgerEntries.by('depositId', depositId), ofDeposit, `deposit ${depositId}`);
  if (ofReference !== undefined) mark(ledgerEntries.by('referenceId', referenceId), ofReference, referenceId);
}
