/**
 * Kept connections, on real sockets: what is saved by them, and that nobody gets another's answer
 * or another's address.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import {
  type PinnedTransport,
  type PinnedTransportOptions,
  pinnedWebhookTransport,
} from '../../../src/adapters/webhooks/pinned-transport.ts';
import type { WebhookOutcome } from '../../../src/ports/webhooks/webhook-transport.ts';
import { until } from '../../support/runtime/poll.ts';
import { startConnectProxy } from '../../support/webhooks/connect-proxy.ts';
import {
  onRequest,
  startTcpServer,
  startTlsServer,
  testAuthority,
} from '../../support/webhooks/tcp-server.ts';
import { HELLO, SHORT } from '../../support/webhooks/webhook-posts.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/**
 * A transport that keeps its connections over the posts of a test; `merchant.test` leads to the
 * addresses that `dns` holds.
 */
function transportWith(options: Partial<PinnedTransportOptions> = {}) {
  const dns = { addresses: ['127.0.0.1'] };
  const transport: PinnedTransport = pinnedWebhookTransport({
    allowedHosts: ['127.0.0.1', '127.0.0.2', 'merchant.test', 'shop.merchant.test'],
    localAddress: null,
    proxy: null,
    resolve: async () => dns.addresses,
    ...options,
  });
  cleanups.push(transport.close);
  const post = (url: string): Promise<WebhookOutcome> => transport.post({ url, body: HELLO, headers: {} });
  return { dns, post, close: transport.close };
}

/**
 * Calls `answer` for every request of every connection, with the number of the request on its
 * connection, from 1.
 */
function onEach(socket: Socket, answer: (nth: number, socket: Socket) => void): void {
  let nth = 0;
  const next = () =>
    onRequest(socket, () => {
      nth += 1;
      next();
      answer(nth, socket);
    });
  next();
}

async function server(
  answer: (nth: number, socket: Socket) => void = (_, socket) => void socket.write(OK),
  at?: { host: string; port: number },
) {
  const requests = { count: 0 };
  const started = await startTcpServer(
    (socket) =>
      onEach(socket, (nth, open) => {
        requests.count += 1;
        answer(nth, open);
      }),
    at,
  );
  cleanups.push(started.stop);
  return { ...started, requests, url: `http://merchant.test:${started.port}/` };
}

const ANSWERED = { kind: 'answered', status: 200, body: 'ok' } as const;

