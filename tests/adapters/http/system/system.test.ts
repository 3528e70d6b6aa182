import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { NO_FIGURES } from '../../../support/http/called-server.ts';
import { type Harness, harnessClock, openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

describe('operators see', () => {
  test('that the process is up', async () => {
    const { call } = await openHarness();
    const answer = await call('GET', '/health', { key: null });
    expect([answer.status, answer.json]).toEqual([200, { status: 'ok', version: '0.0.0-test' }]);
  });

  test('a worker answers for itself, and serves neither the API nor pages', async () => {
    const { server, liveKey } = await openHarness({ dependencies: { serves: 'operations' } });
    const status = async (path: string) => {
      const headers = { 'x-api-key': liveKey, 'x-test-socket': '127.0.0.1' };
      return (await server.handle(new Request(`http://localhost${path}`, { headers }))).status;
    };
    for (const path of ['/health', '/ready', '/metrics']) expect(await status(path)).toBe(200);
    for (const path of ['/docs', '/openapi.json', '/api/v2/assets', '/checkout/0']) {
      expect(await status(path)).toBe(404);
    }
  });

  test('whether it is ready, with every check', async () => {
    let ready = true;
    const { call } = await openHarness({
      dependencies: {
        health: { ready: async () => ({ ok: ready, checks: { database: ready ? 'ok' : 'unreachable' } }) },
      },
    });
    expect((await call('GET', '/ready', { key: null })).json).toEqual({
      status: 'ready',
      checks: { database: 'ok' },
    });
    ready = false;
    const answer = await call('GET', '/ready', { key: null });
    expect([answer.status, answer.json]).toEqual([
      503,
      { status: 'not ready', checks: { database: 'unreachable' } },
    ]);
  });

  test('a check that throws as not ready', async () => {
    const { call } = await openHarness({
      dependencies: {
        health: {
          ready: async () => {
            throw new Error('bug');
          },
        },
      },
    });
    expect((await call('GET', '/ready', { key: null })).status).toBe(503);
  });

  test('requests, queues, chains and the process in /metrics, by route and never by path', async () => {
    const { call } = await openHarness({
      dependencies: {
        metrics: {
          webhooks: () => ({ inFlight: 3, limit: 128 }),
          operator: async () => ({
            ...NO_FIGURES,
            webhooksPending: 7,
            oldestDueWebhookSeconds: 12.5,
            webhooksHeldBack: 4,
            circuitsByState: { open: 2 },
            straysOpen: 3,
            payoutsByStatus: { pending: 2, success: 9 },
            cursors: [
              {
                chain: 'ethereum',
                height: 42,
                seenUntil: new Date(harnessClock.now().getTime() - 30_000),
              },
            ],
          }),
        },
      },
    });
    await call('GET', '/api/v2/invoices/aaaaaaaaaaaaaaaaaaaaaaaa');
    await call('PROPFIND', '/somewhere/secret');
    const { text, headers } = await call('GET', '/metrics', { key: null });
    expect(headers.get('content-type')).toStartWith('text/plain');
    for (const line of [
      'quittance_http_requests_total{method="GET",route="/api/v2/invoices/:invoice_id",status="404"} 1',
      'quittance_http_requests_total{method="other",route="none",status="404"} 1',
      'quittance_http_request_duration_seconds_count{method="GET",route="/api/v2/invoices/:invoice_id",status="404"} 1',
      'quittance_webhooks_pending 7',
      'quittance_webhook_oldest_due_seconds 12.5',
      'quittance_webhooks_held_back 4',
      'quittance_webhook_circuits{state="open"} 2',
      'quittance_webhook_circuits{state="half_open"} 0',
      'quittance_webhooks_in_flight 3',
      'quittance_webhooks_in_flight_limit 128',
      'quittance_stray_deposits_open 3',
      'quittance_payouts{status="pending"} 2',
      'quittance_payouts{status="success"} 9',
      'quittance_payouts{status="failed"} 0',
      'quittance_invoices{status="high_risk"} 0',
      'quittance_scanner_lag_seconds{chain="ethereum"} 30',
      'quittance_scanner_height{chain="ethereum"} 42',
      'quittance_rate_age_seconds 0',
      'quittance_metrics_source_up 1',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
    expect(text).toMatch(/quittance_process_resident_memory_bytes \d{7,}/);
    expect(text).toMatch(/quittance_process_start_time_seconds [\d.]+/);
    expect(text).not.toContain('aaaaaaaaaaaaaaaaaaaaaaaa');
    expect(text).not.toContain('secret');
  });

  test('the last reconciliation by chain, and that there was none', async () => {
    const at = new Date('2026-03-01T11:00:00Z');
    const chains = [
      { chain: 'ethereum', differences: 2, checked: true },
      { chain: 'base', differences: 0, checked: false },
    ];
    const belowCost = [{ asset: 'usdt_ethereum', microUsd: 5_500_000n }];
    const reconciliation = () => ({ at, faults: 1, chains, belowCost });
    const metrics = { operator: async () => NO_FIGURES, reconciliation };
    const { text } = await (await openHarness({ dependencies: { metrics } })).call('GET', '/metrics', {
      key: null,
    });
    for (const line of [
      'quittance_reconciliation_differences{chain="books"} 1',
      'quittance_reconciliation_differences{chain="ethereum"} 2',
      'quittance_reconciliation_checked{chain="ethereum"} 1',
      'quittance_reconciliation_checked{chain="base"} 0',
      `quittance_reconciliation_last_run_timestamp_seconds ${at.getTime() / 1000}`,
      'quittance_deposits_below_collecting_cost_usd{asset="usdt_ethereum"} 5.5',
    ])
      expect(text).toContain(`${line}\n`);
    const texts = [];
    for (const given of [{ reconciliation: () => null }, {}]) {
      const dependencies = { metrics: { operator: async () => NO_FIGURES, ...given } };
      texts.push((await (await openHarness({ dependencies })).call('GET', '/metrics', { key: null })).text);
    }
    expect(texts[0]).toContain('quittance_reconciliation_last_run_timestamp_seconds 0\n');
    expect(texts[1]).not.toContain('quittance_reconciliation_');
  });

  test('metrics of the process also while the database is away', async () => {
    const { call } = await openHarness({
      dependencies: {
        metrics: {
          operator: async () => {
            throw new Error('away');
          },
        },
      },
    });
    const { status, text } = await call('GET', '/metrics', { key: null });
    expect(status).toBe(200);
    expect(text).toContain('quittance_metrics_source_up 0\n');
    expect(text).toContain('quittance_metrics_source_failures_total 1\n');
  });
});

describe('test routes', () => {
  test('exist only when they are given', async () => {
    const route = { method: 'POST', path: '/test/chain', respond: () => new Response('mined') } as const;
    const without = await openHarness();
    expect((await without.call('POST', '/test/chain')).status).toBe(404);
    const given = await openHarness({ dependencies: { testRoutes: [route] } });
    expect((await given.call('POST', '/test/chain')).text).toBe('mined');
  });
});

describe('over a socket', () => {
  /** Opens the server on a free loopback port and always stops it. */
  async function listening(run: (base: string, harness: Harness, port: number) => Promise<void>) {
    const harness = await openHarness({ realSockets: true });
    const { port } = harness.server.listen(0, '127.0.0.1');
    try {
      await run(`http://127.0.0.1:${port}`, harness, port);
    } finally {
      await harness.server.stop();
    }
  }

  test('the caller is who is at its other end', async () => {
    await listening(async (base, { earn, sandboxKey }) => {
      await earn(10, sandboxKey);
      const answer = await fetch(`${base}/api/v2/payouts`, {
        method: 'POST',
        headers: {
          'x-api-key': sandboxKey,
          'content-type': 'application/json',
          'x-uniq-id': crypto.randomUUID(),
          'x-forwarded-for': '203.0.113.7',
        },
        body: JSON.stringify({
          address: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7',
          amount: 1,
          asset: 'usdt_tron',
        }),
      });
      expect(answer.status).toBe(201);
    });
  });

  test('a body that is too large is refused in the envelope, declared or chunked', async () => {
    await listening(async (base, { liveKey }) => {
      const headers = { 'x-api-key': liveKey, 'content-type': 'application/json' };
      const declared = await fetch(`${base}/api/v2/invoices`, {
        method: 'POST',
        headers,
        body: 'x'.repeat(3_000_000),
      });
      expect([declared.status, await declared.json()]).toEqual([
        413,
        { ok: false, error: { code: 'PAYLOAD_TOO_LARGE', message: expect.any(String) } },
      ]);
      let chunks = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          chunks += 1;
          if (chunks > 64) controller.close();
          else controller.enqueue(new Uint8Array(65_536).fill(0x20));
        },
      });
      const chunked = await fetch(`${base}/api/v2/invoices`, { method: 'POST', headers, body });
      expect(chunked.status).toBe(413);
    });
  });

  test('the host name may be of any length', async () => {
    await listening(async (_, __, port) => {
      for (const host of ['x', 'api', 'localhost', '127.0.0.1', `${'long.'.repeat(40)}example:8080`]) {
        const answer = await raw(port, `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        expect(answer, host).toStartWith('HTTP/1.1 200');
      }
      expect(await raw(port, 'GET /health HTTP/1.0\r\n\r\n')).toStartWith('HTTP/1.1 200');
    });
  });

  test('a path that is no path gets an answer and the server lives on', async () => {
    await listening(async (base, _, port) => {
      for (const target of [
        '//',
        '/%',
        '/%zz',
        '/api/v2/%E0%A4%A',
        '/../../etc/passwd',
        '*',
        'http://other.example/api/v2/balance',
        '/\u0000',
      ]) {
        const answer = await raw(
          port,
          `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
        );
        expect(answer, target).toMatch(/^(HTTP\/1\.1 (4\d\d|505)|$)/);
      }
      expect((await fetch(`${base}/health`)).status).toBe(200);
    });
  });

  test('stopping waits for the request in flight', async () => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const slow = {
      method: 'GET',
      path: '/slow',
      async respond() {
        entered.resolve();
        await gate.promise;
        return new Response('done');
      },
    } as const;
    const { server } = await openHarness({ dependencies: { testRoutes: [slow] } });
    const { port } = server.listen(0, '127.0.0.1');
    const answer = fetch(`http://127.0.0.1:${port}/slow`);
    await entered.promise;
    const stopped = server.stop();
    gate.resolve();
    expect(await (await answer).text()).toBe('done');
    await stopped;
    expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
  });
});

function raw(port: number, text: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = '';
  const socket = connect(port, '127.0.0.1', () => socket.write(text));
  socket.setTimeout(3_000, () => socket.destroy(new Error('no answer')));
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  socket.on('close', () => resolve(answer));
  socket.on('error', reject);
  return promise;
}
