/** Migrations apply once, in order and together, however many instances start. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../../../src/adapters/postgres/client/client.ts';
import { MigrationsRefused, migrate } from '../../../../src/adapters/postgres/client/migrate.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../../support/postgres/postgres.ts';
import { MIGRATIONS } from '../../../support/postgres/postgres-template.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';

/** What databases of before 0.1.0 have applied: the first and the last of 54. */
const FIRST_OF_54 = ['0000_initial', '78f12e48aba7c336d87f86213f1e938fec6f6f74584916a1a87812114655101a'];
const LAST_OF_54 = [
  '0053_changes_by_index',
  'cc42c4227f1c69d47a4ddc09565ca7713762d6c6916ff7832fef652461c2ab14',
];

/** Every row of the catalogs that describes our tables, with the transaction that wrote it. */
const SCHEMA = ['pg_class', 'pg_attribute', 'pg_constraint', 'pg_index', 'pg_trigger', 'pg_proc']
  .map((catalog) => `select '${catalog}' as catalog, ctid::text, xmin::text from ${catalog}`)
  .join(' union all ');

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

  /** Records what was applied, whatever it was. */
  const standAt = async (...applied: readonly (readonly string[])[]): Promise<void> => {
    await held.database.script('delete from schema_migrations');
    for (const row of applied)
      await held.database.query('insert into schema_migrations (name, hash) values ($1, $2)', row);
  };
  const recorded = () => held.database.query('select name, hash from schema_migrations order by name');

  test('a database of the 54 migrations that are one now is taken over as it is, and takes the next one', async () => {
    const initial = readFileSync(join(MIGRATIONS, '0000_initial.sql'), 'utf8');
    write(['0000_initial', initial]);
    await run();
    const fresh = await recorded();
    await standAt(FIRST_OF_54, ['0001_ledger_guards', 'any'], LAST_OF_54);
    const before = await held.database.query(SCHEMA);
    expect(await run()).toEqual({ applied: [] });
    expect(await recorded()).toEqual(fresh);
    expect(await held.database.query(SCHEMA)).toEqual(before);

    await standAt(FIRST_OF_54, LAST_OF_54);
    write(['0000_initial', initial], ['0001_next', 'alter table merchants add column motto text']);
    const together = await Promise.all([run(), run()]);
    expect(together.flatMap(({ applied }) => applied)).toEqual(['0001_next']);
    expect(await recorded()).toEqual([...fresh, { name: '0001_next', hash: expect.any(String) }]);
  });

  test('a database that lacks some of the 54 migrations is refused with what to do, and stays as it is', async () => {
    await run();
    write(first, second);
    for (const applied of [
      [['0052_lighter_answers', 'any']],
      [['0053_changes_by_index', 'another']],
      [LAST_OF_54, ['0054_of_nobody', 'any']],
    ]) {
      await standAt(FIRST_OF_54, ...applied);
      const before = await recorded();
      const refused: unknown = await run().catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(MigrationsRefused);
      expect(String(refused)).toContain(`is at migration ${applied.at(-1)?.[0]}, `);
      expect(String(refused)).toContain('Start commit 3199a80f');
      expect(await recorded()).toEqual(before);
      expect(await held.database.query(`select to_regclass('a') as found`)).toEqual([{ found: null }]);
    }
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
