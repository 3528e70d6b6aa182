/**
 * Every state of the checkout as people meet it: on three screens, in light and in dark colours,
 * read from the left and from the right (matrix.ts). With `SCREENSHOTS=1` pictures of all are kept
 * for people to look at.
 */
import { describe, expect, test } from 'bun:test';
import { LANGUAGES, MESSAGES } from '../../src/adapters/http/checkout/messages/languages.ts';
import { changeBrand } from '../../src/app/merchants/manage-brand.ts';
import { violations } from '../support/browser/axe.ts';
import { cutOff, type Shown, sees, sticksOut } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { looksRight } from '../support/browser/matrix.ts';
import { shoot } from '../support/browser/screenshots.ts';
import { stageShop } from '../support/browser/shop.ts';
import { PHONE } from '../support/browser/stage.ts';
import { GUIDE_PAGES } from '../support/http/guide-pages.ts';
import { GREEN_PNG } from '../support/http/pictures.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { until } from '../support/runtime/poll.ts';
import type { Json } from '../support/test-service.ts';

const USDT = { asset: 'usdt_ethereum' };

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('the checkout', () => {
  const on = stageShop({ leadsBack: true });
  const { stage } = on;

  /**
   * Its links lead to an answer without content, which browsers stay for: a page that leads away
   * can be looked at.
   */
  const invoice = (body: Json = {}): Promise<Json> =>
    on.shop.invoice({ on_paid_url: `${on.shop.site}/stay`, on_cancel_url: `${on.shop.site}/stay`, ...body });
  async function paid(amount: string, blocks?: number): Promise<Json> {
    const made = await invoice(USDT);
    await on.shop.pay(made, amount);
    if (blocks !== 0) await on.shop.mine(blocks);
    return made;
  }
  async function simulated(status: string): Promise<Json> {
    const made = await invoice({ ...USDT, sandbox: true });
    await on.shop.simulate(made, status);
    return made;
  }

  const states: readonly (readonly [name: string, shown: Shown, make: () => Promise<Json>])[] = [
    ['choose', 'choose', () => invoice()],
    ['choose-sandbox', 'choose', () => invoice({ sandbox: true })],
    ['waiting', 'waiting', () => invoice(USDT)],
    ['waiting-xrp', 'waiting', () => invoice({ asset: 'xrp_xrp', sandbox: true })],
    ['waiting-ton', 'waiting', () => invoice({ asset: 'usdt_ton', sandbox: true })],
    ['waiting-monero', 'waiting', () => invoice({ asset: 'xmr_monero', sandbox: true })],
    ['seen-waiting', 'seen', () => paid('25.25', 0)],
    ['seen', 'seen', () => paid('25.25', 3)],
    ['partial', 'partial', () => paid('10.1')],
    ['partial-sandbox', 'partial', () => simulated('partially_paid')],
    ['paid', 'paid', () => paid('25.25')],
    ['dust', 'paid', () => paid('25.26')],
    ['over', 'over', () => paid('30')],
    ['failed', 'failed', () => simulated('failed')],
    ['refunded', 'refunded', () => simulated('refunded')],
    [
      'review',
      'review',
      async () => {
        on.shop.screen({ kind: 'hit', reason: 'listed' });
        const made = await paid('25.25');
        on.shop.screen({ kind: 'pass' });
        return made;
      },
    ],
    [
      'expired',
      'expired',
      async () => {
        const made = await invoice(USDT);
        await on.shop.expire();
        return made;
      },
    ],
    [
      'late',
      'late',
      async () => {
        const made = await paid('10.1');
        await on.shop.expire();
        return made;
      },
    ],
  ];

  test.each(states)('%s is right for everybody', async (name, shown, make) => {
    const { payment_url: url } = await make();
    // who wants less motion is not led away by a countdown, which is to be looked at, too
    const page = await stage.regular({ reducedMotion: name === 'paid' ? 'no-preference' : 'reduce' });
    for (const language of ['en', 'ar']) {
      await page.goto(`${url}?lang=${language}`);
      await sees(page, shown);
      await looksRight(page, language === 'en' ? name : `${name}-${language}`);
    }
  });

  test('what these tests rely on sees contrast, a button without a name, and what sticks out or is cut off', async () => {
    const { payment_url: url } = await invoice(USDT);
    const page = await stage.regular();
    await page.goto(url);
    await sees(page, 'waiting');
    await page.evaluate(`document.querySelector('h1').style.color = '#bbb';
      document.querySelector('main').append(document.createElement('button'));
      document.querySelector('main p').style.width = '2000px';
      document.querySelector('#status').style.cssText = 'width: 30px; white-space: nowrap; overflow: hidden';`);
    const found = await violations(page);
    for (const rule of ['serious color-contrast', 'critical button-name'])
      expect(found.filter((line) => line.startsWith(rule))).toHaveLength(1);
    expect(await sticksOut(page)).not.toEqual([]);
    expect(await cutOff(page)).toEqual([expect.stringContaining('Waiting for your payment')]);
  });

  test('in every language the page fits and says which one it is', async () => {
    const { payment_url: url } = await invoice(USDT);
    const page = await stage.regular();
    for (const language of LANGUAGES) {
      await page.goto(`${url}?lang=${language}`);
      await sees(page, 'waiting');
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      expect(await page.locator('#status').textContent()).toContain(MESSAGES[language].waitingTitle);
      await page.setViewportSize({ width: 320, height: 640 });
      expect([language, ...(await sticksOut(page)), ...(await cutOff(page))]).toEqual([language]);
      await page.setViewportSize(PHONE);
      await shoot(page, `language-${language}`);
    }
  });

  test.each(['#ffe600', '#101820'])(
    'with the logo and the accent %s of a merchant it is right for everybody',
    async (accent) => {
      const brand = changeBrand(on.shop.it.service.dependencies);
      const logo = { type: 'image/png', bytes: GREEN_PNG } as const;
      await brand(on.shop.merchant.id, { clears: true, name: 'Corner shop', accent, logo });
      const { payment_url: url } = await invoice(USDT);
      const page = await stage.regular();
      await page.goto(url);
      await sees(page, 'waiting');
      const button = page.locator('a[data-wallet]');
      const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(accent.slice(at, at + 2), 16));
      expect(await button.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
        `rgb(${red}, ${green}, ${blue})`,
      );
      await looksRight(page, `brand-${accent.slice(1)}`, { everyLook: false });
      await brand(on.shop.merchant.id, { clears: true });
    },
  );

  test('a page that is not there is friendly, and right for everybody too', async () => {
    const page = await stage.regular();
    const answer = await page.goto(`${on.shop.it.url}/checkout/00000000-0000-4000-8000-000000000000`);
    expect(answer?.status()).toBe(404);
    await looksRight(page, 'not-found', { everyLook: false });
    // the browser itself tells of the answer's status
    expect(stage.faults().every((fault) => fault.includes('404'))).toBe(true);
  });

  test.each(GUIDE_PAGES)('%s of the guide is right for everybody', async (path) => {
    const page = await stage.regular();
    await page.goto(on.shop.it.url + path);
    // what is folded away is looked at as well
    await page.evaluate("document.querySelectorAll('details').forEach((folded) => { folded.open = true; })");
    await looksRight(page, `guide-${path.replaceAll('/', '-')}`, { everyLook: false });
  });

  test('the reference is readable in light and in dark colours, as far as its renderer lets us', async () => {
    const page = await stage.regular();
    await page.goto(`${on.shop.it.url}/docs/reference`);
    await page.waitForSelector('.opblock');
    await page.locator('.opblock-summary-control').first().click();
    await page.waitForSelector('.opblock-body');
    const rules = [
      'color-contrast',
      'document-title',
      'html-has-lang',
      'landmark-one-main',
      'link-name',
      'region',
    ];
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await paper()).toBe('rgb(255, 255, 255)');
    expect(await violations(page, rules)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForSelector('html.dark-mode');
    // What fades to its dark colour is looked at when it is there.
    const fading = 'document.getAnimations().some((each) => each instanceof CSSTransition)';
    await until('the colours have come', 5_000, async () => !(await page.evaluate(fading)));
    expect(await paper()).toBe('rgb(28, 32, 34)');
    expect(await violations(page, rules)).toEqual([]);
  });
});
