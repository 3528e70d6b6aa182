/**
 * What a sweep costs the database and the nodes of an EVM chain, counted from a hundred payments
 * that are credited to the last sweep that is done: statements with `begin` and `commit`, and
 * requests of the job of sweeps. What their transfers cost is the row of payouts.
 */
import { openCountedSweeps, type SweepCosts } from '../../tests/support/sweeps/sweep-costs.ts';
import { atMost, type Finding } from '../harness/finding.ts';
import type { Row } from '../harness/row.ts';
import { spread } from '../harness/statistics.ts';

const SWEEPS = 100;
const ASSETS = ['eth_ethereum', 'usdt_ethereum'];
const STATEMENTS = atMost(2, 'each');
const REQUESTS = atMost(1, 'each');

export const sweepCosts: Row = {
  name: 'sweep-costs',
  async run({ database }) {
    const findings: Finding[] = [];
    for (const asset of ASSETS) {
      const url = await database.createDatabase(`bench_sweep_costs_${asset}`);
      const counted = await openCountedSweeps(url);
      try {
        findings.push(...findingsOf(asset, await counted.sweep({ [asset]: SWEEPS })));
      } finally {
        await counted.close();
      }
    }
    return findings;
  },
};

function findingsOf(asset: string, costs: SweepCosts): readonly Finding[] {
  const { statements, commits, requests, steps, sweeps } = costs;
  const each = (count: number) => count / sweeps;
  const of = { unit: 'each', latencies: [] } as const;
  const absolute = `${each(commits).toFixed(2)} commits each, ${steps} steps`;
  return [
    {
      ...{ ...of, target: STATEMENTS, measured: spread([each(statements)]), absolute },
      what: `${asset}: statements of a sweep, ${sweeps} together`,
    },
    {
      ...{ ...of, target: REQUESTS, measured: spread([each(requests)]), absolute },
      what: `${asset}: requests of a sweep beside those of its transfers, ${sweeps} together`,
    },
  ];
}
