/** "Whoever comes back to the page is not sent away" (client/leaving.ts): also when the customer left by hand. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sees } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { openShop, type Shop } from '../support/browser/shop.ts';
import { stageBrowser } from '../support/browser/stage.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('a paid checkout', () => {
  const stage = stageBrowser();
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
    stage.allow(shop.it.url);
    stage.allow(shop.site);
  });
  afterAll(() => shop?.close());

  test('that was left by its button may be looked at again', async () => {
    const invoice = await shop.invoice({ sandbox: true, asset: 'usdt_ethereum' });
    await shop.simulate(invoice, 'success');
    const page = await stage.visitor();
    await page.goto(invoice.payment_url);
    await sees(page, 'paid');
    await page.locator('a[data-redirect]').click();
    await page.waitForURL(`${shop.site}/thanks`);
    await page.goBack();
    await sees(page, 'paid');
    await page.waitForTimeout(7_000);
    expect(page.url()).toBe(invoice.payment_url);
  });

  test('whose countdown was stopped stays, also in another language', async () => {
    const invoice = await shop.invoice({ sandbox: true, asset: 'usdt_ethereum' });
    await shop.simulate(invoice, 'success');
    const page = await stage.visitor();
    await page.goto(invoice.payment_url);
    await sees(page, 'paid');
    await page.locator('#stay').click();
    await page.goto(`${invoice.payment_url}?lang=de`);
    await sees(page, 'paid');
    await page.waitForTimeout(7_000);
    expect(page.url()).toBe(`${invoice.payment_url}?lang=de`);
  });
});
