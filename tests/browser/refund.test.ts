/** A refund as its customer meets it, from the link to the payout. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { changeBrand } from '../../src/app/merchants/manage-brand.ts';
import { sees } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { looksRight } from '../support/browser/matrix.ts';
import { stageShop } from '../support/browser/shop.ts';
import { anAddress } from '../support/builders.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('a refund', () => {
  const on = stageShop();
  const { stage } = on;

  const at = (page: Page, stageName: string) => page.locator(`main[data-refund="${stageName}"]`).waitFor();

  /** A refund of a surplus, and the checkout that leads to it. */
  async function offered(): Promise<{ readonly checkout: string; withdraw(): Promise<void> }> {
    const { it, merchant } = on.shop;
    const call = (method: 'POST' | 'DELETE', path: string, body?: object) =>
      it.call(merchant.sandbox, method, `/api/v2/${path}`, body);
    const invoice = await on.shop.invoice({ sandbox: true, asset: 'usdt_ethereum', extra: 'order-4711' });
    await on.shop.simulate(invoice, 'paid_over');
    const terms = { only_surplus: true, on_checkout: true };
    const offer = await call('POST', `invoices/${invoice.order_id}/refunds`, terms);
    expect(offer.body.error).toBeUndefined();
    return {
      checkout: invoice.payment_url,
      async withdraw() {
        expect((await call('DELETE', `refunds/${offer.body.result.id}`)).status).toBe(200);
      },
    };
  }

  test('is claimed from the checkout, and looks right in every state', async () => {
    const { it } = on.shop;
    const { checkout } = await offered();
    const page = await stage.regular();
    await page.goto(checkout);
    await sees(page, 'over');
    await page.locator('a[href$="/refund"]').click();
    await at(page, 'enter');
    const claim = page.url();
    await page.goto(`${claim}?lang=ar`);
    await looksRight(page, 'refund-enter-ar');
    await page.goto(claim);
    await looksRight(page, 'refund-enter');
    // in the reader's zone, as on the checkout
    expect(await page.locator('time').first().textContent()).not.toContain('UTC');
    await page.locator('input[name="address"]').fill('0x0');
    await page.locator('button.main').click();
    await page.locator('.problem').waitFor();
    await looksRight(page, 'refund-refused');
    expect(stage.faults()).toEqual([expect.stringContaining('422')]);
    const to = anAddress();
    await page.locator('input[name="address"]').fill(to);
    await page.locator('button.main').click();
    await at(page, 'check');
    await looksRight(page, 'refund-check');
    expect(await page.locator('main').textContent()).toContain(to);
    await page.locator('button.main').click();
    await page.locator('main[data-refund="confirmed"], main[data-refund="sent"]').waitFor();
    await looksRight(page, 'refund-confirmed');
    await it.settle();
    await it.settle();
    await page.reload();
    await at(page, 'paid');
    await looksRight(page, 'refund-paid');
    await page.goto(`${page.url()}?lang=ar`);
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    await looksRight(page, 'refund-paid-ar');
  });

  test('is claimed without a script, at another address after a change of mind', async () => {
    const { it } = on.shop;
    const { checkout } = await offered();
    const page = await stage.visitor({ javaScriptEnabled: false });
    await page.goto(`${checkout}/refund`);
    const enter = async (address: string) => {
      await page.locator('input[name="address"]').fill(address);
      await page.locator('button.main').click();
      await at(page, 'check');
      await page.locator('button.main').click();
      await at(page, 'confirmed');
    };
    await enter(anAddress());
    await page.locator('a[href*="change=1"]').click();
    await at(page, 'enter');
    const to = anAddress();
    await enter(to);
    await it.settle();
    await it.settle();
    await page.locator('a.button:not(.quiet)').click();
    await at(page, 'paid');
    expect(await page.locator('main').textContent()).toContain(to);
  });

  test('that is over says whom to ask', async () => {
    const { it, merchant } = on.shop;
    await changeBrand(it.service.dependencies)(merchant.id, { clears: false, support: 'help@shop.example' });
    const { checkout, withdraw } = await offered();
    const page = await stage.regular();
    await page.goto(checkout);
    await page.locator('a[href$="/refund"]').click();
    await at(page, 'enter');
    await withdraw();
    for (const language of ['en', 'ar']) {
      await page.goto(`${page.url().split('?')[0]}?lang=${language}`);
      await at(page, 'over');
      expect(await page.locator('.contact a[href="mailto:help@shop.example"]').isVisible()).toBe(true);
      expect(await page.locator('.contact code').textContent()).toBe('order-4711');
      expect(await page.locator('.contact [data-copy]').isVisible()).toBe(true);
      await looksRight(page, `refund-over-${language}`);
    }
    // the browser itself tells of the answer's status
    expect(stage.faults().filter((fault) => !fault.includes('410'))).toEqual([]);
  });
});
