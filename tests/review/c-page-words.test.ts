/** What the page says in states between: it must not promise what will not happen, nor offer what is always refused. */
import { describe, expect, test } from 'bun:test';
import type { Invoice } from '../../src/domain/invoice-record.ts';
import { elementsOf, openedPage, wordsOf } from '../support/checkout-page.ts';

const USDT = { amount: 49.9, fiat_currency: 'EUR', asset: 'usdt_ethereum' };
const seenPart: Partial<Invoice> = {
  status: 'confirming',
  funds: { pendingUnits: 20_000_000n, creditedUnits: 0n, heldUnits: 0n },
};

describe('a payment of less than was suggested or due', () => {
  test('to a top-up, is not told that a rest will have to be paid', async () => {
    const { page } = await openedPage({ ...USDT, billing_type: 'VARY' }, { change: seenPart });
    expect(wordsOf((await page()).text)).not.toContain('how to pay the rest');
  });

  test('is not promised a way to pay the rest when the time is over', async () => {
    const { page, clock } = await openedPage(USDT, { change: seenPart });
    clock.advance(3_600_000);
    expect(wordsOf((await page()).text)).not.toContain('how to pay the rest');
  });
});

describe('the buttons of a test invoice', () => {
  const buttons = (text: string) =>
    elementsOf(text, 'button[name="simulate"]').map(({ attributes }) => attributes.value);

  test('do not offer to pay a top-up over, which is always refused', async () => {
    const { page } = await openedPage({ ...USDT, billing_type: 'VARY' }, { sandbox: true });
    expect(buttons((await page()).text)).not.toContain('over');
  });

  test('do not offer a part once a part is paid, which is always refused', async () => {
    const { page } = await openedPage(USDT, {
      sandbox: true,
      change: {
        status: 'partially_paid',
        funds: { pendingUnits: 0n, creditedUnits: 20_000_000n, heldUnits: 0n },
      },
    });
    expect(buttons((await page()).text)).not.toContain('partial');
  });
});

test('a merchant’s title cannot turn the words of the tab around', async () => {
  const { page } = await openedPage({ ...USDT, title: '\u202eshop' });
  const [, title = ''] = /<title>([^<]*)<\/title>/.exec((await page()).text) ?? [];
  // Either without the override, or closed in before our own words.
  expect(/\u202e(?![^·]*[\u202c\u2069])/u.test(title)).toBe(false);
});

test('where a form was answered with a page, the page can be asked for again, and in another language', async () => {
  const { call, path, application, send } = await openedPage({ amount: 5 });
  const refused = await send('currency', 'asset=nope');
  expect(refused.headers.get('content-type')).toStartWith('text/html');
  // The browser's address bar now says {path}/currency: a bookmark, a shared link, a restored tab.
  const restored = await call('GET', `${path}/currency`, { key: null });
  const { StorageUnavailable } = await import('../../src/ports/repositories.ts');
  application.failNext(new StorageUnavailable('gone'));
  const away = await send('currency', 'asset=btc_bitcoin');
  const language = elementsOf(away.text, 'a[hreflang="de"]')[0]?.attributes.href ?? '';
  const there = new URL(language, `http://localhost${path}/currency`);
  const german = await call('GET', there.pathname + there.search, { key: null });
  expect([restored.status, german.status]).toEqual([200, 200]);
});

test('a bug is told in the customer’s words and under the checkout’s policy, not as JSON', async () => {
  const { application, page } = await openedPage(USDT);
  application.failNext(new Error('a bug'));
  const { status, headers } = await page();
  expect(status).toBe(500);
  expect(headers.get('content-type')).toStartWith('text/html');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
});
