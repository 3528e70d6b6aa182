/**
 * The laws of the ledger under random histories: whatever customers, miners, operators and time do,
 * the books are right.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Database, openDatabase } from '../../src/adapters/postgres/client/client.ts';
import { brokenLaws, paymentsOutOfSight } from '../support/ledger/ledger-laws.ts';
import { type LedgerStep, ledgerHistory } from '../support/ledger/ledger-steps.ts';
import { type LedgerWorld, openLedgerWorld } from '../support/ledger/ledger-world.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { silentLogger } from '../support/runtime/silent-logger.ts';

const SEED = Number(process.env.LEDGER_SEED ?? 20_260_601);
const HISTORIES = Number(process.env.LEDGER_HISTORIES ?? 30);
const PATIENCE_MS = 40_000;
const CENSUS = `
  select 'invoice ' || status as status, count(*) as rows from invoices group by 1
  union all select 'deposit ' || status, count(*) from deposits group by 1
  union all select 'entry ' || kind, count(*) from ledger_entries group by 1
  order by 1`;

const CREATE = {
  do: 'create',
  cents: 5_000,
  asset: 'usdt_ethereum',
  billing: 'STATIC',
  bearer: 'client',
  tolerance: 0,
  ttl: 300,
  open: false,
} as const;
const PAY = { do: 'pay', which: 0, permille: 1_000, stray: false } as const;
const FINAL = { do: 'mine', count: 13 } as const;
const WORK = { do: 'work' } as const;
/** Histories that broke a law once, by what was wrong. */
const BROKE_ONCE: readonly (readonly LedgerStep[])[] = [
  // A rejected payment that left the chain stayed on the held account.
  [
    ...[CREATE, PAY, FINAL, { do: 'verdict', verdict: 'hit' } as const, WORK],
    ...[{ do: 'reject', which: 0 } as const, { do: 'doubleSpend', which: 0 } as const],
  ],
];

describe.skipIf(!needs('postgres', postgresAvailable()))('the laws of the ledger', () => {
  let world: LedgerWorld;
  let database: Database;
  beforeAll(async () => {
    world = await openLedgerWorld();
    database = openDatabase({ url: world.it.databaseUrl, poolSize: 2, logger: silentLogger });
  });
  afterAll(async () => {
    await database.close();
    await world.it.stop();
  });

  test(
    `hold after random histories (seed ${SEED})`,
    async () => {
      let played = 0;
      let steps = 0;
      await fc.assert(
        fc.asyncProperty(ledgerHistory, async (history) => {
          const result = await world.play(history);
          const subject = { it: world.it, database };
          expect(await brokenLaws(subject, result)).toEqual([]);
          expect(await paymentsOutOfSight(subject, result)).toEqual([]);
          played += 1;
          steps += history.steps.length;
        }),
        {
          seed: SEED,
          numRuns: HISTORIES,
          interruptAfterTimeLimit: PATIENCE_MS,
          examples: BROKE_ONCE.flatMap((once) => [true, false].map((isLocal) => [{ steps: once, isLocal }])),
        },
      );
      const census = await database.query<{ status: string; rows: string }>(CENSUS);
      const counts = census.map(({ status, rows }) => `${status} ${rows}`).join(', ');
      console.log(`seed ${SEED}: ${played} histories, ${steps} steps; ${counts}`);
      expect(played).toBeGreaterThan(0);
    },
    PATIENCE_MS + 80_000,
  );
});
