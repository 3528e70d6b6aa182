/** drizzle's query builder over our client: every column type in both directions, joins, and our transactions. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { and, eq, inArray, sql as raw, sum } from 'drizzle-orm';
import {
  bigint,
  boolean,
  customType,
  integer,
  jsonb,
  numeric,
  pgTable,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import { drizzleOn } from '../../../src/adapters/postgres/drizzle.ts';
import { isUniqueViolation } from '../../../src/adapters/postgres/pg-errors.ts';
import { needs } from '../../support/needs.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../support/postgres.ts';

const things = pgTable('thing', {
  id: text().primaryKey(),
  units: numeric({ precision: 78, scale: 0, mode: 'bigint' }).notNull(),
  rate: numeric({ precision: 30, scale: 18 }),
  serial: bigint({ mode: 'bigint' }),
  count: integer(),
  ok: boolean(),
  at: timestamp({ withTimezone: true, mode: 'date' }),
  tags: text().array(),
  body: jsonb().$type<Record<string, unknown>>(),
  bytes: customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })(),
});
const parts = pgTable('part', { id: text().primaryKey(), thing: text().notNull(), name: text() });

describe.skipIf(!needs('postgres', postgresAvailable()))('drizzle over the client', () => {
  let held: TestDatabase;
  beforeAll(async () => {
    held = await testDatabase({ migrate: false });
    await held.database.script(`
      create table thing (
        id text primary key, units numeric(78,0) not null, rate numeric(30,18), serial int8, count int4, ok boolean,
        at timestamptz, tags text[], body jsonb, bytes bytea
      );
      create table part (id text primary key, thing text not null, name text);
    `);
  });
  afterAll(() => held.drop());

  const full = {
    id: 'full',
    units: 2n ** 256n - 1n,
    rate: '1.100000000000000000',
    serial: 9_007_199_254_740_993n,
    count: 3,
    ok: true,
    at: new Date('2031-02-03T04:05:06.789Z'),
    tags: ['a', 'b,"c"', ''],
    body: { b: 1, a: ['x', null, { deep: true }], text: 'quote "' },
    bytes: Uint8Array.of(0, 255),
  };
  const empty = {
    rate: null,
    serial: null,
    count: null,
    ok: null,
    at: null,
    tags: null,
    body: null,
    bytes: null,
  };

  test('every type of column is stored and read back', async () => {
    const orm = drizzleOn(held.database);
    await orm.insert(things).values(full);
    const [read] = await orm.select().from(things).where(eq(things.id, 'full'));
    expect({ ...read, bytes: [...(read?.bytes ?? [])] }).toEqual({ ...full, bytes: [0, 255] });
    const [type] = await held.database.query('select jsonb_typeof(body) as type from thing where id = $1', [
      'full',
    ]);
    expect(type).toEqual({ type: 'object' });
  });

  test('nulls are SQL nulls', async () => {
    await drizzleOn(held.database)
      .insert(things)
      .values({ id: 'empty', units: 0n, ...empty });
    expect(
      await held.database.query('select id from thing where id = $1 and body is null', ['empty']),
    ).toHaveLength(1);
    const [read] = await drizzleOn(held.database).select().from(things).where(eq(things.id, 'empty'));
    expect(read).toEqual({ id: 'empty', units: 0n, ...empty });
  });

  test('several rows, updates, deletes and returning', async () => {
    const orm = drizzleOn(held.database);
    const rows = Array.from({ length: 12 }, (_, n) => ({ id: `m${n}`, units: BigInt(n), body: { n } }));
    expect(await orm.insert(things).values(rows).returning({ id: things.id })).toHaveLength(12);
    const updated = await orm
      .update(things)
      .set({ body: { n: 'new' }, units: raw`${things.units} + ${10n}` })
      .where(and(inArray(things.id, ['m1', 'm11'])))
      .returning({ id: things.id, units: things.units, body: things.body });
    expect(updated.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: 'm1', units: 11n, body: { n: 'new' } },
      { id: 'm11', units: 21n, body: { n: 'new' } },
    ]);
    expect(await orm.delete(things).where(eq(things.id, 'm0')).returning({ id: things.id })).toEqual([
      { id: 'm0' },
    ]);
    const [total] = await orm.select({ total: sum(things.count) }).from(things);
    expect(total).toEqual({ total: '3' });
  });

  test('a join keeps columns of the same name apart', async () => {
    const orm = drizzleOn(held.database);
    await orm.insert(parts).values({ id: 'p1', thing: 'full', name: 'wheel' });
    const joined = await orm
      .select({ part: parts, thing: { id: things.id, units: things.units } })
      .from(parts)
      .innerJoin(things, eq(things.id, parts.thing));
    expect(joined).toEqual([
      { part: { id: 'p1', thing: 'full', name: 'wheel' }, thing: { id: 'full', units: full.units } },
    ]);
  });

  test('within a transaction it rolls back with it, and its violations are recognised', async () => {
    const failure = await held.database
      .transaction(async (sql) => {
        const orm = drizzleOn(sql);
        await orm.insert(parts).values({ id: 'undone', thing: 'full' });
        await orm.insert(parts).values({ id: 'undone', thing: 'full' });
      })
      .catch((error: unknown) => error);
    expect(isUniqueViolation(failure, 'part_pkey')).toBe(true);
    expect(await drizzleOn(held.database).select().from(parts).where(eq(parts.id, 'undone'))).toEqual([]);
  });
});
