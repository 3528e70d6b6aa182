/** What 0019_fee_compared changes in the rows of a database of before. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type BeforeMigration, beforeMigration } from '../../../support/postgres/one-migration.ts';
import { postgresAvailable } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

const NAME = '0019_fee_compared';

describe.skipIf(!needs('postgres', postgresAvailable()))(NAME, () => {
  let held: BeforeMigration;
  beforeEach(async () => {
    held = await beforeMigration(NAME);
  });
  afterEach(() => held.close());

  test('what was signed before is not compared, and what is signed after it is', async () => {
    const sign = (ordinal: number) =>
      held.database.script(`
        insert into signed_transactions (bundle_id, ordinal, txid, raw, voids, max_fee_units, signed_at)
        values ('a', ${ordinal}, 'tx${ordinal}', '', false, 1, now())`);
    await held.database.script('alter table signed_transactions disable trigger all');
    await sign(1);
    expect(await held.apply()).toEqual([NAME]);
    await sign(2);
    expect(
      await held.database.query('select txid, fee_compared from signed_transactions order by ordinal'),
    ).toEqual([
      { txid: 'tx1', fee_compared: false },
      { txid: 'tx2', fee_compared: true },
    ]);
  });
});
