/**
 * The facts by which an operator sees whether all is well. They come from the database, so that any
 * process has them.
 */
import { DAY_MS, dayOf } from '../../../domain/console/day-figure.ts';
import { knownTip } from '../../chains/watch-health.ts';
import type { ChainOverview, NodeBudget, OperatorDesk } from '../operator-desk.ts';
import type { OperatorParts } from './seat-parts.ts';

/** A webhook that was given up longer ago is not news. */
const DEAD_DAYS = 7;
const CIRCUITS_COUNTED = 1_000;

type Overview = Pick<OperatorDesk, 'isAllWell' | 'nodes'>;

export function overview(parts: OperatorParts): Overview {
  const { deps } = parts;
  return {
    async isAllWell() {
      const at = deps.clock.now();
      const { operatorQueries: queries } = deps;
      const since = new Date(at.getTime() - DEAD_DAYS * DAY_MS);
      const [work, chains, signingStopped, dead, circuits, approvalsWaiting, reconciliation] =
        await Promise.all([
          queries.waitingWork(at),
          chainOverviews(parts),
          queries.signingStopped(),
          queries.countDeadDeliveries(since),
          deps.receiverCircuits.open(CIRCUITS_COUNTED),
          queries.approvalsWaiting(),
          deps.unitOfWork.run(({ reconciliations }) => reconciliations.last()),
        ]);
      return {
        ...{ at, chains, ratesAgeSeconds: deps.rateBook.latest().ageSeconds },
        webhooks: {
          ...{ pending: work.webhooksPending, oldestDueSeconds: work.oldestDueWebhookSeconds },
          ...{ circuits, dead },
        },
        ...{ reconciliation, signingStopped, approvalsWaiting },
        ...{ payoutsHeld: work.payoutsHeld, payoutsWaiting: work.payoutsWaiting },
        ...{ depositsHeld: work.heldOpen, strays: work.straysOpen },
      };
    },
    nodes: () => nodeBudgets(parts),
  };
}

/** Of each configured chain, as every process judges it again every few seconds. */
async function chainOverviews({ deps }: OperatorParts): Promise<readonly ChainOverview[]> {
  const followed = await deps.unitOfWork.run(({ chainHealth }) => chainHealth.all());
  return [...deps.chainHealth].map(([chain, standing]) => {
    const { read = null, noted = null } = followed.get(chain) ?? {};
    return {
      ...{ chain, standing, height: read?.height ?? null, tip: knownTip({ read, noted }) },
      ...{ answeredAt: noted?.answeredAt ?? null, fault: noted?.fault ?? null },
    };
  });
}

async function nodeBudgets({ deps, maxPerDayOf }: OperatorParts): Promise<readonly NodeBudget[]> {
  const today = dayOf(deps.clock.now());
  const uses = await deps.unitOfWork.run(({ nodeUsage }) => nodeUsage.since(today));
  return uses
    .filter(({ used }) => used.day === today)
    .map(({ chain, node, state, stream = null, used }) => ({
      ...{ chain, node, state, stream, maxPerDay: maxPerDayOf(chain, node) },
      ...{ callsToday: used.calls, refusalsToday: used.refusals, bytesToday: used.bytes },
    }));
}
