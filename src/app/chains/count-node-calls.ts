/**
 * Counts the use of node plans across restarts and processes: each adds its new calls and reads
 * those of the others. A killed process loses the calls since its last addition, at most a
 * minute's. If the database adds them and the response is lost, they are added twice. Both are
 * small beside a day's plan.
 */
import type { ChainNodes, UsedOfDay } from '../../ports/chains/chain-nodes.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Covers the last two months. */
const DAYS_KEPT = 62;

/**
 * Each call adds the calls since the one before; the first also reads the use before this process.
 */
export function nodeCallCount(
  { clock, unitOfWork }: Pick<AppDependencies, 'clock' | 'unitOfWork'>,
  chains: ReadonlyMap<string, ChainNodes>,
): () => Promise<void> {
  /** The use of a node by all processes, as last read by this one. */
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

/** The part of `used` beyond `known`, if both are of the same day. */
function beyond(used: UsedOfDay, known: UsedOfDay | undefined): UsedOfDay {
  if (known?.day !== used.day) return used;
  return {
    day: used.day,
    calls: used.calls - known.calls,
    refusals: used.refusals - known.refusals,
    bytes: used.bytes - known.bytes,
  };
}
