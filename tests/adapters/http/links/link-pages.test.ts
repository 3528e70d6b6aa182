/** The pages of payment links: what they ask, what they open, and what strangers cannot do. */
import { describe, expect, test } from 'bun:test';
import jsQr from 'jsqr';
import { PNG } from 'pngjs';
import { MAX_AMOUNT } from '../../../../src/adapters/http/kit/input/schema.ts';
import { cancelInvoice } from '../../../../src/app/invoices/cancel-invoice.ts';
import { linkStanding, openLink } from '../../../../src/app/links/open-link.ts';
import { changeBrand } from '../../../../src/app/merchants/manage-brand.ts';
import { changeMerchant } from '../../../../src/app/merchants/manage-merchants.ts';
import { OPEN_PER_LINK } from '../../../../src/domain/links/payment-link.ts';
import { aMerchant } from '../../../support/builders.ts';
import { elementsOf, wordsOf } from '../../../support/http/checkout-page.ts';
import { harnessClock, stageHarness } from '../../../support/http/http-harness.ts';
import { FORM, opened, PLAN } from '../../../support/http/opened-link.ts';
import { GREEN_PNG } from '../../../support/http/pictures.ts';

stageHarness();

describe('the page of a link', () => {
  test('opens an invoice that names the link, and leads to its checkout', async () => {
    const it = await opened({ ...PLAN, success_url: 'https://shop.example/thanks', extra: 'plan', ttl: 600 });
    const answer = await it.send();
    expect(answer.status).toBe(303);
    const [invoice] = await it.invoices();
    expect(invoice).toMatchObject({
      ...{ payment_link_id: it.link.id, initial_fiat_amount: 25, fiat_currency: 'USD', title: 'Annual plan' },
      ...{ extra: 'plan', on_paid_url: 'https://shop.example/thanks', asset: null, metadata: null },
      on_cancel_url: `http://localhost${it.path}`,
      expires_at: invoice.created_at + 600,
    });
    expect(`http://localhost${answer.headers.get('location')}`).toBe(invoice.payment_url);
    expect((await it.call('GET', answer.headers.get('location') ?? '', { key: null })).status).toBe(200);
  });

  test('tells the merchant of the link in the events of its invoices', async () => {
    const it = await opened();
    await it.send();
    await it.simulate('success');
    const { json } = await it.call('GET', '/api/v2/events', { key: it.sandboxKey });
    const told = json.result.map(({ data }: { data: { payment_link_id?: string } }) => data.payment_link_id);
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told)).toEqual(new Set([it.link.id]));
  });

  test('lets the customer enter an amount, with a point or a comma, within its bounds', async () => {
    const it = await opened({ title: 'Tea', min_amount: 1, max_amount: 100, suggested_amounts: [5, 10] });
    const { text } = await it.page();
    expect(wordsOf(text)).toContain('From $1.00 to $100.00');
    expect(elementsOf(text, 'input[name="suggested"]').map(({ attributes }) => attributes.value)).toEqual([
      '5',
      '10',
    ]);
    const amounts = [
      [{ amount: '12.50' }, 12.5],
      [{ amount: '12,5' }, 12.5],
      [{ amount: '٢٠' }, 20],
      [{ amount: '', suggested: '10' }, 10],
      [{ amount: '7', suggested: '10' }, 7],
    ] as const;
    for (const [form, amount] of amounts) {
      expect([form, (await it.send(form)).status]).toEqual([form, 303]);
      expect((await it.invoices())[0].initial_fiat_amount).toBe(amount);
    }
    const refused = ['', '0', '0.99', '100.01', '1,000', '1.005', '-5', '1e1', 'x', '9'.repeat(20)];
    for (const amount of refused) {
      const answer = await it.send({ amount });
      expect([amount, answer.status]).toEqual([amount, 422]);
      expect([amount, wordsOf(answer.text).includes('Please enter an amount')]).toEqual([amount, true]);
    }
    expect(await it.invoices()).toHaveLength(amounts.length);
  });

  test('lets the customer enter as much as the API takes, and no more', async () => {
    const it = await opened({ title: 'A bridge', min_amount: MAX_AMOUNT / 2 });
    for (const amount of [`${MAX_AMOUNT}.01`, `${MAX_AMOUNT}0`, `${MAX_AMOUNT + 1}`]) {
      const answer = await it.send({ amount });
      expect([amount, answer.status]).toEqual([amount, 422]);
      expect(wordsOf(answer.text)).toContain('Please enter an amount that is allowed here.');
    }
    const { headers } = await it.send({ amount: `${MAX_AMOUNT}` });
    expect((await it.invoices())[0].initial_fiat_amount).toBe(MAX_AMOUNT);
    expect((await it.call('GET', headers.get('location') ?? '', { key: null })).status).toBe(200);
  });

  test('asks what the merchant wants to know, and keeps what was entered', async () => {
    const it = await opened({ ...PLAN, fields: ['name', 'email', 'note'] });
    const ann = { name: 'Ann', email: 'ann@example.com', note: 'Hi' };
    for (const missing of [{ name: '' }, { email: '' }, { email: 'ann' }, { name: '  ' }]) {
      const answer = await it.send({ ...ann, ...missing });
      expect([missing, answer.status]).toEqual([missing, 422]);
      expect(elementsOf(answer.text, 'input[name="note"]')[0]?.attributes.value).toBe('Hi');
    }
    expect(await it.invoices()).toEqual([]);
    expect((await it.send({ ...ann, note: '', phone: '1' })).status).toBe(303);
    expect((await it.invoices())[0].payer_info).toEqual({
      ...{ name: 'Ann', email: 'ann@example.com', language: 'en' },
    });
  });

  test('keeps no control characters of an answer', async () => {
    const it = await opened({ ...PLAN, fields: ['name', 'note'] });
    expect((await it.send({ name: '\u0000', note: 'x' })).status).toBe(422);
    expect((await it.send({ name: ' Ann\u0000\r\nBcc: x ', note: '\u0007' })).status).toBe(303);
    expect((await it.invoices())[0].payer_info).toEqual({ name: 'Ann Bcc: x' });
  });

  test('escapes what merchants and customers write, and loads nothing from elsewhere', async () => {
    const it = await opened({ title: '<b>x</b>', description: '<i>', fields: ['name', 'email'] });
    const answer = await it.send({ amount: '"><script>', name: '<script>', email: '' });
    expect(answer.text).not.toMatch(/<b>x|<i>|<script>/);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('is in the customer’s language, and keeps the one that was switched to', async () => {
    const it = await opened();
    expect((await it.page('', { 'accept-language': 'de' })).text).toContain('>Bezahlen<');
    expect((await it.page('?lang=fr')).text).toContain('>Payer<');
    expect((await it.send({ lang: 'fr' })).headers.get('location')).toEndWith('?lang=fr');
  });

  test('has QR codes of its address, and its picture', async () => {
    const it = await opened({ ...PLAN, picture: Buffer.from(GREEN_PNG).toString('base64') });
    const get = (file: string) => it.server.handle(new Request(`http://localhost${it.path}/${file}`));
    const svg = await (await get('qr.svg')).text();
    expect(svg).toStartWith('<svg');
    const png = await (await get('qr.png')).bytes();
    const { data, width, height } = PNG.sync.read(Buffer.from(png));
    expect(jsQr(new Uint8ClampedArray(data), width, height)?.data).toBe(it.link.url);
    const picture = await get('picture');
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await picture.arrayBuffer()).equals(Buffer.from(GREEN_PNG))).toBe(true);
    expect(elementsOf((await it.page()).text, 'img.picture')[0]?.attributes.src).toBe(`${it.path}/picture`);
    const { picture_url, qr_svg_url, qr_png_url } = it.link;
    for (const url of [picture_url, qr_svg_url, qr_png_url])
      expect([url, (await it.call('GET', new URL(url).pathname, { key: null })).status]).toEqual([url, 200]);
  });

  test('is in a frame only where the brand allows the origin', async () => {
    const it = await opened();
    const closed = (await it.page('?frame=1')).headers;
    expect(closed.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(closed.get('x-frame-options')).toBe('DENY');
    const frameAncestors = ['https://shop.example'];
    await changeBrand(it.dependencies)(it.merchant.id, { clears: false, frameAncestors });
    const open = await it.page('?frame=1');
    expect(open.headers.get('content-security-policy')).toContain('frame-ancestors https://shop.example');
    expect(open.headers.get('x-frame-options')).toBeNull();
    expect(elementsOf(open.text, 'form')[0]?.attributes.target).toBe('_top');
    expect(elementsOf((await it.page()).text, 'form')[0]?.attributes.target).toBeUndefined();
    // a form without that would open the checkout in the frame, where browsers do not show it
    const [, switched] = elementsOf(open.text, '.languages a').map(({ attributes }) => attributes.href ?? '');
    const { text } = await it.call('GET', switched?.replaceAll('&amp;', '&') ?? '', { key: null });
    expect(elementsOf(text, 'html')[0]?.attributes.lang).toBe('ar');
    expect(elementsOf(text, 'form')[0]?.attributes.target).toBe('_top');
  });
});

