/** Parameters and results in every type that the application stores, against a real server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Database } from '../../../../src/adapters/postgres/client/client.ts';
import type { SqlParameter } from '../../../../src/adapters/postgres/client/parameters.ts';
import {
  isThroughPooler,
  postgresAvailable,
  type TestDatabase,
  testDatabase,
} from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a value through the database client', () => {
  let held: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    held = await testDatabase({ migrate: false });
    database = held.database;
    await database.script(`
      create table account (id text primary key, units numeric(78,0) not null);
      create table document (id text primary key, body jsonb check (jsonb_typeof(body) = 'object'));
    `);
  });
  afterAll(() => held.drop());

  const maxUint256 = 2n ** 256n - 1n;
  const instant = new Date('2031-02-03T04:05:06.789Z');
  const cases: [type: string, given: SqlParameter, expected: unknown][] = [
    ['text', 'plain', 'plain'],
    ['text', '', ''],
    [
      'text',
      'quote " backslash \\ brace {} comma , ünïcode 💶',
      'quote " backslash \\ brace {} comma , ünïcode 💶',
    ],
    ['text', 5, '5'],
    ['text', null, null],
    ['int4', 7, 7],
    ['int8', 9_007_199_254_740_993n, '9007199254740993'],
    ['int8', 3, '3'],
    ['numeric(78,0)', maxUint256, maxUint256.toString()],
    ['numeric', '0.100000000000000000', '0.100000000000000000'],
    ['float8', 1.5, 1.5],
    ['boolean', true, true],
    ['boolean', false, false],
    ['timestamptz', instant, instant],
    ['timestamptz', null, null],
    [
      'text[]',
      ['a', '', 'b,c', 'd"e', 'f\\g', '{h}', 'NULL', ' i '],
      ['a', '', 'b,c', 'd"e', 'f\\g', '{h}', 'NULL', ' i '],
    ],
    ['text[]', ['a', null], ['a', null]],
    ['text[]', [], []],
    ['text[]', null, null],
    ['numeric[]', [maxUint256, '1.50'], [maxUint256.toString(), '1.50']],
    ['int8[]', [1n, null, 9_007_199_254_740_993n], ['1', null, '9007199254740993']],
    // A statement without a name, as a pooler has, gets its answer as text.
    ['int4[]', [1, 2], isThroughPooler ? [1, 2] : Int32Array.of(1, 2)],
    ['boolean[]', [true, false], [true, false]],
    ['timestamptz[]', [instant], [instant]],
    ['uuid', '0190a3c4-7e2b-7c11-8d4e-000000000001', '0190a3c4-7e2b-7c11-8d4e-000000000001'],
    ['jsonb', null, null],
  ];
  for (const [type, given, expected] of cases)
    test(`${type} ${Bun.inspect(given)} comes back as ${Bun.inspect(expected)}`, async () => {
      const [row] = await database.query<{ value: unknown }>(`select $1::${type} as value`, [given]);
      expect(row?.value).toEqual(expected);
    });

  test('bytes come back as bytes', async () => {
    const bytes = Uint8Array.of(0, 255, 92, 39);
    const [row] = await database.query<{ value: Uint8Array }>('select $1::bytea as value', [bytes]);
    expect(row?.value).toBeInstanceOf(Uint8Array);
    expect([...(row?.value ?? [])]).toEqual([...bytes]);
  });

  test('sums and counts are strings', async () => {
    const [row] = await database.query(
      'select count(*) as count, sum(n) as sum from generate_series(1, $1::int8) n',
      [4],
    );
    expect(row).toEqual({ count: '4', sum: '10' });
  });

  test('types are taken from the statement, so a bigint finds a numeric and an array finds rows', async () => {
    await database.query('insert into account (id, units) select unnest($1::text[]), $2', [
      ['v1', 'v2'],
      maxUint256,
    ]);
    const rows = await database.query(
      'select id from account where units = $1 and id = any($2) order by id limit $3',
      [maxUint256, ['v2', 'v1', 'v3'], 5],
    );
    expect(rows).toEqual([{ id: 'v1' }, { id: 'v2' }]);
  });

  test('JSON text is stored as JSON with its decimals exact', async () => {
    const body = '{"name": "a \\"b\\"", "amount": 0.10000000000000000001}';
    await database.query('insert into document (id, body) values ($1, $2::jsonb)', ['exact', body]);
    const [row] = await database.query('select body::text as text, body from document where id = $1', [
      'exact',
    ]);
    expect(row).toEqual({ text: body, body: { amount: 0.1, name: 'a "b"' } });
  });

  test('a JSON parameter without a cast is refused instead of being stored as a string', async () => {
    const error = await database
      .query('select jsonb_typeof($1) as type', ['{}'])
      .catch((fault: unknown) => fault);
    expect(String(error)).toContain('needs a cast');
  });

  test('numbers that are not finite are refused', async () => {
    const fault = await database.query('select $1::float8', [Number.NaN]).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(RangeError);
  });
});
