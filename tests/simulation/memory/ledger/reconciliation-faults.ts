/**
 * What reconciliation finds in memory: the checks of the books against each other, as
 * src/adapters/postgres/books makes them. Counts of lists and sums of days are
 * not kept in memory but computed when they are read, so there is nothing of them to check.
 */
import { FAULTS_MAX } from '../../../../src/adapters/postgres/books/row-checks.ts';
import type { ReconciliationFault } from '../../../../src/ports/treasury/book-checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { LEDGER_CHECKS } from './ledger-checks.ts';
import { NUMBERING_CHECKS } from './numbering-checks.ts';
import { booksRead, type Fault } from './posted.ts';
import { SENDING_CHECKS } from './sending-checks.ts';

const BALANCES = 'balance equals the postings to the merchant';
/** Those of rows come first, as PostgreSQL has them. */
const { [BALANCES]: balances, ...OF_ROWS } = { ...LEDGER_CHECKS, ...SENDING_CHECKS };
const CHECKS = Object.entries({ ...OF_ROWS, [BALANCES]: balances!, ...NUMBERING_CHECKS });

/** Empty if there is no fault; at most 1,000 faults per check. */
export function reconciliationFaults(store: MemoryStore): readonly ReconciliationFault[] {
  const books = booksRead(store);
  const faults: ReconciliationFault[] = [];
  for (const [check, faultsOf] of CHECKS) {
    const found: Fault[] = [];
    for (const fault of faultsOf(books)) found.push(fault);
    found.sort((a, b) => byText(a.reference, b.reference));
    for (const fault of found.slice(0, FAULTS_MAX)) faults.push({ check, ...fault });
  }
  return faults;
}
