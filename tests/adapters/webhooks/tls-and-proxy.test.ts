import { afterEach, describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { readProxy } from '../../../src/adapters/webhooks/egress-proxy.ts';
import { startConnectProxy } from '../../support/webhooks/connect-proxy.ts';
import {
  onRequest,
  startTcpServer,
  startTlsServer,
  testAuthority,
} from '../../support/webhooks/tcp-server.ts';
import { post, SHORT } from '../../support/webhooks/webhook-posts.ts';

const ca = await testAuthority();
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Answers with the server name of the handshake and the Host header. */
function echo(socket: Socket): void {
  onRequest(socket, (request) => {
    const name = String((socket as { servername?: unknown }).servername);
    const host = /^host: (.*)\r$/im.exec(request)?.[1];
    socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsni=${name} host=${host}`);
  });
}

async function tlsServer(certificate: 'merchant' | 'expired' | 'self-signed') {
  const server = await startTlsServer(certificate, echo);
  cleanups.push(server.stop);
  return server;
}

async function proxyTo(destinationPort: number, answer?: string) {
  const proxy = await startConnectProxy({ destinationPort, ...(answer === undefined ? {} : { answer }) });
  cleanups.push(proxy.stop);
  return proxy;
}

describe('https', () => {
  test('shows the server the name of the URL and accepts its certificate', async () => {
    const { port } = await tlsServer('merchant');
    expect(await post(`https://merchant.test:${port}/`, { ca })).toEqual({
      kind: 'answered',
      status: 200,
      body: `sni=merchant.test host=merchant.test:${port}`,
    });
  });

  test('to an IP literal needs a certificate for that address and sends no name', async () => {
    const { port } = await tlsServer('merchant');
    expect(await post(`https://127.0.0.1:${port}/`, { ca })).toMatchObject({
      kind: 'answered',
      body: `sni=false host=127.0.0.1:${port}`,
    });
    const options = { ca, allowedHosts: ['127.0.0.2'] };
    // The server listens on 127.0.0.1 only; a proxy leads there under the other address.
    const proxy = await proxyTo(port);
    expect(await post('https://127.0.0.2/', { ...options, proxy: `http://127.0.0.1:${proxy.port}` })).toEqual(
      { kind: 'failed', reason: 'the certificate is for another host' },
    );
  });

  test.each([
    ['for another host', 'merchant', 'other.test', 'the certificate is for another host'],
    ['for a parent of the host', 'merchant', 'a.b.merchant.test', 'the certificate is for another host'],
    ['expired', 'expired', 'merchant.test', 'the certificate has expired'],
    ['self-signed', 'self-signed', 'merchant.test', 'the certificate is self-signed'],
  ] as const)('refuses a certificate that is %s', async (_, certificate, host, reason) => {
    const server = await tlsServer(certificate);
    expect(await post(`https://${host}:${server.port}/`, { ca, allowedHosts: [host] })).toEqual({
      kind: 'failed',
      reason,
    });
  });

  test('refuses a certificate of an authority that the system does not trust', async () => {
    const { port } = await tlsServer('merchant');
    expect(await post(`https://merchant.test:${port}/`)).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('certificate'),
    });
  });

  test('to a server that speaks plain http fails', async () => {
    const plain = await startTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    cleanups.push(plain.stop);
    expect(await post(`https://merchant.test:${plain.port}/`, { ca, timeouts: SHORT })).toMatchObject({
      kind: 'failed',
    });
  });
});

