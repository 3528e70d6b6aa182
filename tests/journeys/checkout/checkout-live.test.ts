/**
 * An open checkout on the composed service: the customer's page hears of its payment block by
 * block, whatever the database does.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type EventReader, readEvents } from '../../support/http/event-reader.ts';
import {
  createPostgresServer,
  nativeFolder,
  type PostgresServer,
} from '../../support/postgres/postgres-server.ts';
import { needs } from '../../support/runtime/needs.ts';
import { until, within } from '../../support/runtime/poll.ts';
import { type Json, startTestService, type TestService } from '../../support/test-service.ts';

const PATIENCE_MS = 30_000;

describe.skipIf(!needs('postgres', nativeFolder() !== null))('an open checkout', () => {
  let server: PostgresServer;
  let it: TestService;
  let merchant: { live: string; sandbox: string };
  beforeAll(async () => {
    server = await createPostgresServer({ durable: true });
    it = await startTestService({
      env: { CHAINS: 'fake' },
      chains: ['ethereum'],
      databaseUrl: server.url('postgres'),
    });
    merchant = await it.merchant();
    await it.settle();
  }, 120_000);
  afterAll(async () => {
    await it?.stop();
    await server?.destroy();
  });

  async function invoice(key: string): Promise<Json> {
    const body = { amount: 25, fiat_currency: 'USD', asset: 'usdt_ethereum' };
    return (await it.call(key, 'POST', '/api/v2/invoices', body)).body.result;
  }
  const look = (made: Json): Promise<EventReader> =>
    readEvents(`${it.url}/checkout/${made.external_id}/events`);
  const polled = async (made: Json): Promise<string> =>
    (await it.call(null, 'GET', `/checkout/${made.external_id}/status`)).body.state;

  test('hears that a payment was seen, of each confirmation, and that it is paid', async () => {
    const made = await invoice(merchant.live);
    const reader = await look(made);
    const heard = [(await reader.next())?.data];
    const control = it.service.chains.fakes?.get('ethereum')?.control;
    if (!control) throw new Error('the fake chains are not there');
    control.pay({ to: made.address_to, asset: 'usdt_ethereum', units: 30_000_000n });
    for (const blocks of [1, 1, 30]) {
      control.mine(blocks);
      await it.settle();
      const state = await polled(made);
      expect(heard).not.toContain(state);
      while (heard.at(-1) !== state) {
        const told = await reader.next();
        if (told === null) throw new Error('the stream ended');
        heard.push(told.data);
      }
    }
    const { body } = await it.call(merchant.live, 'GET', `/api/v2/invoices/${made.order_id}`);
    expect(body.result.status).toBe('paid_over');
    // what an open page hears is a digest: the statuses are the merchant's
    for (const state of heard) expect(state).toMatch(/^[0-9a-f]{32}$/);
    reader.leave();
  });

  test('hears of what happened while the database was away, on the same stream', async () => {
    const made = await invoice(merchant.sandbox);
    const reader = await look(made);
    const before = (await reader.next())?.data;
    await server.stop('immediate');
    await until(
      'the database is missed',
      PATIENCE_MS,
      async () => (await it.call(null, 'GET', '/ready')).status === 503,
    );
    await server.start();
    await until(
      'the invoice is paid',
      PATIENCE_MS,
      async () =>
        (
          await it.call(merchant.sandbox, 'POST', `/api/v2/invoices/${made.order_id}/simulate`, {
            status: 'success',
          })
        ).status === 200,
    );
    const after = (await reader.next())?.data;
    expect(after).not.toBe(before!);
    expect(after).toBe(await polled(made));
    reader.leave();
  });

  test('does not keep the service from stopping', async () => {
    const readers = await Promise.all([invoice(merchant.live), invoice(merchant.live)]).then((made) =>
      Promise.all(made.map(look)),
    );
    for (const reader of readers) await reader.next();
    const stopped = it.service.http.stop();
    for (const reader of readers) expect(await reader.next()).toBeNull();
    await within('stopping', PATIENCE_MS, stopped);
  });
});
