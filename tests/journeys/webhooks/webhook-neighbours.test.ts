/**
 * Webhooks of the service itself, on PostgreSQL and real sockets, beside merchants whose receivers
 * hang: the others get theirs, a worker that is killed in the middle loses nothing, and operators
 * see who is silent.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { runScript } from '../../support/operators/run-script.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { until } from '../../support/runtime/poll.ts';
import { startServiceProcess } from '../../support/runtime/service-process.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';
import { startTestService, TEST_MASTER_KEY, type TestService } from '../../support/test-service.ts';

const DEAD = 4;
const GOOD = 3;
const EACH_DEAD = 24;
const EACH_GOOD = 8;
const DEADLINE_MS = 60_000;

describe.skipIf(!needs('postgres', postgresAvailable()))('webhooks beside receivers that hang', () => {
  let data: Awaited<ReturnType<typeof temporaryDirectory>>;
  let it: TestService;
  let aheadMs = 0;
  const environment = () => ({
    ...{ DATABASE_URL: it.databaseUrl, DATA_DIR: data.path, MASTER_KEY: TEST_MASTER_KEY },
    ...{ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1', CHAINS: 'fake' },
  });
  /**
   * How many distinct webhooks came to a path, and the most requests of it that were open at a
   * time.
   */
  const seen = new Map<string, { ids: Set<string>; open: number; mostOpen: number }>();
  let hanging = true;
  const released = Promise.withResolvers<void>();
  /** Each merchant has a receiver with a port of its own. */
  const receivers: ReturnType<typeof Bun.serve>[] = [];

  function receiver(name: string, hangs: boolean): string {
    const one = { ids: new Set<string>(), open: 0, mostOpen: 0 };
    seen.set(name, one);
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      async fetch(request) {
        await request.arrayBuffer();
        one.open += 1;
        one.mostOpen = Math.max(one.mostOpen, one.open);
        if (hangs && hanging) await released.promise;
        one.open -= 1;
        one.ids.add(request.headers.get('x-service-delivery') ?? '');
        return new Response('ok');
      },
    });
    receivers.push(server);
    return `http://127.0.0.1:${server.port}/${name}`;
  }

  /** A merchant whose invoice is told of so many times. */
  async function merchantWith(name: string, hangs: boolean, webhooks: number): Promise<void> {
    const { sandbox } = await it.merchant({ callbackUrl: receiver(name, hangs) });
    const order = { amount: 25, fiat_currency: 'USD', asset: 'usdt_ethereum' };
    const { body } = await it.call(sandbox, 'POST', '/api/v2/invoices', order);
    for (let nth = 0; nth < webhooks; nth += 1)
      await it.call(sandbox, 'POST', `/api/v2/invoices/${body.result.order_id}/notify`);
  }

  const countOf = (name: string) => seen.get(name)?.ids.size ?? 0;
  const names = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${kind}${index}`);

  beforeAll(async () => {
    data = await temporaryDirectory();
    it = await startTestService({
      env: { CHAINS: 'fake' },
      dataDir: data.path,
      overrides: { clock: { now: () => new Date(Date.now() + aheadMs) } },
    });
    for (const name of names('dead', DEAD)) await merchantWith(name, true, EACH_DEAD);
    for (const name of names('good', GOOD)) await merchantWith(name, false, EACH_GOOD);
  });
  afterAll(async () => {
    released.resolve();
    await it.stop();
    for (const server of receivers) await server.stop(true);
    await data.remove();
  });

  test('W1: the others get theirs while the silent ones have a few open at a time, and a kill loses nothing', async () => {
    const worker = await startServiceProcess({ ...environment(), ROLE: 'worker' });
    await until('the others have all of theirs', DEADLINE_MS, () =>
      names('good', GOOD).every((name) => countOf(name) === EACH_GOOD),
    );
    await until('every silent one was tried', DEADLINE_MS, () =>
      names('dead', DEAD).every((name) => (seen.get(name)?.mostOpen ?? 0) > 0),
    );
    for (const name of names('dead', DEAD)) expect(seen.get(name)?.mostOpen).toBeLessThanOrEqual(8);
    await worker.kill();
    hanging = false;
    released.resolve();
    // Another worker, a minute later: the leases of the one that was killed are over.
    aheadMs = 60_000;
    await it.service.dispatcher.run();
    for (const name of names('dead', DEAD)) expect(countOf(name)).toBe(EACH_DEAD);
  }, 120_000);

  test('W1: a receiver that refuses is shown to operators, and gets its webhooks when it is back', async () => {
    const gone = receiver('gone', false);
    await receivers.at(-1)?.stop(true);
    const { sandbox } = await it.merchant({ callbackUrl: gone });
    const order = { amount: 25, fiat_currency: 'USD', asset: 'usdt_ethereum' };
    const { body } = await it.call(sandbox, 'POST', '/api/v2/invoices', order);
    for (let nth = 0; nth < 9; nth += 1)
      await it.call(sandbox, 'POST', `/api/v2/invoices/${body.result.order_id}/notify`);
    await it.service.dispatcher.run();
    const metrics = await (await fetch(`${it.url}/metrics`)).text();
    expect(metrics).toContain('quittance_webhook_circuits{state="open"} 1\n');
    expect(metrics).toMatch(/quittance_webhooks_in_flight_limit \d+\n/);
    const status = await runScript('webhooks', ['status', '--json'], environment());
    expect(JSON.parse(status.stdout)).toEqual([
      expect.objectContaining({
        ...{ destination: new URL(gone).origin, state: 'open', merchants: 1, waiting: 9 },
        reason: 'connection refused',
      }),
    ]);
    // Its next attempts are due, and so is the trial.
    aheadMs += 3_600_000;
    receivers.push(
      Bun.serve({ port: Number(new URL(gone).port), hostname: '127.0.0.1', fetch: () => new Response('ok') }),
    );
    await it.service.dispatcher.run();
    await it.service.dispatcher.run();
    const log = await it.call(sandbox, 'GET', '/api/v2/notifications?per_page=100');
    const delivered = log.body.result.filter(
      (attempt: { status_code: number }) => attempt.status_code === 200,
    );
    expect(delivered).toHaveLength(9);
    expect(await (await fetch(`${it.url}/metrics`)).text()).toContain(
      'quittance_webhook_circuits{state="open"} 0\n',
    );
  }, 120_000);
});
