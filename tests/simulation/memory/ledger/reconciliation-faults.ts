/**
 * What reconciliation finds in memory: the checks of the books against each other, as
 * src/adapters/postgres/treasury/reconciliation.ts makes them. Counts of lists and sums of days are
 * not kept in memory but computed when they are read, so there is nothing of them to check.
 */
import { FAULTS_MAX } from '../../../../src/adapters/postgres/treasury/reconciliation.ts';
import type { ReconciliationFault } from '../../../../src/ports/operator-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { LEDGER_CHECKS } from './ledger-checks.ts';
import { NUMBERING_CHECKS } from './numbering-checks.ts';
import { booksRead, type Fault } from './posted.ts';
import { SENDING_CHECKS } from './sending-checks.ts';

const CHECKS = Object.entries({ ...LEDGER_CHECKS, ...SENDING_CHECKS, ...NUMBERING_CHECKS });

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
