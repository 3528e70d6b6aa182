/**
 * The service while its database crashes and comes back: 503 in the envelope, nothing hangs,
 * nothing acknowledged is lost.
 */
import { describe, expect, test } from 'bun:test';
import { drillDatabase, HUNG_MS } from '../../support/postgres/database-drill.ts';
import { nativeFolder } from '../../support/postgres/postgres-server.ts';
import { needs } from '../../support/runtime/needs.ts';

const SEED = 77;

describe.skipIf(!needs('postgres', nativeFolder() !== null))('a database that is stopped under load', () => {
  test(`three times: answers are 201 or 503, and every 201 is there afterwards (seed ${SEED})`, async () => {
    const report = await drillDatabase({ stops: 3, workers: 12, seed: SEED });
    expect(report).toMatchObject({ wrong: [], hung: 0, lost: [], faults: [] });
    expect(report.unavailable).toBeGreaterThan(0);
    expect(report.acknowledged).toBeGreaterThan(10);
    expect(report.slowestMs).toBeLessThan(HUNG_MS);
    for (const backMs of report.backMs) expect(backMs).toBeLessThan(5_000);
  }, 90_000);
});
