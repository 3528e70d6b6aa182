/**
 * The open page follows what happens, without being loaded again: time-outs, holds, simulated
 * payments; and it serves the keyboard.
 */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { openDatabase } from '../../src/adapters/postgres/client/client.ts';
import {
  choose,
  copied,
  currency,
  focus,
  remember,
  type Shown,
  sees,
  simulate,
  tabTo,
} from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { stageShop } from '../support/browser/shop.ts';
import { DESKTOP } from '../support/browser/stage.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { until } from '../support/runtime/poll.ts';
import { silentLogger } from '../support/runtime/silent-logger.ts';
import type { Json } from '../support/test-service.ts';

const USDT = { asset: 'usdt_ethereum' };

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('an open checkout', () => {
  const on = stageShop({ leadsBack: true });
  const { stage } = on;

  /** `frozen`: the page's own timers go only as far as the test runs them. */
  async function opened(body: Json, shown: Shown, { frozen = false } = {}) {
    const invoice = await on.shop.invoice(body);
    const page = await stage.visitor({ permissions: ['clipboard-read', 'clipboard-write'] });
    if (frozen) await page.clock.install({ time: on.shop.clock.now() });
    await page.goto(invoice.payment_url);
    await sees(page, shown);
    // after whatever the page waited for while it was loaded
    if (frozen) await page.clock.pauseAt(on.shop.clock.now().getTime() + 600_000);
    return { invoice, page, document: await remember(page) };
  }
  const back = (page: Page) => page.locator('a[data-redirect]');

  test('shows that the time is over, and leads back only when asked', async () => {
    const { page, document } = await opened(USDT, 'waiting');
    await on.shop.expire();
    await sees(page, 'expired');
    expect(await page.locator('.qr').count()).toBe(0);
    expect(await back(page).getAttribute('data-after')).toBeNull();
    expect(await document.stayed()).toBe(true);
    await back(page).click();
    await page.waitForURL(`${on.shop.site}/back`);
  });

  test('shows that the time is over for the rest of a payment', async () => {
    const { invoice, page, document } = await opened(USDT, 'waiting');
    await on.shop.pay(invoice, '10.1');
    await on.shop.mine();
    await sees(page, 'partial');
    await on.shop.expire();
    await sees(page, 'late');
    expect(await document.stayed()).toBe(true);
  });

  test('shows that a payment is under review, and offers neither to pay again nor to leave', async () => {
    const { invoice, page, document } = await opened(USDT, 'waiting');
    on.shop.screen({ kind: 'hit', reason: 'listed' });
    await on.shop.pay(invoice, '25.25');
    await on.shop.mine();
    on.shop.screen({ kind: 'pass' });
    await sees(page, 'review');
    expect([await page.locator('.qr').count(), await back(page).count()]).toEqual([0, 0]);
    expect(await page.locator('main').textContent()).not.toContain('listed');
    expect(await document.stayed()).toBe(true);
  });

  test('a developer simulates a part and then the whole, and is led to the page for paid invoices', async () => {
    const { page } = await opened({ sandbox: true, asset: 'btc_bitcoin' }, 'waiting');
    const whole = await copied(page, 'amount');
    await simulate(page, 'partial');
    await sees(page, 'partial');
    expect(await copied(page, 'amount')).not.toBe(whole);
    await simulate(page, 'paid');
    await sees(page, 'paid');
    await page.waitForURL(`${on.shop.site}/thanks`);
  });

  test('the customer may stop the countdown before the page leads back, which otherwise it does, once', async () => {
    for (const stops of [true, false]) {
      const { invoice, page, document } = await opened(USDT, 'waiting', { frozen: true });
      await on.shop.pay(invoice, '25.25');
      await on.shop.mine();
      await sees(page, 'paid');
      const stop = page.locator('main button:not([data-copy])');
      if (stops) await stop.click();
      await page.clock.runFor(60_000);
      if (stops) {
        expect([await document.stayed(), await stop.isVisible()]).toEqual([true, false]);
        await page.reload();
      } else {
        await page.waitForURL(`${on.shop.site}/thanks`);
        await page.goBack();
      }
      await sees(page, 'paid');
      await page.clock.runFor(60_000);
      expect([page.url(), await stop.isVisible()]).toEqual([invoice.payment_url, false]);
    }
  });

  test('a developer simulates too much', async () => {
    const { page } = await opened({ sandbox: true, on_paid_url: `${on.shop.site}/stay` }, 'choose');
    await choose(page, 'xrp_xrp');
    await simulate(page, 'over');
    await sees(page, 'over');
    expect(await page.locator('form[action$="/simulate"]').count()).toBe(0);
  });

  test('the keyboard alone is enough: searching, choosing, copying', async () => {
    const { page } = await opened({ sandbox: true }, 'choose');
    const search = page.locator('input[type="search"]');
    await tabTo(page, search);
    await page.keyboard.type('tron');
    await currency(page, 'btc_bitcoin').waitFor({ state: 'hidden' });
    expect(await currency(page, 'trx_tron').isVisible()).toBe(true);
    await tabTo(page, currency(page, 'usdt_tron'));
    await page.keyboard.press('Enter');
    await sees(page, 'waiting');
    for (const field of ['amount', 'address'] as const) {
      await tabTo(page, page.locator(`[data-field="${field}"] button[data-copy]`));
      await page.keyboard.press('Enter');
      const text = await copied(page, field);
      await until(
        'the text is copied',
        5_000,
        async () => text === (await page.evaluate('navigator.clipboard.readText()')),
      );
    }
  });

  test('an update leaves the focus where it is', async () => {
    const { invoice, page } = await opened(USDT, 'waiting');
    await page.setViewportSize(DESKTOP);
    await on.shop.pay(invoice, '25.25');
    await on.shop.mine(1);
    await sees(page, 'seen');
    const payment = page.locator('[data-payment]');
    const link = payment.locator('a');
    const txid = await payment.getAttribute('data-txid');
    expect(await link.getAttribute('href')).toBe(`https://explorer.example/tx/${txid}`);
    await tabTo(page, link);
    const before = await focus(page);
    const progress = await payment.textContent();
    await on.shop.mine(1);
    await until(
      'the page tells of the new block',
      10_000,
      async () => progress !== (await payment.textContent()),
    );
    expect(await focus(page)).toEqual(before);
  });

  test('an update leaves what is being searched for', async () => {
    const { invoice, page } = await opened({ sandbox: true }, 'choose');
    const search = page.locator('input[type="search"]');
    await search.pressSequentially('solan');
    const state = await page.locator('main').getAttribute('data-state');
    const database = openDatabase({ url: on.shop.it.databaseUrl, poolSize: 1, logger: silentLogger });
    await database.query('update invoices set version = version + 1 where id = $1', [invoice.order_id]);
    await database.close();
    await page.locator(`main:not([data-state=${JSON.stringify(state)}])`).waitFor();
    await page.keyboard.type('a');
    expect(await search.inputValue()).toBe('solana');
    expect(await currency(page, 'sol_solana').isVisible()).toBe(true);
    expect(await currency(page, 'btc_bitcoin').isVisible()).toBe(false);
  });
});
