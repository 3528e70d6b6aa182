/**
 * Histories from seeds, as `bun run simulate` plays them: no law is broken, and a seed plays the
 * same history in memory and on PostgreSQL.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { postgresAvailable, type TestDatabase, testDatabase } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { playSeed } from './run/seeds.ts';
import { CHAINS, TURNS } from './run/usual.ts';
import { memoryStorage } from './world/memory-storage.ts';
import { postgresStorage } from './world/postgres-storage.ts';
import type { Storage } from './world/storages.ts';

const IN_MEMORY = 200;
const AT_ONCE = 50;
const ON_BOTH = 20;
const ON_BOTH_AT_ONCE = 4;
/** Twenty times what it takes alone: it plays beside other tests. */
const PATIENCE_MS = 300_000;

const orderOf = (seed: number) => ({ seed, turns: TURNS, chains: CHAINS, faults: true, told: false });

describe('histories in memory', () => {
  const storage = memoryStorage();

  test.each(Array.from({ length: IN_MEMORY / AT_ONCE }, (_, nth) => nth * AT_ONCE + 1))(
    `the ${AT_ONCE} seeds from %d on break no law`,
    async (from) => {
      for (let seed = from; seed < from + AT_ONCE; seed += 1) {
        const { broken, steps } = await playSeed(orderOf(seed), storage);
        expect({ seed, broken }).toEqual({ seed, broken: [] });
        expect(steps).toBeGreaterThan(200);
      }
    },
    PATIENCE_MS,
  );
});

describe.skipIf(!needs('postgres', postgresAvailable()))('histories on PostgreSQL', () => {
  let database: TestDatabase;
  let postgres: Storage;
  const memory = memoryStorage();
  beforeAll(async () => {
    database = await testDatabase();
    postgres = await postgresStorage(database.url);
  });
  afterAll(async () => {
    await postgres.close();
    await database.drop();
  });

  const digests = new Set<number>();
  test.each(Array.from({ length: ON_BOTH / ON_BOTH_AT_ONCE }, (_, nth) => nth * ON_BOTH_AT_ONCE + 1))(
    `the ${ON_BOTH_AT_ONCE} seeds from %d on play the same histories as in memory, and break no law`,
    async (from) => {
      for (let seed = from; seed < from + ON_BOTH_AT_ONCE; seed += 1) {
        const there = await playSeed(orderOf(seed), postgres);
        expect({ seed, broken: there.broken }).toEqual({ seed, broken: [] });
        expect(there).toEqual(await playSeed(orderOf(seed), memory));
        expect(digests).not.toContain(there.digest);
        digests.add(there.digest);
      }
    },
    PATIENCE_MS,
  );
});
