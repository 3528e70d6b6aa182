/**
 * As the operator on call would: from the alarm to the audit log, in the order of docs/console.md.
 * Each test is a step, and goes on where the one before ended.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { chromiumAvailable } from '../../support/browser/chromium.ts';
import { anAddress } from '../../support/builders.ts';
import { fact, press, rows, says } from '../../support/console/console-page.ts';
import { stageConsole } from '../../support/console/console-shop.ts';
import { PASSWORD } from '../../support/console/console-users.ts';
import { picture, walk } from '../../support/console/console-walk.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('the operator on call', () => {
  const on = stageConsole();
  const person = walk(on);
  beforeAll(async () => {
    const { shop } = on;
    await shop.paid({ amount: 500, extra: 'order-1' });
    const order = async (asset: string, amount: number): Promise<string> => {
      const body = { address: anAddress(), amount, asset };
      const made = await shop.it.call(shop.merchant.live, 'POST', '/api/v2/payouts', body, {
        'x-uniq-id': randomUUID(),
      });
      return made.body.result.order_id;
    };
    const admin = await shop.user('admin');
    await shop.post(admin, `/o/payouts/${await order('usdt_ethereum', 40)}/hold`, {
      reason: 'a new recipient',
    });
    // The hot wallet has none of it.
    await order('usdc_ethereum', 60);
    shop.screen({ kind: 'hit', reason: 'sender on a list' });
    const risky = await shop.invoice({ extra: 'order-2' });
    await shop.pay(risky.address_to, '25.25');
    shop.screen({ kind: 'pass' });
  });

  test('1: signs in after the alarm', async () => {
    const { email, secret } = await on.shop.user('treasurer');
    on.shop.clock.advance(30);
    const page = await person.at('/sign-in');
    await page.fill('#email', email);
    await page.fill('#password', PASSWORD);
    await press(page, 'Sign in');
    await page.fill('#factor', on.shop.code(secret));
    await press(page, 'Go on');
    expect(await page.locator('h1').textContent()).toBe('Is all well');
    await person.over(page);
  });

  test('2: sees in one look what is not well, and what to do', async () => {
    const page = await person.at('/o');
    expect(await page.locator('.message').first().textContent()).toBe('Something needs a look.');
    const cards = await page.locator('.cards .card').allTextContents();
    for (const text of ['Held payouts', 'Payouts that wait', 'Payments held by the risk check'])
      expect(cards.find((card) => card.startsWith(text))).toMatch(/1/);
    await picture(page, 'well');
    await person.over(page);
  });

  test('3: decides on the queue: releases a payout, and rejects a payment', async () => {
    const page = await person.at('/o/queue');
    await picture(page, 'queue');
    await press(page, 'Release');
    await says(page, 'It is released.');
    await page.locator('input[name="reason"]').last().fill('a mixer');
    await press(page, 'Reject');
    await says(page, 'It is rejected.');
    await person.over(page);
  });

  test('4: tops the hot wallet up, and books the money', async () => {
    const page = await person.at('/o/wallets/ethereum');
    await picture(page, 'wallet');
    on.shop.chain().fund(await fact(page, 'Address'), 'usdc_ethereum', unitsOf('100', 6));
    // Until all that leaves the wallet is final.
    for (let round = 0; round < 3; round += 1) await on.shop.mine();
    await page.selectOption('#asset-booked', 'usdc_ethereum');
    await press(page, 'Look first');
    expect(Number(await fact(page, 'Would be booked'))).toBe(100);
    await page.fill('#note', 'from the treasury account');
    await press(page, 'Book it');
    await says(page, 'The owner funding is booked.');
    await person.over(page);
  });

  test('5: stops all signing while something is unclear, and lets it go on', async () => {
    const page = await person.at('/o/signing');
    await page.fill('#note', 'a transfer that nobody ordered');
    await press(page, 'Stop all signing');
    await says(page, 'Signing is stopped on every chain.');
    await picture(page, 'signing');
    await press(page, 'Let it go on');
    await says(page, 'Signing goes on.');
    await person.over(page);
  });

  test('6: finds every step in the audit log', async () => {
    const page = await person.at('/o/audit?actor=treasurer%40shop.example');
    const entries = (await rows(page)).join('\n');
    for (const action of ['payout', 'deposit', 'capital', 'signing'])
      expect([action, entries.includes(action)]).toEqual([action, true]);
    await picture(page, 'audit');
  });
});
