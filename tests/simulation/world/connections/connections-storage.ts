/**
 * The tier of concurrency: PostgreSQL with connections of each process's own, so that transactions
 * are open at the same time. It finds what depends on locks and on what READ COMMITTED shows. A
 * seed has a digest of its own here, since each statement is a point.
 */
import { type Database, openDatabase } from '../../../../src/adapters/postgres/client/client.ts';
import { type ComposedDatabase, databaseOn } from '../../../../src/compose/database.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';
import type { Faults } from '../faults.ts';
import type { Interleaving, SimulatedProcess } from '../interleaving.ts';
import { postgresBooks } from '../postgres-storage.ts';
import type { StorageParts } from '../storage.ts';
import type { Pace, Storage } from '../storages.ts';
import { type Flights, flightsOf } from './flights.ts';
import { serverSeenBy } from './server-view.ts';
import { simulatedDatabase } from './simulated-database.ts';

/** A call takes several points here, and only what happens at once can meet. */
const PACE: Pace = { acts: 3, points: 160, isCrowded: true };
/**
 * Of its server. The last one in a circle of waiters notices it, since the others are stopped
 * (server-view.ts) long before this time. Statistics that a machine takes when it has time would
 * change plans, and with them the order of rows that no statement orders.
 */
export const CONCURRENT = ['deadlock_timeout=100ms', 'autovacuum=off', 'max_connections=300'];

/** More than the tasks of a process, so that none waits for a connection. */
const POOL_SIZE = 60;
/** Longer than a run: the machine's time decides nothing. */
const PATIENCE_MS = 1_200_000;

/** The real client, of one process. */
export function processDatabase(url: string): Database {
  return openDatabase({
    ...{ url, poolSize: POOL_SIZE, logger: silentLogger },
    ...{ queryTimeoutMs: PATIENCE_MS, waitTimeoutMs: PATIENCE_MS },
  });
}

/** `url`: of a database on a server of this run's own, whose sessions may be stopped. */
export async function connectionsStorage(url: string): Promise<Storage> {
  const observer = openDatabase({ url, poolSize: 1, queryTimeoutMs: 60_000, logger: silentLogger });
  const { empty, ...asked } = await postgresBooks(observer);
  const server = serverSeenBy(observer);
  /** Closes what the processes of the present history opened. */
  let ends: (() => Promise<void>)[] = [];
  let history: { readonly order: Interleaving; readonly flights: Flights } | null = null;

  function flightsIn({ order, faults }: { order: Interleaving; faults: Faults }): Flights {
    if (history?.order === order) return history.flights;
    const flights = flightsOf(server, { order, faults });
    order.settling(() => flights.settle());
    history = { order, flights };
    return flights;
  }

  function databaseOf({ order, faults }: StorageParts, process: SimulatedProcess): ComposedDatabase {
    const flights = flightsIn({ order, faults });
    const real = processDatabase(url);
    const simulated = simulatedDatabase({ order, faults, flights, process, real });
    void process.died.then(() => real.close(PATIENCE_MS));
    ends.push(() => real.close(0));
    const direct = databaseOn(real, { lists: real, sendsMails: false });
    const seeded = databaseOn(simulated, { lists: simulated, sendsMails: false });
    return {
      ...seeded,
      // What is asked while a process is composed, which happens at one go.
      ...{ walletKeys: direct.walletKeys, assetsInUse: direct.assetsInUse },
      chainRecords: { ...seeded.chainRecords, note: direct.chainRecords.note },
      close: async () => undefined,
    };
  }

  async function endHistory(): Promise<void> {
    for (const end of ends) await end();
    await server.endSessions();
    ends = [];
    history = null;
  }

  return {
    ...asked,
    pace: PACE,
    databaseOf,
    async copy() {
      const putBack = await asked.copy();
      return async () => {
        // Those of processes that are dead by now.
        await server.endSessions();
        await putBack();
      };
    },
    async empty() {
      await endHistory();
      await empty();
    },
    async close() {
      await endHistory();
      await observer.close();
    },
  };
}
