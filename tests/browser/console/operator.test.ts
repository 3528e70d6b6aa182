/**
 * What operators do, each action once through its page, in a browser without a script: every form
 * is a plain one.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { chromiumAvailable } from '../../support/browser/chromium.ts';
import { fact, follow, press, rows, says } from '../../support/console/console-page.ts';
import { stageConsole } from '../../support/console/console-shop.ts';
import { opensAll } from '../../support/console/opened-routes.ts';
import { operatorActs } from '../../support/console/operator-acts.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { decisionCases } from './operator-decisions.ts';
import { merchantCases } from './operator-merchants.ts';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('operators in the console', () => {
  const on = stageConsole({
    env: { CONSOLE_APPROVAL_USD: '50000' },
    file: { treasury: { forward: { usdt_ethereum: { above: '500000', keep: '1000' } } } },
  });
  beforeAll(async () => {
    await on.shop.paid({ amount: 300_000 });
  });

  const acts = operatorActs(on);
  const { open, payout, statusOf, inRow, held, parked } = acts;

  test('a held payout is released, and one that is not right is cancelled', async () => {
    const [first, second] = [await held(), await held()];
    const page = await open('/o/queue');
    await inRow(page, first, 'Release');
    await says(page, 'It is released.');
    await inRow(page, second, 'Cancel');
    await says(page, 'It is cancelled.');
    expect([await statusOf('payouts', first), await statusOf('payouts', second)]).toEqual([
      'pending',
      'cancelled',
    ]);
    expect((await rows(page)).join()).not.toContain(second);
  });

  test('a payout that waits is tried again, and held', async () => {
    // The hot wallet has none of it.
    const id = await payout(5, 'usdc_ethereum');
    await on.shop.it.settle(1);
    const page = await open('/o/queue');
    await inRow(page, id, 'Try again');
    await says(page, 'It is tried again.');
    await on.shop.it.settle(1);
    await page.reload();
    await inRow(page, id, 'Hold', { reason: 'no money for it' });
    await says(page, 'The payout is held.');
    expect(await rows(page)).toEqual([expect.stringContaining('no money for it')]);
    await page.goto(`${on.shop.it.url}/console/o/payouts/${id}`);
    expect(await page.locator('h1').textContent()).toContain(id);
  });

  test('a payment that the risk check holds is accepted, and another is rejected', async () => {
    const [good, bad] = [await parked('risk'), await parked('risk')];
    const page = await open('/o/queue');
    await inRow(page, good.address_to, 'Accept');
    await says(page, 'It is released.');
    await inRow(page, bad.address_to, 'Reject', { reason: 'mixer' });
    await says(page, 'It is rejected.');
    await on.shop.it.settle();
    expect([await statusOf('invoices', good.order_id), await statusOf('invoices', bad.order_id)]).toEqual([
      'success',
      expect.stringMatching(/failed|high_risk/),
    ]);
  });

  test('an unmatched deposit is credited, and another is given back', async () => {
    const [credited, refunded] = [await parked('stray'), await parked('stray')];
    const page = await open('/o/queue');
    await inRow(page, credited.address_to, 'Credit');
    await says(page, 'The deposit is credited.');
    await inRow(page, refunded.address_to, 'Offer a refund');
    const link = await page.locator('.copyable code').textContent();
    expect((await fetch(link ?? '')).status).toBe(200);
  });

  test('the kill switch stops all signing with a reason, and lets it go on', async () => {
    const page = await open('/o/signing');
    await page.fill('#note', 'a strange transfer');
    await press(page, 'Stop all signing');
    await says(page, 'Signing is stopped on every chain.');
    const id = await payout();
    await on.shop.mine();
    expect(await statusOf('payouts', id)).toBe('pending');
    await page.goto(`${on.shop.it.url}/console/o`);
    expect(await page.locator('.message.bad').textContent()).toBe('Something is wrong.');
    expect(await page.locator('main').textContent()).toContain('a strange transfer');
    await page.goto(`${on.shop.it.url}/console/o/signing`);
    await press(page, 'Let it go on');
    await says(page, 'Signing goes on.');
    await on.shop.mine();
    await on.shop.mine();
    expect(await statusOf('payouts', id)).toBe('success');
  });

  test('owner funding is looked at and booked', async () => {
    const page = await open('/o/wallets/ethereum');
    await page.selectOption('#asset-booked', 'eth_ethereum');
    await press(page, 'Look first');
    expect(await fact(page, 'Would be booked')).not.toBe('0');
    await page.fill('#note', 'from the company’s account');
    await press(page, 'Book it');
    await says(page, 'The owner funding is booked.');
    await on.shop.mine();
    await page.selectOption('#asset-booked', 'eth_ethereum');
    await press(page, 'Look first');
    expect(await page.locator('main').textContent()).toContain('There is nothing to book.');
  });

  test('sweeps are planned, and one is given up', async () => {
    const page = await open('/o/wallets/ethereum');
    await page.selectOption('#asset', 'usdt_ethereum');
    await press(page, 'Plan sweeps');
    await says(page, 'The sweeps are planned.');
    const before = await page.getByRole('button', { name: 'Give it up' }).count();
    expect(before).toBeGreaterThan(0);
    await press(page, 'Give it up');
    await says(page, 'It is given up.');
  });

  test('one transfer of a sweep is given up: its gas, while the sweep goes on to say why', async () => {
    await on.shop.paid();
    const page = await open('/o/wallets/ethereum');
    await page.selectOption('#asset', 'usdt_ethereum');
    await press(page, 'Plan sweeps');
    await on.shop.run('sweep:ethereum');
    await page.reload();
    const row = page.locator('tbody tr', { has: page.locator('select[name="id"]') }).first();
    const sweepId = (await row.locator('code').first().textContent()) ?? '';
    await row.locator('select').selectOption({ label: 'only its gas' });
    await follow(page, row.getByRole('button', { name: 'Give it up' }));
    expect(await page.locator('main').textContent()).toContain('given up');
    const { unitOfWork } = on.shop.it.service.dependencies;
    const topup = await unitOfWork.run(async ({ sweeps, outgoing }) => {
      const sweep = await sweeps.lock(sweepId);
      return (await outgoing.find([sweep?.topupId ?? '']))[0];
    });
    expect(topup).toMatchObject({ purpose: 'topup', voided: true });
  });

  test('a frozen address is let be swept again', async () => {
    const invoice = await on.shop.paid();
    on.shop.chain().changeOwner(invoice.address_to);
    await on.shop.mine();
    const page = await open('/o/wallets/ethereum');
    await press(page, 'Unfreeze');
    await says(page, 'The address can be swept again.');
    expect(await page.getByRole('button', { name: 'Unfreeze' }).count()).toBe(0);
  });

  merchantCases(acts);

  test('an operator is invited, changed and removed, and gets a link for a new password', async () => {
    await on.shop.user('viewer');
    const page = await open('/o/people');
    await page.fill('#email', 'new@gateway.example');
    await page.selectOption('#role', 'treasurer');
    await press(page, 'Make a link');
    expect((await fetch((await page.locator('.copyable code').textContent()) ?? '')).status).toBe(200);
    await inRow(page, 'new@gateway.example', 'Withdraw');
    await says(page, 'It is withdrawn.');
    await inRow(page, 'Vera Viewer', 'Link for a new password');
    const reset = (await page.locator('.copyable code').textContent()) ?? '';
    expect(await (await fetch(reset)).text()).toContain('Set a new password');
    await page.locator('tbody tr', { hasText: 'Vera Viewer' }).locator('select').selectOption('treasurer');
    await inRow(page, 'Vera Viewer', 'Save');
    await says(page, 'Saved.');
    await inRow(page, 'Vera Viewer', 'Remove');
    await says(page, 'It is removed.');
  });

  test('the audit log is filtered, and exported', async () => {
    const page = await open('/o/audit');
    await page.fill('#action', 'signing');
    await press(page, 'Filter');
    const entries = await rows(page);
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.every((entry) => entry.includes('signing'))).toBe(true);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.click('text=Export as JSON lines'),
    ]);
    expect(saved.suggestedFilename()).toBe('audit.jsonl');
    const lines = (await Bun.file(await saved.path()).text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).action)).toEqual(
      expect.arrayContaining(['signing.stopped', 'signing.started']),
    );
  });

  test('cases are found across merchants, and lead to the merchant', async () => {
    const paid = await on.shop.paid({ extra: 'case-1' });
    const page = await open('/o/search');
    for (const text of ['case-1', paid.address_to, 'Corner']) {
      await page.fill('#q', text);
      await press(page, 'Search');
      expect(await page.locator('main table').count()).toBeGreaterThan(0);
    }
    await page.click('text=Corner shop');
    expect(await page.locator('h1').textContent()).toBe('Corner shop');
  });

  decisionCases(acts);

  opensAll(on, 'operator');
});
