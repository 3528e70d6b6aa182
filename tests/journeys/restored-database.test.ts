/** A restored database on a chain whose sequences the chain does not know (Tron): the signer's log is the last defence against paying twice. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Database, openDatabase } from '../../src/adapters/postgres/client.ts';
import { unitsOf } from '../../src/domain/decimal.ts';
import { SignerUnavailable } from '../../src/ports/signer.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { stageTronJourney } from '../support/tron/journey.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('after a backup was restored', () => {
  const on = stageTronJourney();
  let database: Database;
  beforeAll(() => {
    database = openDatabase({ url: on.it.databaseUrl, poolSize: 1, logger: silentLogger });
  });
  beforeEach(() => on.endow(100));
  afterAll(() => database.close());

  const tables = async () =>
    (
      await database.query<{ name: string }>(
        "select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition",
        [],
      )
    ).map(({ name }) => name);

  async function backup(): Promise<void> {
    await database.query('drop schema if exists kept cascade', []);
    await database.query('create schema kept', []);
    for (const name of await tables())
      await database.query(`create table kept."${name}" as select * from public."${name}"`, []);
  }
  async function restore(): Promise<void> {
    await database.query("set session_replication_role = 'replica'", []);
    for (const name of await tables()) {
      const columns = await database.query<{ name: string }>(
        "select column_name as name from information_schema.columns where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'",
        [name],
      );
      const list = columns.map((column) => `"${column.name}"`).join(', ');
      await database.query(`delete from public."${name}"`, []);
      await database.query(
        `insert into public."${name}" (${list}) overriding system value select ${list} from kept."${name}"`,
        [],
      );
    }
    await database.query("set session_replication_role = 'origin'", []);
  }
  const usdtOf = (address: string) => on.lab.balanceOf(address, on.lab.contracts.usdt);

  test('a payout that waited for the signer in the backup, and was paid since, is not paid again', async () => {
    // It has its sequence; fees above the ceiling, a signer that is away or a node that is: it is not signed yet.
    const { signer } = on.on;
    const real = signer.sign;
    const away = () => Promise.reject(new SignerUnavailable('away'));
    Object.assign(signer, { sign: away });
    const { id, to } = await on.order();
    await on.settle();
    Object.assign(signer, { sign: real });
    expect(await on.signedOf(id)).toEqual([]);
    await backup();
    await on.mineToFinality();
    await on.mineToFinality();
    expect(await on.payoutOf(id)).toMatchObject({ status: 'success' });
    expect(await usdtOf(to)).toBe(unitsOf('5', 6));
    await restore();
    await on.mineToFinality();
    await on.mineToFinality();
    expect(await usdtOf(to)).toBe(unitsOf('5', 6));
  });

  test('a payout that was pending in the backup, and was paid since, is not given back to the merchant', async () => {
    // Made, and not taken up by a worker yet.
    const { id, to } = await on.order();
    await backup();
    await on.mineToFinality();
    await on.mineToFinality();
    expect(await on.payoutOf(id)).toMatchObject({ status: 'success' });
    await restore();
    await on.mineToFinality();
    await on.mineToFinality();
    expect(await usdtOf(to)).toBe(unitsOf('5', 6));
    // An operator decides ("a payout that was signed is never signed under another sequence"): its balance stays taken.
    expect(await on.payoutOf(id)).toMatchObject({ status: 'pending' });
    expect(await on.signedOf(id)).toEqual([]);
  });

  test('payouts that are ordered after it leave under sequences that nothing was signed under, and are paid', async () => {
    await backup();
    for (let count = 0; count < 5; count += 1) await on.order();
    await on.mineToFinality();
    await restore();
    const { id, to } = await on.order();
    await on.mineToFinality();
    await on.mineToFinality();
    expect(await on.payoutOf(id)).toMatchObject({ status: 'success' });
    expect(await usdtOf(to)).toBe(unitsOf('5', 6));
  });
});
