/**
 * What a hostile drill's report says against it: who bore the networks' fees, who waited, and
 * whether it was the drill that was ordered.
 */
import type { HostileDrillOrder, HostileDrillReport } from './hostile-drill.ts';

const HONEST_SECONDS_MOST = 90;
const LOSS_PERCENT_MOST = 1;

/**
 * Empty when the operator lost nothing to speak of, every honest payout was paid in time, and the
 * books are right.
 */
export function faultsOf(
  order: Pick<HostileDrillOrder, 'rounds' | 'honest'>,
  report: Omit<HostileDrillReport, 'chain'>,
): string[] {
  const { operatorsLossMicroUsd: loss, chargedMicroUsd: charged, merchants, unpaidHonest } = report;
  const faults = [...report.books];
  if (loss * 100 > charged * LOSS_PERCENT_MOST)
    faults.push(`the operator lost ${loss} micro-USD of ${charged} that were charged`);
  if (unpaidHonest > 0) faults.push(`${unpaidHonest} honest payouts are not paid`);
  if (report.slowestHonestSeconds > HONEST_SECONDS_MOST)
    faults.push(`an honest payout took ${report.slowestHonestSeconds} s of the chain's time`);
  const honest = merchants.find(({ merchant }) => merchant === 'honest');
  const paid = honest?.payouts.success ?? 0;
  if (paid + unpaidHonest < order.rounds * order.honest)
    faults.push(`${paid} honest payouts were paid of ${order.rounds * order.honest}`);
  if (!merchants.some((one) => one !== honest && one.costMicroUsd > 0))
    faults.push('no hostile recipient made anything cost');
  if (report.restarts < order.rounds) faults.push(`workers were killed ${report.restarts} times`);
  return faults;
}
