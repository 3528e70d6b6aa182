/** The receipt as it is looked at and printed. */
import { describe, expect, test } from 'bun:test';
import { getDocumentProxy } from 'unpdf';
import { violations } from '../support/browser/axe.ts';
import { sees, sticksOut } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { shoot } from '../support/browser/screenshots.ts';
import { stageShop } from '../support/browser/shop.ts';
import { DESKTOP, PHONE } from '../support/browser/stage.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';

const WHITE = 'rgb(255, 255, 255)';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('the receipt', () => {
  const on = stageShop();
  const { stage } = on;

  test('is a link away from the paid page, white in dark colours, and prints on A4 and on a roll', async () => {
    const made = await on.shop.invoice({ asset: 'usdt_ethereum' });
    await on.shop.pay(made, '25.25');
    await on.shop.mine();
    const page = await stage.regular();
    await page.goto(made.payment_url);
    await sees(page, 'paid');
    await page.locator('a[href$="/receipt"]').click();
    await page.waitForSelector('article.paper');
    const paper = () => page.evaluate("getComputedStyle(document.querySelector('.paper')).backgroundColor");

    for (const [name, viewport, colorScheme] of [
      ['phone-light', PHONE, 'light'],
      ['desktop-dark', DESKTOP, 'dark'],
    ] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      expect([name, await paper(), await sticksOut(page)]).toEqual([name, WHITE, []]);
      expect(await violations(page)).toEqual([]);
      await shoot(page, `receipt-${name}`);
    }

    const printed = async () => {
      const bytes = await page.pdf({ preferCSSPageSize: true });
      const document = await getDocumentProxy(new Uint8Array(bytes));
      const [, , width = 0] = (await document.getPage(1)).view;
      return { pages: document.numPages, millimetres: Math.round((width / 72) * 25.4) };
    };
    expect(await printed()).toEqual({ pages: 1, millimetres: 210 });
    await page.locator('a[href*="paper=roll"]').first().click();
    await page.waitForSelector('main.roll');
    await shoot(page, 'receipt-roll');
    expect(await printed()).toEqual({ pages: 1, millimetres: 80 });
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.tools').isVisible()).toBe(false);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(WHITE);
    await page.emulateMedia({ media: null });
  });

  test('is downloaded as a PDF, and its button prints', async () => {
    const made = await on.shop.invoice({ asset: 'usdt_ethereum' });
    await on.shop.pay(made, '25.25');
    await on.shop.mine();
    const page = await stage.visitor();
    await page.goto(`${made.payment_url}/receipt?lang=ar`);
    await page.evaluate('window.print = () => { window.printed = true; }');
    await page.locator('button[data-print]').click();
    expect(await page.evaluate('window.printed')).toBe(true);
    expect(await sticksOut(page)).toEqual([]);
    await shoot(page, 'receipt-ar');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('a[download]').click(),
    ]);
    expect(download.suggestedFilename()).toBe(`receipt-${made.order_id}.pdf`);
  });
});
