/** The use of the nodes' plans, in memory. */
import type { NodeUsageRepository } from '../../../../src/ports/chains/node-usage.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText, later } from '../store/orders.ts';

export function nodeUsageRepository(store: MemoryStore): NodeUsageRepository {
  const { nodeUsage } = store.tables;
  return {
    async add(uses, at) {
      return uses.map(({ chain, node, state, stream = null, used }) => {
        const { day, calls, refusals, bytes } = nodeUsage.insertOrUpdate(
          { chain, node, ...used, state, stream, countedFrom: at, countedUntil: at },
          (before) => ({
            calls: before.calls + used.calls,
            refusals: before.refusals + used.refusals,
            bytes: before.bytes + used.bytes,
            stream: stream ?? before.stream,
            countedUntil: later(at, before.countedUntil),
            state,
          }),
        );
        return { day, calls, refusals, bytes };
      });
    },

    async since(day) {
      const rows = nodeUsage.where((row) => row.day >= day);
      rows.sort((a, b) => byText(a.chain, b.chain) || byText(a.node, b.node) || a.day - b.day);
      return rows.map(({ day: of, calls, refusals, bytes, ...node }) => ({
        ...node,
        used: { day: of, calls, refusals, bytes },
      }));
    },

    async forgetBefore(day) {
      for (const row of nodeUsage.where((one) => one.day < day)) nodeUsage.delete(row);
    },
  };
}