describe('W1: a connection', () => {
  test('W1: carries the next webhook to the same receiver, over http and https', async () => {
    const plain = await server();
    const secure = await startTlsServer('merchant', (socket) => onEach(socket, () => void socket.write(OK)));
    cleanups.push(secure.stop);
    const { post } = transportWith({ ca: await testAuthority() });
    for (let nth = 0; nth < 3; nth += 1) {
      expect(await post(plain.url)).toEqual(ANSWERED);
      expect(await post(`https://merchant.test:${secure.port}/${nth}`)).toEqual(ANSWERED);
    }
    expect([plain.connections(), secure.connections()]).toEqual([1, 1]);
  });

  test('W1: carries one webhook at a time, and as many are opened as are needed at once', async () => {
    const receiver = await server();
    const { post } = transportWith();
    for (let round = 0; round < 3; round += 1)
      expect(await Promise.all(Array.from({ length: 5 }, () => post(receiver.url)))).toEqual(
        Array.from({ length: 5 }, () => ANSWERED),
      );
    expect(receiver.connections()).toBe(5);
  });

  test('W1: is given up when the name leads elsewhere now, and kept while its address is among the answers', async () => {
    const before = await server((_, socket) => void socket.write(OK));
    const after = await server((_, socket) => void socket.write(OK.replace('ok', 'no')), {
      host: '127.0.0.2',
      port: before.port,
    });
    const { dns, post } = transportWith();
    expect(await post(before.url)).toEqual(ANSWERED);
    dns.addresses = ['127.0.0.2', '127.0.0.1'];
    expect(await post(before.url)).toEqual(ANSWERED);
    dns.addresses = ['127.0.0.2'];
    expect(await post(before.url)).toEqual({ ...ANSWERED, body: 'no' });
    expect([before.connections(), after.connections()]).toEqual([1, 1]);
  });

  test('W1: opens no way around the address policy: a private address in the new answer refuses the webhook', async () => {
    const receiver = await server();
    const { dns, post } = transportWith({ allowedHosts: ['merchant.test'] });
    expect(await post(receiver.url)).toEqual(ANSWERED);
    dns.addresses = ['127.0.0.1', '169.254.169.254'];
    expect(await post(receiver.url)).toMatchObject({ kind: 'refused' });
    expect(receiver.requests.count).toBe(1);
  });

  test('W1: of another name, port or scheme is never used, though it leads to the same address', async () => {
    const secure = await startTlsServer('merchant', (socket) =>
      onEach(socket, () => {
        const name = String((socket as { servername?: unknown }).servername);
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${name.length}\r\n\r\n${name}`);
      }),
    );
    cleanups.push(secure.stop);
    const { post } = transportWith({ ca: await testAuthority() });
    for (const name of ['merchant.test', 'shop.merchant.test', 'merchant.test'])
      expect(await post(`https://${name}:${secure.port}/`)).toMatchObject({ body: name });
    expect(secure.connections()).toBe(2);
    expect(await post(`http://merchant.test:${secure.port}/`)).toMatchObject({ kind: 'failed' });
  });

  test('W1: through a proxy is a tunnel that is opened once', async () => {
    const receiver = await server();
    const proxy = await startConnectProxy({ destinationPort: receiver.port });
    cleanups.push(proxy.stop);
    const { post } = transportWith({ proxy: `http://127.0.0.1:${proxy.port}` });
    for (let nth = 0; nth < 3; nth += 1) expect(await post('http://merchant.test/')).toEqual(ANSWERED);
    expect(proxy.requests).toHaveLength(1);
  });

  test('W1: is closed with the transport', async () => {
    const gone = Promise.withResolvers<void>();
    const receiver = await server((_, socket) => {
      socket.on('close', gone.resolve);
      socket.write(OK);
    });
    const { post, close } = transportWith();
    await post(receiver.url);
    close();
    await gone.promise;
  });
});

describe('W1: a kept connection that the receiver closes', () => {
  test('W1: before it says anything costs no attempt: the webhook goes out again over a new one', async () => {
    const receiver = await server((nth, socket) => void (nth === 1 ? socket.write(OK) : socket.destroy()));
    const { post } = transportWith();
    for (let nth = 0; nth < 3; nth += 1) expect(await post(receiver.url)).toEqual(ANSWERED);
    expect(receiver.connections()).toBe(3);
    expect(receiver.requests.count).toBe(5);
  });

  test('W1: is replaced once, and a new connection that is closed likewise fails the attempt', async () => {
    let answering = true;
    const receiver = await server((_, socket) => void (answering ? socket.write(OK) : socket.end()));
    const { post } = transportWith();
    await Promise.all([post(receiver.url), post(receiver.url)]);
    answering = false;
    expect(await post(receiver.url)).toMatchObject({ kind: 'failed' });
    expect(receiver.requests.count).toBe(4);
  });

  test('W1: in the middle of an answer fails the attempt, and is not asked again', async () => {
    const receiver = await server(
      (nth, socket) => void (nth === 1 ? socket.write(OK) : socket.end('HTTP/1.1 200 OK\r\nX-Half:')),
    );
    const { post } = transportWith();
    expect(await post(receiver.url)).toEqual(ANSWERED);
    expect(await post(receiver.url)).toMatchObject({ kind: 'failed' });
    expect(receiver.requests.count).toBe(2);
  });

  test('W1: is not waited for twice: one that hangs ends with the time of its attempt', async () => {
    const receiver = await server((nth, socket) => void (nth === 1 && socket.write(OK)));
    const { post } = transportWith({ timeouts: SHORT });
    expect(await post(receiver.url)).toEqual(ANSWERED);
    expect(await post(receiver.url)).toEqual({ kind: 'failed', reason: 'no answer in time' });
    expect(receiver.requests.count).toBe(2);
  });
});

describe('W1: what a receiver says unasked', () => {
  const PLANTED = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nplanted';

  test.each([
    ['in one piece with its answer', (socket: Socket) => void socket.write(OK + PLANTED)],
    [
      'later, while the connection waits',
      (socket: Socket) => void socket.write(OK, () => setTimeout(() => socket.write(PLANTED), 20)),
    ],
  ])('W1: %s is never the answer to the next webhook', async (_, answer) => {
    let closed = 0;
    const receiver = await server((nth, socket) => {
      socket.on('close', () => {
        closed += 1;
      });
      if (nth === 1) answer(socket);
      else socket.write(OK.replace('ok', 'no'));
    });
    const { post } = transportWith();
    for (let nth = 1; nth <= 3; nth += 1) {
      expect(await post(receiver.url)).toEqual(ANSWERED);
      await until('the connection is closed', 10_000, () => closed === nth);
    }
    expect(receiver.connections()).toBe(3);
  });
});

test.each([
  ['says close', 'HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 2\r\n\r\nok'],
  ['is HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'],
  ['has two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'],
  [
    'has a length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  ],
  ['has broken chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nx\r\n\r\n'],
  ['has a coding that is not known', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\nok'],
  ['is about to be closed', 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nok'],
  ['is longer than what is read', `HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n${'o'.repeat(70_000)}`],
])('W1: a connection whose answer %s is not used again', async (_, answer) => {
  const receiver = await server((__, socket) => void socket.write(answer));
  const { post } = transportWith({ timeouts: { totalMs: 300 } });
  for (let nth = 0; nth < 2; nth += 1)
    expect(await post(receiver.url)).toMatchObject({
      kind: 'answered',
      status: 200,
      body: expect.stringMatching(/^o/),
    });
  expect(receiver.connections()).toBe(2);
});
