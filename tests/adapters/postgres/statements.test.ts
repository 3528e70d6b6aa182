/**
 * Statements made from the schema: PostgreSQL takes each of the adapter, and values of every type
 * go there and come back.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { getTableColumns, sql } from 'drizzle-orm';
import { bigint, boolean, integer, pgTable, text } from 'drizzle-orm/pg-core';
import fc from 'fast-check';
import { castJsonThroughText } from '../../../src/adapters/postgres/client/parameters.ts';
import {
  bytes,
  dayNumber,
  instant,
  jsonText,
  ppm,
  units,
} from '../../../src/adapters/postgres/schema/columns.ts';
import { everyStatement, statement, statementsBy } from '../../../src/adapters/postgres/statement.ts';
import {
  columnsOf,
  ifThere,
  insertInto,
  insertSelect,
  listOf,
  nullable,
  outer,
  records,
  value,
} from '../../../src/adapters/postgres/statement-parts.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const things = pgTable('thing', {
  id: text('id').primaryKey(),
  units: units('units'),
  serial: bigint('serial', { mode: 'bigint' }),
  height: bigint('height', { mode: 'number' }),
  percent: ppm('percent'),
  count: integer('count'),
  isOk: boolean('is_ok'),
  at: instant('at'),
  day: dayNumber('day'),
  tags: text('tags').array(),
  body: jsonText('body'),
  bytes: bytes('bytes'),
});
const THING = getTableColumns(things);
const { bytes: _, ...RECORD } = THING;
const FULL = {
  id: 'full',
  units: 2n ** 256n - 1n,
  serial: 9_007_199_254_740_993n,
  height: 2 ** 40,
  percent: 12_500n,
  count: 3,
  isOk: true,
  at: new Date('2031-02-03T04:05:06.789Z'),
  day: 20_000,
  tags: ['a', 'b,"c"', ''],
  body: { b: 1, a: ['x', null, { deep: true }], text: 'quote "' },
};
const EMPTY = {
  id: 'empty',
  units: null,
  serial: null,
  height: null,
  percent: null,
  count: null,
  isOk: null,
  at: null,
  day: null,
  tags: null,
  body: null,
};

const ADAPTER = join(import.meta.dir, '..', '..', '..', 'src', 'adapters', 'postgres');

describe.skipIf(!needs('postgres', postgresAvailable()))('statements', () => {
  let held: TestDatabase;
  beforeAll(async () => {
    held = await testDatabase({ poolSize: 1 });
    for (const file of new Bun.Glob('**/*.ts').scanSync(ADAPTER)) await import(join(ADAPTER, file));
  });
  afterAll(() => held.drop());

  test('each is prepared on the migrated database', async () => {
    const texts = everyStatement();
    expect(texts.length).toBeGreaterThan(50);
    const faults: string[] = [];
    for (const text of texts)
      await held.database
        .transaction((sql) => sql.script(`prepare one as ${castJsonThroughText(text)}; deallocate one`))
        .catch((error: unknown) => faults.push(`${String(error)} in ${text}`));
    expect(faults).toEqual([]);
  });

  // These come last: what is made here is no statement of the adapter.
  describe('of a table with every type of column', () => {
    const findAll = () =>
      statement({
        selects: THING,
        text: (_given, select) => sql`select ${select} from ${things} order by id`,
      });
    beforeAll(() =>
      held.database.script(`
        create table thing (id text primary key, units numeric(78, 0), serial int8, height int8, percent int4,
          count int4, is_ok boolean, at timestamptz, day date, tags text[], body text, bytes bytea)`),
    );

    test('parameters and rows have the types of the schema, and null is null', async () => {
      const insert = statement({ given: THING, text: (values) => insertInto(things, values) });
      await insert(held.database, { ...FULL, bytes: Uint8Array.of(0, 255) });
      await insert(held.database, { ...EMPTY, bytes: null });
      const found = await findAll()(held.database);
      expect(Object.keys(found)).toEqual(['0', '1']);
      const [empty, full] = found;
      expect(empty).toEqual({ ...EMPTY, bytes: null });
      expect({ ...full, bytes: [...(full?.bytes ?? [])] }).toEqual({ ...FULL, bytes: [0, 255] });
    });

    test('so have those of a record set', async () => {
      await held.database.query('delete from thing');
      const insertAll = statement({
        given: {
          rows: records('g', { ...RECORD, units: nullable(things.units), wanted: value<boolean>('boolean') }),
        },
        text: ({ rows }) => sql`${insertSelect(things, columnsOf('g', RECORD))} from ${rows} where g.wanted`,
      });
      const rows = [FULL, EMPTY].map((row) => ({ ...row, wanted: true }));
      await insertAll(held.database, { rows: [...rows, { ...EMPTY, id: 'other', wanted: false }] });
      const found = await findAll()(held.database);
      expect(found).toEqual([EMPTY, FULL].map((row) => ({ ...row, bytes: null })));
    });

    test('a record set brings every text and every byte as it is, also within an array', async () => {
      const insertAll = statement({
        given: { rows: records('g', THING) },
        text: ({ rows }) => sql`${insertSelect(things, columnsOf('g', THING))} from ${rows}`,
      });
      const word = fc.oneof(
        fc.string({ unit: 'binary' }).map((any) => any.replaceAll('\0', '').toWellFormed()),
        fc.constantFrom('', ' ', 'NULL', 'null', '{}', '{"a",b}', '\\', '"', "'", '\\x00', 'a,b'),
      );
      const thing = fc.record({ tags: fc.option(fc.array(word)), text: word, bytes: fc.uint8Array() });
      await fc.assert(
        fc.asyncProperty(fc.array(thing, { maxLength: 5 }), async (some) => {
          await held.database.query('delete from thing');
          const rows = some.map(({ tags, text, bytes }, nth) => {
            return { ...EMPTY, id: `${nth} ${text}`, tags, body: { text }, bytes };
          });
          await insertAll(held.database, { rows });
          const found = new Map((await findAll()(held.database)).map((row) => [row.id, row]));
          expect(found.size).toBe(rows.length);
          for (const row of rows) {
            const back = found.get(row.id);
            expect({ ...back, bytes: [...(back?.bytes ?? [])] }).toEqual({ ...row, bytes: [...row.bytes] });
          }
        }),
      );
      await held.database.query('delete from thing');
      const insert = statement({ given: RECORD, text: (values) => insertInto(things, values) });
      for (const row of [FULL, EMPTY]) await insert(held.database, row);
    });

    test('so have lists, and the side of a join that may be missing', async () => {
      const join = statement({
        given: { units: listOf(things.units), id: nullable(things.id) },
        selects: { asked: sql<string>`asked.units`, ...outer({ id: things.id, units: things.units }) },
        text: ({ units, id }, select) => sql`
          select ${select} from unnest(${units}) with ordinality as asked (units, place)
          left join ${things} on ${things.units} = asked.units and (${id} is null or ${things.id} = ${id})
          order by place`,
      });
      const joined = async (id: string | null) => {
        const rows = await join(held.database, { units: [FULL.units, 1n], id });
        return rows.map(({ asked: _asked, ...row }) => ifThere<{ id: string; units: bigint }>(row, 'id'));
      };
      expect(await joined(null)).toEqual([{ id: 'full', units: FULL.units }, null]);
      expect(await joined('other')).toEqual([null, null]);
    });

    test('a record set refuses half a surrogate pair, and takes what is undefined as null', async () => {
      const insertAll = statement({
        given: { rows: records('g', { id: things.id, kind: value<string | null>('text') }) },
        text: ({ rows }) => sql`insert into kinds select g.id, g.kind from ${rows}`,
      });
      await held.database.script('create table kinds (id text, kind text)');
      for (const id of ['\ud83d', 'a\udcb6b', '\ude00\ud83d'])
        await expect(insertAll(held.database, { rows: [{ id, kind: null }] })).rejects.toThrow(
          'a SQL parameter is not well-formed text',
        );
      await insertAll(held.database, { rows: [{ id: '💶', kind: undefined as unknown as null }] });
      const found = await held.database.query('select id, kind from kinds');
      expect(found.map((row) => ({ ...row }))).toEqual([{ id: '💶', kind: null }]);
    });

    test('a record set with an array of anything but texts is refused', () => {
      expect(() => records('g', { amounts: value<readonly bigint[]>('numeric[]') })).toThrow(
        'a record set cannot hold amounts, a numeric[]',
      );
    });

    test('a statement of each shape is made once', async () => {
      let made = 0;
      const inOrder = statementsBy([{ order: 'asc' }, { order: 'desc' }], ({ order }: { order: string }) => {
        made += 1;
        return statement({
          selects: { id: things.id },
          text: (_given, select) => sql`select ${select} from ${things} order by id ${sql.raw(order)}`,
        });
      });
      const ids = async (order: string) => (await inOrder({ order })(held.database)).map(({ id }) => id);
      expect(await ids('asc')).toEqual(['empty', 'full']);
      expect(await ids('desc')).toEqual(['full', 'empty']);
      await ids('asc');
      expect(made).toBe(2);
    });

    test('a value in the text is refused, and so is a parameter without a place', async () => {
      const given = { id: things.id };
      const fixed = statement({ text: () => sql`select from ${things} where id = ${'full'}` });
      const unused = statement({ given, text: () => sql`select from ${things}` });
      await expect(fixed(held.database)).rejects.toThrow('holds a value');
      await expect(unused(held.database, { id: 'full' })).rejects.toThrow(
        'does not use what it is given, id',
      );
    });
  });
});
