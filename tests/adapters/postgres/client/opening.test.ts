/** Connections to a server that hangs while they are opened: none keeps its place in the pool. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Database, openDatabase } from '../../../../src/adapters/postgres/client/client.ts';
import { type FreezingRelay, openFreezingRelay } from '../../../support/postgres/freezing-relay.ts';
import { ownServerAvailable } from '../../../support/postgres/postgres.ts';
import { createPostgresServer, type PostgresServer } from '../../../support/postgres/postgres-server.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { until } from '../../../support/runtime/poll.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';

describe.skipIf(!needs('postgres', ownServerAvailable()))('opening a connection', () => {
  let server: PostgresServer;
  let relay: FreezingRelay;
  let url: (hosts: 1 | 2, query?: string) => string;

  beforeAll(async () => {
    server = await createPostgresServer({ tcp: true });
    const direct = server.tcpUrl('postgres');
    const { port } = new URL(direct);
    relay = await openFreezingRelay(Number(port));
    const place = `127.0.0.1:${relay.port}`;
    const [begin = '', end = ''] = direct.split(`127.0.0.1:${port}`);
    url = (hosts, query = '') => `${begin}${Array(hosts).fill(place).join(',')}${end}${query}`;
  });
  afterAll(async () => {
    relay.close();
    await server.destroy();
  });

  const answers = (database: Database): Promise<boolean> =>
    database.query('select 1 as one').then(
      () => true,
      () => false,
    );

  const ways: readonly (readonly [string, () => string])[] = [
    ['to one server', () => url(1)],
    ['to the first of several that takes writes', () => url(2)],
    ['to a pooler', () => url(1, '?pgbouncer=true')],
  ];
  for (const [way, of] of ways)
    test(`${way} that freezes after the login gives its place back, and the next one is well`, async () => {
      const database = openDatabase({
        ...{ url: of(), poolSize: 2, logger: silentLogger },
        ...{ queryTimeoutMs: 1_000, waitTimeoutMs: 800 },
      });
      relay.freezes = true;
      expect(await Promise.all([answers(database), answers(database)])).toEqual([false, false]);
      relay.freezes = false;
      await until('it is well', 15_000, () => answers(database));
      await database.close(100);
    });
});
