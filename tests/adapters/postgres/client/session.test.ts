/** What each connection of the client has: its settings, and statements that it prepared. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openDatabase } from '../../../../src/adapters/postgres/client/client.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a session', () => {
  let held: TestDatabase;
  beforeAll(async () => {
    // Of a pooler's sessions no client keeps anything: pooler.test.ts.
    held = await testDatabase({ migrate: false, pooled: false });
  });
  afterAll(() => held.drop());

  test('settings are in force on each connection', async () => {
    const usual = openDatabase({ url: held.url, poolSize: 1, logger: silentLogger });
    const [row] = await usual.query(
      `select current_setting('jit') as jit, current_setting('statement_timeout') as statement,
              current_setting('idle_in_transaction_session_timeout') as idle,
              current_setting('application_name') as name, current_setting('TimeZone') as zone where $1`,
      [true],
    );
    expect(row).toEqual({ jit: 'off', statement: '4500ms', idle: '5s', name: 'quittance', zone: 'UTC' });
    await usual.close();
  });

  test('statements with parameters are prepared once per connection, whatever the parameters are', async () => {
    const single = openDatabase({ url: held.url, poolSize: 1, logger: silentLogger });
    for (const value of [1, '2', 3n, null]) await single.query('select $1::numeric as hot', [value]);
    const [row] = await single.query(
      'select count(*) as count from pg_prepared_statements where statement like $1',
      ['%as hot'],
    );
    expect(row?.count).toBe('1');
    await single.close();
  });
});
