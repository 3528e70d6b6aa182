/** What 0009_lost_sweeps changes in the rows of a database of before. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type BeforeMigration, beforeMigration } from '../../../support/postgres/one-migration.ts';
import { postgresAvailable } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

const NAME = '0009_lost_sweeps';

describe.skipIf(!needs('postgres', postgresAvailable()))(NAME, () => {
  let held: BeforeMigration;
  beforeEach(async () => {
    held = await beforeMigration(NAME);
  });
  afterEach(() => held.close());

  test('change of unknown transactions waits to be booked, and no other UTXO does', async () => {
    const hash = `'${'a'.repeat(64)}'`;
    await held.database.script(`
      insert into coins (chain, txid, vout, address, key_role, key_index, units, block_height, block_hash, booked) values
        ('bitcoin', 'a', 0, 'x', 'change', 1, 5, 10, ${hash}, null), ('bitcoin', 'a', 1, 'x', 'change', 2, 5, 10, null, null),
        ('bitcoin', 'a', 2, 'x', 'hot', null, 5, 10, ${hash}, true), ('bitcoin', 'a', 3, 'x', 'deposit', 3, 5, 10, null, null)`);
    expect(await held.apply()).toEqual([NAME]);
    expect(
      await held.database.query('select vout::int4, booked, spent_outside from coins order by vout'),
    ).toEqual([false, null, true, null].map((booked, vout) => ({ vout, booked, spent_outside: false })));
    await expect(
      held.database.query(`update coins set booked = false where key_role = 'deposit' returning vout`),
    ).rejects.toThrow('coins_booked');
  });
});
