/** What operators do about merchants and their users: cases of operator.test.ts. */
import { expect, test } from 'bun:test';
import { looksRight } from '../../support/console/console-look.ts';
import { badge, fact, press, says } from '../../support/console/console-page.ts';
import type { OperatorActs } from '../../support/console/operator-acts.ts';

export function merchantCases({ on, open, inRow, refused }: OperatorActs): void {
  const at = () => `/o/merchants/${on.shop.merchant.id}`;

  test('a merchant is made, verified, changed and paused, and gets a new key', async () => {
    const page = await open('/o/merchants');
    await page.locator('form[method=post] [name="name"]').fill('Book corner');
    await page.fill('#commission', '0.5');
    await press(page, 'Make it');
    const sandboxKey = await fact(page, 'Sandbox API key');
    const asks = (key: string) => on.shop.it.call(key, 'GET', '/api/v2/invoices');
    expect((await asks(sandboxKey)).status).toBe(200);
    await press(page, 'To the merchants');
    await press(page, 'Book corner');
    await press(page, 'Make it active and verified');
    const liveKey = await fact(page, 'Live API key');
    expect((await asks(liveKey)).status).toBe(200);
    await press(page, 'To the merchants');
    await press(page, 'Book corner');
    await page.fill('#commission', '0.75');
    await page.selectOption('#status', 'paused');
    await page
      .locator('form', { has: page.locator('#commission') })
      .getByRole('button')
      .click();
    await says(page, 'Saved.');
    expect(await page.inputValue('#commission')).toBe('0.75');
    expect(await badge(page)).toBe('paused');
    await page.selectOption('#environment-key', 'live');
    await press(page, 'Make a new key');
    expect(await page.locator('.copyable code').textContent()).toMatch(/^sk_live_/);
  });

  test('the older key and the older webhook secret of a merchant are ended, and a secret is shown', async () => {
    const page = await open(at());
    const make = async (what: 'key' | 'secret', name: string): Promise<string> => {
      await page.goto(`${on.shop.it.url}/console${at()}`);
      await page.selectOption(`#environment-${what}`, 'sandbox');
      await press(page, name);
      return (await page.locator('.copyable code').textContent()) ?? '';
    };
    const [key, secret] = [await make('key', 'Make a new key'), await make('secret', 'Make a new secret')];
    const asks = async (by: string) => (await on.shop.it.call(by, 'GET', '/api/v2/invoices')).status;
    expect([await asks(on.shop.merchant.sandbox), await asks(key)]).toEqual([200, 200]);
    for (const what of ['api_key', 'webhook_secret']) {
      await page.goto(`${on.shop.it.url}/console${at()}`);
      await page.selectOption('#what', what);
      await page.selectOption('#environment-ended', 'sandbox');
      await press(page, 'End the older one');
      await says(page, 'The older one has ended.');
    }
    await press(page, 'End the older one');
    await refused(page, 'There is no older one.');
    on.shop.clock.advance(6);
    expect([await asks(on.shop.merchant.sandbox), await asks(key)]).toEqual([401, 200]);
    await page.selectOption('#environment-shown', 'sandbox');
    await press(page, 'Show it');
    expect(await page.locator('.copyable code').textContent()).toBe(secret);
  });

  test('a merchant’s brand, its defaults and its limit are changed', async () => {
    const page = await open(`${at()}/brand`);
    await page.fill('#support', 'help@shop.example');
    await press(page, 'Save');
    await says(page, 'Saved.');
    expect(await page.locator('[data-preview-of="support"]').textContent()).toBe('help@shop.example');
    await page.fill('#support', 'nonsense');
    await press(page, 'Save');
    await refused(page, 'must be an e-mail address');

    await page.goto(`${on.shop.it.url}/console${at()}`);
    await page.fill('#tolerance', '2.5');
    await page
      .locator('form', { has: page.locator('#tolerance') })
      .getByRole('button')
      .click();
    await says(page, 'Saved.');
    await page.fill('#limit', '1000');
    await page
      .locator('form', { has: page.locator('#limit') })
      .getByRole('button')
      .click();
    await says(page, 'Saved.');
    expect([await page.inputValue('#tolerance'), await page.inputValue('#limit')]).toEqual(['2.5', '1000']);
    await page.fill('#limit', 'much');
    await page
      .locator('form', { has: page.locator('#limit') })
      .getByRole('button')
      .click();
    await refused(page, '“Above, USD” must be an amount of USD.');
    await page.fill('#limit', '');
    await page
      .locator('form', { has: page.locator('#limit') })
      .getByRole('button')
      .click();
    await says(page, 'Saved.');
  });

  test('a user of a merchant is invited, changed, signed out, brought back and removed', async () => {
    const { email, token } = await on.shop.user('support');
    const page = await open(`${at()}/people`);
    await page.fill('#email', 'new@shop.example');
    await page.selectOption('#role', 'accountant');
    await press(page, 'Make a link');
    const link = (await page.locator('.copyable code').textContent()) ?? '';
    expect((await fetch(link)).status).toBe(200);
    await inRow(page, 'new@shop.example', 'Withdraw');
    await says(page, 'It is withdrawn.');
    await page.locator('tbody tr', { hasText: email }).locator('select').selectOption('accountant');
    await inRow(page, email, 'Save');
    await says(page, 'Saved.');
    await inRow(page, email, 'Link for a new password');
    expect(await (await fetch((await page.locator('.copyable code').textContent()) ?? '')).text()).toContain(
      'Set a new password',
    );
    expect(await on.shop.it.service.accounts.sessionOf(token)).not.toBeNull();
    await inRow(page, email, 'End its sessions');
    await says(page, 'All sessions of this person are ended.');
    expect(await on.shop.it.service.accounts.sessionOf(token)).toBeNull();
    await inRow(page, email, 'Remove');
    await says(page, 'It is removed.');
    expect(await page.locator('main').textContent()).not.toContain(email);
    const nobody = `${on.shop.it.url}/console/o/merchants/${'0'.repeat(24)}/people`;
    expect((await page.goto(nobody))?.status()).toBe(404);
    expect(on.stage.faults()).toEqual([expect.stringContaining('404')]);
  });

  test('brand and users of a merchant are right for everybody', async () => {
    const admin = await on.shop.user('admin');
    await looksRight(await on.shown(admin, `${at()}/brand`), 'o-merchant-brand');
    await looksRight(await on.shown(admin, `${at()}/people`), 'o-merchant-people');
  });
}
