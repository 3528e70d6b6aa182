import { afterEach, describe, expect, test } from 'bun:test';
import { pinnedWebhookTransport } from '../../../src/adapters/webhooks/pinned-transport.ts';
import { onRequest, startTcpServer } from '../../support/webhooks/tcp-server.ts';
import { HELLO, post, SHORT } from '../../support/webhooks/webhook-posts.ts';
import { startWebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

function receiver(respond?: () => Response | Promise<Response>) {
  const started = startWebhookReceiver(respond === undefined ? {} : { respond });
  cleanups.push(started.stop);
  return started;
}

async function answering(bytes: string | ((socket: import('node:net').Socket) => void)) {
  const server = await startTcpServer((socket) =>
    onRequest(socket, () => (typeof bytes === 'string' ? socket.end(bytes) : bytes(socket))),
  );
  cleanups.push(server.stop);
  return { ...server, url: `http://127.0.0.1:${server.port}/` };
}

describe('a delivery', () => {
  test('arrives byte for byte with its headers, the right Host and no header of ours that could be forged', async () => {
    const merchant = receiver();
    const port = new URL(merchant.url).port;
    const outcome = await post(
      `http://merchant.test:${port}/webhook?a=1#b`,
      {},
      {
        'Content-Type': 'application/json',
        'X-Service-Signature': 'ab'.repeat(32),
        host: 'evil.example',
        'content-length': '1',
        'Transfer-Encoding': 'chunked',
      },
    );
    expect(outcome).toEqual({ kind: 'answered', status: 200, body: 'ok' });
    const [webhook] = await merchant.waitFor(1, 1_000);
    expect(webhook?.body).toBe('{"hello":"wörld"}');
    expect(webhook?.path).toBe('/webhook');
    expect(webhook?.headers).toMatchObject({
      host: `merchant.test:${port}`,
      'content-type': 'application/json',
      'x-service-signature': 'ab'.repeat(32),
      'content-length': String(HELLO.byteLength),
    });
    expect(webhook?.headers).not.toHaveProperty('transfer-encoding');
  });

  test('reports any status with the first 500 characters, and follows no redirect', async () => {
    const other = receiver();
    const merchant = receiver(
      () => new Response('x'.repeat(600), { status: 307, headers: { Location: other.url } }),
    );
    expect(await post(merchant.url)).toEqual({ kind: 'answered', status: 307, body: 'x'.repeat(500) });
    for (const status of [204, 404, 503]) {
      const answer = receiver(() => new Response(null, { status }));
      expect(await post(answer.url)).toEqual({ kind: 'answered', status, body: '' });
    }
    expect(other.received).toHaveLength(0);
  });

  test('reads a chunked answer', async () => {
    const merchant = await answering(
      'HTTP/1.1 201 x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
    );
    expect(await post(merchant.url)).toEqual({ kind: 'answered', status: 201, body: 'abcde' });
  });

  test('runs 64 at a time without mixing answers up', async () => {
    const merchant = startWebhookReceiver({
      respond: (webhook) => new Response(webhook.headers['x-number']),
    });
    cleanups.push(merchant.stop);
    const transport = pinnedWebhookTransport({
      allowedHosts: ['127.0.0.1'],
      localAddress: null,
      proxy: null,
    });
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        transport.post({ url: merchant.url, body: HELLO, headers: { 'X-Number': String(index) } }),
      ),
    );
    expect(outcomes).toEqual(
      outcomes.map((_, index) => ({ kind: 'answered', status: 200, body: String(index) })),
    );
  });

  test('goes over IPv6 to a listed literal', async () => {
    const server = Bun.serve({
      hostname: '::1',
      port: 0,
      fetch: (request) => new Response(request.headers.get('host')),
    });
    cleanups.push(() => server.stop(true));
    const url = `http://[::1]:${server.port}/`;
    expect(await post(url, { allowedHosts: ['::1'] })).toEqual({
      kind: 'answered',
      status: 200,
      body: `[::1]:${server.port}`,
    });
  });

  test('comes from the configured source address', async () => {
    const sources: (string | undefined)[] = [];
    const merchant = await startTcpServer((socket) => {
      sources.push(socket.remoteAddress);
      onRequest(socket, () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    });
    cleanups.push(merchant.stop);
    await post(`http://127.0.0.1:${merchant.port}/`, { localAddress: '127.0.0.2' });
    await post(`http://127.0.0.1:${merchant.port}/`);
    expect(sources).toEqual(['127.0.0.2', '127.0.0.1']);
  });
});

