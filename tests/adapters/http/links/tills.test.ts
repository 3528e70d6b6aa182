/** The page of a till: tips, its last payments, and who is led back to it. */
import { describe, expect, test } from 'bun:test';
import { elementsOf, wordsOf } from '../../../support/http/checkout-page.ts';
import { harnessClock, stageHarness } from '../../../support/http/http-harness.ts';
import { opened } from '../../../support/http/opened-link.ts';

stageHarness();

const TILL = { title: 'Corner shop', mode: 'point_of_sale', fiat_currency: 'EUR', tips: [5, 10] };

describe('a till', () => {
  test('adds the tip that was chosen, and none that it does not offer', async () => {
    const it = await opened(TILL);
    expect((await it.send({ amount: '9.99', tip: '10' })).status).toBe(303);
    const [invoice] = await it.invoices();
    expect(invoice).toMatchObject({ initial_fiat_amount: 10.99, metadata: { tip: '1' } });
    for (const tip of ['15', '-5', 'x', '1000'])
      expect((await it.send({ amount: '9', tip })).status).toBe(422);
  });

  test('shows its last payments, which other links do not', async () => {
    const it = await opened(TILL);
    expect(wordsOf((await it.page()).text)).toContain('Payments of the last day appear here.');
    await it.send({ amount: '10' });
    await it.simulate('success');
    await it.send({ amount: '7' });
    const { text } = await it.page();
    expect(wordsOf(text)).toMatch(/€7\.00 Waiting for your payment.*€10\.00 Paid/);
    harnessClock.advance(2 * 86_400);
    expect(wordsOf((await it.page()).text)).toContain('Payments of the last day appear here.');
    const shop = await opened();
    await shop.send();
    expect(wordsOf((await shop.page()).text)).not.toContain('Last payments');
  });

  test('L4: leads back the browser that has opened it, and shows its URL to nobody else', async () => {
    const it = await opened({ ...TILL, fields: ['email'] });
    const given = (await it.page()).headers.get('set-cookie') ?? '';
    expect(given).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
    const [cookie = ''] = given.split(';');
    const path =
      (await it.send({ amount: '10', email: 'ann@customer.example' })).headers.get('location') ?? '';
    const seen = async (headers: Record<string, string>) =>
      (await it.call('GET', path, { key: null, headers })).text;
    const led = async (headers: Record<string, string>) =>
      elementsOf(await seen(headers), 'a[data-redirect]').map(({ attributes }) => attributes.href);
    for (const status of ['created', 'success']) {
      if (status === 'success') await it.simulate(status);
      expect([status, await led({ cookie: `x=1; ${cookie}` })]).toEqual([status, [it.link.url]]);
      for (const strange of ['', cookie.replace(it.link.id, '0190f3a1b2c30a1b2c3d4e71'), `${cookie}"><b>`])
        expect([strange, (await seen({ cookie: strange })).includes(it.link.slug)]).toEqual([strange, false]);
    }
    const [invoice] = await it.invoices();
    expect(JSON.stringify(invoice)).not.toContain(it.link.slug);
  });

  test('sets no cookie on other links, and leads where the merchant wants', async () => {
    expect((await (await opened()).page()).headers.get('set-cookie')).toBeNull();
    const it = await opened({ ...TILL, success_url: 'https://shop.example/thanks' });
    const { headers } = await it.page();
    const path = (await it.send({ amount: '10' })).headers.get('location') ?? '';
    await it.simulate('success');
    const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
    const { text } = await it.call('GET', path, { key: null, headers: { cookie } });
    expect(elementsOf(text, 'a[data-redirect]')[0]?.attributes.href).toBe('https://shop.example/thanks');
  });
});
