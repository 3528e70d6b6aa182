/**
 * Several screeners as one: the first hit decides; without a hit, a payment passes only if all of
 * them pass it.
 */
import type { RiskScreener, RiskVerdict } from '../../ports/deposits/risk-screener.ts';

/**
 * Asked in the given order, cheapest first, until a hit. Without any screener everything passes.
 */
export function combinedScreener(screeners: readonly RiskScreener[]): RiskScreener {
  return {
    isLocal: screeners.every(({ isLocal }) => isLocal),
    async screen(payment): Promise<RiskVerdict> {
      let verdict: RiskVerdict = { kind: 'pass' };
      for (const screener of screeners) {
        const next = await screener.screen(payment);
        if (next.kind === 'hit') return next;
        // Keep asking: a later hit matters more than this failure.
        if (next.kind === 'unavailable' && verdict.kind === 'pass') verdict = next;
      }
      return verdict;
    },
  };
}
