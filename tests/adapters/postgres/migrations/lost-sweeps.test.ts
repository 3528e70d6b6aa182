/** What 0009_lost_sweeps changes in the rows of a database of before. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../../../src/adapters/postgres/client/migrate.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../../support/postgres/postgres.ts';
import { MIGRATIONS } from '../../../support/postgres/postgres-template.ts';
import { needs } from '../../../support/runtime/needs.ts';

const NAME = '0009_lost_sweeps';

describe.skipIf(!needs('postgres', postgresAvailable()))(NAME, () => {
  let held: TestDatabase;
  let directory: string;
  beforeEach(async () => {
    held = await testDatabase({ migrate: false });
    directory = mkdtempSync(join(tmpdir(), 'quittance-migrations-'));
    cpSync(MIGRATIONS, directory, { recursive: true });
  });
  afterEach(async () => {
    rmSync(directory, { recursive: true });
    await held.drop();
  });

  /** Applies those before it, or all up to it. */
  async function upTo(isIncluded: boolean): Promise<readonly string[]> {
    const journal = JSON.parse(readFileSync(join(MIGRATIONS, 'meta', '_journal.json'), 'utf8')) as {
      entries: { tag: string }[];
    };
    const end = journal.entries.findIndex(({ tag }) => tag === NAME) + (isIncluded ? 1 : 0);
    const entries = journal.entries.slice(0, end);
    writeFileSync(join(directory, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries }));
    return (await migrate(held.database, { directory })).applied;
  }

  test('change of unknown transactions waits to be booked, and no other UTXO does', async () => {
    await upTo(false);
    const hash = `'${'a'.repeat(64)}'`;
    await held.database.script(`
      insert into coins (chain, txid, vout, address, key_role, key_index, units, block_height, block_hash, booked) values
        ('bitcoin', 'a', 0, 'x', 'change', 1, 5, 10, ${hash}, null), ('bitcoin', 'a', 1, 'x', 'change', 2, 5, 10, null, null),
        ('bitcoin', 'a', 2, 'x', 'hot', null, 5, 10, ${hash}, true), ('bitcoin', 'a', 3, 'x', 'deposit', 3, 5, 10, null, null)`);
    expect(await upTo(true)).toEqual([NAME]);
    expect(
      await held.database.query('select vout::int4, booked, spent_outside from coins order by vout'),
    ).toEqual([false, null, true, null].map((booked, vout) => ({ vout, booked, spent_outside: false })));
    await expect(
      held.database.query(`update coins set booked = false where key_role = 'deposit' returning vout`),
    ).rejects.toThrow('coins_booked');
  });
});
