/**
 * The checkout's files: small, kept by browsers, compressed, and everything a page needs from our
 * own host.
 */
import { describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { LANGUAGES } from '../../../../src/adapters/http/checkout/messages/languages.ts';
import { builtAssets } from '../../../../src/adapters/http/kit/documents/built-assets.ts';
import { acceptedEncoding, quicklyEncoded } from '../../../../src/adapters/http/kit/documents/compressed.ts';
import { elementsOf, openedPage } from '../../../support/http/checkout-page.ts';

/** Of page, stylesheet, script and icon, compressed, without the marks of coins and networks. */
const FIRST_VIEW_LIMIT_BYTES = 15_000;
const MARKS = /<svg class="(?:badge|net)"[\s\S]*?<\/svg>/g;
const USDT = { amount: 49.9, asset: 'usdt_ethereum' };

async function files(invoice: object = USDT) {
  const opened = await openedPage(invoice);
  const { text } = await opened.page();
  const address = (selector: string, name: string) =>
    elementsOf(text, selector)[0]?.attributes[name] ?? 'missing';
  const raw = async (path: string, encoding: string) => {
    const request = new Request(`http://localhost${path}`, { headers: { 'accept-encoding': encoding } });
    const response = await opened.server.handle(request);
    return { headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
  };
  return {
    ...opened,
    raw,
    style: address('link[rel="stylesheet"]', 'href'),
    script: address('script', 'src'),
    icon: address('link[rel="icon"]', 'href'),
  };
}

test('files that were compressed before they were asked for are those that are sent', async () => {
  const text = 'a { color: red }'.repeat(500);
  const [early, late] = [
    { style: { ending: 'css', text } } as const,
    { style: { ending: 'css', text } } as const,
  ];
  const [prepared, asked] = [await builtAssets(early)(), await builtAssets(late)()];
  await prepared.prepare();
  for (const encoding of ['br', 'gzip', null])
    expect(prepared.serve(prepared.names.style, encoding)).toEqual(asked.serve(asked.names.style, encoding));
});

test('stylesheet, script and icon are served with their types, to be kept for good', async () => {
  const { call, style, script, icon } = await files();
  for (const [path, type] of [
    [style, 'text/css'],
    [script, 'text/javascript'],
    [icon, 'image/svg+xml'],
  ] as const) {
    const { status, headers } = await call('GET', path, { key: null });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toStartWith(type);
    expect(headers.get('cache-control')).toContain('immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test.each([
  ['of paying', USDT],
  ['of choosing among all currencies', { amount: 49.9 }],
] as const)(
  'the first view %s is below 15 kB beyond its marks, in every language and compression',
  async (_, invoice) => {
    const { raw, page, style, script, icon } = await files(invoice);
    for (const encoding of ['gzip', 'br', 'gzip, br, zstd']) {
      let assets = 0;
      for (const path of [style, script, icon]) assets += (await raw(path, encoding)).bytes.length;
      for (const language of LANGUAGES) {
        const { text } = await page({}, `?lang=${language}`);
        expect(text).toMatch(MARKS);
        const sent = quicklyEncoded(encoding, text.replace(MARKS, '')).body.length;
        expect([language, encoding, sent + assets < FIRST_VIEW_LIMIT_BYTES]).toEqual([
          ...[language, encoding, true],
        ]);
      }
    }
  },
);

test('files and pages come compressed to those who accept it, and are the same', async () => {
  const { raw, style, script, path } = await files();
  for (const address of [style, script, path]) {
    const plain = (await raw(address, 'identity')).bytes;
    const gzip = await raw(address, 'gzip');
    const br = await raw(address, 'gzip, br');
    expect([gzip, br].map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', 'br']);
    for (const { headers } of [gzip, br]) expect(headers.get('vary')).toContain('accept-encoding');
    expect(new Uint8Array(gunzipSync(gzip.bytes))).toEqual(plain);
    expect(new Uint8Array(brotliDecompressSync(br.bytes))).toEqual(plain);
    // A page is made for one request, and zstd is quick.
    const quick = await raw(address, 'gzip, br, zstd');
    expect(quick.headers.get('content-encoding')).toBe(address === path ? 'zstd' : 'br');
    if (address === path) expect(new Uint8Array(Bun.zstdDecompressSync(quick.bytes))).toEqual(plain);
  }
});

test('a file of another build answers this build’s, not to be kept; any other name is a 404', async () => {
  const { call, style } = await files();
  const other = style.replace(/-[0-9a-f]{16}/, '-0000000000000000');
  const answer = await call('GET', other, { key: null });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  for (const name of ['x', 'style-.css', '..%2Fpage.ts', 'constructor-0000000000000000.js'])
    expect((await call('GET', `/checkout/assets/page/${name}`, { key: null })).status).toBe(404);
});

test('a page asks no other host for anything', async () => {
  const { page, style, script } = await files();
  const { text, headers } = await page();
  const fetched = elementsOf(text, '[src], link[href]').map(({ attributes: a }) => a.src ?? a.href ?? '');
  for (const address of fetched) expect(address).toMatch(/^\/checkout\//);
  const { call } = await files();
  for (const file of [style, script])
    expect((await call('GET', file, { key: null })).text).not.toMatch(/https?:\/\/|url\(/);
  const policy = headers.get('content-security-policy') ?? '';
  for (const part of ["script-src 'self'", "img-src 'self'", "require-trusted-types-for 'script'"])
    expect(policy).toContain(part);
});

describe('the encoding', () => {
  test.each([
    [null, null],
    ['', null],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['BR ; q=0.000, GZIP', 'gzip'],
    ['xbr, gzipx', null],
  ] as const)('of %p is %p', (header, encoding) => {
    expect(acceptedEncoding(header)).toBe(encoding);
  });
});
