/**
 * A stranger pays on the checkout of the real service with a real chain node: chooses, changes,
 * pays in two parts, is led back.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { unitsOf } from '../../src/domain/money/decimal.ts';
import { choose, copied, currency, remember, sees } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { merchantSite, onService } from '../support/browser/shop.ts';
import { stageBrowser } from '../support/browser/stage.ts';
import { anvilAvailable } from '../support/evm/anvil.ts';
import { stageAnvilJourney } from '../support/evm/anvil-journey.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';

const ready = [
  needs('chromium', chromiumAvailable()),
  needs('anvil', anvilAvailable()),
  needs('postgres', postgresAvailable()),
];
describe.skipIf(ready.includes(false))('a stranger with the payment_url', () => {
  const journey = stageAnvilJourney();
  const stage = stageBrowser();
  const site = merchantSite();
  beforeAll(() => {
    for (const origin of [journey.it.url, site.url]) stage.allow(origin);
  });

  test('chooses a currency, changes it, pays a part, sees it live, pays the rest and is led back', async () => {
    const invoice = await journey.create({
      asset: undefined,
      title: 'Annual plan',
      on_paid_url: `${site.url}/thanks`,
      on_cancel_url: `${site.url}/back`,
    });
    const page = await stage.visitor();
    await page.goto(onService(journey.it, invoice.payment_url));
    await sees(page, 'choose');
    expect(await page.locator('main h1').textContent()).toContain('Annual plan');
    await choose(page, 'eth_ethereum');
    expect(await copied(page, 'amount')).toBe('0.012625');
    await choose(page, 'usdt_ethereum');
    const chosen = await journey.read(invoice.order_id);
    expect(await copied(page, 'address')).toBe(chosen.address_to);
    expect(await copied(page, 'amount')).toBe('25.25');

    const document = await remember(page);
    const payment = (txid: string) => page.locator(`[data-payment][data-txid="${txid}"]`);
    const first = await journey.payUsdt(chosen.address_to, '10.1');
    await journey.mine();
    await journey.it.settle();
    await sees(page, 'seen');
    await payment(first).waitFor();
    await journey.mineToFinality();
    await sees(page, 'partial');
    expect(await page.locator('[aria-live]').last().textContent()).not.toBe('');
    expect(await copied(page, 'amount')).toBe('15.15');
    expect(await currency(page, 'eth_ethereum').count()).toBe(0);

    const second = await journey.payUsdt(await copied(page, 'address'), await copied(page, 'amount'));
    await journey.mine();
    await journey.it.settle();
    await sees(page, 'seen');
    await payment(second).waitFor();
    expect(await page.locator('a[data-redirect]').count()).toBe(0);
    expect(await document.stayed()).toBe(true);
    expect(unitsOf(String((await journey.read(invoice.order_id)).amount), 6)).toBe(25_250_000n);

    await journey.mineToFinality();
    await sees(page, 'paid');
    expect(await payment(first).count()).toBe(1);
    expect(await document.stayed()).toBe(true);
    await page.waitForURL(`${site.url}/thanks`);
    await journey.booksAreRight();
  });
});
