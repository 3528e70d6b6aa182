/**
 * What operators do with money that the shop of the other files does not have: forwards that hang,
 * and XRP that came without a tag of ours.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { freePort } from '../../../src/adapters/embedded-postgres/free-port.ts';
import { chromiumAvailable } from '../../support/browser/chromium.ts';
import { type Stage, stageBrowser } from '../../support/browser/stage.ts';
import { looksRight } from '../../support/console/console-look.ts';
import { press, says } from '../../support/console/console-page.ts';
import { COOKIE, type ConsoleUser, consoleUsers } from '../../support/console/console-users.ts';
import { opensAll } from '../../support/console/opened-routes.ts';
import { type ForwardJourney, openForwardJourney } from '../../support/payouts/forward-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { stageXrpJourney, XRP } from '../../support/xrp/journey.ts';

const USDT = 'usdt_ethereum';
const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());

/** A service whose pages a browser opens knows its address before it listens. */
function addressed(): { readonly url: string; readonly env: Readonly<Record<string, string>> } {
  const port = freePort();
  const url = `http://localhost:${port}`;
  return { url, env: { PORT: String(port), BASE_URL: url } };
}

/** The page of a hot wallet; what it asks is confirmed, and noted in `asked`. */
async function opened(
  stage: Stage,
  { url, user, path }: { url: string; user: ConsoleUser; path: string },
  asked: string[],
): Promise<Page> {
  stage.allow(url);
  const page = await stage.visitor({ viewport: { width: 1280, height: 900 } }, { asked });
  await page.context().addCookies([{ name: COOKIE, value: user.token, url }]);
  await page.goto(`${url}/console${path}`);
  return page;
}

describe.skipIf(!ready)('money that only operators move', () => {
  const stage = stageBrowser();

  describe('a forward in the console', () => {
    const { url, env } = addressed();
    let journey: ForwardJourney;
    beforeAll(async () => {
      const rules = { [USDT]: { above: '100', keep: '20' } };
      journey = await openForwardJourney({ chain: 'ethereum', asset: USDT, rules, env });
      await journey.fund('4', 'eth_ethereum');
      await journey.fund('200');
    });
    afterAll(() => journey.close());

    test('is asked for, and one that hangs is given up', async () => {
      const user = await consoleUsers(journey.it, journey.clock, journey.merchant.id).user('treasurer');
      await journey.forward();
      const asked: string[] = [];
      const page = await opened(stage, { url, user, path: '/o/wallets/ethereum' }, asked);
      expect(await page.locator('main').textContent()).toContain(journey.cold);
      await press(page, 'Give it up');
      await says(page, 'It is given up.');
      expect(asked).toEqual([expect.stringContaining('Give this forward up?')]);
      await journey.finish();
      expect(await journey.forwards()).toMatchObject([{ status: 'failed' }]);
      await journey.booksAreRight();
    });
  });

  describe('XRP without a tag of ours in the console', () => {
    const { url, env } = addressed();
    const on = stageXrpJourney({ more: { env } });

    test('is given to the address that it was meant for, or booked as our own', async () => {
      const user = await consoleUsers(on.it, on.clock, on.merchant.id).user('admin');
      const invoice = await on.create();
      const [meant, own] = [on.lab.pay(on.hot, on.due(invoice)), on.lab.pay(on.hot, 3n * XRP)];
      await on.closed();
      const page = await opened(stage, { url, user, path: '/o/wallets/xrp' }, []);
      await looksRight(page, 'wallet-untagged');
      const row = (txid: string) => page.locator('tbody tr', { hasText: txid });
      const act = (txid: string, name: string) =>
        Promise.all([
          page.waitForEvent('domcontentloaded'),
          row(txid).getByRole('button', { name, exact: true }).click(),
        ]);
      await row(meant).locator('[name="address"]').fill(invoice.address_to);
      await act(meant, 'Assign');
      await says(page, 'The payment is given to the address.');
      await row(own).locator('[name="note"]').fill('ours');
      await act(own, 'Book as our own');
      await says(page, 'The owner funding is booked.');
      expect(await row(own).count()).toBe(0);
      await on.settle();
      expect((await on.read(invoice.order_id)).status).toBe('success');
      await on.ledgerIsRight();
    });
  });

  opensAll({ stage }, 'operator-money');
});
