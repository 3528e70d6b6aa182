/** Holds the books against themselves: ledger sums, balances, invoice states against deposits. Any difference is a fault. */
import type { ReconciliationFault } from '../ports/queries.ts';
import type { AppDependencies } from './dependencies.ts';

export interface ReconciliationReport {
  readonly faults: readonly ReconciliationFault[];
}

export function reconcile(
  deps: Pick<AppDependencies, 'operatorQueries'>,
): () => Promise<ReconciliationReport> {
  return async () => ({ faults: await deps.operatorQueries.reconciliationFaults() });
}
