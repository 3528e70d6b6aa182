import { describe, expect, test } from 'bun:test';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import { StorageUnavailable } from '../../../../src/ports/repositories.ts';
import { openHarness } from '../../../support/fake/fake-http-harness.ts';

const ETH = { amount: 49.9, fiat_currency: 'EUR', asset: 'usdt_ethereum' };

async function opened(body: object, change: Partial<Invoice> = {}, live = true) {
  const harness = openHarness();
  const key = live ? harness.liveKey : harness.sandboxKey;
  const { order_id, external_id } = (await harness.call('POST', '/api/v2/invoices', { key, body })).json
    .result;
  if (Object.keys(change).length > 0) harness.application.setInvoice(order_id, change);
  const path = `/checkout/${external_id}`;
  return { ...harness, path, id: order_id as string, page: () => harness.call('GET', path, { key: null }) };
}

async function choose(
  path: string,
  call: Awaited<ReturnType<typeof opened>>['call'],
  form: string,
  headers = {},
) {
  return call('POST', `${path}/currency`, {
    key: null,
    body: form,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}

describe('the page of an invoice with its asset', () => {
  test('shows amount, fiat amount, address, QR code and time left', async () => {
    const { page } = await opened({ ...ETH, title: 'Annual plan', description: 'Twelve months' });
    const { status, text } = await page();
    expect(status).toBe(200);
    for (const shown of [
      '55.99889 USDT',
      '€50.40',
      'Annual plan',
      'Twelve months',
      'data-copy="0x52908400098527886E0F7030069857D2E4169EE7"',
      'data-copy="55.99889"',
      'Ethereum',
      '<svg',
      'data-left="3600"',
    ]) {
      expect(text).toContain(shown);
    }
    expect(text).not.toContain('Test invoice');
  });

  test('shows merchant text as text', async () => {
    const evil = '<script>alert(1)</script>"\'&<img src=x onerror=alert(1)>';
    const { page } = await opened({ ...ETH, title: evil, description: evil });
    const { text } = await page();
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('<img');
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
  });

  test('has headers that let nothing else in and nothing out', async () => {
    const { page } = await opened(ETH);
    const { headers, text } = await page();
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "form-action 'self'",
      "base-uri 'none'",
    ])
      expect(policy).toContain(part);
    expect(policy).not.toContain('unsafe');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/ style=|<style|<script(?![^>]*src=)| on\w+=/);
  });

  test('warns on the sandbox', async () => {
    const { page } = await opened(ETH, {}, false);
    expect((await page()).text).toContain('Test invoice');
  });

  test('asks for the rest after a part has arrived', async () => {
    const { page } = await opened(ETH, {
      status: 'partially_paid',
      funds: { pendingUnits: 0n, creditedUnits: 20_000_000n, heldUnits: 0n },
    });
    const { text } = await page();
    for (const shown of ['Partial payment received', '20 USDT', '35.99889 USDT'])
      expect(text).toContain(shown);
  });

  test('invites no payment once its time is over, even before the expiry is recorded', async () => {
    const { page, clock } = await opened(ETH);
    clock.advance(3_600_000);
    const { text } = await page();
    expect(text).toContain('This invoice has expired');
    expect(text).not.toContain('0x52908400098527886E0F7030069857D2E4169EE7');
    expect(text).not.toContain('class="qr"');
  });
});

