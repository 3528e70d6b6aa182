/** Payment links as customers and tills meet them, from the page of the link to the checkout. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations } from '../support/browser/axe.ts';
import { choose, sees, sticksOut } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { shoot } from '../support/browser/screenshots.ts';
import { stageShop } from '../support/browser/shop.ts';
import { DESKTOP, PHONE } from '../support/browser/stage.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('a payment link', () => {
  const on = stageShop();
  const { stage } = on;

  async function link(body: object): Promise<{ readonly path: string }> {
    const { it, merchant } = on.shop;
    const answer = await it.call(merchant.live, 'POST', '/api/v2/links', body);
    return { path: `${it.url}/l/${answer.body.result.slug}` };
  }
  async function looksRight(page: Page, name: string): Promise<void> {
    for (const [screen, viewport, colorScheme] of [
      ['phone', PHONE, 'light'],
      ['desktop', DESKTOP, 'dark'],
    ] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      expect([screen, await violations(page), await sticksOut(page)]).toEqual([screen, [], []]);
      await shoot(page, `link-${name}-${screen}-${colorScheme}`);
    }
  }

  test('of a donation is filled in, and leads to a checkout of that amount', async () => {
    const donation = { title: 'Keep us going', mode: 'donation', suggested_amounts: [5, 10], min_amount: 1 };
    const { path } = await link({ ...donation, fields: ['name', 'note'] });
    const page = await stage.regular();
    await page.goto(path);
    await looksRight(page, 'donation');
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
    await looksRight(page, 'till');
    await page.locator('button.main').click();
    await sees(page, 'choose');
    await page.goto(`${path}?lang=ar`);
    expect(await page.locator('.last li').count()).toBe(1);
    await looksRight(page, 'till-ar');
  });
});
