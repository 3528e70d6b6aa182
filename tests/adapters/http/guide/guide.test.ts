import { describe, expect, test } from 'bun:test';
import { brotliDecompressSync } from 'node:zlib';
import { SURFACES } from '../../../../src/adapters/http/compat/surfaces.ts';
import { PLACES } from '../../../../src/adapters/http/guide/frame.ts';
import { RECEIVERS } from '../../../../src/adapters/http/guide/receivers.ts';
import { ERRORS } from '../../../../src/adapters/http/kit/error-table.ts';
import { INVOICE_RULES, PAYOUT_RULES } from '../../../../src/domain/errors.ts';
import { INVOICE_STATUSES } from '../../../../src/domain/invoices/invoice.ts';
import { SIMULATED_STATUSES } from '../../../../src/domain/invoices/invoice-simulation.ts';
import { PAYOUT_STATUSES } from '../../../../src/domain/payouts/payout.ts';
import { WEBHOOK_FORMATS } from '../../../../src/domain/webhooks/webhook-format.ts';
import { openHarness } from '../../../support/fake/fake-http-harness.ts';
import { blocksOf, GUIDE_PAGES } from '../../../support/http/guide-pages.ts';

/** The service itself, the reader's own machine, and the names of examples. */
const OWN_HOSTS = new Set(['localhost', 'shop.example', 'pay.example']);
const PAGES = PLACES.map(({ path }) => path);
const { call, server } = openHarness();

async function textsOf(paths: readonly string[]): Promise<Map<string, string>> {
  const answers = await Promise.all(
    paths.map(async (path) => [path, await call('GET', path, { key: null })] as const),
  );
  for (const [path, { status }] of answers) expect([path, status]).toEqual([path, 200]);
  return new Map(answers.map(([path, { text }]) => [path, text]));
}

describe('the guide', () => {
  test('has every page under a strict policy, without a script, and in the same frame', async () => {
    for (const path of GUIDE_PAGES) {
      const page = await call('GET', path, { key: null });
      expect(page.status, path).toBe(200);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toStartWith(
        "default-src 'none'; style-src 'self';",
      );
      expect(page.text, path).not.toMatch(/<script|<style|style="|onclick/);
      for (const place of PAGES) expect(page.text, path).toContain(`<a href="${place}"`);
      expect(page.text.match(/aria-current="page"/g), path).toHaveLength(1);
      expect(page.text, path).toContain(`<a href="${path}" aria-current="page">`);
      for (const mark of [
        'class="skip" href="#content"',
        '<main id="content"',
        '<nav aria-label=',
        '<footer>',
      ])
        expect(page.text, path).toContain(mark);
    }
  });

  test('is compressed, and not sent again to who has it', async () => {
    const headers = { 'accept-encoding': 'br' };
    const page = await call('GET', '/docs/errors', { key: null, headers });
    expect(page.headers.get('content-encoding')).toBe('br');
    const tag = page.headers.get('etag') ?? '';
    const again = await call('GET', '/docs/errors', { key: null, headers: { 'if-none-match': tag } });
    expect(again.status).toBe(304);
    expect(again.text).toBe('');
  });

  test('has no link within /docs that leads nowhere, nor one to a heading that is not there', async () => {
    const pages = await textsOf(PAGES);
    const links = new Set<string>();
    for (const [path, page] of pages) {
      for (const [, link = ''] of page.matchAll(/(?:href|src)="([^"]*)"/g)) {
        expect(link, path).toMatch(/^[/#]/);
        links.add(link.startsWith('#') ? path + link : link);
      }
      const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(new Set(ids).size, path).toBe(ids.length);
    }
    expect(links.size).toBeGreaterThan(35);
    const found = await textsOf([...new Set([...links].map((link) => link.split('#')[0] ?? ''))]);
    for (const link of links) {
      const [path = '', id] = link.split('#');
      if (id !== undefined) expect(found.get(path), link).toContain(`id="${id}"`);
    }
  });

  test('names no other host, but those of its examples', async () => {
    for (const [path, text] of await textsOf([...GUIDE_PAGES, '/docs/reference', '/docs/guide.css'])) {
      const hosts = [...text.matchAll(/\bhttps?:\/\/([^/\s"'&<]+)/g)].map(([, host]) => host);
      expect([path, ...hosts.filter((host) => !OWN_HOSTS.has(host ?? ''))]).toEqual([path]);
    }
  });

  test('says of every error code what it means, what to do and whether to repeat', async () => {
    const page = (await textsOf(['/docs/errors'])).get('/docs/errors') ?? '';
    for (const [code, { status }] of Object.entries(ERRORS)) {
      const entry = page.split(`<h3 id="${code}">`)[1]?.split('</section>')[0] ?? '';
      expect(entry, code).toContain(`HTTP ${status}`);
      expect(entry, code).toMatch(/What to do:<\/b> \S/);
      expect(entry, code).toMatch(/Repeat it\?<\/b> (?:Yes|No)/);
    }
    for (const rule of [...Object.keys(INVOICE_RULES), ...Object.keys(PAYOUT_RULES)])
      expect(page).toContain(`<dt><code>${rule}</code></dt>`);
  });

  test('names every status, everything that can be simulated, every format and every base URL', async () => {
    const pages = await textsOf(GUIDE_PAGES);
    for (const [path, words] of [
      ['/docs/first-payment', [...INVOICE_STATUSES, ...PAYOUT_STATUSES]],
      ['/docs/testing', [...SIMULATED_STATUSES, ...WEBHOOK_FORMATS]],
      ['/docs/going-live', [...WEBHOOK_FORMATS, ...SURFACES.map(({ prefix }) => `localhost${prefix}`)]],
    ] as const)
      for (const word of words) expect(pages.get(path), word).toMatch(new RegExp(`\\b${word}\\b`));
  });

  test('quotes the receivers as they stand, in five languages', async () => {
    const page = (await textsOf(['/docs/webhooks'])).get('/docs/webhooks') ?? '';
    const blocks = blocksOf(page);
    expect(RECEIVERS).toHaveLength(5);
    for (const { language, file } of RECEIVERS) {
      expect(page).toContain(`<summary>${language}</summary>`);
      const source = await Bun.file(`${import.meta.dir}/../../../../docs/receivers/${file}`).text();
      expect(blocks).toContain(source.trimEnd());
    }
  });
});

describe('the reference', () => {
  test('sends its bundle compressed, under an address of its version, to be kept for good', async () => {
    const page = (await textsOf(['/docs/reference'])).get('/docs/reference') ?? '';
    const batch = /src="(\/docs\/swagger-ui-[\d.]+\/swagger-ui-bundle\.js)"/.exec(page)?.[1] ?? '';
    const asked = (encoding: string) =>
      server.handle(new Request(`http://localhost${batch}`, { headers: { 'accept-encoding': encoding } }));
    const [plain, small] = await Promise.all([asked('identity'), asked('br')]);
    expect(small.headers.get('cache-control')).toContain('immutable');
    expect(small.headers.get('content-encoding')).toBe('br');
    expect(plain.headers.get('content-encoding')).toBeNull();
    const [text, bytes] = await Promise.all([plain.bytes(), small.bytes()]);
    expect(bytes.length * 3).toBeLessThan(text.length);
    expect(Buffer.from(text).equals(brotliDecompressSync(bytes))).toBe(true);
  });
});
