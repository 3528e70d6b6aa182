/** Metrics of the last reconciliation of this process. */
import { Gauge, type Registry } from 'prom-client';
import type { ReconciliationFigures } from './metrics-sources.ts';

/**
 * A process that never reconciled reports 0 as the time of its last run, so that an alarm on its
 * age fires.
 */
export function reconciliationGauges(
  registry: Registry,
  read: () => ReconciliationFigures | null,
): () => void {
  const registers = [registry];
  const differences = new Gauge({
    name: 'quittance_reconciliation_differences',
    help: 'Differences that the last reconciliation of this process found, by chain. "books": faults within the books.',
    labelNames: ['chain'],
    registers,
  });
  const checked = new Gauge({
    name: 'quittance_reconciliation_checked',
    help: '1 if the last reconciliation of this process could read the chain, with all its listed tokens.',
    labelNames: ['chain'],
    registers,
  });
  const last = new Gauge({
    name: 'quittance_reconciliation_last_run_timestamp_seconds',
    help: 'Unix time of the last reconciliation of this process. 0 before the first.',
    registers,
  });
  const below = new Gauge({
    name: 'quittance_deposits_below_collecting_cost_usd',
    help: 'Money at addresses, or in outputs, that costs more to collect than it is worth, at ordinary fees.',
    labelNames: ['asset'],
    registers,
  });
  return () => {
    const figures = read();
    last.set(figures === null ? 0 : figures.at.getTime() / 1000);
    if (figures === null) return;
    differences.set({ chain: 'books' }, figures.faults);
    below.reset();
    for (const { asset, microUsd } of figures.belowCost) below.set({ asset }, Number(microUsd) / 1e6);
    for (const { chain, differences: found, checked: read } of figures.chains) {
      differences.set({ chain }, found);
      checked.set({ chain }, read ? 1 : 0);
    }
  };
}
