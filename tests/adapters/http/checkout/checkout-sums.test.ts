/** What the page says of the amount, of the rate, and of who is paid and how to reach them. */
import { describe, expect, test } from 'bun:test';
import { coinMark, networkMark } from '../../../../src/adapters/http/checkout/page/marks.ts';
import { CHAIN_NAMES } from '../../../../src/domain/catalog/chain-rows.ts';
import { COINS } from '../../../../src/domain/catalog/coins.ts';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import type { Brand } from '../../../../src/ports/checkout/checkout-queries.ts';
import { aBrand } from '../../../support/builders.ts';
import { elementsOf, openedPage, wordsOf } from '../../../support/http/checkout-page.ts';

const EUR = { amount: 48.5, fiat_currency: 'EUR', asset: 'usdt_ethereum' };
const funds = (creditedUnits: bigint) => ({ pendingUnits: 0n, creditedUnits, heldUnits: 0n });

async function shown(
  change: Partial<Invoice> = {},
  { body = {}, brand = aBrand() }: { body?: object; brand?: Brand } = {},
) {
  const { page } = await openedPage({ ...EUR, ...body }, { change, sources: { brand: async () => brand } });
  const { text } = await page();
  return { text, words: wordsOf(text) };
}

describe('the amount', () => {
  test('is itemised where the customer bears the payment fee', async () => {
    const { words } = await shown({}, { body: { fee_bearer: 'client' } });
    expect(words).toContain('Order€48.50');
    expect(words).toContain('Payment fee€0.49');
    expect(words).toContain('Total€48.99');
  });

  test('names a discount and a surcharge', async () => {
    const discount = await shown({}, { body: { fee_bearer: 'merchant', price_modifier: -10 } });
    expect(discount.words).toContain('Discount-€4.85');
    expect(discount.words).toContain('Total€43.65');
    const surcharge = await shown({}, { body: { fee_bearer: 'merchant', price_modifier: 10 } });
    expect(surcharge.words).toContain('Surcharge€4.85');
  });

  test('has no items where it is the order alone', async () => {
    const { words } = await shown({}, { body: { fee_bearer: 'merchant' } });
    expect(words).not.toContain('Total');
    expect(words).toContain('Amount to pay€48.50');
  });

  test.each([
    ['created', 'Amount to pay'],
    ['confirming', 'Amount to pay'],
    ['success', 'Paid'],
    ['paid_over', 'Paid'],
    ['expired', 'Was due'],
    ['cancelled', 'Was due'],
    ['failed', 'Was due'],
    ['refunded', 'Refunded'],
  ] as const)('of an invoice that is %s is called "%s"', async (status, label) => {
    expect((await shown({ status })).words).toContain(`${label}€48.99`);
  });

  test('of a paid top-up is what was paid', async () => {
    const { words } = await shown(
      { status: 'partially_paid', funds: funds(20_000_000n) },
      { body: { billing_type: 'VARY', fee_bearer: 'merchant' } },
    );
    expect(words).toMatch(/Paid€17\.99 /);
  });
});

test('the rate is told, and held while the invoice can be paid', async () => {
  expect((await shown()).words).toContain('1 USDT = €0.90, held until ');
  const { words } = await shown({ status: 'success' });
  expect(words).toContain('1 USDT = €0.90');
  expect(words).not.toContain('held until');
});

describe('a surplus', () => {
  test('of dust is a line of a paid page, without an alarm', async () => {
    const { words, text } = await shown({ status: 'paid_over', funds: funds(54_434_000n) });
    expect(elementsOf(text, 'main')[0]?.attributes['data-status']).toBe('paid');
    expect(words).toMatch(/Overpaid by0\.\d+ USDT/);
    expect(words).not.toContain('You paid more');
  });

  test('of more asks for action, so the page never leaves by itself', async () => {
    const { text } = await shown(
      { status: 'paid_over', funds: funds(60_000_000n) },
      { body: { on_paid_url: 'https://shop.example/thanks' } },
    );
    expect(elementsOf(text, 'main')[0]?.attributes['data-status']).toBe('over');
    expect(elementsOf(text, 'a[data-redirect]')).toHaveLength(1);
    expect(elementsOf(text, '[data-after]')).toHaveLength(0);
  });
});

describe('the merchant', () => {
  const brand = aBrand({
    support: 'help@shop.example',
    legalName: 'Shop Ltd',
    termsUrl: 'https://s.example/t',
  });

  test('is named on every page, with legal name and terms where they are set', async () => {
    expect(wordsOf((await shown()).text)).toContain('Corner shop');
    const { text, words } = await shown({}, { brand });
    expect(words).toContain('Shop Ltd');
    expect(elementsOf(text, 'footer a').map(({ attributes }) => attributes.href)).toEqual([brand.termsUrl!]);
  });

  test.each([
    ['paid_over', { funds: funds(60_000_000n) }],
    ['expired', {}],
    ['cancelled', {}],
    ['high_risk', {}],
    ['failed', {}],
  ] as const)(
    'can be reached, with what to quote, where the page of a %s one says so',
    async (status, more) => {
      const { text, words } = await shown({ status, ...more }, { brand, body: { extra: 'A-17' } });
      expect(elementsOf(text, '.contact a').map(({ attributes }) => attributes.href)).toEqual([
        'mailto:help@shop.example',
      ]);
      expect(words).toContain('Contact Corner shop');
      expect(elementsOf(text, '#copy-reference')[0]?.attributes['data-copy']).toBe('A-17');
    },
  );

  test('is not offered where there is nothing to ask', async () => {
    for (const status of ['created', 'success', 'refunded'] as const)
      expect((await shown({ status }, { brand })).text).not.toContain('class="aside contact"');
  });

  test('is reached on a page of its own, and by its name and the invoice’s id alone', async () => {
    const url = 'https://shop.example/help?a=1&b=2';
    const { text } = await shown({ status: 'expired' }, { brand: aBrand({ support: url }) });
    expect(elementsOf(text, '.contact a')[0]?.attributes.href?.replaceAll('&amp;', '&')).toBe(url);
    const alone = await shown({ status: 'expired' });
    expect(elementsOf(alone.text, '.contact a')).toHaveLength(0);
    expect(elementsOf(alone.text, '#copy-reference')[0]?.attributes['data-copy']).toMatch(/^[0-9a-f]{24}$/);
  });
});

describe('marks', () => {
  test('are drawn for every coin and network, and differ without their colours', () => {
    const marks = [
      ...Object.keys(COINS).map((symbol) => coinMark(symbol).text),
      ...(['arbitrum', 'base', 'optimism'] as const).map((chain) => networkMark({ chain }).text),
    ].map((mark) => mark.replace(/fill="#[0-9a-f]+"/gi, '').replace(/class="\w+"/, ''));
    for (const mark of marks) expect(mark).toContain('<path');
    expect(new Set(marks).size).toBe(marks.length);
    for (const chain of CHAIN_NAMES) expect(networkMark({ chain }).text).toContain('<path');
  });

  test('of other tokens are the first letter', () => {
    expect(coinMark('XAUT').text).toBe('<span class="badge" aria-hidden="true">X</span>');
  });
});
