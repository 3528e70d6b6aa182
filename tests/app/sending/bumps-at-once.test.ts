/** Two workers that find the same batch stuck on a UTXO chain at the same time. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Database, openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { hotWalletOf, type SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { spendOwn } from '../../../src/app/sending/utxos/claim-utxos.ts';
import { anId } from '../../support/builders.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

describe.skipIf(!needs('postgres', postgresAvailable()))('two workers that bump one batch', () => {
  let it: TestService;
  let database: Database;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
    database = openDatabase({ url: it.databaseUrl, poolSize: 1, logger: silentLogger });
  });
  afterAll(async () => {
    await database.close();
    await it.stop();
  });

  test('make one child for it, and neither of them fails', async () => {
    const { dependencies: deps, sending } = it.service;
    const on = sending.chains.get('bitcoin') as SendingChain;
    const wallet = { chain: on.chain, address: hotWalletOf(on) };
    const [batch, one, other] = [anId(), anId(), anId()];
    const bump = (id: string) =>
      spendOwn(deps, on, id, { purpose: 'bump', referenceId: batch, units: 1_000n, utxos: [] });

    const both = await deps.unitOfWork.run(async ({ outgoing }) => {
      await outgoing.lockWallet(wallet);
      const bumps = Promise.allSettled([bump(one), bump(other)]);
      while ((await database.query(WAITING)).length < 2) await Bun.sleep(5);
      return { bumps };
    });

    expect((await both.bumps).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    const open = await deps.unitOfWork.run(({ outgoing }) => outgoing.open(on.chain, 10));
    expect(open.map(({ purpose, referenceId }) => [purpose, referenceId])).toEqual([['bump', batch]]);
  });
});
