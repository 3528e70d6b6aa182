/** The storage of a tier, for a run of histories. */
import { CONCURRENT, connectionsStorage } from '../world/connections/connections-storage.ts';
import { memoryStorage } from '../world/memory-storage.ts';
import { ownPostgres, postgresStorage } from '../world/postgres-storage.ts';
import type { Storage, Tier } from '../world/storages.ts';

export async function openTier(tier: Tier): Promise<{ readonly storage: Storage; close(): Promise<void> }> {
  if (tier === 'memory') {
    const storage = memoryStorage();
    return { storage, close: () => storage.close() };
  }
  const server = await ownPostgres(tier === 'connections' ? CONCURRENT : []);
  const storage = await (tier === 'connections' ? connectionsStorage : postgresStorage)(server.url);
  return {
    storage,
    async close() {
      await storage.close();
      await server.destroy();
    },
  };
}
