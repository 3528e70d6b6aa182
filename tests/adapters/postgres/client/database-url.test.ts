/** The forms of DATABASE_URL. */
import { describe, expect, test } from 'bun:test';
import { parseDatabaseUrl } from '../../../../src/adapters/postgres/client/database-url.ts';

describe('a database URL', () => {
  const tcp = {
    username: 'u',
    password: '',
    database: 'd',
    hostname: 'h',
    port: 5432,
    socketFolder: null,
    sslMode: 'disable',
  };
  const cases: [url: string, expected: object][] = [
    ['postgres://u@h/d', tcp],
    ['postgresql://u:p%40%2Fss@h:6543/d', { ...tcp, password: 'p@/ss', port: 6543 }],
    ['postgres://u:p@[::1]:5433/d', { ...tcp, password: 'p', hostname: '::1', port: 5433 }],
    ['postgres://u@h', { ...tcp, database: 'u' }],
    ['postgres://u@h/d?sslmode=verify-full', { ...tcp, sslMode: 'verify-full' }],
    ['postgres://u@/d?host=/run/pg', { ...tcp, hostname: 'localhost', socketFolder: '/run/pg' }],
    [
      'postgres://u@/d?host=%2Frun%2Fpg&port=5444',
      { ...tcp, hostname: 'localhost', socketFolder: '/run/pg', port: 5444 },
    ],
    ['postgres://u@%2Frun%2Fpg/d', { ...tcp, hostname: 'localhost', socketFolder: '/run/pg' }],
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
    'postgres://u:%zz@h/d',
  ])
    test(`${JSON.stringify(url)} is refused`, () => {
      expect(() => parseDatabaseUrl(url)).toThrow();
    });

  test('the refusal does not repeat the password', () => {
    expect(() => parseDatabaseUrl('postgres://u:secret@h:port/d')).toThrow(/^(?!.*secret)/);
  });
});
