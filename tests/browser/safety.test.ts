/**
 * What merchants write stays text (safety.md, "Hostile input"), and who lets no script run can pay
 * all the same.
 */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { openDatabase } from '../../src/adapters/postgres/client/client.ts';
import { changeBrand } from '../../src/app/merchants/manage-brand.ts';
import { choose, sees } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { scanned } from '../support/browser/qr.ts';
import { shoot } from '../support/browser/screenshots.ts';
import { stageShop } from '../support/browser/shop.ts';
import { GREEN_PNG } from '../support/http/pictures.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { silentLogger } from '../support/runtime/silent-logger.ts';

const RUN = 'window.ran = true';
const EVIL_TITLE = `</title></h1><script>${RUN}</script><img src=x onerror="${RUN}">`;
const EVIL_TEXT = `<svg onload="${RUN}"><a href="javascript:${RUN}">pay here</a><iframe src="//evil.example"></iframe>
<form action="https://evil.example"><input name=q></form><meta http-equiv=refresh content="0;url=//evil.example">
<base href="//evil.example/"><link rel=stylesheet href="//evil.example/x.css">{{constructor.constructor('${RUN}')()}}\${${RUN}}`;
const EVIL_URLS = [
  `javascript:${RUN}`,
  ` java\tscript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  '//evil.example/',
  'https:\\\\evil.example/',
  'https://evil.example\n/',
  'file:///etc/passwd',
];

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('the checkout', () => {
  const on = stageShop();
  const { stage } = on;

  async function isInert(page: Page): Promise<void> {
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(page.url()).toStartWith(on.shop.it.url);
    for (const element of ['img', 'iframe', 'meta', 'base', 'link', 'script', 'style', 'object', 'embed'])
      expect([element, await page.locator(`main ${element}`).count()]).toEqual([element, 0]);
    const links = await page
      .locator('a, form, area')
      .evaluateAll((elements) =>
        elements.map((element) => element.getAttribute('href') ?? element.getAttribute('action') ?? ''),
      );
    for (const link of links)
      expect(link).not.toMatch(/^\s*(?:javascript|data|vbscript|blob|file):|evil\.example/i);
  }

  test('title, description and the name of the brand stay text, in every way that the page shows them', async () => {
    const brand = await changeBrand(on.shop.it.service.dependencies)(on.shop.merchant.id, {
      clears: true,
      name: `"><script>${RUN}</script><img src=x>`,
      accent: '#0a7d4f',
      logo: { type: 'image/png', bytes: GREEN_PNG },
    });
    const invoice = await on.shop.invoice({ sandbox: true, title: EVIL_TITLE, description: EVIL_TEXT });
    const page = await stage.visitor();
    await page.goto(invoice.payment_url);
    await sees(page, 'choose');
    expect(await page.locator('main h1').textContent()).toBe(EVIL_TITLE);
    expect(await page.title()).toContain(EVIL_TITLE);
    expect(await page.locator('main').textContent()).toContain(
      "{{constructor.constructor('window.ran = true')()}}",
    );
    expect(await page.locator('header').textContent()).toContain('<script>');
    await isInert(page);
    // the update of an open page puts what the server sends into the document
    await choose(page, 'usdt_tron');
    await on.shop.simulate(invoice, 'partially_paid');
    await sees(page, 'partial');
    expect(await page.locator('main h1').textContent()).toBe(EVIL_TITLE);
    await isInert(page);
    const logo = page.locator('header img');
    expect(await logo.evaluate((image) => 'naturalWidth' in image && image.naturalWidth)).toBe(30);
    expect(await logo.getAttribute('src')).toEndWith(
      `/assets/logo/${brand.ok ? brand.value.logoDigest : ''}`,
    );
    await shoot(page, 'hostile');
    await changeBrand(on.shop.it.service.dependencies)(on.shop.merchant.id, { clears: true });
  });

  test('no link leads to what is no web address, even where it got into the database', async () => {
    const paid = await on.shop.invoice({ sandbox: true, asset: 'btc_bitcoin' });
    const expired = await on.shop.invoice({ sandbox: true, asset: 'btc_bitcoin' });
    await on.shop.simulate(paid, 'success');
    await on.shop.simulate(expired, 'expired');
    const page = await stage.visitor();
    const database = openDatabase({ url: on.shop.it.databaseUrl, poolSize: 1, logger: silentLogger });
    for (const url of EVIL_URLS) {
      await database.query('update invoices set on_paid_url = $1, on_cancel_url = $1', [url]);
      for (const { payment_url: address } of [paid, expired]) {
        await page.goto(address);
        await page.locator('main[data-status="paid"], main[data-status="expired"]').waitFor();
        expect([url, await page.locator('a[data-redirect]').count()]).toEqual([url, 0]);
        await isInert(page);
      }
    }
    await database.close();
  });

  test('without script the currency is chosen by form, the code is there, and a reload tells the status', async () => {
    const invoice = await on.shop.invoice();
    const page = await stage.visitor({ javaScriptEnabled: false });
    await page.goto(invoice.payment_url);
    await sees(page, 'choose');
    await choose(page, 'eth_ethereum');
    await choose(page, 'usdt_ethereum');
    const path = `/api/v2/invoices/${invoice.order_id}`;
    const { address_to: address } = (await on.shop.it.call(on.shop.merchant.live, 'GET', path)).body.result;
    const text = async (field: string) =>
      (await page.locator(`[data-field="${field}"] code`).textContent())?.replace(/\s/g, '');
    expect(await text('address')).toBe(address);
    expect(await text('amount')).toBe('25.25USDT');
    expect(await scanned(page)).toContain(`address=${address}&uint256=25250000`);
    expect(await page.locator('[data-copy]:visible').count()).toBe(0);
    await shoot(page, 'without-script');

    await on.shop.pay({ address_to: address }, '25.25');
    await page.reload();
    await sees(page, 'seen');
    await on.shop.mine();
    await page.reload();
    await sees(page, 'paid');
    expect(await page.locator('a[data-redirect]').getAttribute('href')).toBe(`${on.shop.site}/thanks`);
  });
});
