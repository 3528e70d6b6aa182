/** Histories from seeds: what a seed plays is the same each time, and no law is broken. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { postgresAvailable, type TestDatabase, testDatabase } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { playHistory } from './world/history.ts';
import { postgresStorage } from './world/postgres-storage.ts';
import type { Storage } from './world/storages.ts';

const SEEDS = [1, 2, 3];
const CHAINS = ['ethereum', 'solana', 'bitcoin'];

describe.skipIf(!needs('postgres', postgresAvailable()))('histories from seeds', () => {
  let database: TestDatabase;
  let storage: Storage;
  beforeAll(async () => {
    database = await testDatabase();
    storage = await postgresStorage(database.url);
  });
  afterAll(async () => {
    await storage.close();
    await database.drop();
  });

  const played = async (seed: number) => {
    await storage.empty();
    return playHistory({ seed, turns: 40, chains: CHAINS, faults: true, told: false }, storage);
  };

  test.each(SEEDS)('seed %d breaks no law', async (seed) => {
    const { broken, steps } = await played(seed);
    expect(broken).toEqual([]);
    expect(steps).toBeGreaterThan(500);
  });

  test('a seed plays the same history each time, and another seed another one', async () => {
    const digests = [await played(4), await played(4), await played(5)].map(({ digest }) => digest);
    expect(digests[0]).toBe(digests[1]!);
    expect(digests[2]).not.toBe(digests[0]!);
  });
});
