/** Payment links as customers and tills meet them, from the page of the link to the checkout. */
import { describe, expect, test } from 'bun:test';
import { changeBrand } from '../../src/app/merchants/manage-brand.ts';
import { violations } from '../support/browser/axe.ts';
import { choose, sees } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { looksRight } from '../support/browser/matrix.ts';
import { stageShop } from '../support/browser/shop.ts';
import { GREEN_PNG } from '../support/http/pictures.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { until } from '../support/runtime/poll.ts';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('a payment link', () => {
  const on = stageShop({ leadsBack: true });
  const { stage } = on;

  async function link(body: object): Promise<{ readonly path: string }> {
    const { it, merchant } = on.shop;
    const answer = await it.call(merchant.live, 'POST', '/api/v2/links', body);
    return { path: `${it.url}/l/${answer.body.result.slug}` };
  }
  const picture = Buffer.from(GREEN_PNG).toString('base64');
  const PLAN = { title: 'Annual plan', amount: 25, fields: ['name', 'email', 'note'] };

  test('of a donation is filled in, and leads to a checkout of that amount', async () => {
    const donation = { title: 'Keep us going', mode: 'donation', suggested_amounts: [5, 10], min_amount: 1 };
    const { path } = await link({ ...donation, fields: ['name', 'note'] });
    const page = await stage.regular();
    await page.goto(path);
    await looksRight(page, 'link-donation');
    await page.goto(`${path}?lang=ar`);
    await looksRight(page, 'link-donation-ar');
    await page.goto(path);
    await page.locator('input[name="suggested"][value="10"]').check();
    await page.locator('input[name="name"]').fill('Ann');
    await page.locator('button.main').click();
    await sees(page, 'choose');
    await choose(page, 'usdt_ethereum');
    expect(await page.locator('.price').textContent()).toContain('$10');
  });

  test('of a till has keys that write the amount, and shows what was opened', async () => {
    const { path } = await link({ title: 'Till', mode: 'point_of_sale', tips: [10] });
    const page = await stage.regular();
    await page.goto(path);
    for (const key of ['9', '.', '5', '0'])
      await page.locator(`[data-keypad] button[value="${key}"]`).click();
    expect(await page.locator('input[name="amount"]').inputValue()).toBe('9.50');
    await page.locator('input[name="tip"][value="10"]').check();
    await looksRight(page, 'link-till');
    await page.locator('button.main').click();
    await sees(page, 'choose');
    await page.goto(`${path}?lang=ar`);
    expect(await page.locator('.last li').count()).toBe(1);
    await looksRight(page, 'link-till-ar');
    // No page that reads from the left shows the list, so that all rules are asked of it here.
    expect(await violations(page)).toEqual([]);
  });

  test('of a fixed amount shows picture, questions and stock, and the way to the merchant once it is closed', async () => {
    const { it, merchant } = on.shop;
    await changeBrand(it.service.dependencies)(merchant.id, { clears: false, support: 'help@shop.example' });
    const open = await link({ ...PLAN, description: 'Twelve months', picture, stock: 3 });
    const closed = await link({ ...PLAN, active: false });
    const page = await stage.regular();
    for (const language of ['en', 'ar']) {
      await page.goto(`${open.path}?lang=${language}`);
      await looksRight(page, `link-payment-${language}`);
      await page.goto(`${closed.path}?lang=${language}`);
      await looksRight(page, `link-closed-${language}`);
      expect(await page.locator('.contact a[href="mailto:help@shop.example"]').isVisible()).toBe(true);
      expect(await page.locator('.contact [data-copy]').isVisible()).toBe(true);
    }
    // the browser itself tells of the answer's status
    expect(stage.faults().filter((fault) => !fault.includes('410'))).toEqual([]);
  });

  test('is paid without a script', async () => {
    const { path } = await link(PLAN);
    const till = await link({ title: 'Till', mode: 'point_of_sale' });
    const page = await stage.visitor({ javaScriptEnabled: false });
    await page.goto(path);
    await page.locator('input[name="name"]').fill('Ann');
    await page.locator('input[name="email"]').fill('ann@customer.example');
    await page.locator('button.main').click();
    await sees(page, 'choose');
    await choose(page, 'usdt_ethereum');
    const address = (await page.locator('[data-field="address"] code').textContent()) ?? '';
    await on.shop.pay({ address_to: address }, '25.25');
    await on.shop.mine();
    await page.reload();
    await sees(page, 'paid');

    await page.goto(till.path);
    expect(await page.locator('[data-keypad]').isVisible()).toBe(false);
    await page.locator('input[name="amount"]').fill('9.50');
    await page.locator('button.main').click();
    await sees(page, 'choose');
  });

  test('stands in a frame where the brand allows it, and is paid in the whole window', async () => {
    const { it, merchant, site } = on.shop;
    const brand = changeBrand(it.service.dependencies);
    const { path } = await link({ title: 'Annual plan', amount: 25 });
    const page = await stage.visitor();
    const framed = async () => {
      await page.goto(`${site}/thanks`);
      await page.evaluate(
        `document.body.innerHTML = '<iframe src="${path}?frame=1" width="380" height="620">'`,
      );
      return page.frameLocator('iframe');
    };
    await framed();
    await until('the browser refuses', 5_000, async () => {
      const faults = stage.faults();
      return faults.length > 0 && faults.every((fault) => fault.includes('frame-ancestors'));
    });
    await brand(merchant.id, { clears: false, frameAncestors: [site] });
    const frame = await framed();
    await frame.locator('#languages summary').click();
    await frame.locator('a[hreflang="de"]').click();
    await frame.getByRole('button', { name: 'Bezahlen' }).click();
    await sees(page, 'choose');
    expect(page.url()).toStartWith(`${it.url}/checkout/`);
    await brand(merchant.id, { clears: true });
  });
});
