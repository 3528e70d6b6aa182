/**
 * What a merchant's users do with payments, each action once through its page, with the script on:
 * what the page shows next, and what the service has then.
 */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations } from '../../support/browser/axe.ts';
import { focus } from '../../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../../support/browser/chromium.ts';
import { badge, fact, press, rows, says } from '../../support/console/console-page.ts';
import { stageConsole } from '../../support/console/console-shop.ts';
import { opensAll } from '../../support/console/opened-routes.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('a merchant’s payments in the console', () => {
  const on = stageConsole();
  const owner = () => on.shop.user('owner');
  /** The owner's page, who says yes to every question; with the questions. */
  async function open(path: string): Promise<{ page: Page; asked: string[] }> {
    const asked: string[] = [];
    return { page: await on.as(await owner(), path, { asked }), asked };
  }
  async function stored(id: string, { sandbox = false } = {}): Promise<Json> {
    const { merchant, it } = on.shop;
    const answer = await it.call(sandbox ? merchant.sandbox : merchant.live, 'GET', `/api/v2/invoices/${id}`);
    return answer.body.result;
  }

  test('an invoice is opened by hand, after a form with a fault that keeps what was typed', async () => {
    const { page } = await open(on.at('/create'));
    await page.fill('#amount', 'much');
    await page.fill('#extra', 'order-7');
    await press(page, 'Create the invoice');
    expect(on.stage.faults()).toEqual([expect.stringContaining('422')]);
    expect(await page.locator('[role=alert]').textContent()).toContain('“Amount” must');
    expect(await page.locator('#amount').getAttribute('aria-invalid')).toBe('true');
    await page.locator('[role=alert] a').click();
    expect((await focus(page)).name).toContain('amount');
    expect(await violations(page)).toEqual([]);
    expect(await page.inputValue('#extra')).toBe('order-7');
    await page.fill('#amount', '12.50');
    await page.selectOption('#asset', 'usdt_ethereum');
    await page.fill('#email', 'kim@example.com');
    await press(page, 'Create the invoice');
    await says(page, 'The invoice is created.');
    expect(await badge(page)).toBe('waiting');
    const id = page.url().replace(/^.*\/|\?.*$/g, '');
    expect(await stored(id)).toMatchObject({ extra: 'order-7', status: 'created', asset: 'usdt_ethereum' });
  });

  test('a webhook is sent again, and the page shows the answer', async () => {
    const paid = await on.shop.paid();
    const before = on.shop.receiver.received.length;
    const { page } = await open(on.at(`/payments/${paid.order_id}`));
    await press(page, 'Send the webhook again');
    await says(page, 'The webhook is queued.');
    await on.shop.it.settle();
    expect(on.shop.receiver.received.length).toBe(before + 1);
  });

  test('webhooks that were given up need attention: one is sent again, then all', async () => {
    on.shop.answerWebhooks(410);
    for (let nth = 0; nth < 3; nth += 1) await on.shop.paid();
    await on.shop.it.settle();
    const { page, asked } = await open(on.at('/attention'));
    await page.locator('.chips a', { hasText: 'webhook given up' }).click();
    expect(await violations(page)).toEqual([]);
    const given = await rows(page);
    expect(given.length).toBeGreaterThanOrEqual(3);
    on.shop.answerWebhooks(200);
    const before = on.shop.receiver.received.length;
    await page.locator('tbody button', { hasText: 'Send again' }).first().click();
    await says(page, 'The webhook is queued.');
    await on.shop.it.settle();
    expect(on.shop.receiver.received.length).toBe(before + 1);
    await page.locator('.chips a', { hasText: 'webhook given up' }).click();
    expect(await rows(page)).toHaveLength(given.length - 1);
    await press(page, 'Send all again');
    await says(page, 'The webhook is queued.');
    expect(asked).toHaveLength(1);
    await on.shop.it.settle();
    expect(on.shop.receiver.received.length).toBe(before + given.length);
    expect(await page.locator('.chips').textContent()).not.toContain('webhook given up');
  });

  test('an operator is asked to credit a payment in another asset', async () => {
    const made = await on.shop.invoice();
    on.shop.chain().pay({ to: made.address_to, asset: 'usdc_ethereum', units: 7_000_000n });
    await on.shop.mine();
    const { page } = await open(`${on.at('/attention')}?code=wrong_asset`);
    expect(await rows(page)).toHaveLength(1);
    await page.locator('tbody input[name="reason"]').fill('the customer chose the wrong coin');
    await press(page, 'Ask for its credit');
    await says(page, 'The operator is asked.');
    const asked = page.locator('.card', { hasText: 'Credits that you asked for' });
    expect(await asked.locator('tbody').textContent()).toContain('the customer chose the wrong coin');
    expect(await violations(page)).toEqual([]);
  });

  test('an invoice is cancelled after a question', async () => {
    const made = await on.shop.invoice();
    const { page, asked } = await open(on.at(`/payments/${made.order_id}`));
    await press(page, 'Cancel the invoice');
    await says(page, 'The invoice is cancelled.');
    expect(asked).toEqual(['Cancel this invoice?']);
    expect((await stored(made.order_id)).status).toBe('expired');
  });

  test('nothing is cancelled when the question is answered with no', async () => {
    const made = await on.shop.invoice();
    const page = await on.as(await owner(), on.at(`/payments/${made.order_id}`));
    await page.click('text=Cancel the invoice');
    expect(on.stage.faults()).toEqual(['dialog: Cancel this invoice?']);
    expect((await stored(made.order_id)).status).toBe('created');
  });

  test('a sandbox payment is simulated', async () => {
    const made = await on.shop.invoice({ sandbox: true });
    const { page } = await open(on.at(`/payments/${made.order_id}`, 'sandbox'));
    await page.selectOption('#status', 'partially_paid');
    await press(page, 'Simulate');
    await says(page, 'The payment is simulated.');
    expect(await badge(page)).toBe('partly paid');
    expect((await stored(made.order_id, { sandbox: true })).status).toBe('partially_paid');
  });

  test('a partly paid invoice is accepted as paid', async () => {
    const made = await on.shop.invoice();
    await on.shop.pay(made.address_to, '20');
    const { page, asked } = await open(on.at(`/payments/${made.order_id}`));
    expect(await badge(page)).toBe('partly paid');
    await press(page, 'Accept it as paid');
    expect(asked).toHaveLength(1);
    expect(await badge(page)).toBe('paid');
    expect((await stored(made.order_id)).status).toBe('success');
  });

  test('a refund is offered, and withdrawn', async () => {
    const paid = await on.shop.paid();
    const { page, asked } = await open(on.at(`/payments/${paid.order_id}`));
    await page.fill('#amount', '5');
    await press(page, 'Offer a refund');
    await says(page, 'The refund is offered.');
    await press(page, 'Show the link for the customer');
    expect(await violations(page)).toEqual([]);
    const link = await page.locator('.copyable code').first().textContent();
    expect((await fetch(link ?? '')).status).toBe(200);
    await press(page, 'Back to the refund');
    await press(page, 'Withdraw it');
    await says(page, 'It is withdrawn.');
    expect(asked).toEqual(['Withdraw this refund?']);
    expect(await badge(page)).toBe('withdrawn');
  });

  test('a payment link is made, changed and closed', async () => {
    const { page } = await open(on.at('/links/new'));
    await page.fill('#title', 'Ticket');
    await page.fill('#amount', '12');
    await page.fill('#slug', 'ticket');
    await page.check('input[value="email"]');
    await press(page, 'Make the link');
    await says(page, 'The payment link is created.');
    const url = (await page.locator('.copyable code').first().textContent()) ?? '';
    expect(url).toEndWith('/l/ticket');
    expect(await (await fetch(url)).text()).toContain('Ticket');
    await page.fill('#title', 'Ticket, reduced');
    await page.fill('#amount', '8');
    await page.uncheck('input[name="active"]');
    await press(page, 'Save');
    await says(page, 'Saved.');
    expect(await fact(page, 'State')).toBe('closed');
    await page.goto(`${on.shop.it.url}/console${on.at('/links')}`);
    expect(await rows(page)).toEqual([expect.stringContaining('Ticket, reduced')]);
  });

  test('a user gets a permanent address, which is deactivated', async () => {
    const { page, asked } = await open(on.at('/addresses'));
    await page.fill('#user_id', 'kim');
    await page.selectOption('#family', 'evm');
    await press(page, 'Give it');
    expect(await rows(page)).toEqual([expect.stringContaining('kim')]);
    await press(page, 'Deactivate');
    await says(page, 'The address is deactivated.');
    expect(asked).toHaveLength(1);
    expect(await badge(page)).toBe('deactivated');
  });

  test('payments are found by order, address, transaction, amount and e-mail', async () => {
    const paid = await on.shop.paid({
      extra: 'order-77',
      amount: 31,
      payer_info: { email: 'lee@example.com' },
    });
    const { txid } = await stored(paid.order_id);
    const { page } = await open(on.at('/search'));
    for (const text of ['order-77', paid.order_id, paid.address_to, txid, '31', 'lee@example.com']) {
      await page.fill('#q', text);
      await press(page, 'Search');
      expect([text, await page.locator('main').textContent()]).toEqual([
        text,
        expect.stringContaining('order-77'),
      ]);
    }
    await page.fill('#q', 'nobody');
    await press(page, 'Search');
    expect(await page.locator('.empty').textContent()).toBe('Nothing fits.');
  });

  test('the list of payments is filtered', async () => {
    const { page } = await open(on.at('/payments'));
    await page.selectOption('#status', 'expired');
    await press(page, 'Filter');
    expect(new Set(await page.locator('td .badge').allTextContents())).toEqual(new Set(['expired']));
    await page.fill('#from', '2031-01-01');
    await press(page, 'Filter');
    expect(await page.locator('.empty').textContent()).toBe('No payments fit.');
  });

  opensAll(on, 'merchant-payments');
});