describe('a link takes no payments', () => {
  test('when it is switched off, when its time is over, and when its merchant is barred', async () => {
    const expiresAt = Math.floor(harnessClock.now().getTime() / 1000) + 60;
    const it = await opened({ ...PLAN, expires_at: expiresAt, extra: 'plan' });
    await changeBrand(it.dependencies)(it.merchant.id, { clears: false, support: 'help@shop.example' });
    expect(elementsOf((await it.page()).text, '.contact')).toEqual([]);
    await it.change({ active: false });
    const answers = [await it.page(), await it.send()];
    await it.change({ active: true });
    expect((await it.page()).status).toBe(200);
    harnessClock.advance(60);
    answers.push(await it.page(), await it.send());
    for (const { status, text } of answers) {
      expect(status).toBe(410);
      expect(wordsOf(text)).toContain('This link is closed');
      expect(elementsOf(text, 'form')).toEqual([]);
      expect(elementsOf(text, '.contact a')[0]?.attributes.href).toBe('mailto:help@shop.example');
      expect(wordsOf(text)).toContain('Order referenceplan');
    }
    expect(await it.invoices()).toEqual([]);
    const barred = await opened(PLAN);
    await changeMerchant(barred.dependencies)(barred.merchant.id, { status: 'rejected' });
    for (const { status, text } of [await barred.page(), await barred.send()]) {
      expect(status).toBe(410);
      expect(wordsOf(text)).toContain('This link is closed');
    }
  });

  test('when its stock is taken; a payment that never came gives it back', async () => {
    const it = await opened({ ...PLAN, stock: 2 });
    expect(wordsOf((await it.page()).text)).toContain('2 left');
    await it.send();
    await it.simulate('success');
    expect(wordsOf((await it.page()).text)).toContain('1 left');
    await it.send();
    const soldOut = await it.send();
    expect(soldOut.status).toBe(410);
    expect(wordsOf(soldOut.text)).toContain('Sold out');
    const [waiting] = await it.invoices();
    await it.call('POST', `/api/v2/invoices/${waiting.order_id}/cancel`, { key: it.sandboxKey });
    expect(wordsOf((await it.page()).text)).toContain('1 left');
  });

  test('beyond its stock, however many customers come at once', async () => {
    const it = await opened({ ...PLAN, stock: 3 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => it.send()));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(3);
    const alive = (await it.invoices()).filter(({ status }: { status: string }) => status === 'created');
    expect(alive).toHaveLength(3);
  });

  test('below the least that can be paid, or while no rate is known', async () => {
    const it = await opened({ title: 'Tea' });
    const small = await it.send({ amount: '0.01' });
    expect([small.status, wordsOf(small.text).includes('too small')]).toEqual([422, true]);
  });
});

