/**
 * Logo and accent colour as the checkout serves them: readable whatever the colour, and inert
 * whatever the bytes.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  accentStyle,
  contrast,
  inkOn,
  shadeAgainst,
} from '../../../../src/adapters/http/checkout/page/accent.ts';
import { openHarness } from '../../../support/fake/fake-http-harness.ts';
import { GREEN_PNG } from '../../../support/http/pictures.ts';

const colour = fc
  .integer({ min: 0, max: 0xff_ffff })
  .map((number) => `#${number.toString(16).padStart(6, '0')}`);

/** The variables of the light scheme and of the dark one. */
function schemesOf(style: string): Record<string, string>[] {
  return style
    .split('@media')
    .map((part) =>
      Object.fromEntries([...part.matchAll(/(--[a-z-]+): (#[0-9a-f]{6});/g)].map((found) => found.slice(1))),
    );
}

describe('contrast', () => {
  test('is that of WCAG: 21 between black and white, 1 of a colour with itself, and known pairs', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 6);
    expect(contrast('#336699', '#336699')).toBe(1);
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
    expect(contrast('#ffffff', '#0000ff')).toBeCloseTo(8.59, 2);
  });

  test('ink on any colour reaches 4.5 to 1', () => {
    fc.assert(fc.property(colour, (one) => expect(contrast(inkOn(one), one)).toBeGreaterThanOrEqual(4.5)));
  });

  test('any accent is readable in both schemes: on it, and in the dark as text on any ground', () => {
    fc.assert(
      fc.property(colour, (one) => {
        const [light = {}, dark = {}] = schemesOf(accentStyle(one));
        expect(light['--accent']).toBe(one);
        for (const scheme of [light, dark])
          expect(contrast(scheme['--accent-ink'] ?? '', scheme['--accent'] ?? '')).toBeGreaterThanOrEqual(
            4.5,
          );
        for (const ground of ['#0d1117', '#161b24', '#1c222d'])
          expect(contrast(dark['--accent'] ?? '', ground)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  test('a colour that is readable already stays what it is', () => {
    expect(shadeAgainst('#7ea2ff', '#171c25', 4.5)).toBe('#7ea2ff');
    expect(shadeAgainst('#2456d6', '#ffffff', 4.5)).toBe('#2456d6');
  });
});

describe('what is served', () => {
  test('a logo has its own type, is kept for ever and can neither be interpreted nor run', async () => {
    const { application, call } = openHarness();
    const digest = 'ab'.repeat(32);
    application.tables.logos.set(digest, { type: 'image/png', bytes: GREEN_PNG });
    const { status, headers } = await call('GET', `/checkout/assets/logo/${digest}`, { key: null });
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    const { server } = openHarness({ dependencies: { application } });
    const answer = await server.handle(new Request(`http://localhost/checkout/assets/logo/${digest}`));
    expect(await answer.bytes()).toEqual(GREEN_PNG);
  });

  test('any accent has a stylesheet', async () => {
    const { call } = openHarness();
    const { status, headers, text } = await call('GET', '/checkout/assets/accent-0a7d4f.css', { key: null });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(headers.get('cache-control')).toContain('immutable');
    expect(text).toBe(accentStyle('#0a7d4f'));
  });

  test.each([
    `logo/${'ab'.repeat(32)}`,
    'logo/abc',
    `logo/${'AB'.repeat(32)}`,
    'accent-0a7d4.css',
    'accent-0a7d4f.js',
    'accent-red%7d%2a.css',
    'accent-.css',
    'other.css',
  ])('%s is nothing, and nobody remembers that', async (name) => {
    const { call } = openHarness();
    const { status, headers, text } = await call('GET', `/checkout/assets/${name}`, { key: null });
    expect({ status, text }).toEqual({ status: 404, text: '' });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('asking for logos again and again is limited as the pages are', async () => {
    const { call } = openHarness({ config: { rateLimitPerMinute: 2 } });
    const ask = async () =>
      (await call('GET', `/checkout/assets/logo/${'ab'.repeat(32)}`, { key: null })).status;
    expect([await ask(), await ask(), await ask()]).toEqual([404, 404, 429]);
  });
});