describe('what an invoice’s status offers', () => {
  const links = { on_paid_url: 'https://shop.example/thanks', on_cancel_url: 'https://shop.example/back' };
  const cases = [
    ['created', 'Waiting for your payment', true, 'cancel'],
    ['confirming', 'Payment detected', false, null],
    ['success', 'Paid', false, 'paid'],
    ['paid_over', 'You paid more than was due', false, 'paid'],
    ['failed', 'did not go through', false, 'cancel'],
    ['high_risk', 'being reviewed', false, null],
    ['expired', 'has expired', false, 'cancel'],
    ['cancelled', 'Time has run out', false, 'cancel'],
    ['refunded', 'Refunded', false, null],
  ] as const;
  for (const [status, words, payable, leads] of cases) {
    test(`${status}: "${words}"${payable ? ', an address' : ''}${leads === null ? '' : `, the ${leads} link`}`, async () => {
      const { page } = await opened({ ...ETH, ...links }, { status });
      const { text } = await page();
      expect(text).toContain(words);
      expect(text.includes('class="qr"')).toBe(payable);
      expect(text.includes(`href="${links.on_paid_url}"`)).toBe(leads === 'paid');
      expect(text.includes(`href="${links.on_cancel_url}"`)).toBe(leads === 'cancel');
    });
  }

  test('no link that is not http(s) is shown, wherever it came from', async () => {
    for (const onPaidUrl of ['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'https:\\\\evil']) {
      const { page } = await opened(ETH, { status: 'success', onPaidUrl });
      expect((await page()).text).not.toContain('data-redirect');
    }
  });
});

describe('choosing a currency', () => {
  const OPEN = { amount: 49.9, fiat_currency: 'EUR', accepted_coins: ['btc', 'usdt_tron'] };

  test('offers what may be paid with, and leads back to the page with the choice made', async () => {
    const { page, call, path } = await opened(OPEN);
    const before = (await page()).text;
    expect([...before.matchAll(/name="asset" value="(\w+)"/g)].map(([, key]) => key)).toEqual([
      'btc_bitcoin',
      'usdt_tron',
    ]);
    const answer = await choose(path, call, 'asset=usdt_tron');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, path]);
    expect((await page()).text).toContain('tron-address');
  });

  test('says so when there is nothing to choose from', async () => {
    const { page, application } = await opened(OPEN);
    Object.assign(application, { choosableAssets: () => [] });
    expect((await page()).text).toContain('No currency is available right now.');
  });

  test('says on live that payments are seen late, as long as the invoice is open', async () => {
    const shown = async (change: Partial<Invoice>, live: boolean) => {
      const { page, application } = await opened(ETH, change, live);
      Object.assign(application, { isSeenLate: () => true });
      return (await page()).text.includes('are showing up late right now');
    };
    expect([await shown({}, true), await shown({}, false)]).toEqual([true, false]);
    expect(await shown({ status: 'success' }, true)).toBe(false);
  });

  test('takes nothing that was not offered', async () => {
    const { call, path, application } = await opened(OPEN);
    for (const form of [
      'asset=eth_base',
      'asset=',
      'asset=nope',
      '',
      'x'.repeat(10_000),
      'asset=%00',
      'asset=__proto__',
    ]) {
      const answer = await choose(path, call, form);
      expect(answer.status, form.slice(0, 20)).toBe(400);
      expect(answer.text).toContain('Please choose one of the currencies');
    }
    expect(application.tables.invoices[0]?.price).toBeNull();
  });

  test('the same choice again leads back to the page, and so does another one while nothing is paid', async () => {
    const { page, call, path } = await opened(OPEN);
    await choose(path, call, 'asset=usdt_tron');
    const again = await choose(path, call, 'asset=usdt_tron');
    expect([again.status, again.headers.get('location')]).toEqual([303, path]);
    const other = await choose(path, call, 'asset=btc_bitcoin');
    expect(other.status).toBe(303);
    expect((await page()).text).toContain('bitcoin-address');
  });

  test('once a part is paid another choice is told why not', async () => {
    const { call, path, id, application } = await opened(OPEN);
    await choose(path, call, 'asset=usdt_tron');
    application.setInvoice(id, { funds: { pendingUnits: 1n, creditedUnits: 0n, heldUnits: 0n } });
    const other = await choose(path, call, 'asset=btc_bitcoin');
    expect(other.status).toBe(400);
    expect(other.text).toContain('That is no longer possible.');
  });

  test('the price is what the customer will owe, modifier and commission included', async () => {
    const merchantPays = await opened({ ...OPEN, price_modifier: 10, fee_bearer: 'merchant' });
    expect((await merchantPays.page()).text).toContain('€54.89');
    const clientPays = await opened({ ...OPEN, price_modifier: -10, fee_bearer: 'client' });
    expect((await clientPays.page()).text).toContain('€45.36');
  });

  test('does not take a form from another site', async () => {
    const { call, path, application } = await opened(OPEN);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: 'http://localhost' },
      { origin: 'https://evil.example' },
    ]) {
      const answer = await choose(path, call, 'asset=usdt_tron', headers);
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('please choose on this page');
    }
    expect(application.tables.invoices[0]?.price).toBeNull();
  });

  test('takes its own form, also from browsers that tell only the origin, or none', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'same-origin', origin: 'null' },
      { origin: 'http://localhost' },
      { origin: 'null' },
      {},
    ]) {
      const { call, path } = await opened(OPEN);
      expect((await choose(path, call, 'asset=usdt_tron', headers)).status).toBe(303);
    }
  });

  test('tells why it failed', async () => {
    const { call, path, application } = await opened(OPEN);
    application.setRates(null);
    const answer = await choose(path, call, 'asset=usdt_tron');
    expect(answer.status).toBe(503);
    expect(answer.text).toContain('No fresh exchange rate');
  });
});

describe('around the page', () => {
  test('an unknown or malformed id is a friendly 404', async () => {
    const { call } = openHarness();
    for (const id of [
      '00000000-0000-4000-8000-00000000ffff',
      'x',
      '%00',
      '0190f3a1b2c30a1b2c3d4e5f',
      '<script>',
    ]) {
      const answer = await call('GET', `/checkout/${encodeURIComponent(id)}`, { key: null });
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toStartWith('text/html');
      expect(answer.text).toContain('No such payment');
    }
  });

  test('the status the page polls changes with the invoice, and tells nothing else', async () => {
    const { call, path, application, id } = await opened(ETH);
    const state = async () => (await call('GET', `${path}/status`, { key: null })).json;
    const before = await state();
    expect(Object.keys(before)).toEqual(['state']);
    application.setInvoice(id, { status: 'confirming' });
    expect(await state()).not.toEqual(before);
  });

  test('the page and its form work behind a path prefix', async () => {
    const harness = openHarness({ config: { checkoutUrl: 'https://pay.example/shop/' } });
    const { external_id } = (await harness.call('POST', '/api/v2/invoices', { body: { amount: 5 } })).json
      .result;
    const { text } = await harness.call('GET', `/checkout/${external_id}`);
    expect(text).toContain('href="/shop/checkout/assets/page/style-');
    expect(text).toContain(`action="/shop/checkout/${external_id}/currency"`);
    const chosen = await choose(`/checkout/${external_id}`, harness.call, 'asset=btc_bitcoin');
    expect(chosen.headers.get('location')).toBe(`/shop/checkout/${external_id}`);
  });

  test('storage that is away is a page too', async () => {
    const { application, page } = await opened(ETH);
    application.failNext(new StorageUnavailable('gone'));
    const { status, text } = await page();
    expect(status).toBe(503);
    expect(text).toContain('please reload');
  });
});
