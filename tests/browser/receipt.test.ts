/** The receipt as it is looked at and printed. */
import { describe, expect, test } from 'bun:test';
import { getDocumentProxy } from 'unpdf';
import { sees } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { looksRight } from '../support/browser/matrix.ts';
import { keepPdf, shoot } from '../support/browser/screenshots.ts';
import { stageShop } from '../support/browser/shop.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';

const WHITE = 'rgb(255, 255, 255)';
const NONE = 'rgba(0, 0, 0, 0)';

/** The first sheet of a PDF, with the texts that are not whole on it. */
async function sheetOf(bytes: Uint8Array) {
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const page = await document.getPage(1);
  const [, , width = 0, height = 0] = page.view;
  const { items } = await page.getTextContent();
  const texts = items.flatMap((item) => ('str' in item && item.str.trim() !== '' ? [item] : []));
  expect(texts.length).toBeGreaterThan(10);
  const outside = texts.filter(({ transform: [, , , , x, y], width: own, height: high }) =>
    [x < 0, x + own > width + 1, y < 0, y + high > height].includes(true),
  );
  return {
    pages: document.numPages,
    millimetres: Math.round((width / 72) * 25.4),
    outside: outside.map(({ str }) => str),
  };
}

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
    const ground = (element: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${element}')).backgroundColor`);
    const receipt = page.url();
    for (const language of ['ar', 'en']) {
      await page.goto(`${receipt}?lang=${language}`);
      await looksRight(page, `receipt-${language}`);
      // in dark colours, which the last look was in
      expect(await ground('.paper')).toBe(WHITE);
    }

    for (const [paper, millimetres] of [
      ['a4', 210],
      ['roll', 80],
    ] as const) {
      await page.goto(`${receipt}?paper=${paper}`);
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('.tools').isVisible()).toBe(false);
      expect(await Promise.all(['html', 'body', 'main', '.paper'].map(ground))).toEqual([
        ...[NONE, WHITE, NONE, WHITE],
      ]);
      const bytes = new Uint8Array(await page.pdf({ preferCSSPageSize: true, printBackground: true }));
      await keepPdf(bytes, `receipt-printed-${paper}`);
      expect(await sheetOf(bytes)).toEqual({ pages: 1, millimetres, outside: [] });
      await page.emulateMedia({ media: null });
      await shoot(page, `receipt-${paper}`);
    }
  });

  test.each([
    ['a4', 210],
    ['roll', 80],
  ] as const)('has nothing outside its sheet as a PDF for %s', async (paper, millimetres) => {
    const made = await on.shop.invoice({ asset: 'usdt_ethereum', extra: 'order-4711' });
    await on.shop.pay(made, '25.26');
    await on.shop.mine();
    for (const language of ['en', 'de', 'ru', 'vi']) {
      const answer = await fetch(`${made.payment_url}/receipt.pdf?paper=${paper}&lang=${language}`);
      const bytes = await answer.bytes();
      await keepPdf(bytes, `receipt-pdf-${paper}-${language}`);
      expect([language, await sheetOf(bytes)]).toEqual([language, { pages: 1, millimetres, outside: [] }]);
    }
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
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('a[download]').click(),
    ]);
    expect(download.suggestedFilename()).toBe(`receipt-${made.order_id}.pdf`);
  });
});
