/** Migrations apply once, in order and together, however many instances start. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../../../src/adapters/postgres/client/client.ts';
import { migrate } from '../../../../src/adapters/postgres/client/migrate.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('migrations', () => {
  let held: TestDatabase;
  let directory: string;
  beforeEach(async () => {
    held = await testDatabase({ migrate: false });
    directory = mkdtempSync(join(tmpdir(), 'quittance-migrations-'));
  });
  afterEach(async () => {
    rmSync(directory, { recursive: true });
    await held.drop();
  });

  const write = (...files: [tag: string, text: string][]): void => {
    mkdirSync(join(directory, 'meta'), { recursive: true });
    const entries = files.map(([tag], idx) => ({ idx, version: '7', when: idx, tag, breakpoints: true }));
    writeFileSync(
      join(directory, 'meta', '_journal.json'),
      JSON.stringify({ version: '7', dialect: 'postgresql', entries }),
    );
    for (const [tag, text] of files) writeFileSync(join(directory, `${tag}.sql`), text);
  };
  const first: [string, string] = [
    '0000_first',
    'create table a (id int4 primary key);--> statement-breakpoint\ninsert into a values (1), (2);\n',
  ];
  const second: [string, string] = [
    '0001_second',
    'alter table a add column name text; create index a_name on a (name);',
  ];
  const run = () => migrate(held.database, { directory });
  const messageOf = (call: Promise<unknown>): Promise<string> => call.then(() => 'no failure', String);

  test('what is missing is applied in order, and a second run applies nothing', async () => {
    write(first);
    expect(await run()).toEqual({ applied: ['0000_first'] });
    write(first, second);
    expect(await run()).toEqual({ applied: ['0001_second'] });
    expect(await run()).toEqual({ applied: [] });
    expect(await held.database.query('select id, name from a order by id')).toEqual([
      { id: 1, name: null },
      { id: 2, name: null },
    ]);
  });

  test('a folder without a journal holds no migrations', async () => {
    expect(await run()).toEqual({ applied: [] });
  });

  test('a failing migration leaves nothing of itself and keeps those before it', async () => {
    write(first, [
      '0001_broken',
      'create table b (id int4);--> statement-breakpoint\ncreate table b (id int4);',
    ]);
    expect(await messageOf(run())).toContain('already exists');
    expect(await held.database.query('select name from schema_migrations')).toEqual([{ name: '0000_first' }]);
    expect(await held.database.query(`select to_regclass('b') as found`)).toEqual([{ found: null }]);
  });

  test('a migration that was changed after it was applied is refused', async () => {
    write(first);
    await run();
    write(['0000_first', `${first[1]}-- later thought`], second);
    expect(await messageOf(run())).toContain('0000_first was changed');
    expect(await held.database.query('select name from schema_migrations')).toHaveLength(1);
  });

  test('a database with a migration that this program does not have is refused', async () => {
    write(first, second);
    await run();
    write(first);
    expect(await messageOf(run())).toContain('0001_second was applied to this database');
  });

  test('eight instances that start at once apply each migration once', async () => {
    write(first, second);
    const instances = Array.from({ length: 8 }, () =>
      openDatabase({ url: held.url, poolSize: 2, logger: silentLogger }),
    );
    const results = await Promise.all(instances.map((database) => migrate(database, { directory })));
    expect(results.flatMap(({ applied }) => applied).toSorted()).toEqual(['0000_first', '0001_second']);
    expect(await held.database.query('select count(*) as count from a')).toEqual([{ count: '2' }]);
    for (const database of instances) await database.close();
  });
});
