/** Where things stand: on small phones all that is needed to pay is in the first view. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../src/adapters/http/checkout/messages/languages.ts';
import { sees } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { stageShop } from '../support/browser/shop.ts';
import { DESKTOP } from '../support/browser/stage.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';

const SMALL_PHONES = [
  { width: 360, height: 740 },
  { width: 390, height: 844 },
];
const WALLET = 'a[data-wallet]';
const TO_PAY = ['#status', '[data-field="amount"] .copy', WALLET, '[data-field="address"] .copy'];

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('the layout of the checkout', () => {
  const on = stageShop();
  const { stage } = on;

  test.each([
    ['usdt_ethereum', TO_PAY, LANGUAGES],
    ['btc_bitcoin', TO_PAY, ['en', 'fa']],
    ['sol_solana', TO_PAY, ['en', 'ja']],
    ['usdt_ton', TO_PAY, ['en', 'de']],
    ['xrp_xrp', [...TO_PAY, '[data-field="tag"] .copy'], ['en', 'uk']],
    // only a bare address opens: no wallet
    ['usdt_tron', TO_PAY.filter((part) => part !== WALLET), ['en', 'hi']],
  ] as const)(
    'has status, amount, wallet and address of %s in the first view of a phone',
    async (asset, parts, languages) => {
      const { payment_url: url } = await on.shop.invoice({ asset });
      const page = await stage.regular();
      for (const language of languages) {
        await page.goto(`${url}?lang=${language}`);
        await sees(page, 'waiting');
        await areInView(page, parts, language);
      }
    },
  );

  test('has what is still to send in the first view of a phone after a part', async () => {
    const made = await on.shop.invoice({ asset: 'usdt_ethereum' });
    await on.shop.pay(made, '10.1');
    await on.shop.mine();
    const page = await stage.regular();
    for (const language of ['en', 'de', 'ar']) {
      await page.goto(`${made.payment_url}?lang=${language}`);
      await sees(page, 'partial');
      await areInView(page, TO_PAY, language);
    }
  });

  test('folds the QR code on a phone where a wallet opens, and shows it first on a desktop', async () => {
    const { payment_url: url } = await on.shop.invoice({ asset: 'usdt_ethereum' });
    const page = await stage.regular();
    await page.goto(url);
    await sees(page, 'waiting');
    const code = page.locator('.qr');
    expect(await code.isVisible()).toBe(false);
    await page.locator('#scan > summary').click();
    expect(await code.isVisible()).toBe(true);
    await page.reload();
    await sees(page, 'waiting');
    await page.setViewportSize(DESKTOP);
    expect(await code.isVisible()).toBe(true);
    expect(await top(page, '.qr')).toBeLessThan(await top(page, 'a[data-wallet]'));
  });

  test('lists all languages without a scroll to the side, on a phone held either way', async () => {
    const { payment_url: url } = await on.shop.invoice({ asset: 'usdt_ethereum' });
    const page = await stage.regular();
    await page.goto(url);
    await page.locator('#languages summary').click();
    for (const viewport of [...SMALL_PHONES, { width: 740, height: 360 }]) {
      await page.setViewportSize(viewport);
      const hidden = await page.evaluate(`(() => {
        const list = document.querySelector('.languages ul').getBoundingClientRect();
        return [...document.querySelectorAll('.languages a')].filter((link) => {
          const { left, right } = link.getBoundingClientRect();
          return left < list.left || right > list.right;
        }).map((link) => link.textContent);
      })()`);
      expect([viewport.width, hidden]).toEqual([viewport.width, []]);
    }
  });

  test('puts each mark beside its name, and breaks no word of a button into columns', async () => {
    const { payment_url: url } = await on.shop.invoice({ on_cancel_url: 'https://shop.example/' });
    const page = await stage.regular();
    await page.goto(url);
    await sees(page, 'choose');
    await page.setViewportSize({ width: 320, height: 640 });
    const apart = await page.evaluate(`[...document.querySelectorAll('.coins button')].filter((row) => {
      const [mark, name] = [row.querySelector('svg, .badge'), row.querySelector('.network')].map((part) => part.getBoundingClientRect());
      return mark.bottom <= name.top || mark.right > name.left;
    }).map((row) => row.value)`);
    expect(apart).toEqual([]);
    const columns = await page.evaluate(`[...document.querySelectorAll('.button')].filter((button) =>
      [...button.childNodes].filter((part) => part.nodeType === 3 ? part.data.trim() !== '' : part.tagName !== 'svg').length > 1
    ).map((button) => button.textContent)`);
    expect(columns).toEqual([]);
  });
});

/** On both phones, whole. */
async function areInView(page: Page, parts: readonly string[], language: string): Promise<void> {
  for (const viewport of SMALL_PHONES) {
    await page.setViewportSize(viewport);
    for (const part of parts) {
      const { y = 0, height = 0 } = (await page.locator(part).boundingBox()) ?? {};
      expect([language, part, height > 0, y + height <= viewport.height]).toEqual([
        ...[language, part, true, true],
      ]);
    }
  }
}

async function top(page: Page, selector: string): Promise<number> {
  return (await page.locator(selector).boundingBox())?.y ?? Number.NaN;
}
