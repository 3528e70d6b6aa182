import type { ReconciliationRuns } from '../../../../src/ports/treasury/reconciliation-runs.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function reconciliationRuns(_store: MemoryStore): ReconciliationRuns {
  return notYet('reconciliationRuns');
}
