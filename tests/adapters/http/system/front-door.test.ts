/**
 * What everybody meets first: the front page, limits that are told, large answers, browsers of
 * other sites.
 */
import { describe, expect, test } from 'bun:test';
import { brotliDecompressSync } from 'node:zlib';
import { frontPage } from '../../../../src/adapters/http/system/front-page.ts';
import { openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

describe('GET /', () => {
  test('says what this is, and leads to documentation and health, under a strict policy', async () => {
    const { call } = await openHarness();
    const page = await call('GET', '/', { key: null });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toStartWith("default-src 'none'");
    for (const link of ['/docs', '/openapi.json', '/health', '/ready']) {
      expect(page.text).toContain(`href="${link}"`);
      expect((await call('GET', link, { key: null })).status, link).toBeLessThan(504);
    }
  });

  test('has its style allowed by the digest of what it says', async () => {
    const { text, headers } = await (await openHarness()).call('GET', '/', { key: null });
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '';
    const digest = new Bun.CryptoHasher('sha256').update(style).digest('base64');
    const policy = headers.get('content-security-policy');
    expect(policy).toContain(`'sha256-${digest}'`);
    // Its icon.
    expect(policy).toContain("img-src 'self'");
  });

  test('links to the console where it is on', async () => {
    const textOf = async (consoleUrl: string | null) => {
      const page = frontPage(() => null, consoleUrl);
      return (await page.respond(new Request('http://localhost/'), {})).text();
    };
    expect(await textOf('https://pay.example.com/console')).toContain(
      '<a href="https://pay.example.com/console">Console</a>',
    );
    expect(await textOf(null)).not.toContain('Console');
  });

  test('links to a sandbox checkout where there is one to look at', async () => {
    const { call, server } = await openHarness();
    expect((await call('GET', '/', { key: null })).text).toContain('payment_url');
    server.showDemo('http://localhost/checkout/00000000-0000-4000-8000-000000000000');
    expect((await call('GET', '/', { key: null })).text).toContain(
      'href="http://localhost/checkout/00000000-0000-4000-8000-000000000000"',
    );
  });
});

test('an endpoint answers the same when it is found without the router', async () => {
  const { server, liveKey } = await openHarness();
  const answers = async (how: 'handle' | 'handleOnce', path: string, method: string) => {
    const headers = { 'x-api-key': liveKey, 'x-test-socket': '127.0.0.1' };
    const response = await server[how](new Request(`http://localhost${path}`, { method, headers }));
    const body = (await response.text()).replace(/"request_id":"[^"]+"/, '');
    return [response.status, response.headers.get('content-type'), response.headers.get('allow'), body];
  };
  for (const [method, path, status] of [
    ['GET', '/health', 200],
    ['GET', '/api/v2/assets', 200],
    ['GET', '/api/v2/invoices/000000000000000000000000', 404],
    ['GET', '/api/v2/invoices/x', 400],
    ['POST', '/api/v2/invoices', 400],
    ['PUT', '/api/v2/invoices', 405],
    ['GET', '/nowhere', 404],
  ] as const) {
    const answered = await answers('handleOnce', path, method);
    expect(answered[0], path).toBe(status);
    expect(answered, path).toEqual(await answers('handle', path, method));
  }
});

describe('a rate limit', () => {
  test('is told with every answer to a key, also with a refusal', async () => {
    const { call } = await openHarness({ config: { rateLimitPerMinute: 2 } });
    const told = async (path: string) => {
      const { status, headers } = await call('GET', path);
      return [status, headers.get('ratelimit-policy'), headers.get('ratelimit')];
    };
    expect(await told('/api/v2/balance')).toEqual([200, '"key";q=2;w=60', '"key";r=1;t=30']);
    expect(await told('/api/v2/nothing')).toEqual([404, '"key";q=2;w=60', '"key";r=0;t=60']);
    expect(await told('/api/v2/balance')).toEqual([429, '"key";q=2;w=60', '"key";r=0;t=60']);
  });

  test('is told to nobody where there is none, nor to who has no key', async () => {
    const free = await openHarness({ config: { rateLimitPerMinute: 0 } });
    expect((await free.call('GET', '/api/v2/balance')).headers.get('ratelimit')).toBeNull();
    const { call } = await openHarness();
    expect((await call('GET', '/api/v2/balance', { key: null })).headers.get('ratelimit')).toBeNull();
  });
});

describe('a large answer', () => {
  test('is compressed for who reads that, and is the same text', async () => {
    const { call, server, liveKey } = await openHarness();
    const plain = await call('GET', '/api/v2/assets');
    expect(plain.headers.get('content-encoding')).toBeNull();
    const bytes = async (encoding: string) => {
      const headers = { 'x-api-key': liveKey, 'accept-encoding': encoding };
      const answer = await server.handle(new Request('http://localhost/api/v2/assets', { headers }));
      expect(answer.headers.get('vary')).toBe('accept-encoding');
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      return answer.bytes();
    };
    const gzip = await bytes('gzip');
    expect(gzip.length).toBeLessThan(plain.text.length / 2);
    expect(new TextDecoder().decode(Bun.gunzipSync(gzip))).toBe(plain.text);
    expect(brotliDecompressSync(await bytes('br')).toString()).toBe(plain.text);
  });

  test('is not sent again to who has it', async () => {
    const { call, server, liveKey } = await openHarness();
    const tag = (await call('GET', '/api/v2/assets')).headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = (ifNoneMatch: string) =>
      server.handle(
        new Request('http://localhost/api/v2/assets', {
          headers: { 'x-api-key': liveKey, 'if-none-match': ifNoneMatch },
        }),
      );
    for (const named of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
      const answer = await again(named);
      expect(answer.status, named).toBe(304);
      expect(answer.headers.get('etag')).toBe(tag);
      expect(await answer.text()).toBe('');
    }
    expect((await again('"other"')).status).toBe(200);
  });

  test('has another tag when it says something else; a small one has none', async () => {
    const { call } = await openHarness();
    const list = async () => (await call('GET', '/api/v2/invoices')).headers.get('etag');
    expect(await list()).toBeNull();
    const tags: (string | null)[] = [];
    for (let at = 0; at < 4; at += 1) {
      await call('POST', '/api/v2/invoices', { body: { amount: 25, description: 'x'.repeat(500) } });
      tags.push(await list());
    }
    expect(new Set(tags.slice(2)).size).toBe(2);
    expect(tags.slice(2)).not.toContain(null);
  });
});

describe('a browser of another site', () => {
  test('is told plainly that there is no CORS', async () => {
    const { call } = await openHarness();
    const answer = await call('OPTIONS', '/api/v2/invoices', {
      key: null,
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST, GET');
    expect(answer.json.error.message).toContain('CORS is not supported');
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('the service', () => {
  test('listens on IPv4 and IPv6 unless it is given an address', async () => {
    const { server } = await openHarness();
    const { port } = server.listen(0);
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    expect((await fetch(`http://[::1]:${port}/health`)).status).toBe(200);
    await server.stop();
    const only = server.listen(0, '127.0.0.1');
    expect((await fetch(`http://127.0.0.1:${only.port}/health`)).status).toBe(200);
    await expect(fetch(`http://[::1]:${only.port}/health`)).rejects.toThrow();
    await server.stop();
  });
});
