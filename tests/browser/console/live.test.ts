/**
 * What the console's script adds: open pages follow what happens, texts are copied, times are those
 * of the reader; and the keyboard alone is enough.
 */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { focus, remember, tabTo } from '../../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../../support/browser/chromium.ts';
import { badge, press, says } from '../../support/console/console-page.ts';
import { stageConsole } from '../../support/console/console-shop.ts';
import { COOKIE, PASSWORD } from '../../support/console/console-users.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { until } from '../../support/runtime/poll.ts';

const STREAMS = 50;
/** Of one user. */
const TABS = 10;

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('an open console', () => {
  const on = stageConsole();
  const open = async (path: string, options = {}): Promise<Page> =>
    on.as(await on.shop.user('owner'), path, options);

  test('shows a payment while it comes in, without being loaded again', async () => {
    const invoice = await on.shop.invoice({ extra: 'live-1' });
    const page = await open(on.at(`/payments/${invoice.order_id}`));
    const list = await open(on.at('/payments'));
    const documents = [await remember(page), await remember(list)];
    await page.bringToFront();
    expect(await badge(page)).toBe('waiting');
    await on.shop.pay(invoice.address_to, '25.25');
    await page.locator('main .badge', { hasText: 'paid' }).first().waitFor();
    await list.bringToFront();
    await list.locator('td .badge', { hasText: 'paid' }).waitFor();
    expect(await page.locator('main').textContent()).toContain('final');
    for (const document of documents) expect(await document.stayed()).toBe(true);
  });

  test('shows an invoice that was just opened in the list, and counts it on the overview', async () => {
    const list = await open(on.at('/payments'));
    const overview = await open(on.at(''));
    const number = overview.locator('.card', { hasText: 'Open' }).locator('.number').first();
    const before = Number(await number.textContent());
    const documents = [await remember(list), await remember(overview)];
    await on.shop.invoice({ extra: 'fresh-1' });
    await overview.bringToFront();
    await number.filter({ hasText: new RegExp(`^${before + 1}$`) }).waitFor();
    await list.bringToFront();
    await list.locator('td', { hasText: 'fresh-1' }).waitFor();
    for (const document of documents) expect(await document.stayed()).toBe(true);
  });

  test('misses nothing that happens between the page and its stream', async () => {
    const invoice = await on.shop.invoice();
    const owner = await on.shop.user('owner');
    const page = await on.stage.visitor();
    await page.route('**/console/live?*', async (route) => {
      await on.shop.pay(invoice.address_to, '25.25');
      await route.continue();
    });
    await page.context().addCookies([{ name: COOKIE, value: owner.token, url: on.shop.it.url }]);
    await page.goto(`${on.shop.it.url}/console${on.at(`/payments/${invoice.order_id}`)}`);
    await page.locator('main .badge', { hasText: 'paid' }).first().waitFor();
  });

  test('renews no part in which somebody types', async () => {
    const page = await open(on.at(''));
    await page.locator('summary', { hasText: 'as a table' }).focus();
    const before = await focus(page);
    await on.shop.paid();
    await Bun.sleep(1_500);
    expect(await focus(page)).toEqual(before);
  });

  test('fifty open consoles all hear of a payment, and one user has at most twelve', async () => {
    const roles = ['owner', 'developer', 'accountant', 'support'] as const;
    const users = [
      ...(await Promise.all(roles.map((role) => on.shop.user(role)))),
      await on.shop.user('owner', 2),
    ];
    const ends = new AbortController();
    const follow = (token: string): Promise<Response> =>
      fetch(`${on.shop.it.url}/console/live?merchant=${on.shop.merchant.id}&environment=live`, {
        headers: { cookie: `${COOKIE}=${token}` },
        signal: ends.signal,
      });
    const streams = await Promise.all(
      Array.from({ length: STREAMS }, (_, nth) => follow(users[Math.floor(nth / TABS)]?.token ?? '')),
    );
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    const heard = streams.map(() => new Set<string>());
    const reading = streams.map((stream, nth) => read(stream, (state) => heard[nth]?.add(state)));
    await until('all know the state', 5_000, () => heard.every((states) => states.size === 1));
    await on.shop.paid();
    await until('all hear of it', 5_000, () => heard.every((states) => states.size === 2));
    const more = await Promise.all([1, 2, 3].map(() => follow(users[0]?.token ?? '')));
    expect(more.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 429]);
    ends.abort();
    await Promise.allSettled(reading);
  });

  test('copies what stands beside the button, and says so', async () => {
    const invoice = await on.shop.invoice();
    const page = await open(on.at(`/payments/${invoice.order_id}`), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.locator('[data-copy]').first().click();
    await page.locator('#announce', { hasText: 'Copied.' }).waitFor({ state: 'attached' });
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(invoice.address_to);
  });

  test('shows times of the reader, and those of the server where there is no script', async () => {
    const invoice = await on.shop.invoice();
    const path = on.at(`/payments/${invoice.order_id}`);
    const time = (page: Page) => page.locator('main time').first().textContent();
    const at = on.shop.clock.now();
    const there = await open(path, { timezoneId: 'Asia/Tokyo' });
    expect(await time(there)).toBe(
      at.toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' }),
    );
    const plain = await open(path, { javaScriptEnabled: false });
    expect(await time(plain)).toBe(`${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`);
  });

  test('is used with the keyboard alone: past the menu, through a form, and the focus shows', async () => {
    const page = await open(on.at('/create'));
    await page.keyboard.press('Tab');
    expect(await focus(page)).toMatchObject({ name: 'a@#main', marked: true });
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect((await focus(page)).name).toStartWith('a@');
    await tabTo(page, page.locator('#amount'));
    await page.keyboard.type('9.50');
    await tabTo(page, page.locator('main form button'));
    await page.keyboard.press('Enter');
    await page.locator('.message.good').waitFor();
    await says(page, 'The invoice is created.');
  });

  test.each(['phone', 'desktop'] as const)(
    'has its menu in reach on a %s, also without a script',
    async (screen) => {
      const viewport = screen === 'phone' ? { width: 360, height: 740 } : { width: 1280, height: 900 };
      const page = await open(on.at(''), { viewport, javaScriptEnabled: false });
      const payouts = page.locator('nav[aria-label="Pages"] a', { hasText: 'Payouts' });
      expect(await payouts.isVisible()).toBe(screen === 'desktop');
      if (screen === 'phone') await page.locator('.menu summary').click();
      await payouts.click();
      await page.locator('h1', { hasText: 'Payouts' }).waitFor();
    },
  );

  test('works without a script: signing in, opening an invoice and a refund of it', async () => {
    const page = await on.stage.visitor({ javaScriptEnabled: false });
    await page.goto(await on.shop.invitation('support', 'plain@shop.example'));
    await page.fill('#name', 'Pat');
    await page.fill('#password', PASSWORD);
    await press(page, 'Go on');
    expect(await page.locator('h1').textContent()).toBe('Overview');
    const owner = await open(on.at('/create'), { javaScriptEnabled: false });
    await owner.fill('#amount', '30');
    await owner.selectOption('#asset', 'usdt_ethereum');
    await press(owner, 'Create the invoice');
    await says(owner, 'The invoice is created.');
    await press(owner, 'Cancel the invoice');
    await says(owner, 'The invoice is cancelled.');
  });
});

async function read(stream: Response, told: (state: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream.body ?? [])
    for (const line of decoder.decode(bytes).split('\n'))
      if (line.startsWith('data: ')) told(line.slice('data: '.length));
}
