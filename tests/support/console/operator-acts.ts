/** What operators find in the console of a stage, and do there in a browser without a script. */
import { expect } from 'bun:test';
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { anAddress } from '../builders.ts';
import type { Json } from '../test-service.ts';
import type { StagedConsole } from './console-shop.ts';

export type OperatorActs = ReturnType<typeof operatorActs>;

export function operatorActs(on: StagedConsole) {
  async function open(path: string, { script = false } = {}): Promise<Page> {
    return on.as(await on.shop.user('admin'), path, { javaScriptEnabled: script });
  }
  async function payout(amount = 5, asset = 'usdt_ethereum'): Promise<string> {
    const { it, merchant } = on.shop;
    const body = { address: anAddress(), amount, asset };
    const made = await it.call(merchant.live, 'POST', '/api/v2/payouts', body, { 'x-uniq-id': randomUUID() });
    expect(made.body).toMatchObject({ ok: true });
    return made.body.result.order_id;
  }
  async function statusOf(kind: 'payouts' | 'invoices', id: string): Promise<string> {
    const { body } = await on.shop.it.call(on.shop.merchant.live, 'GET', `/api/v2/${kind}/${id}`);
    return body.result.status;
  }
  /** Presses a button in the row of the queue that shows the text. */
  async function inRow(page: Page, text: string, name: string, fields: Json = {}): Promise<void> {
    const row = page.locator('tbody tr', { hasText: text });
    for (const [field, value] of Object.entries(fields))
      await row.locator(`[name="${field}"]`).first().fill(String(value));
    await Promise.all([
      page.waitForEvent('domcontentloaded'),
      row.getByRole('button', { name, exact: true }).click(),
    ]);
  }
  async function held(): Promise<string> {
    const id = await payout();
    await on.shop.post(await on.shop.user('admin'), `/o/payouts/${id}/hold`, { reason: 'a look' });
    return id;
  }
  async function parked(verdict: 'risk' | 'stray'): Promise<Json> {
    if (verdict === 'risk') on.shop.screen({ kind: 'hit', reason: 'listed' });
    const invoice = await on.shop.invoice();
    const asset = verdict === 'stray' ? 'usdc_ethereum' : 'usdt_ethereum';
    on.shop.chain().pay({ to: invoice.address_to, asset, units: 25_250_000n });
    await on.shop.mine();
    on.shop.screen({ kind: 'pass' });
    return invoice;
  }

  /** The page says why it was refused. The browser itself tells of the answer's status. */
  async function refused(page: Page, text: string): Promise<void> {
    expect(await page.locator('main [role="alert"]').textContent()).toContain(text);
    expect(on.stage.faults()).toEqual([expect.stringMatching(/status of 4\d\d/)]);
  }

  return { refused, on, open, payout, statusOf, inRow, held, parked };
}
