/**
 * Transactions of several simulated processes that are open at the same time: who waits for whom is
 * the server's answer, and who goes on is the seed's.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Database, openDatabase } from '../../src/adapters/postgres/client/client.ts';
import { ownServerAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { silentLogger } from '../support/runtime/silent-logger.ts';
import { CONCURRENT, connectionsStorage, processDatabase } from './world/connections/connections-storage.ts';
import { flightsOf } from './world/connections/flights.ts';
import { type Server, serverSeenBy } from './world/connections/server-view.ts';
import { simulatedDatabase } from './world/connections/simulated-database.ts';
import { faultsOf } from './world/faults.ts';
import { playHistory } from './world/history.ts';
import { type Interleaving, interleaving, type SimulatedProcess } from './world/interleaving.ts';
import { ownPostgres } from './world/postgres-storage.ts';
import type { Storage } from './world/storages.ts';
import { tasksOf } from './world/tasks.ts';

interface World {
  readonly order: Interleaving;
  readonly met: ReadonlyMap<string, number>;
  process(name: string): { readonly process: SimulatedProcess; readonly database: Database };
  /** Lets one process go on until its next point. */
  step(): Promise<void>;
}

describe.skipIf(!needs('postgres', ownServerAvailable()))('transactions that are open together', () => {
  let own: Awaited<ReturnType<typeof ownPostgres>>;
  let storage: Storage;
  let observer: Database;
  let server: Server;
  beforeAll(async () => {
    own = await ownPostgres(CONCURRENT);
    storage = await connectionsStorage(own.url);
    observer = openDatabase({ url: own.url, poolSize: 1, logger: silentLogger });
    server = serverSeenBy(observer);
    await observer.script('create table accounts (id int primary key, units int not null)');
  });
  beforeEach(() => observer.script('truncate accounts; insert into accounts values (1, 0), (2, 0)'));
  afterAll(async () => {
    await observer.close();
    await storage.close();
    await own.destroy();
  });

  function opened(seed: number): World {
    const order = interleaving(seed, { told: true, startMs: 0 });
    const faults = faultsOf(order);
    const flights = flightsOf(server, { order, faults });
    order.settling(() => flights.settle());
    return {
      order,
      met: faults.counts,
      process(name) {
        const process = order.born(name, 0);
        const real = processDatabase(own.url);
        void process.died.then(() => real.close());
        return { process, database: simulatedDatabase({ order, faults, flights, process, real }) };
      },
      async step() {
        await order.quiet();
        order.release();
        await order.quiet();
      },
    };
  }

  const units = async (): Promise<readonly number[]> =>
    (await observer.query<{ units: number }>('select units from accounts order by id')).map(
      (row) => row.units,
    );

  const add = (database: Database, ids: readonly number[]) => () =>
    database.transaction(async (on) => {
      for (const id of ids) {
        const [row] = await on.query<{ units: number }>(
          `select units from accounts where id = ${id} for update`,
        );
        await on.query(`update accounts set units = ${row!.units + 1} where id = ${id}`);
      }
    });

  test('a transaction waits for the lock of another, and none of their work is lost', async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const world = opened(seed);
      const [a, b] = [world.process('a'), world.process('b')];
      const tasks = tasksOf(world.order);
      for (const { process, database } of [a, b])
        tasks.begin({ process, name: 'add' }, add(database, [1]), () => undefined);
      await tasks.pump(() => tasks.underWay === 0);
      expect(await units()).toEqual([2 * seed, 0]);
    }
  });

  test('of two that wait for each other the server ends one, and the client repeats it', async () => {
    let deadlocks = 0;
    for (let seed = 1; seed <= 12; seed += 1) {
      const world = opened(seed);
      const [a, b] = [world.process('a'), world.process('b')];
      const tasks = tasksOf(world.order);
      const ways: string[] = [];
      const ids = { a: [1, 2], b: [2, 1] } as const;
      for (const { process, database } of [a, b])
        tasks.begin(
          { process, name: process.name },
          add(database, ids[process.name as 'a' | 'b']),
          ({ kind }) => ways.push(kind),
        );
      await tasks.pump(() => tasks.underWay === 0);
      expect(ways).toEqual(['done', 'done']);
      expect(await units()).toEqual([2 * seed, 2 * seed]);
      deadlocks += world.met.get('deadlock') ?? 0;
    }
    expect(deadlocks).toBeGreaterThan(2);
  });

  test('a process that dies in a transaction lets go of its locks', async () => {
    const world = opened(1);
    const [a, b] = [world.process('a'), world.process('b')];
    const tasks = tasksOf(world.order);
    tasks.begin({ process: a.process, name: 'add' }, add(a.database, [1]), () => undefined);
    for (let steps = 0; steps < 3; steps += 1) await world.step();
    world.order.kill(a.process);
    await tasks.drive({ process: b.process, name: 'add' }, add(b.database, [1]));
    expect(await units()).toEqual([1, 0]);
    expect(world.met.get('lock wait')).toBeUndefined();
  });

  test('a statement that waits when its process dies is done once it has the lock', async () => {
    const world = opened(1);
    const [a, b] = [world.process('a'), world.process('b')];
    const tasks = tasksOf(world.order);
    tasks.begin({ process: a.process, name: 'add' }, add(a.database, [1]), () => undefined);
    for (let steps = 0; steps < 3; steps += 1) await world.step();
    const late = () => b.database.query('update accounts set units = units + 10 where id = 1');
    tasks.begin({ process: b.process, name: 'late' }, late, () => undefined);
    while (world.met.get('lock wait') === undefined) await world.step();
    world.order.kill(b.process);
    await tasks.pump(() => tasks.underWay === 0);
    expect(await units()).toEqual([11, 0]);
  });

  test('a seed plays the same history each time, and its transactions meet', async () => {
    const played = async (seed: number) => {
      await storage.empty();
      const order = { seed, turns: 20, chains: ['ethereum', 'bitcoin'], faults: true, told: false };
      return playHistory(order, storage);
    };
    const [one, again, other] = [await played(3), await played(3), await played(4)];
    expect([one, again, other].map(({ broken }) => broken)).toEqual([[], [], []]);
    expect(again.digest).toBe(one.digest);
    expect(other.digest).not.toBe(one.digest);
    expect(one.faults.get('lock wait') ?? 0).toBeGreaterThan(0);
  });
});
