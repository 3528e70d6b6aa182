/** Where the metrics of a process come from. */
import type { OperatorMetrics } from '../../../ports/operator-queries.ts';
import type { ChainFigures } from './metrics-chains.ts';

export interface MetricSources {
  /** Read once per scrape. When it fails, the scrape leaves these out and counts the failure. */
  operator(): Promise<OperatorMetrics>;
  /** Age of the exchange rates. Null while there are none. */
  rateAgeSeconds(): number | null;
  /**
   * The last reconciliation of this process; null before the first. Missing in a process that never
   * reconciles.
   */
  reconciliation?(): ReconciliationFigures | null;
  /** How often this process raised each alarm, by event; those that it never raised, with 0. */
  alarms?(): ReadonlyMap<string, number>;
  /** Every configured chain. */
  chains?(): readonly ChainFigures[];
  /** The webhooks that this process is sending, and the most that it may send at once. */
  webhooks?(): { readonly inFlight: number; readonly limit: number };
}

export interface ReconciliationFigures {
  readonly at: Date;
  /** Faults within the books. */
  readonly faults: number;
  readonly chains: readonly { chain: string; differences: number; checked: boolean }[];
  /** Money that costs more to collect than it is worth. */
  readonly belowCost: readonly { asset: string; microUsd: bigint }[];
}
