/**
 * What the page says in states between, and where it cannot be shown: it promises nothing that will
 * not happen, and offers nothing that is refused.
 */

import { describe, expect, test } from 'bun:test';
import { isDeferred } from '../../../../src/domain/invoices/invoice.ts';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import { parseDecimal, toUnits } from '../../../../src/domain/money/decimal.ts';
import { StorageUnavailable } from '../../../../src/ports/repositories.ts';
import { aBrand } from '../../../support/builders.ts';
import { elementsOf, openedPage, wordsOf } from '../../../support/http/checkout-page.ts';

const USDT = { amount: 49.9, fiat_currency: 'EUR', asset: 'usdt_ethereum' };
const TOP_UP = { ...USDT, billing_type: 'VARY' };
const funds = (pendingUnits: bigint, creditedUnits = 0n) => ({ pendingUnits, creditedUnits, heldUnits: 0n });
const seenPart: Partial<Invoice> = { status: 'confirming', funds: funds(20_000_000n) };

describe('a top-up', () => {
  test.each(['usdt_ethereum', 'btc_bitcoin', 'eth_ethereum'])(
    'in %s says the least that is credited: what arrives below that waits',
    async (asset) => {
      const { page, application } = await openedPage({ ...TOP_UP, asset });
      const [, amount = ''] = /any amount from ([\d.]+) /.exec(wordsOf((await page()).text)) ?? [];
      const [invoice] = application.tables.invoices;
      const { decimals, displayDecimals } = application.catalog.require(asset);
      const least = toUnits(parseDecimal(amount)!, decimals)!;
      const waits = (units: bigint) => isDeferred({ ...invoice!, funds: funds(units) });
      expect(waits(least)).toBe(false);
      expect(waits(least - 10n ** BigInt(decimals - displayDecimals))).toBe(true);
    },
  );

  test('says it in dollars before the currency is chosen', async () => {
    const { page } = await openedPage({ amount: 5, billing_type: 'VARY' });
    expect(wordsOf((await page()).text)).toContain('You may send any amount from $2.00.');
  });

  test('that is paid less than was suggested is not told that a rest will have to be paid', async () => {
    const { page } = await openedPage(TOP_UP, { change: seenPart });
    const words = wordsOf((await page()).text);
    expect(words).toContain('There is nothing more for you to do.');
    expect(words).not.toContain('how to pay the rest');
  });
});

test('a part that is confirmed only after the time is over is not promised a way to pay the rest', async () => {
  const { page, clock } = await openedPage(USDT, { change: seenPart });
  expect(wordsOf((await page()).text)).toContain('how to pay the rest');
  clock.advance(3_600_000);
  const words = wordsOf((await page()).text);
  expect(words).toContain('but the time to pay is over');
  expect(words).not.toContain('how to pay the rest');
});

test('there is time left on the page until there is none to pay in', async () => {
  const { page, clock } = await openedPage(USDT);
  clock.advance(3_599_999);
  expect(elementsOf((await page()).text, '[data-left]')[0]?.attributes['data-left']).toBe('1');
});

describe('the buttons of a test invoice', () => {
  const buttons = (text: string) =>
    elementsOf(text, 'button[name="simulate"]').map(({ attributes }) => attributes.value);

  test('do not offer to pay a top-up over, which is always refused', async () => {
    const { page } = await openedPage(TOP_UP, { sandbox: true });
    expect(buttons((await page()).text)).toEqual(['paid', 'partial']);
  });

  test('do not offer a part once a part is paid, and nothing once the time is over', async () => {
    const change = { status: 'partially_paid', funds: funds(0n, 20_000_000n) } as const;
    const { page, clock } = await openedPage(USDT, { sandbox: true, change });
    expect(buttons((await page()).text)).toEqual(['paid', 'over']);
    clock.advance(3_600_000);
    expect(buttons((await page()).text)).toEqual([]);
  });
});

test('a merchant’s text turns no other words around', async () => {
  const brand = aBrand({ name: '\u2067brand' });
  const { page } = await openedPage(
    { ...USDT, title: '\u202eshop', description: 'a\u202bb' },
    { sources: { brand: async () => brand } },
  );
  const { text } = await page();
  expect(/<title>([^<]*)<\/title>/.exec(text)?.[1]).toStartWith('\u2068shop\u2069 · ');
  for (const shown of ['shop', 'ab', 'brand']) expect(text).toContain(`<bdi>${shown}</bdi>`);
  expect(text).not.toMatch(/[\u202a-\u202e\u2066\u2067]/);
});

describe('where a form was answered with a page', () => {
  test('its address leads to the invoice’s page, in the language that was switched to', async () => {
    const { call, path } = await openedPage({ amount: 5 });
    for (const form of ['currency', 'simulate'])
      for (const query of ['', '?lang=de']) {
        const { status, headers } = await call('GET', `${path}/${form}${query}`, { key: null });
        expect([status, headers.get('location')]).toEqual([303, path + query]);
      }
    expect((await call('GET', '/checkout/x/currency', { key: null })).status).toBe(404);
  });

  test('its links lead to the invoice’s page, also when storage was away', async () => {
    const { application, path, send } = await openedPage({ amount: 5 });
    application.failNext(new StorageUnavailable('gone'));
    const away = await send('currency', 'asset=btc_bitcoin');
    expect(elementsOf(away.text, 'a[hreflang="de"]')[0]?.attributes.href).toBe(`${path}?lang=de`);
    expect(elementsOf(away.text, 'a.button')[0]?.attributes.href).toBe(path);
  });
});

test('a bug is told in the customer’s words and under the checkout’s policy, and is logged', async () => {
  const { application, page, send, logs } = await openedPage(USDT);
  for (const ask of [() => page({ 'accept-language': 'de' }), () => send('currency', 'asset=x')]) {
    application.failNext(new Error('a bug'));
    const { status, headers, text } = await ask();
    expect(status).toBe(500);
    expect(headers.get('content-type')).toStartWith('text/html');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-request-id')).not.toBeNull();
    expect(text).not.toContain('a bug');
    expect(
      logs.some(({ level, fields }) => level === 'error' && String(fields.error).includes('a bug')),
    ).toBe(true);
    logs.length = 0;
  }
});
