/**
 * Counts what is used of the plans of nodes over restarts and processes: each adds what is new of its own, and learns what the others
 * used. A process that is killed loses what it counted since it last added, at most a minute's calls; where the database took an addition
 * and the answer was lost, it is added again. Both are small beside a day's plan.
 */
import type { ChainNodes, UsedOfDay } from '../../ports/chains/chain-nodes.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Kept for a look back over the last two months. */
const DAYS_KEPT = 62;

/** Each call adds what is new since the one before; the first one also learns what was used before this process. */
export function nodeCallCount(
  { clock, unitOfWork }: Pick<AppDependencies, 'clock' | 'unitOfWork'>,
  chains: ReadonlyMap<string, ChainNodes>,
): () => Promise<void> {
  /** What all processes used of a node, as this one was last told. */
  const told = new Map<string, UsedOfDay>();

  return async () => {
    const now = [...chains].flatMap(([chain, nodes]) =>
      nodes.standings().map((standing) => ({ chain, nodes, ...standing })),
    );
    if (now.length === 0) return;
    const keyOf = ({ chain, node }: { chain: string; node: string }) => `${chain} ${node}`;
    const added = now.map(({ chain, node, state, stream = null, used }) => ({
      ...{ chain, node, state, stream },
      used: beyond(used, told.get(keyOf({ chain, node }))),
    }));
    const today = Math.max(...now.map(({ used }) => used.day));
    const totals = await unitOfWork.run(async ({ nodeUsage }) => {
      await nodeUsage.forgetBefore(today - DAYS_KEPT);
      return nodeUsage.add(added, clock.now());
    });
    for (const [place, total] of totals.entries()) {
      const one = now[place];
      if (!one) continue;
      one.nodes.recall(one.node, beyond(total, one.used));
      told.set(keyOf(one), total);
    }
  };
}

/** What `used` has more than `known`, where that is of the same day. */
function beyond(used: UsedOfDay, known: UsedOfDay | undefined): UsedOfDay {
  if (known?.day !== used.day) return used;
  return {
    day: used.day,
    calls: used.calls - known.calls,
    refusals: used.refusals - known.refusals,
    bytes: used.bytes - known.bytes,
  };
}
