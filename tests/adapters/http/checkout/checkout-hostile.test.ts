/**
 * Whatever a merchant writes, the checkout has the same elements as with harmless text (safety.md,
 * "Hostile input").
 */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { INVOICE_STATUSES } from '../../../../src/domain/invoices/invoice.ts';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import { isWebLink } from '../../../../src/domain/web-link.ts';
import { aBrand } from '../../../support/builders.ts';
import { anyText } from '../../../support/http/any-text.ts';
import { elementsOf, openedPage, paymentOf } from '../../../support/http/checkout-page.ts';

const PAYLOADS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></h1></main><style>*{display:none}</style>',
  '<!-- ',
  ']]><svg/onload=alert(1)>',
  '&lt;script&gt;',
  '{amount} {{x}}',
  '\u202e\u0000\ud800',
  '<base href=//evil.example>',
];
const URLS = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '//evil.example',
  'https:\\\\evil.example',
  'https://shop.example/"><script>alert(1)</script>',
  "https://shop.example/?a='&b=<x>",
  ' https://shop.example',
  'https://',
];

const hostile = fc.oneof(
  fc.constantFrom(...PAYLOADS),
  anyText({ maxLength: 40 }),
  fc.tuple(fc.string(), fc.constantFrom(...PAYLOADS), fc.string()).map((parts) => parts.join('')),
);
const hostileUrl = fc.oneof(fc.constantFrom(...URLS), hostile, fc.webUrl());

/** What a page is built of; the texts and addresses in it left out. */
function shapeOf(html: string): readonly string[] {
  return elementsOf(html).map(({ tag, attributes }) => `${tag} ${Object.keys(attributes).sort().join(' ')}`);
}

test('no text or address of a merchant becomes markup, in any state', async () => {
  let brand = aBrand({ support: 'https://shop.example/help', termsUrl: 'https://shop.example/terms' });
  const { application, id, page } = await openedPage(
    { amount: 49.9, fiat_currency: 'EUR', asset: 'usdt_ethereum' },
    { sources: { brand: async () => brand, payments: async () => [paymentOf()] } },
  );
  const shape = async (change: Partial<Invoice>, name: string): Promise<readonly string[]> => {
    brand = { ...brand, name, legalName: name };
    application.setInvoice(id, change);
    return shapeOf((await page()).text);
  };
  const harmless = (url: string): string | null => (isWebLink(url) ? 'https://shop.example/' : null);
  const state = fc.record({ status: fc.constantFrom(...INVOICE_STATUSES), sandbox: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(state, hostile, hostile, hostile, hostileUrl, hostileUrl, async (...given) => {
      const [at, title, description, name, onPaidUrl, onCancelUrl] = given;
      const texts = { title: 'x', description: 'x' };
      const links = { onPaidUrl: harmless(onPaidUrl), onCancelUrl: harmless(onCancelUrl) };
      expect(await shape({ ...at, title, description, onPaidUrl, onCancelUrl }, name)).toEqual(
        await shape({ ...at, ...texts, ...links }, 'x'),
      );
    }),
    { numRuns: 200 },
  );
});

test('every link of a page is one of ours, a wallet’s or an http(s) one', async () => {
  for (const status of INVOICE_STATUSES) {
    for (const url of URLS) {
      const { page } = await openedPage(
        { amount: 49.9, asset: 'btc_bitcoin' },
        { change: { status, onPaidUrl: url, onCancelUrl: url } },
      );
      for (const { attributes } of elementsOf((await page()).text, 'a'))
        expect(attributes.href).toMatch(/^(?:\/checkout\/|bitcoin:|https?:\/\/[^/])/);
    }
  }
});
