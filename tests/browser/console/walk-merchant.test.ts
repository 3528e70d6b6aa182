/**
 * As a new merchant would: from the invitation to the first payout, in the order of
 * docs/console.md. Each test is a step, and goes on where the one before ended.
 */
import { describe, expect, test } from 'bun:test';
import { chromiumAvailable } from '../../support/browser/chromium.ts';
import { anAddress } from '../../support/builders.ts';
import { badge, press, says } from '../../support/console/console-page.ts';
import { stageConsole } from '../../support/console/console-shop.ts';
import { PASSWORD } from '../../support/console/console-users.ts';
import { picture, walk } from '../../support/console/console-walk.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('a new merchant', () => {
  const on = stageConsole();
  const person = walk(on);
  let key: string;

  test('1: opens the invitation, and chooses a password', async () => {
    const page = await person.at(await on.shop.invitation('owner', 'kim@shop.example'));
    await page.fill('#name', 'Kim Keeper');
    await picture(page, 'invitation');
    await page.fill('#password', PASSWORD);
    await press(page, 'Go on');
    expect(await page.locator('h1').textContent()).toBe('Overview');
    await person.over(page);
  });

  test('2: sets up a second factor, and stores the recovery codes', async () => {
    const page = await person.at('/account/codes');
    await picture(page, 'second-factor');
    await page.fill('#factor', on.shop.code((await page.locator('.copyable code').textContent()) ?? ''));
    await press(page, 'Set up');
    expect(await page.locator('.codes li').count()).toBe(10);
    await press(page, 'I have stored them');
    await person.over(page);
  });

  test('3: opens an invoice in the sandbox, and lets the simulator pay it', async () => {
    const page = await person.at(on.at('/create', 'sandbox'));
    await page.fill('#amount', '25');
    await page.fill('#extra', 'order-1');
    await page.fill('#title', 'Annual plan');
    await page.selectOption('#asset', 'usdt_ethereum');
    await press(page, 'Create the invoice');
    await page.selectOption('#status', 'success');
    await press(page, 'Simulate');
    expect(await badge(page)).toBe('paid');
    await person.over(page);
  });

  test('4: names the receiver of webhooks, and sends it a test', async () => {
    const page = await person.at(on.at('/settings', 'sandbox'));
    await page.fill('#callback_url', on.shop.receiver.url);
    await page.locator('form[action$="/settings"] button').click();
    await says(page, 'Saved.');
    await page.locator('form[action$="/test-webhook"] button').click();
    await says(page, 'Delivered: status 200');
    await picture(page, 'settings');
    await person.over(page);
  });

  test('5: makes a key for the shop, which is shown once', async () => {
    const page = await person.at(on.at('/settings'));
    await page.locator('form[action$="/settings/key"] button').click();
    await page.locator('h1', { hasText: 'API key' }).waitFor();
    key = (await page.locator('.copyable code').textContent()) ?? '';
    const asked = await on.shop.it.call(key, 'GET', '/api/v2/invoices');
    expect(asked.status).toBe(200);
    await person.over(page);
  });

  test('6: sees the first payment of a customer come in', async () => {
    const order = { amount: 25, fiat_currency: 'USD', asset: 'usdt_ethereum', extra: 'order-2' };
    const { body } = await on.shop.it.call(key, 'POST', '/api/v2/invoices', order);
    const page = await person.at(on.at(`/payments/${body.result.order_id}`));
    await on.shop.pay(body.result.address_to, '25.25');
    await page.locator('main .badge', { hasText: 'paid' }).first().waitFor();
    await picture(page, 'payment');
    await person.over(page);
  });

  test('7: pays out, and follows the payout into a block', async () => {
    const page = await person.at(on.at('/payouts/new'));
    await page.selectOption('#asset', 'usdt_ethereum');
    await page.fill('#address', anAddress());
    await page.fill('#amount', '20');
    await page.fill('#ref', 'supplier-7');
    await picture(page, 'payout');
    await press(page, 'Pay out');
    await says(page, 'The payout is ordered.');
    await page.click('text=supplier-7');
    for (let round = 0; round < 3; round += 1) await on.shop.mine();
    await page.reload();
    expect(await badge(page)).toBe('paid');
  });
});
