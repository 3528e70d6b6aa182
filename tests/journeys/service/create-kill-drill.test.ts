/** Repeated requests while the service is killed, short; `bun run drill:create` is the long one. */
import { describe, expect, test } from 'bun:test';
import { drillCreation } from '../../support/create-drill.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const SEED = Number(process.env.DRILL_SEED ?? 20_264);

describe.skipIf(!needs('postgres', postgresAvailable()))('clients who repeat POST /invoices', () => {
  test('Q1: get one invoice for each key, and none is lost, while instances are killed', async () => {
    const report = await drillCreation({ clients: 12, kills: 2, seed: SEED });
    console.log(`seed ${SEED}: ${JSON.stringify(report)}`);
    expect([report.wrong, report.faults]).toEqual([[], []]);
    expect(report.replayed).toBeGreaterThan(0);
  }, 120_000);
});
