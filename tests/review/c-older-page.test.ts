/** Two fetches of the page may be answered out of their order: the older must not take the place of the newer. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sees } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { openShop, type Shop } from '../support/browser/shop.ts';
import { stageBrowser } from '../support/browser/stage.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('an open checkout', () => {
  const stage = stageBrowser();
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
    stage.allow(shop.it.url);
    stage.allow(shop.site);
  });
  afterAll(() => shop?.close());

  test('that is paid at the end of its time stays paid', async () => {
    const invoice = await shop.invoice({ sandbox: true, asset: 'usdt_ethereum', on_paid_url: undefined });
    shop.clock.advance(3_597);
    const page = await stage.visitor();
    const { pathname } = new URL(invoice.payment_url);
    let release = (): void => undefined;
    let held = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => {
      held = resolve;
    });
    let fetches = 0;
    await page.route(
      (url) => url.pathname === pathname,
      async (route) => {
        if (route.request().resourceType() !== 'fetch') return route.continue();
        fetches += 1;
        if (fetches > 1) return route.continue();
        // The look that the countdown takes at its end: rendered now, and long on its way.
        shop.clock.advance(10);
        const response = await route.fetch();
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        held();
        await released;
        await route.fulfill({ response });
      },
    );
    await page.goto(invoice.payment_url);
    await isHeld;
    await shop.simulate(invoice, 'success');
    await sees(page, 'paid');
    release();
    await page.waitForTimeout(3_000);
    expect(await page.locator('main').getAttribute('data-status')).toBe('paid');
  });
});
