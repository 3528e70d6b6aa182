/**
 * The service while its database crashes and comes back: 503 in the envelope, nothing
 * acknowledged is lost. How long it takes is for `bun run drill:database`.
 */
import { describe, expect, test } from 'bun:test';
import { drillDatabase } from '../../support/postgres/database-drill.ts';
import { nativeFolder } from '../../support/postgres/postgres-server.ts';
import { needs } from '../../support/runtime/needs.ts';

const SEED = 77;

describe.skipIf(!needs('postgres', nativeFolder() !== null))('a database that is stopped under load', () => {
  test(`three times: answers are 201 or 503, and every 201 is there afterwards (seed ${SEED})`, async () => {
    const report = await drillDatabase({ stops: 3, workers: 12, seed: SEED });
    expect(report).toMatchObject({ wrong: [], lost: [], faults: [] });
    expect(report.unavailable).toBeGreaterThan(0);
    expect(report.acknowledged).toBeGreaterThan(10);
    expect(report.backMs).toHaveLength(3);
  }, 120_000);
});
