/** What a real PostgreSQL reads and locks for sweeps. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { SqlParameter } from '../../../../src/adapters/postgres/client/parameters.ts';
import type { Sql } from '../../../../src/adapters/postgres/client/sql.ts';
import { sweepRepository } from '../../../../src/adapters/postgres/sweeps/sweeps.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { aDeposit, aMerchant, anAddress } from '../../../support/builders.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { aSweep } from '../../../support/sweeps/a-sweep.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('sweeps in postgres', () => {
  let opened: Awaited<ReturnType<typeof testDatabase>>;
  beforeAll(async () => {
    opened = await testDatabase();
  });
  afterAll(() => opened.drop());

  test('where money was moved last is read by indexes, and never from all transfers', async () => {
    const asked: { text: string; parameters: readonly SqlParameter[] }[] = [];
    const recording: Sql = {
      query(text, parameters = []) {
        asked.push({ text, parameters });
        return opened.database.query(text, parameters);
      },
    };
    // Of others. Among few the planner has no choice to make.
    await opened.database.script(`
      set session_replication_role = replica;
      insert into outgoing_transfers (id, chain, wallet, sequence, bundle_id, position, purpose, reference_id,
        asset, to_address, units, status, txid, block_height, block_hash, fee_units, voided, created_at)
      select id, 'ethereum', 'wallet ' || n, n, id, 0, 'sweep', id, 'usdt_ethereum', 'hot', 1, 'confirmed',
        'tx ' || n, n, 'hash', 1, false, now()
      from (select n, lpad(n::text, 24, '0') as id from generate_series(1, 5000) n) _;
      reset session_replication_role;
      analyze outgoing_transfers`);
    await sweepRepository(recording).lastMovedAt({ chain: 'ethereum', addresses: [anAddress()] });
    const [{ text, parameters }] = asked as [(typeof asked)[0]];
    const plan = (await opened.database.query(`explain ${text}`, parameters))
      .flatMap(Object.values)
      .join('\n');
    expect(plan).toMatch(/ Index Cond: [^\n]*wallet/);
    expect(plan).not.toContain('Seq Scan on outgoing_transfers');
  });

  test('a deposit that a sweep has covered is locked again with those that it covers', async () => {
    const unitOfWork = postgresUnitOfWork(opened.database);
    const sweep = aSweep();
    const { chain, address, asset, id } = sweep;
    const merchant = aMerchant();
    await unitOfWork.run(async ({ merchants, deposits, sweeps }) => {
      await merchants.insert(merchant);
      await sweeps.planAll([sweep]);
      await deposits.insertAll([
        aDeposit({ chain, address, asset, merchantId: merchant.id, status: 'credited' }),
      ]);
      await sweeps.cover([sweep]);
    });
    await unitOfWork.run(async ({ sweeps }) => {
      expect([...(await sweeps.cover([sweep])).keys()]).toEqual([id]);
      const release = unitOfWork.run((other) => other.sweeps.uncover([sweep]), { lockMs: 1 });
      await expect(release).rejects.toThrow(/lock timeout/);
    });
  });
});
