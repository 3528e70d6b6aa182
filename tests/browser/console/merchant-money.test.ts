/**
 * Money out of a merchant's balance, and who decides on it, each action once through its page:
 * payouts by hand and from a file, and approval by a second person.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { violations } from '../../support/browser/axe.ts';
import { chromiumAvailable } from '../../support/browser/chromium.ts';
import { anAddress } from '../../support/builders.ts';
import { badge, fact, press, rows, says } from '../../support/console/console-page.ts';
import { stageConsole } from '../../support/console/console-shop.ts';
import { opensAll } from '../../support/console/opened-routes.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('a merchant’s money in the console', () => {
  const on = stageConsole();
  beforeAll(async () => {
    await on.shop.paid({ amount: 1_000 });
  });

  async function open(path: string, nth = 1): Promise<Page> {
    return on.as(await on.shop.user('owner', nth), path, { asked: [] });
  }
  async function payOut(page: Page, amount: string, ref: string): Promise<string> {
    const address = anAddress();
    await page.selectOption('#asset', 'usdt_ethereum');
    await page.fill('#address', address);
    await page.fill('#amount', amount);
    await page.fill('#ref', ref);
    await press(page, 'Pay out');
    return address;
  }
  /** Payouts of the merchant, by reference. */
  async function statuses(): Promise<Readonly<Record<string, string>>> {
    const { body } = await on.shop.it.call(on.shop.merchant.live, 'GET', '/api/v2/payouts');
    const payouts: readonly { ref: string; status: string }[] = body.result.items ?? body.result;
    return Object.fromEntries(payouts.map(({ ref, status }) => [ref, status]));
  }

  test('a payout is ordered by hand, and arrives', async () => {
    const page = await open(on.at('/payouts/new'));
    const to = await payOut(page, '5', 'salary-1');
    await says(page, 'The payout is ordered.');
    expect(await rows(page)).toEqual([expect.stringContaining('salary-1')]);
    for (let round = 0; round < 3; round += 1) await on.shop.mine();
    expect(
      on.shop
        .chain()
        .received(to)
        .map(({ units }) => units),
    ).toEqual([5_000_000n]);
    await page.click('text=salary-1');
    expect(await badge(page)).toBe('paid');
    expect(await fact(page, 'Transaction')).toMatch(/^[0-9a-f]{64}$/);
  });

  test('a payout that the rules refuse keeps what was typed', async () => {
    const page = await open(on.at('/payouts/new'));
    await page.fill('#address', 'nowhere');
    await page.fill('#amount', '5');
    await page.selectOption('#asset', 'usdt_ethereum');
    await press(page, 'Pay out');
    expect(await page.locator('[role=alert]').textContent()).toContain('address');
    expect(await page.inputValue('#address')).toBe('nowhere');
    expect(on.stage.faults()).toEqual([expect.stringMatching(/40\d|422/)]);
  });

  test('a payout is cancelled while nothing of it is signed', async () => {
    const page = await open(on.at('/payouts/new'));
    await payOut(page, '6', 'mistake');
    await page.click('text=mistake');
    await press(page, 'Cancel the payout');
    await says(page, 'The payout is cancelled.');
    expect(await badge(page)).toBe('cancelled');
    expect((await statuses()).mistake).toBe('cancelled');
  });

  test('a file with faults is refused with all of them, and a whole one is paid out', async () => {
    const [good, better] = [anAddress(), anAddress()];
    const page = await open(on.at('/payouts/upload'));
    const file = (text: string) => ({
      name: 'salaries.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(text),
    });
    await page.setInputFiles(
      '#file',
      file(
        `address,amount,asset,ref\n${good},7,usdt_ethereum,file-1\nnowhere,8,usdt_ethereum,file-2\n${better},much,gold,file-3\n`,
      ),
    );
    await press(page, 'Preview');
    expect(on.stage.faults()).toEqual([expect.stringContaining('422')]);
    const faults = (await rows(page)).join('\n');
    expect(faults).toMatch(/3address/);
    expect(faults).toMatch(/4amount|4asset/);
    expect(await page.getByRole('button', { name: 'Pay all of them out' }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await press(page, 'upload it again');
    await page.setInputFiles(
      '#file',
      file(`address,amount,asset,ref\n${good},7,usdt_ethereum,file-1\n${better},8,usdt_ethereum,file-2\n`),
    );
    await press(page, 'Preview');
    expect(await fact(page, 'Worth')).toBe('15.00 USD');
    expect(await violations(page)).toEqual([]);
    await press(page, 'Pay all of them out');
    await says(page, 'The payout is ordered.');
    expect(await statuses()).toMatchObject({ 'file-1': 'pending', 'file-2': 'pending' });
  });

  test('above the limit a payout waits for a second person, who approves it', async () => {
    const page = await open(on.at('/settings'));
    await page.fill('#limit', '20.5');
    await page.locator('form[action$="/settings/approvals"] button').click();
    await says(page, 'Saved.');
    expect(await page.inputValue('#limit')).toBe('20.5');
    await page.goto(`${on.shop.it.url}/console${on.at('/payouts/new')}`);
    await payOut(page, '30', 'big-1');
    await says(page, 'waits for the approval of a second person');
    await page.locator('tbody tr a').first().click();
    expect(await page.locator('main').textContent()).toContain('You ordered it');
    expect((await statuses())['big-1']).toBeUndefined();
    const other = await open(new URL(page.url()).pathname.replace('/console', ''), 2);
    await press(other, 'Approve');
    await says(other, 'It is approved.');
    expect(await badge(other)).toBe('done');
    expect((await statuses())['big-1']).toBe('pending');
  });

  test('a second person refuses with a reason, and who ordered withdraws', async () => {
    const page = await open(on.at('/payouts/new'));
    for (const ref of ['big-2', 'big-3']) {
      await page.goto(`${on.shop.it.url}/console${on.at('/payouts/new')}`);
      await payOut(page, '30', ref);
    }
    await page.locator('tbody tr a').first().click();
    await press(page, 'Withdraw it');
    await says(page, 'It is withdrawn.');
    const other = await open(`${on.at('/approvals')}?status=waiting`, 2);
    expect(await rows(other)).toHaveLength(1);
    await other.locator('tbody tr a').first().click();
    await other.fill('#note', 'too early');
    await press(other, 'Refuse');
    await says(other, 'It is refused.');
    expect(await fact(other, 'Why it was refused')).toBe('too early');
    expect(await statuses()).not.toContainKeys(['big-2', 'big-3']);
  });

  test('a supporter offers a refund above the own limit, which an owner approves', async () => {
    const support = await on.shop.user('support');
    const { user } = await on.shop.signedIn(support);
    const owner = await on.shop.user('owner');
    await on.shop.post(owner, on.at('/people/role'), { user: user.id, role: 'support', limit: '3' });
    const paid = await on.shop.paid();
    const page = await on.as(support, on.at(`/payments/${paid.order_id}`));
    await page.fill('#amount', '10');
    await press(page, 'Offer a refund');
    await says(page, 'waits for the approval of a second person');
    await page.locator('tbody tr a').first().click();
    const other = await open(new URL(page.url()).pathname.replace('/console', ''), 2);
    await press(other, 'Approve');
    await says(other, 'It is approved.');
    await other.goto(`${on.shop.it.url}/console${on.at(`/payments/${paid.order_id}`)}`);
    expect(await other.locator('main').textContent()).toContain('waits for the customer');
  });

  test('a statement of a month is shown, and saved as CSV and PDF', async () => {
    const page = await open(on.at('/balance'));
    await press(page, 'Monthly statements');
    await press(page, '2026-06');
    expect(await fact(page, 'Balance at the end')).toMatch(/USD$/);
    for (const [name, begins] of [
      ['CSV', 'line,'],
      ['PDF', '%PDF'],
    ] as const) {
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.click(`main a:text-is("${name}")`),
      ]);
      expect(saved.suggestedFilename()).toEndWith(`.${name.toLowerCase()}`);
      expect([name, (await Bun.file(await saved.path()).text()).slice(0, begins.length)]).toEqual([
        name,
        begins,
      ]);
    }
  });

  test('the ledger is filtered by kind', async () => {
    const page = await open(on.at('/balance'));
    await page.selectOption('#type', 'payout');
    await press(page, 'Filter');
    expect((await rows(page)).every((row) => row.includes('payout'))).toBe(true);
    expect(await page.locator('.number').first().textContent()).toMatch(/USD/);
  });

  opensAll(on, 'merchant-money');
});
