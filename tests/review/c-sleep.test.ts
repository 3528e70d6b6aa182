/**
 * A phone that slept: the clock of `performance` stands still meanwhile (Chrome on Android, Linux and macOS; W3C hr-time issue 115), the
 * time to pay does not. Here the service's clock goes on by 50 minutes and the browser's monotonic clock does not.
 */
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

  test('tells how much time is left when its reader comes back after the device slept', async () => {
    const invoice = await shop.invoice({ asset: 'usdt_ethereum' });
    const page = await stage.visitor();
    await page.addInitScript(
      `window.slept = 0; const now = Date.now.bind(Date); Date.now = () => now() + window.slept;`,
    );
    await page.goto(invoice.payment_url);
    await sees(page, 'waiting');
    const left = page.locator('[role="timer"]');
    expect(await left.textContent()).toMatch(/^(59|1:00):/);
    shop.clock.advance(3_000);
    await page.evaluate(`window.slept = 3_000_000; document.dispatchEvent(new Event('visibilitychange'))`);
    await page.waitForTimeout(4_000);
    expect(await left.textContent()).toMatch(/^(9|09|10):/);
  });
});
