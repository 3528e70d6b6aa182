/**
 * Settings, brand, keys and people of a merchant, each action once through its page.
 */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations } from '../../support/browser/axe.ts';
import { chromiumAvailable } from '../../support/browser/chromium.ts';
import { fact, press, rows, says } from '../../support/console/console-page.ts';
import { stageConsole } from '../../support/console/console-shop.ts';
import { PASSWORD } from '../../support/console/console-users.ts';
import { opensAll } from '../../support/console/opened-routes.ts';
import { GREEN_PNG } from '../../support/http/pictures.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('a merchant’s settings in the console', () => {
  const on = stageConsole();
  async function open(path: string): Promise<Page> {
    return on.as(await on.shop.user('owner'), path, { asked: [] });
  }
  /** Presses the button of one form of the settings. */
  async function send(page: Page, action: string): Promise<void> {
    await Promise.all([
      page.waitForEvent('domcontentloaded'),
      page.locator(`form[action$="${action}"] button`).click(),
    ]);
  }
  const isKey = async (key: string): Promise<boolean> =>
    (await on.shop.it.call(key, 'GET', '/api/v2/invoices')).status === 200;
  const secretShown = async (page: Page): Promise<string> =>
    (await page.locator('main .copyable code').first().textContent()) ?? '';

  test('webhook URL, webhooks of payouts and the bearer of the fee are changed', async () => {
    const page = await open(on.at('/settings'));
    expect(await page.locator('#coins-hint').textContent()).toContain('Permanent addresses take every asset');
    await page.fill('#callback_url', `${on.shop.receiver.url}/new`);
    await page.check('input[name="payout_webhooks"]');
    await page.selectOption('#fee_bearer', 'merchant');
    await page.fill('#tolerance', '1.5');
    await page.fill('#coins', 'usdt_ethereum, btc_bitcoin');
    await page.selectOption('#language', 'de');
    await send(page, '/settings');
    await says(page, 'Saved.');
    expect(await page.inputValue('#callback_url')).toBe(`${on.shop.receiver.url}/new`);
    expect([await page.inputValue('#tolerance'), await page.inputValue('#language')]).toEqual(['1.5', 'de']);
    const paid = await on.shop.paid();
    expect(paid.amount).toBe(25);
    await on.shop.it.settle();
    expect(on.shop.receiver.received.at(-1)?.path).toBe('/webhook/new');
    await page.fill('#callback_url', 'ftp://nowhere');
    await page.fill('#coins', 'gold');
    await send(page, '/settings');
    const alert = await page.locator('[role=alert]').textContent();
    for (const fault of ['“Webhooks go to”', 'gold']) expect(alert).toContain(fault);
    expect(await page.inputValue('#callback_url')).toBe('ftp://nowhere');
    on.stage.faults();
  });

  test('a test webhook is sent, and the page says how it was answered', async () => {
    const page = await open(on.at('/settings'));
    await page.fill('#url', on.shop.receiver.url);
    await page.selectOption('#status', 'success');
    await send(page, '/test-webhook');
    expect(await page.locator('main .message').first().textContent()).toBe('Delivered: status 200');
    expect(on.shop.receiver.received.at(-1)?.body).toContain('success');
  });

  test('a new API key is shown once, the old one works for the overlap, and is ended', async () => {
    const page = await open(on.at('/settings', 'sandbox'));
    await page.selectOption('#overlap-key', '86400');
    await send(page, '/settings/key');
    expect(await violations(page)).toEqual([]);
    const key = await secretShown(page);
    expect(key).toStartWith('sk_sandbox_');
    expect([await isKey(key), await isKey(on.shop.merchant.sandbox)]).toEqual([true, true]);
    await press(page, 'Back to the settings');
    expect(await page.locator('main').textContent()).not.toContain(key);
    await send(page, '/settings/key/end');
    await says(page, 'Saved.');
    // A key is remembered for some seconds.
    on.shop.clock.advance(10);
    expect([await isKey(key), await isKey(on.shop.merchant.sandbox)]).toEqual([true, false]);
  });

  test('the webhook secret is shown, and a new one is made', async () => {
    const page = await open(on.at('/settings', 'sandbox'));
    await send(page, '/settings/secret/show');
    const before = await secretShown(page);
    await press(page, 'Back to the settings');
    await page.selectOption('#overlap-secret', '86400');
    await send(page, '/settings/secret');
    expect(await secretShown(page)).not.toBe(before);
    await press(page, 'Back to the settings');
    await send(page, '/settings/secret/end');
    await says(page, 'Saved.');
  });

  test('the addresses allowed to pay out are changed, and a malformed one is refused', async () => {
    const page = await open(on.at('/settings'));
    await page.fill('#subnets', '10.0.0.0/8\n192.0.2.7');
    await send(page, '/settings/subnets');
    await says(page, 'Saved.');
    expect(await page.inputValue('#subnets')).toContain('10.0.0.0/8');
    await page.fill('#subnets', 'home');
    await send(page, '/settings/subnets');
    expect(await page.locator('[role=alert]').count()).toBe(1);
    on.stage.faults();
  });

  test('the brand is changed, and its preview follows the form before it is saved', async () => {
    const page = await open(on.at('/settings/brand'));
    const preview = page.locator('[data-preview]');
    const colour = () =>
      preview.locator('.button').evaluate((element) => getComputedStyle(element).backgroundColor);
    await page.fill('#name', 'Corner & Sons');
    await page.fill('#support', 'help@corner.example');
    await page.fill('#accent', '#ffe600');
    await page.setInputFiles('#logo', {
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: Buffer.from(GREEN_PNG),
    });
    await preview.locator('img').waitFor();
    expect(await preview.textContent()).toContain('Corner & Sons');
    expect(await preview.textContent()).toContain('help@corner.example');
    expect(await colour()).toBe('rgb(255, 230, 0)');
    expect(await page.isChecked('input[name="no_accent"]')).toBe(false);
    await press(page, 'Save');
    await says(page, 'Saved.');
    expect(await colour()).toBe('rgb(255, 230, 0)');
    const made = await on.shop.invoice();
    const checkout = await (await fetch(`${on.shop.it.url}${new URL(made.payment_url).pathname}`)).text();
    for (const part of ['Corner &amp; Sons', 'accent-ffe600', 'assets/logo/'])
      expect([part, checkout.includes(part)]).toEqual([part, true]);
    await page.check('input[name="no_logo"]');
    expect(await preview.locator('img').isVisible()).toBe(false);
    await page.check('input[name="no_accent"]');
    expect(await colour()).toBe('rgb(36, 86, 214)');
    await press(page, 'Save');
    expect(await preview.locator('img').count()).toBe(0);
  });

  test('somebody is invited, joins, gets another role, and is removed', async () => {
    const page = await open(on.at('/people'));
    await page.fill('#email', 'lee@shop.example');
    await page.selectOption('#role', 'developer');
    await press(page, 'Make a link');
    expect(await violations(page)).toEqual([]);
    const link = await secretShown(page);
    const theirs = await on.stage.visitor();
    await theirs.goto(link);
    await theirs.fill('#name', 'Lee');
    await theirs.fill('#password', PASSWORD);
    await press(theirs, 'Go on');
    expect(await theirs.locator('h1').textContent()).toBe('Overview');
    expect(await theirs.locator('nav[aria-label="Pages"] a').allTextContents()).not.toContain('Users');
    await page.goto(`${on.shop.it.url}/console${on.at('/people')}`);
    const row = page.locator('tbody tr', { hasText: 'lee@shop.example' });
    await row.locator('select').selectOption('accountant');
    await Promise.all([
      page.waitForEvent('domcontentloaded'),
      row.getByRole('button', { name: 'Save' }).click(),
    ]);
    await says(page, 'Saved.');
    await Promise.all([
      page.waitForEvent('domcontentloaded'),
      row.getByRole('button', { name: 'Remove' }).click(),
    ]);
    await says(page, 'It is removed.');
    expect((await rows(page)).join()).not.toContain('lee@shop.example');
    await theirs.reload();
    expect(await theirs.locator('h1').textContent()).toBe('Sign in');
  });

  test('an invitation is withdrawn, and its link is over', async () => {
    const page = await open(on.at('/people'));
    await page.fill('#email', 'kim@shop.example');
    await press(page, 'Make a link');
    const link = await secretShown(page);
    await press(page, 'Withdraw');
    await says(page, 'It is withdrawn.');
    expect((await fetch(link)).status).toBe(410);
  });

  test('the last owner stays', async () => {
    const page = await open(on.at('/people'));
    await press(page, 'Remove');
    expect(await page.locator('[role=alert]').textContent()).toContain('last one');
    on.stage.faults();
    await page.goto(`${on.shop.it.url}/console/account`);
    expect(await fact(page, 'E-mail')).toBe('owner@shop.example');
  });

  opensAll(on, 'merchant-settings');
});
