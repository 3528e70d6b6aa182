/**
 * What a payout costs the database and the nodes, counted from a hundred that wait together to the
 * last `success`: statements with `begin` and `commit`, and requests beside the broadcast.
 */
import { DRILL_CHAINS, type DrillChainName } from '../../tests/support/payout-drill/drill-chains.ts';
import { openCountedPayouts, type PayoutCosts } from '../../tests/support/payouts/payout-costs.ts';
import { atMost, type Finding } from '../harness/finding.ts';
import type { Row } from '../harness/row.ts';
import { spread } from '../harness/statistics.ts';

const PAYOUTS = 100;
const CHAINS: readonly DrillChainName[] = ['ethereum', 'tron', 'solana', 'xrp', 'ton'];
const STATEMENTS = atMost(15, 'each');
const REQUESTS = atMost(2, 'each');
/** Arrivals on TON are looked up one by one (docs/decisions/0049-rounds.md). */
const REQUESTS_ON_TON = atMost(3.5, 'each');

export const payoutCosts: Row = {
  name: 'payout-costs',
  async run({ database, quick }) {
    const findings: Finding[] = [];
    for (const chain of quick ? CHAINS.slice(0, 1) : CHAINS) {
      const url = await database.createDatabase(`bench_payout_costs_${chain}`);
      const counted = await openCountedPayouts(DRILL_CHAINS[chain], url);
      try {
        findings.push(...findingsOf(chain, await counted.send(PAYOUTS)));
      } finally {
        await counted.close();
      }
    }
    return findings;
  },
};

function findingsOf(chain: DrillChainName, costs: PayoutCosts): readonly Finding[] {
  const { statements, commits, requests, broadcasts, looks, payouts } = costs;
  const each = (count: number) => count / payouts;
  const of = { unit: 'each', latencies: [] } as const;
  return [
    {
      ...{ ...of, target: STATEMENTS, measured: spread([each(statements)]) },
      what: `${chain}: statements of a payout, ${payouts} together`,
      absolute: `${each(commits).toFixed(2)} commits each, ${looks} looks`,
    },
    {
      ...{ ...of, target: chain === 'ton' ? REQUESTS_ON_TON : REQUESTS },
      measured: spread([each(requests)]),
      what: `${chain}: requests of a payout beside the broadcast, ${payouts} together`,
      absolute: `${each(broadcasts).toFixed(2)} broadcasts each`,
    },
  ];
}
