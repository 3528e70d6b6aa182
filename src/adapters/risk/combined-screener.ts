/** Several screeners as one: the first hit decides; without a hit, a payment passes only when every one of them passed it. */
import type { RiskScreener, RiskVerdict } from '../../ports/deposits/risk-screener.ts';

/** Asked in the order given, cheapest first; those after a hit are not asked. No screeners at all pass everything. */
export function combinedScreener(screeners: readonly RiskScreener[]): RiskScreener {
  return {
    async screen(payment): Promise<RiskVerdict> {
      let verdict: RiskVerdict = { kind: 'pass' };
      for (const screener of screeners) {
        const next = await screener.screen(payment);
        if (next.kind === 'hit') return next;
        // Keep asking: a hit further on is worth more than this failure.
        if (next.kind === 'unavailable' && verdict.kind === 'pass') verdict = next;
      }
      return verdict;
    },
  };
}
