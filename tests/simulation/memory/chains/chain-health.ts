/** How well each chain is followed, in memory. */
import type {
  ChainHealthRepository,
  FollowedChain,
  NotedHealth,
} from '../../../../src/ports/chains/chain-health.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';

export function chainHealthRepository(store: MemoryStore): ChainHealthRepository {
  const { chainHealth, chainCursors } = store.tables;
  return {
    async all() {
      const chains = new Set<string>();
      for (const { chain } of chainCursors.all()) chains.add(chain);
      for (const { chain } of chainHealth.all()) chains.add(chain);
      const followed = new Map<string, FollowedChain>();
      for (const chain of [...chains].sort(byText)) {
        const noted = chainHealth.find(chain);
        followed.set(chain, { read: readOf(store, chain), noted: noted ? notedFromRow(noted) : null });
      }
      return followed;
    },

    async note(chain, { tip, state, since, lagBlocks, lagSeconds, answeredAt, fault }) {
      const health = {
        ...{ state, since, lagBlocks, lagSeconds, answeredAt, fault },
        ...{ tipHeight: tip?.height ?? null, tipTime: tip?.time ?? null },
      };
      chainHealth.insertOrUpdate({ chain, ...health }, () => health);
    },

    async noteTold(chain, { before, now }) {
      const row = chainHealth.find(chain);
      if (row === undefined || row.toldTimes !== (before?.times ?? 0)) return false;
      chainHealth.update(row, { toldAt: now?.at ?? null, toldTimes: now?.times ?? 0 });
      return true;
    },
  };
}

function readOf({ tables }: MemoryStore, chain: string): FollowedChain['read'] {
  const cursor = tables.chainCursors.find(chain);
  if (cursor === undefined) return null;
  const { height, coveredUntil } = cursor;
  const block = tables.chainBlocks.find(chain, height);
  return { height, time: block === undefined ? coveredUntil : new Date(block.time * 1000) };
}

type HealthRow = NonNullable<ReturnType<MemoryStore['tables']['chainHealth']['find']>>;

function notedFromRow(row: HealthRow): NotedHealth {
  const { chain: _chain, tipHeight, tipTime, toldAt, toldTimes, ...health } = row;
  return {
    ...health,
    tip: tipHeight === null || tipTime === null ? null : { height: tipHeight, time: tipTime },
    told: toldAt && { at: toldAt, times: toldTimes },
  };
}