describe('the egress proxy', () => {
  test('is asked for the checked address, never for the name, and TLS inside names the merchant', async () => {
    const { port } = await tlsServer('merchant');
    const proxy = await proxyTo(port);
    const outcome = await post('https://shop.merchant.test:8443/hook', {
      ca,
      allowedHosts: [],
      resolve: async () => ['93.184.215.14'],
      proxy: `http://us%65r:p%40ss@127.0.0.1:${proxy.port}`,
    });
    expect(outcome).toEqual({
      kind: 'answered',
      status: 200,
      body: 'sni=shop.merchant.test host=shop.merchant.test:8443',
    });
    const head = proxy.requests[0] ?? '';
    expect(head).toStartWith('CONNECT 93.184.215.14:8443 HTTP/1.1\r\nHost: 93.184.215.14:8443\r\n');
    expect(head).toContain(`Proxy-Authorization: Basic ${btoa('user:p@ss')}\r\n`);
    expect(head).not.toContain('merchant.test');
  });

  test('gets a CONNECT for plain http too, and for IPv6 in brackets', async () => {
    const plain = await startTcpServer(echo);
    cleanups.push(plain.stop);
    const proxy = await proxyTo(plain.port);
    const outcome = await post('http://public.example/', {
      resolve: async () => ['2606:4700::1111'],
      proxy: `http://127.0.0.1:${proxy.port}`,
      localAddress: '127.0.0.2',
    });
    expect(outcome).toMatchObject({ kind: 'answered', body: 'sni=undefined host=public.example' });
    expect(proxy.requests).toEqual([
      'CONNECT [2606:4700::1111]:80 HTTP/1.1\r\nHost: [2606:4700::1111]:80\r\n\r\n',
    ]);
  });

  test('is not asked for an address that is refused', async () => {
    const proxy = await proxyTo(1);
    const options = { allowedHosts: [], proxy: `http://127.0.0.1:${proxy.port}` };
    expect(
      await post('http://public.example/', { ...options, resolve: async () => ['10.0.0.1'] }),
    ).toMatchObject({
      kind: 'refused',
    });
    expect(proxy.requests).toEqual([]);
  });

  test('cannot stand in for the merchant: its own certificate is checked like any other', async () => {
    const { port } = await tlsServer('self-signed');
    const proxy = await proxyTo(port);
    expect(
      await post('https://merchant.test/', { ca, proxy: `http://127.0.0.1:${proxy.port}` }),
    ).toMatchObject({ kind: 'failed', reason: 'the certificate is self-signed' });
  });

  test.each([
    ['HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'the egress proxy refused (status 407)'],
    ['HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno', 'the egress proxy refused (status 403)'],
    ['HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', 'the egress proxy sent data of its own'],
    ['SSH-2.0\r\n\r\n', 'the egress proxy did not answer in HTTP'],
    ['x'.repeat(20_000), 'the egress proxy did not answer in HTTP'],
    ['', 'the egress proxy closed the connection'],
  ])('that answers %j is a failure', async (answer, reason) => {
    const proxy = await proxyTo(1, answer);
    expect(await post('http://merchant.test/', { proxy: `http://127.0.0.1:${proxy.port}` })).toEqual({
      kind: 'failed',
      reason,
    });
  });

  test('that says nothing fails at the connection time limit', async () => {
    const silent = await startTcpServer(() => {});
    cleanups.push(silent.stop);
    const options = { proxy: `http://127.0.0.1:${silent.port}`, timeouts: SHORT };
    expect(await post('http://merchant.test/', options)).toEqual({
      kind: 'failed',
      reason: 'no connection within 0.4 s',
    });
  });

  test('is read from a URL of one shape only', () => {
    expect(readProxy('http://proxy.example:3128')).toEqual({
      host: 'proxy.example',
      port: 3128,
      authorization: null,
    });
    expect(readProxy('http://[::1]:3128/')).toMatchObject({ host: '::1', port: 3128 });
    for (const url of ['https://proxy.example', 'proxy.example:3128', 'http://proxy/path', '']) {
      expect(() => readProxy(url)).toThrow('the webhook proxy must look like');
    }
  });
});

test('proxy settings of the environment are not obeyed', async () => {
  const plain = await startTcpServer(echo);
  cleanups.push(plain.stop);
  const proxy = await proxyTo(plain.port);
  const module = new URL('../../../src/adapters/webhooks/pinned-transport.ts', import.meta.url).href;
  const script = `
    const { pinnedWebhookTransport } = await import(${JSON.stringify(module)});
    const transport = pinnedWebhookTransport({ allowedHosts: ['127.0.0.1'], localAddress: null, proxy: null });
    const url = 'http://127.0.0.1:${plain.port}/';
    console.log(JSON.stringify(await transport.post({ url, body: new Uint8Array(2), headers: {} })));`;
  const address = `http://127.0.0.1:${proxy.port}`;
  const child = Bun.spawn([process.execPath, '-e', script], {
    stdout: 'pipe',
    env: {
      ...process.env,
      HTTP_PROXY: address,
      HTTPS_PROXY: address,
      http_proxy: address,
      ALL_PROXY: address,
      NODE_USE_ENV_PROXY: '1',
    },
  });
  const outcome: unknown = JSON.parse(await new Response(child.stdout).text());
  expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
  expect(proxy.requests).toEqual([]);
});
