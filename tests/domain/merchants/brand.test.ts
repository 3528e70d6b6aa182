/** What a merchant's brand may be: names, colours, and pictures by their first bytes. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  accentColour,
  brandLink,
  brandName,
  frameAncestor,
  LOGO_BYTES_MAX,
  logoHeader,
  supportContact,
} from '../../../src/domain/merchants/brand.ts';
import { pictureHeader } from '../../../src/domain/merchants/image-header.ts';
import { GREEN_PNG, PICTURES } from '../../support/http/pictures.ts';

describe('a logo', () => {
  test.each(PICTURES)('%s: kind and size are read from the header', (_, type, bytes) => {
    expect(logoHeader(bytes)).toEqual({ type, width: 30, height: 20 });
  });

  test.each(PICTURES)(
    '%s: cut off anywhere it is refused or has its size, and nothing throws',
    (_, type, bytes) => {
      for (let length = 0; length < bytes.length; length += 1) {
        const header = pictureHeader(bytes.subarray(0, length));
        if (header !== null) expect(header).toEqual({ type, width: 30, height: 20 });
      }
    },
  );

  test('whatever the bytes are, they are refused or have a size, also where they begin as a picture does', () => {
    const beginnings = [new Uint8Array(), ...PICTURES.map(([, , bytes]) => bytes.subarray(0, 16))];
    fc.assert(
      fc.property(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 200 }), (beginning, rest) => {
        const header = pictureHeader(Buffer.concat([beginning, rest]));
        if (header !== null) expect([header.width >= 0, header.height >= 0]).toEqual([true, true]);
      }),
    );
  });

  test.each([
    ['SVG, which can carry script', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['HTML', '<!doctype html><script>1</script>'],
    ['GIF', 'GIF89a\x1e\x00\x14\x00'],
    ['nothing', ''],
  ])('%s is none', (_, text) => {
    expect(logoHeader(Buffer.from(text, 'latin1'))).toBe('is no PNG, JPEG or WebP picture');
  });

  test('too many bytes or pixels, or none, are refused with what is wrong', () => {
    const sized = (width: number, height: number): Uint8Array => {
      const bytes = Buffer.from(GREEN_PNG);
      bytes.writeUInt32BE(width, 16);
      bytes.writeUInt32BE(height, 20);
      return bytes;
    };
    expect(logoHeader(new Uint8Array(LOGO_BYTES_MAX + 1))).toBe('has more than 128 KiB');
    expect(logoHeader(sized(1024, 1024))).toMatchObject({ width: 1024 });
    for (const [width, height] of [
      [1025, 20],
      [30, 4_294_967_295],
      [0, 20],
    ] as const)
      expect(logoHeader(sized(width, height))).toContain(`is ${width} x ${height} pixels`);
  });
});

test('a name has 1 to 80 characters that are shown, and none that turns the text around it', () => {
  expect(brandName('  Corner shop ')).toBe('Corner shop');
  expect(brandName('😀'.repeat(80))).toBe('😀'.repeat(80));
  for (const bad of ['', ' ', 'a'.repeat(81), 'a\nb', 'a\u0000', 'a\u202eb', 'a\u2066b', 'a\u2028b'])
    expect(brandName(bad)).toBeNull();
});

test('an accent colour has six hex digits', () => {
  expect(accentColour('#0A7D4f')).toBe('#0a7d4f');
  for (const bad of ['0a7d4f', '#0a7', '#0a7d4g', '#0a7d4f00', '#0a7d4f;', '', 'red'])
    expect(accentColour(bad)).toBeNull();
});

test('customers get help by e-mail or on a web page', () => {
  for (const contact of [
    'help@shop.example',
    "o'neill+vip@mail.shop.example",
    'https://shop.example/help?a=1',
  ])
    expect(supportContact(` ${contact} `)).toBe(contact);
  for (const other of [
    '',
    'help',
    'a@b',
    '@shop.example',
    'a b@shop.example',
    'a@shop.example?bcc=b@c.example',
  ])
    expect(supportContact(other)).toBeNull();
  for (const other of [
    'javascript:alert(1)',
    'mailto:a@b.example',
    'ftp://a.example',
    `https://${'a'.repeat(254)}`,
  ])
    expect([supportContact(other), brandLink(other)]).toEqual([null, null]);
});

test('only plain origins may be frame ancestors, so that none adds a directive to a policy', () => {
  expect(frameAncestor('https://Shop.example')).toBe('https://shop.example');
  expect(frameAncestor('http://localhost:8080')).toBe('http://localhost:8080');
  for (const other of [
    '*',
    'https://*.a.example',
    'https://a.example/',
    "https://a.example;script-src'*'",
    'a.example',
  ])
    expect(frameAncestor(other)).toBeNull();
  fc.assert(
    fc.property(fc.oneof(fc.webUrl(), fc.string()), (text) => {
      const origin = frameAncestor(text);
      if (origin !== null) expect(origin).toMatch(/^https?:\/\/[a-z0-9.:-]+$/);
    }),
  );
});
