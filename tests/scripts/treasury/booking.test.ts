/**
 * `bun run treasury book` where chain and books differ. It runs within the process of the service,
 * as the fake chains of a script are its own.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Arguments } from '../../../scripts/support/arguments.ts';
import { scriptAudit } from '../../../scripts/support/audit.ts';
import { book } from '../../../scripts/support/booking.ts';
import type { CommandReport } from '../../../scripts/support/program.ts';
import type { AppDependencies } from '../../../src/app/dependencies.ts';
import {
  ETH,
  openTreasuryJourney,
  type TreasuryJourney,
  USDT,
} from '../../support/payouts/treasury-journey.ts';
import { databaseBackup } from '../../support/postgres/database-backup.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const read = (...args: readonly string[]) => book.read(new Arguments(args, book));

describe.skipIf(!needs('postgres', postgresAvailable()))('treasury book', () => {
  let journey: TreasuryJourney;
  let address: string;
  let paid: string;

  beforeAll(async () => {
    journey = await openTreasuryJourney({ funded: true });
    address = await journey.credited('100');
    const backup = databaseBackup(journey.it.databaseUrl);
    await backup.take();
    await journey.sweepToTheEnd();
    await backup.putBack();
    await backup.close();
    paid = await journey.credited('5');
    journey.chain().fund(paid, USDT, 7n);
    await journey.mineToFinality();
  });
  afterAll(() => journey.close());

  const run = (...args: readonly string[]) => runOn({}, ...args);
  async function runOn(
    changed: Partial<AppDependencies>,
    ...args: readonly string[]
  ): Promise<CommandReport & { json: Json }> {
    const { config, ...composed } = journey.it.service;
    const deps = { ...composed.dependencies, ...changed };
    const service = { ...journey.it.service, dependencies: deps };
    const actor = { kind: 'script', userId: null, name: 'a test', ip: null } as const;
    const audit = scriptAudit(deps, actor, book.audits);
    return read(...args)({ ...audit, service, config, progress: () => {} });
  }
  /** Bookings that the audit log names. */
  async function named(): Promise<number> {
    const { operatorQueries } = journey.it.service.dependencies;
    const all = { merchantId: null, subject: null, subjectId: null, actor: 'a test', from: null, to: null };
    const page = { before: null, limit: 99 };
    const entries = await operatorQueries.auditEntries({ ...all, action: 'capital.booked' }, page);
    return new Set(entries.flatMap(({ after }) => after?.booking_id ?? [])).size;
  }

  test('refuses what cannot be meant', () => {
    expect(() => read('--chain', 'ethereum')).toThrow('name an --asset, or --restored');
    expect(() => read('--restored', '--asset', USDT)).toThrow('name an --asset, or --restored');
    expect(() => read('--restored', '--address', 'x')).toThrow('--restored is about all addresses');
    expect(() => read('--chain', 'bsc', '--asset', USDT)).toThrow('is not on bsc');
  });

  test('shows one address, books everything with --restored, and refuses a payment', async () => {
    const one = await run('--asset', USDT, '--address', address, '--dry-run');
    expect(one.json).toMatchObject({
      address,
      expected: '100',
      found: '0',
      difference: '-100',
      booked: false,
    });
    expect(one.text).toContain('would be booked');
    const all = [
      { address: null, asset: ETH },
      { address: null, asset: USDT, difference: '100' },
      { address, asset: ETH },
      { address, asset: USDT, difference: '-100' },
      {
        address: paid,
        asset: USDT,
        difference: '0.000007',
        refused: expect.stringContaining('bun run rescan'),
      },
    ];
    const dry = await run('--restored', '--chain', 'ethereum', '--dry-run');
    expect(dry.exitCode).toBe(1);
    expect(dry.json.differences).toHaveLength(5);
    for (const row of all)
      expect(dry.json.differences).toContainEqual(expect.objectContaining({ ...row, booked: false }));
    const done = await run('--restored', '--note', 'backup of January 31');
    expect(done.exitCode).toBe(1);
    for (const row of all)
      expect(done.json.differences).toContainEqual(
        expect.objectContaining({ ...row, booked: row.address !== paid }),
      );
    expect(done.text).toContain('hot wallet');
    expect(await named()).toBe(4);
    const { differences } = (await run('--restored', '--chain', 'ethereum')).json;
    expect(differences).toMatchObject([{ address: paid, refused: expect.any(String) }]);
    expect((await run('--restored', '--chain', 'bitcoin')).text).toBe(
      'nothing to book: chain and books agree',
    );
  });

  test('does not say that chain and books agree where the ledger is wrong or a token was not compared', async () => {
    const { treasuryQueries } = journey.it.service.dependencies;
    const wrong = { asset: ETH, recordedUnits: 1n, ledgerUnits: 2n };
    const chain = ['--restored', '--chain', 'ethereum'];
    const ledger = await runOn(
      { treasuryQueries: { ...treasuryQueries, treasuryBooks: async () => [wrong] } },
      ...chain,
    );
    expect([ledger.exitCode, ledger.text]).toEqual([1, expect.stringContaining(`the ledger of ${ETH}`)]);
    const utxos = ['--restored', '--chain', 'bitcoin'];
    const bitcoin = { ...wrong, asset: 'btc_bitcoin' };
    const queries = { ...treasuryQueries, treasuryBooks: async () => [bitcoin] };
    const found = await runOn({ treasuryQueries: queries }, ...utxos);
    expect([found.exitCode, found.text]).toEqual([
      1,
      expect.stringMatching(/^nothing to book\n.*ledger of btc/),
    ]);
  });
});