describe('an awkward receiver', () => {
  test('that never sends a status fails at the time limit', async () => {
    const silent = await answering(() => {});
    expect(await post(silent.url, { timeouts: SHORT })).toEqual({
      kind: 'failed',
      reason: 'no answer in time',
    });
    const half = await answering((socket) => socket.write('HTTP/1.1 200 OK\r\nX-Slow: '));
    expect(await post(half.url, { timeouts: SHORT })).toEqual({
      kind: 'failed',
      reason: 'no answer in time',
    });
  });

  test('that is slow with the body after its status has answered', async () => {
    const slow = await answering((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nso far'),
    );
    expect(await post(slow.url, { timeouts: SHORT })).toEqual({
      kind: 'answered',
      status: 200,
      body: 'so far',
    });
  });

  test('that breaks off in the middle of the body has answered', async () => {
    for (const length of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
      const broken = await answering((socket) =>
        socket.write(`HTTP/1.1 500 Oops\r\n${length}\r\n\r\n4\r\nhalf`, () =>
          setTimeout(() => socket.destroy(), 20),
        ),
      );
      const outcome = await post(broken.url);
      expect(outcome).toMatchObject({ kind: 'answered', status: 500, body: expect.stringContaining('half') });
    }
  });

  test('that sends a body without end is cut off after 64 KiB', async () => {
    let sent = 0;
    const endless = await answering((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const more = () => {
        while (!socket.destroyed && sent < 50_000_000) {
          sent += 65_536;
          if (!socket.write(Buffer.alloc(65_536, 'a'))) {
            socket.once('drain', more);
            return;
          }
        }
      };
      more();
    });
    expect(await post(endless.url)).toEqual({ kind: 'answered', status: 200, body: 'a'.repeat(500) });
    expect(sent).toBeLessThan(50_000_000);
  });

  test('that floods with interim answers fails', async () => {
    const flood = await answering((socket) => {
      socket.end(`${'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(5_000)}HTTP/1.1 200 OK\r\n\r\n`);
    });
    expect(await post(flood.url)).toEqual({ kind: 'failed', reason: 'too many interim answers' });
    const one = await answering(
      'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    );
    expect(await post(one.url)).toEqual({ kind: 'answered', status: 200, body: '' });
  });

  test('that sends endless headers fails', async () => {
    const headers = await answering(
      `HTTP/1.1 200 OK\r\n${`X-Filler: ${'a'.repeat(1_000)}\r\n`.repeat(100)}\r\n`,
    );
    expect(await post(headers.url, { timeouts: SHORT })).toMatchObject({ kind: 'failed' });
  });

  test('that switches protocols fails', async () => {
    const upgrade = await answering(
      'HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    );
    expect(await post(upgrade.url, { timeouts: SHORT })).toMatchObject({ kind: 'failed' });
  });

  test.each(['SSH-2.0-OpenSSH\r\n', '\0\0\0', 'HTTP/1.1 abc OK\r\n\r\n', 'HTTP/1.1 000 x\r\n\r\n', '<html>'])(
    'that answers %j fails',
    async (bytes) => {
      const server = await answering(bytes);
      expect(await post(server.url, { timeouts: SHORT })).toMatchObject({ kind: 'failed' });
    },
  );

  test('that hangs up or resets before a status fails', async () => {
    const hangsUp = await answering((socket) => socket.end());
    expect(await post(hangsUp.url)).toMatchObject({ kind: 'failed' });
    const resets = await answering((socket) => socket.resetAndDestroy());
    expect(await post(resets.url)).toEqual({ kind: 'failed', reason: 'connection reset by the receiver' });
  });

  test('that does not listen is a refused connection', async () => {
    const gone = await answering('');
    await gone.stop();
    expect(await post(gone.url)).toEqual({ kind: 'failed', reason: 'connection refused' });
  });

  test('that does not accept the connection fails within the connection time limit', async () => {
    // A TLS client waits for an answer that a silent server never sends: connected, but not usable.
    const silent = await startTcpServer(() => {});
    cleanups.push(silent.stop);
    const outcome = await post(`https://merchant.test:${silent.port}/`, { timeouts: { connectMs: 200 } });
    expect(outcome).toEqual({ kind: 'failed', reason: 'no connection within 0.2 s' });
  });

  test('leaves no connection open, whatever happened', async () => {
    const open = new Set<unknown>();
    const server = await startTcpServer((socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      onRequest(socket, () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe'));
    });
    cleanups.push(server.stop);
    await post(`http://127.0.0.1:${server.port}/`, { timeouts: { totalMs: 100 } });
    await post(`https://merchant.test:${server.port}/`, { timeouts: { connectMs: 100 } });
    expect(server.connections()).toBe(2);
    for (let turn = 0; turn < 200 && open.size > 0; turn += 1) await Bun.sleep(5);
    expect(open.size).toBe(0);
  });
});