describe('strangers', () => {
  async function choose({ call }: Awaited<ReturnType<typeof opened>>, paymentUrl: string) {
    const path = `${new URL(paymentUrl).pathname}/currency`;
    const { status } = await call('POST', path, { key: null, body: 'asset=usdt_tron', headers: FORM });
    expect(status).toBe(303);
  }

  test('L1: of one network open few invoices in a minute', async () => {
    const it = await opened(PLAN, { config: { rateLimitPerMinute: 1_000 } });
    const statuses: number[] = [];
    for (let nth = 0; nth < 12; nth += 1) statuses.push((await it.send()).status);
    expect(statuses).toEqual([...Array(10).fill(303), 429, 429]);
    expect(await it.invoices()).toHaveLength(10);
    expect((await it.page()).status).toBe(200);
  });

  test('L1: who open many invoices do not close the link, since the oldest without a currency ends', async () => {
    const it = await opened();
    const waiting = async (): Promise<number> =>
      (await it.call('GET', '/api/v2/invoices?status=created', { key: it.sandboxKey })).json.pagination.total;
    // One that is paid does not count, and the oldest one stays, since its customer has chosen.
    await it.send();
    await it.simulate('success');
    await it.send();
    await choose(it, (await it.invoices())[0].payment_url);
    const answers = await Promise.all(Array.from({ length: OPEN_PER_LINK - 2 }, () => it.send()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    for (let more = 0; more < 2; more += 1) {
      expect((await it.send()).status).toBe(303);
      expect(await waiting()).toBe(OPEN_PER_LINK);
    }
    for (let page = 1; page <= 2; page += 1) {
      const query = `/api/v2/invoices?status=created&per_page=100&page=${page}`;
      const { result } = (await it.call('GET', query, { key: it.sandboxKey })).json;
      await Promise.all(result.map(({ payment_url }: { payment_url: string }) => choose(it, payment_url)));
    }
    const busy = await it.send();
    expect([busy.status, wordsOf(busy.text).includes('Too many requests')]).toEqual([429, true]);
  });

  test('L1: who open many invoices do not end one whose customer has just chosen', async () => {
    const it = await opened();
    await it.send();
    const [invoice] = await it.invoices();
    await choose(it, invoice.payment_url);
    const { queries } = it.dependencies;
    // What was read before the customer chose.
    const stale: typeof queries = {
      ...queries,
      openOfLink: async () => OPEN_PER_LINK,
      oldestUnchosen: async () => invoice.order_id,
    };
    const found = await queries.paymentLinkBySlug(it.link.slug);
    if (found === null) throw new Error('there is no such link');
    const open = openLink({
      ...{ clock: harnessClock, queries: stale, createInvoice: it.application.createInvoice },
      cancelInvoice: cancelInvoice(it.dependencies),
    });
    const order = { enteredMicros: null, tipPercent: 0n, answers: {}, language: 'en', linkUrl: it.link.url };
    expect(await open(found, order)).toMatchObject({ error: { why: 'busy' } });
    expect((await it.invoices())[0].status).toBe('created');
  });

  test('L1: make the database count no paid invoices of a link without stock', async () => {
    const asked: string[] = [];
    const counted = (stock: number | null) => {
      const queries = {
        openOfLink: async () => 0,
        async takenOfLink(linkId: string) {
          asked.push(linkId);
          return 0;
        },
      };
      return linkStanding({ clock: harnessClock, queries: queries as never })({
        link: { id: String(stock), stock, active: true, expiresAt: null, sandbox: true } as never,
        merchant: aMerchant(),
      });
    };
    expect(await counted(null)).toMatchObject({ state: 'open', left: null });
    expect(await counted(3)).toMatchObject({ state: 'open', left: 3 });
    expect(asked).toEqual(['3']);
  });

  test('cannot send the form from another site', async () => {
    const it = await opened();
    expect((await it.send({}, { ...FORM, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(await it.invoices()).toEqual([]);
  });

  test('find no page under another name', async () => {
    const it = await opened();
    for (const slug of ['nothing', 'NO', '%00', 'a', 'x'.repeat(100)])
      for (const file of ['', '/qr.svg', '/qr.png', '/picture'])
        expect([slug, (await it.call('GET', `/l/${slug}${file}`, { key: null })).status]).toEqual([
          slug,
          404,
        ]);
  });
});
