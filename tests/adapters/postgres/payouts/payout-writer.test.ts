/** What the payout intake does when PostgreSQL fails it, or somebody comes past its locks. */
import { describe, expect, test } from 'bun:test';
import { openDatabase } from '../../../../src/adapters/postgres/client/client.ts';
import { migrate } from '../../../../src/adapters/postgres/client/migrate.ts';
import type { Sql } from '../../../../src/adapters/postgres/client/sql.ts';
import { insertPayouts } from '../../../../src/adapters/postgres/payouts/insert-payouts.ts';
import { postgresPayoutWriter } from '../../../../src/adapters/postgres/payouts/payout-writer.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import type { PayoutRequest, PayoutToWrite } from '../../../../src/ports/payouts/payout-writer.ts';
import { StorageUnavailable } from '../../../../src/ports/repositories.ts';
import { aMerchant, anId, aPayout, secondsAfter } from '../../../support/builders.ts';
import {
  aRequest,
  entryOf,
  REFUSED_BEFORE,
  TWO_HOURS,
  toWrite,
} from '../../../support/payouts/payout-requests.ts';
import { ownServerAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { createPostgresServer } from '../../../support/postgres/postgres-server.ts';
import { MIGRATIONS } from '../../../support/postgres/postgres-template.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';

/** A batch that has no item to accept, and so only uses its X-Uniq-Id up. */
const anEmptyBatch = (merchantId: string, uniqId: string): PayoutRequest =>
  aRequest({ merchantId, sandbox: true }, { uniqId, creates: { batch_id: anId() }, items: [REFUSED_BEFORE] });

describe.skipIf(!needs('postgres', ownServerAvailable()))('the payout intake', () => {
  test('an X-Uniq-Id that was taken without the balance being locked is a duplicate all the same, and harms no other', async () => {
    const { database, drop } = await testDatabase();
    const merchants = [aMerchant(), aMerchant()] as const;
    const unitOfWork = postgresUnitOfWork(database);
    for (const merchant of merchants) await unitOfWork.run((r) => r.merchants.insert(merchant));
    const payoutWriter = postgresPayoutWriter(database);
    const [{ id: merchantId }, other] = merchants;
    const uniqId = crypto.randomUUID();
    const created = anId();
    let waiting: Promise<unknown> = Promise.resolve();
    await database.transaction(async (sql) => {
      await sql.query(
        `insert into uniq_ids (merchant_id, sandbox, uniq_id, expires_at, batch_id) values ($1, true, $2, $3, $4)`,
        [merchantId, uniqId, secondsAfter(TWO_HOURS), created],
      );
      waiting = Promise.all([
        payoutWriter.add(anEmptyBatch(other.id, uniqId)),
        payoutWriter.add(anEmptyBatch(merchantId, uniqId)),
      ]);
      await untilSomebodyWaits(sql);
    });
    expect(await waiting).toEqual([
      { kind: 'decided', usesUniqId: true, items: [{ kind: 'refused' }] },
      { kind: 'duplicate', created: { batch_id: created } },
    ]);
    await drop();
  });

  test('what would take a balance below zero, or reserves another sum than its entry, is not written, whoever decided it', async () => {
    const { database, drop } = await testDatabase();
    const merchant = aMerchant();
    await postgresUnitOfWork(database).run((r) => r.merchants.insert(merchant));
    const scope = { merchantId: merchant.id, sandbox: true };
    const payout = aPayout({ ...scope, reservedMicroUsd: 5n });
    const written = (accepted: PayoutToWrite) =>
      database.transaction((sql) =>
        insertPayouts(sql, { claims: [aRequest(scope, { payouts: [payout] })], accepted: [accepted] }),
      );
    await expect(written(toWrite(payout))).rejects.toThrow('below zero');
    const cheaper = entryOf({ ...payout, reservedMicroUsd: 0n });
    await expect(written({ payout, entry: cheaper })).rejects.toThrow('reserves 5');
    expect(await database.query('select count(*)::int as count from payouts')).toEqual([{ count: 0 }]);
    expect(await database.query('select count(*)::int as count from uniq_ids')).toEqual([{ count: 0 }]);
    await drop();
  });

  test('a lost database is told to all that wait, and what comes after its return is taken', async () => {
    const server = await createPostgresServer({ durable: true });
    const database = openDatabase({ url: server.url('postgres'), poolSize: 4, logger: silentLogger });
    await migrate(database, { directory: MIGRATIONS });
    const merchant = aMerchant();
    await postgresUnitOfWork(database).run((r) => r.merchants.insert(merchant));
    const payoutWriter = postgresPayoutWriter(database);
    const add = () => payoutWriter.add(anEmptyBatch(merchant.id, crypto.randomUUID()));

    const underWay: Promise<unknown>[] = [];
    const addFive = () => {
      for (let count = 0; count < 5; count++) underWay.push(add().catch((error: unknown) => error));
    };
    const holder = database.transaction(async (sql) => {
      await sql.query('select from balances where merchant_id = $1 for update', [merchant.id]);
      addFive();
      await untilSomebodyWaits(sql);
      // Behind those that wait for the lock.
      addFive();
      await server.stop('immediate');
    });
    await expect(holder).rejects.toThrow(StorageUnavailable);
    const failures = await Promise.all(underWay);
    expect(failures).toHaveLength(10);
    for (const failure of failures) expect(failure).toBeInstanceOf(StorageUnavailable);
    await expect(add()).rejects.toThrow(StorageUnavailable);

    await server.start();
    expect(await add()).toMatchObject({ kind: 'decided' });
    expect(await database.query('select count(*)::int as taken from uniq_ids')).toEqual([{ taken: 1 }]);
    await database.close();
    await server.destroy();
  });
});

/** Until some transaction waits for a row that another one holds. */
async function untilSomebodyWaits(sql: Sql): Promise<void> {
  for (;;) {
    const [blocked] = await sql.query(`select pid from pg_locks where not granted`);
    if (blocked) return;
    await Bun.sleep(5);
  }
}
