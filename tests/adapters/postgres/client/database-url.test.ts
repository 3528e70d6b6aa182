/** The forms of DATABASE_URL. */
import { describe, expect, test } from 'bun:test';
import { parseDatabaseUrl } from '../../../../src/adapters/postgres/client/database-url.ts';

describe('a database URL', () => {
  const place = { hostname: 'h', port: 5432, socketFolder: null };
  const tcp = {
    username: 'u',
    password: '',
    database: 'd',
    places: [place],
    target: null,
    sslMode: 'disable',
    isPooled: false,
  };
  const at = (change: object) => ({ ...tcp, places: [{ ...place, ...change }] });
  const socket = { hostname: 'localhost', socketFolder: '/run/pg' };
  const cases: [url: string, expected: object][] = [
    ['postgres://u@h/d', tcp],
    ['postgresql://u:p%40%2Fss@h:6543/d', { ...at({ port: 6543 }), password: 'p@/ss' }],
    ['postgres://u:p@[::1]:5433/d', { ...at({ port: 5433, hostname: '::1' }), password: 'p' }],
    ['postgres://u@h', { ...tcp, database: 'u' }],
    ['postgres://u@h/d?sslmode=verify-full', { ...tcp, sslMode: 'verify-full' }],
    ['postgres://u@h/d?pgbouncer=true', { ...tcp, isPooled: true }],
    ['postgres://u@/d?host=/run/pg', at(socket)],
    ['postgres://u@/d?host=%2Frun%2Fpg&port=5444', at({ ...socket, port: 5444 })],
    ['postgres://u@%2Frun%2Fpg/d', at(socket)],
    ['postgres://u@h,[::1]:5433/d', { ...tcp, places: [place, { ...place, hostname: '::1', port: 5433 }] }],
    ['postgres://u@h,h/d?target_session_attrs=any', { ...tcp, places: [place, place], target: 'any' }],
  ];
  for (const [url, expected] of cases)
    test(`${url} is understood`, () => {
      expect(parseDatabaseUrl(url)).toEqual(expected as never);
    });

  for (const url of [
    '',
    'mysql://u@h/d',
    'postgres://h/d',
    'postgres://u@h:0/d',
    'postgres://u@h/d?sslmode=maybe',
    'postgres://u@h/d?pgbouncer=yes',
    'postgres://u@h/d?pgbouncer=',
    'postgres://u@h/d?PGBOUNCER=true',
    'postgres://u@h/d?pgbouncer=false&pgbouncer=true',
    'postgres://u@h,/d',
    'postgres://u@h,,i/d',
    'postgres://u@h,:5433/d',
    'postgres://u@h/d?target_session_attrs=prefer-standby',
    'postgres://u@h:1:2,h/d',
    'postgres://u:%zz@h/d',
  ])
    test(`${JSON.stringify(url)} is refused`, () => {
      expect(() => parseDatabaseUrl(url)).toThrow();
    });

  test('the refusal does not repeat the password', () => {
    expect(() => parseDatabaseUrl('postgres://u:secret@h:port/d')).toThrow(/^(?!.*secret)/);
  });
});
