/** The hourly reconciliations of workers, in memory. */
import { chainsFrom } from '../../../../src/adapters/postgres/treasury/reconciliation-runs.ts';
import type { ReconciliationRuns } from '../../../../src/ports/treasury/reconciliation-runs.ts';
import type { MemoryStore } from '../store/memory-store.ts';

export function reconciliationRuns({ tables }: MemoryStore): ReconciliationRuns {
  const { reconciliations } = tables;
  return {
    async append({ at, agree, faults, chains }) {
      const found = chains.map(({ chain, differences, checked }) => [
        chain,
        { differences: String(differences), checked },
      ]);
      reconciliations.insert({ at, agree, faults, chains: Object.fromEntries(found) });
    },

    async last() {
      let last = reconciliations.first(() => true);
      for (const run of reconciliations.all()) if (last === undefined || run.at > last.at) last = run;
      return last === undefined ? null : { ...last, chains: chainsFrom(last.chains) };
    },

    async forgetBefore(at) {
      for (const run of reconciliations.where((each) => each.at < at)) reconciliations.delete(run);
    },
  };
}
