/** A refund as its customer meets it, from the link to the payout. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations } from '../support/browser/axe.ts';
import { sees, sticksOut } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { shoot } from '../support/browser/screenshots.ts';
import { stageShop } from '../support/browser/shop.ts';
import { DESKTOP, PHONE } from '../support/browser/stage.ts';
import { anAddress } from '../support/builders.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('a refund', () => {
  const on = stageShop();
  const { stage } = on;

  async function looksRight(page: Page, name: string): Promise<void> {
    for (const [screen, viewport, colorScheme, query] of [
      ['phone', PHONE, 'light', ''],
      ['desktop', DESKTOP, 'dark', ''],
    ] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      expect([screen, await violations(page), await sticksOut(page)]).toEqual([screen, [], []]);
      await shoot(page, `refund-${name}-${screen}-${colorScheme}${query}`);
    }
  }
  const at = (page: Page, stageName: string) => page.locator(`main[data-refund="${stageName}"]`).waitFor();

  test('is claimed from the checkout without a script, and looks right in every state', async () => {
    const { it, merchant } = on.shop;
    const call = (method: 'POST' | 'GET', path: string, body?: object) =>
      it.call(merchant.sandbox, method, `/api/v2/${path}`, body);
    const created = await call('POST', 'invoices', {
      amount: 25,
      asset: 'usdt_ethereum',
      fiat_currency: 'USD',
    });
    const { order_id: id, payment_url: checkout } = created.body.result;
    await call('POST', `invoices/${id}/simulate`, { status: 'paid_over', send_webhook: false });
    const offered = await call('POST', `invoices/${id}/refunds`, { only_surplus: true, on_checkout: true });
    expect(offered.body.error).toBeUndefined();

    const page = await stage.regular();
    await page.goto(`${it.url}${new URL(checkout).pathname}`);
    await sees(page, 'over');
    await page.locator('a[href$="/refund"]').click();
    await at(page, 'enter');
    await looksRight(page, 'enter');
    await page.locator('input[name="address"]').fill('0x0');
    await page.locator('button.main').click();
    await page.locator('.problem').waitFor();
    await looksRight(page, 'refused');
    expect(stage.faults()).toEqual([expect.stringContaining('422')]);
    const to = anAddress();
    await page.locator('input[name="address"]').fill(to);
    await page.locator('button.main').click();
    await at(page, 'check');
    await looksRight(page, 'check');
    expect(await page.locator('main').textContent()).toContain(to);
    await page.locator('button.main').click();
    await page.locator('main[data-refund="confirmed"], main[data-refund="sent"]').waitFor();
    await looksRight(page, 'confirmed');
    await it.settle();
    await it.settle();
    await page.reload();
    await at(page, 'paid');
    await looksRight(page, 'paid');
    await page.goto(`${page.url()}?lang=ar`);
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    await looksRight(page, 'paid-rtl');
  });
});
