/**
 * What is told of a start that failed, without failing one (tests/scripts/start-faults.test.ts).
 */
import { expect, test } from 'bun:test';
import { MigrationsRefused } from '../../src/adapters/postgres/client/migrate.ts';
import { startFault } from '../../src/compose/start-fault.ts';

test('a database that this version cannot go on from is told in one line, and a bug with its stack', () => {
  const told = (error: Error) => startFault(error, { port: 3000, dataDir: 'data' });
  expect(told(new MigrationsRefused('the database stands at ...'))).toBe('the database stands at ...');
  expect(told(new TypeError('undefined is no function'))).toContain('start-fault.test.ts');
});
