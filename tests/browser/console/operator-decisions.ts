/**
 * What one operator asks for and another decides, what was paid outside, and money that is given
 * back: cases of operator.test.ts.
 */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { aHash, anAddress } from '../../support/builders.ts';
import { looksRight } from '../../support/console/console-look.ts';
import { badge, fact, follow, press, rows, says } from '../../support/console/console-page.ts';
import type { OperatorActs } from '../../support/console/operator-acts.ts';

export function decisionCases(acts: OperatorActs): void {
  const { on, open, payout, statusOf, inRow, held, parked, refused } = acts;
  const deps = () => on.shop.it.service.dependencies;
  const go = (page: Page, path: string) => page.goto(`${on.shop.it.url}/console${path}`);

  /** The second operator, on the approval that waits. */
  async function second(): Promise<Page> {
    const page = await on.as(await on.shop.user('treasurer'), '/o/approvals?status=waiting', {
      javaScriptEnabled: false,
    });
    await follow(page, page.locator('tbody a'));
    return page;
  }

  test('above the limit a release waits: whoever ordered it cannot approve it, a second person does', async () => {
    const id = await payout(60_000);
    const page = await open(`/o/payouts/${id}`);
    await page.fill(`#reason-${id}`, 'a large one');
    await press(page, 'Hold');
    await says(page, 'The payout is held.');
    expect(await page.locator('main').textContent()).toContain('a large one');
    await press(page, 'Release');
    await says(page, 'waits for the approval of a second person');
    await follow(page, page.locator('tbody a'));
    expect(await page.locator('main').textContent()).toContain('You ordered it');
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    const other = await second();
    await looksRight(await on.shown(await on.shop.user('treasurer'), other.url()), 'o-approval');
    await press(other, 'Approve');
    await says(other, 'It is approved.');
    expect(await badge(other)).toBe('done');
    expect(await on.shop.page(await on.shop.user('admin'), `/o/payouts/${id}`)).not.toContain('a large one');
    await go(page, `/o/payouts/${id}`);
    await press(page, 'Cancel');
    await says(page, 'It is cancelled.');
  });

  test('a second person refuses what is not right, and the first withdraws what was a mistake', async () => {
    const id = await payout(60_000);
    const page = await open(`/o/payouts/${id}`);
    await press(page, 'Hold');
    await press(page, 'Release');
    const other = await second();
    await other.fill('#note', 'ask the merchant');
    await press(other, 'Refuse');
    await says(other, 'It is refused.');
    expect(await fact(other, 'Why it was refused')).toBe('ask the merchant');
    await go(page, `/o/payouts/${id}`);
    await press(page, 'Release');
    await follow(page, page.locator('tbody a'));
    await press(page, 'Withdraw it');
    await says(page, 'It is withdrawn.');
    await go(page, '/o/queue');
    await inRow(page, id, 'Cancel');
  });

  async function restored(...ids: readonly string[]): Promise<void> {
    const { unitOfWork } = deps();
    await unitOfWork.run(({ payouts }) => payouts.holdRestored(ids, 'a backup was restored'));
  }

  test('a payout that was paid before a restore is settled by its transaction, and not sent again', async () => {
    const id = await payout(7);
    await restored(id);
    const stored = await deps().unitOfWork.run(({ payouts }) => payouts.find(id));
    const on1 = on.shop.it.service.sending.chains.get('ethereum');
    const txid = aHash();
    const height =
      (await deps().unitOfWork.run(({ chains }) => chains.cursor('ethereum')))?.finalizedHeight ?? 0;
    const at = on.shop.clock.now();
    await deps().unitOfWork.run(({ unknown }) =>
      unknown.note({
        ...{ chain: 'ethereum', txid, wallet: on1?.deriver.hotWallet() ?? '', nonce: 900n, feeUnits: 0n },
        ...{ harmless: false, block: { height, hash: aHash() }, minedAt: at, notedAt: at },
        payments: [
          {
            to: on1?.deriver.normalize(stored?.address ?? '') ?? '',
            ...{ asset: 'usdt_ethereum', units: unitsOf('7', 6) },
          },
        ],
      }),
    );
    const page = await open('/o/queue');
    const unknown = page.locator('section', { hasText: 'not known here' }).locator('tbody tr');
    expect(await unknown.allTextContents()).toEqual([expect.stringContaining(id)]);
    await inRow(page, 'a backup was restored', 'It was paid', { txid: aHash() });
    await refused(page, 'no unknown transaction');
    await looksRight(await on.shown(await on.shop.user('admin'), '/o/queue'), 'queue-restored');
    await inRow(page, 'a backup was restored', 'It was paid', { txid });
    await says(page, 'Saved.');
    expect(await statusOf('payouts', id)).toBe('success');
  });

  test('all that a restored backup holds is released together, if nothing came in between', async () => {
    const ids = [await payout(3), await payout(4)];
    await restored(...ids);
    const page = await open('/o/queue');
    const late = await payout(5);
    await restored(late);
    await press(page, 'Release all 2 that a restore holds');
    await refused(page, '3');
    await press(page, 'Release all 3 that a restore holds');
    await says(page, 'It is released.');
    for (const id of [...ids, late])
      expect((await deps().unitOfWork.run(({ payouts }) => payouts.find(id)))?.held).toBeNull();
  });

  test('payouts of all merchants are listed and filtered, with the merchant’s name', async () => {
    const id = await held();
    const page = await open('/o/queue');
    expect((await rows(page)).join()).toContain('Corner shop');
    await press(page, 'All payouts');
    await page.selectOption('#status', 'pending');
    await page.check('[name="held"]');
    await page.fill('#merchant', on.shop.merchant.id);
    await press(page, 'Filter');
    expect((await rows(page))[0]).toContain(id);
    await looksRight(await on.shown(await on.shop.user('admin'), '/o/payouts'), 'o-payouts');
    await go(page, `/o/payouts/${id}`);
    await press(page, 'Cancel');
    await says(page, 'It is cancelled.');
    expect(await page.locator('h1').textContent()).toContain(id);
  });

  test('a payment is given back: shown first, sent as it was shown, and once', async () => {
    const paid = await on.shop.paid({ amount: 40 });
    const asked: string[] = [];
    const page = await on.as(await on.shop.user('admin'), `/o/payments/${paid.order_id}`, { asked });
    expect(await page.locator('main').textContent()).toContain('Corner shop');
    await page.click('text=Send it to an address');
    await page.fill('#to', anAddress());
    await page.fill('#amount-sent', 'much');
    await press(page, 'Look first');
    await refused(page, 'must be a number');
    await page.click('text=Send it to an address');
    const to = anAddress();
    await page.fill('#to', to);
    await page.fill('#amount-sent', '15.5');
    await press(page, 'Look first');
    expect(await fact(page, 'Would be sent')).toBe('15.5 usdt_ethereum');
    expect((await fact(page, 'To')).toLowerCase()).toBe(to.toLowerCase());
    await looksRight(page, 'o-refund');
    expect(await statusOf('invoices', paid.order_id)).toBe('success');
    await press(page, 'Send it');
    await says(page, 'The refund is ordered.');
    expect(asked).toEqual(['Send this refund? It cannot be taken back.']);
    expect(await statusOf('invoices', paid.order_id)).toBe('refunded');
    await page.click('text=Send it to an address');
    await press(page, 'Look first');
    await refused(page, 'refunded');
  });

  test('a refund is offered to a customer, and withdrawn; a webhook is sent again', async () => {
    const paid = await on.shop.paid({ amount: 40 });
    const page = await open(`/o/payments/${paid.order_id}`);
    await page.click('text=Let the customer enter an address');
    await page.fill('#days', '400');
    await press(page, 'Offer a refund');
    await refused(page, 'must be 1 to');
    await page.click('text=Let the customer enter an address');
    await page.fill('#amount-offered', '12');
    await press(page, 'Offer a refund');
    const link = (await page.locator('.copyable code').textContent()) ?? '';
    expect(await (await fetch(link)).text()).toContain('12');
    await press(page, 'Back to the payment');
    await press(page, 'Withdraw the open offer');
    await says(page, 'It is withdrawn.');
    expect(await page.getByRole('button', { name: 'Withdraw the open offer' }).count()).toBe(0);
    const before = on.shop.receiver.received.length;
    await press(page, 'Send the webhook again');
    await says(page, 'The webhook is queued.');
    await on.shop.it.settle(1);
    expect(on.shop.receiver.received.length).toBe(before + 1);
  });

  test('webhooks that were given up are sent again, and a test notice is ordered', async () => {
    const page = await open('/o');
    expect(await page.locator('tr', { hasText: 'ethereum' }).first().textContent()).not.toContain('never');
    await page.fill('#since', '2026-01-01');
    await press(page, 'Send them again');
    await says(page, 'The webhooks are queued again.');
    await press(page, 'Send a test');
    await says(page, 'The test is on its way.');
    expect(await page.locator('main').textContent()).toContain('A test notice');
  });

  test('money is forwarded to the cold address on demand, and a chain without settings says so', async () => {
    const page = await open('/o/wallets/ethereum');
    await press(page, 'Forward');
    await says(page, 'The forward is planned.');
    expect(await page.locator('main').textContent()).toContain('carried out as soon as nothing bars it');
    await press(page, 'Set it up');
    await says(page, 'This chain has nothing to set.');
    await looksRight(await on.shown(await on.shop.user('admin'), '/o/wallets/ethereum'), 'wallet-acted');
  });

  test('a credit that a merchant asks for is granted, and another is declined with an answer', async () => {
    const owner = await on.shop.user('owner');
    const strays: string[] = [];
    for (const invoice of [await parked('stray'), await parked('stray')]) {
      const all = await deps().operatorQueries.deposits({ statuses: ['stray'], sandbox: null, limit: 100 });
      const deposit = all.find(({ address }) => address === invoice.address_to.toLowerCase());
      strays.push(deposit?.txid ?? '');
      await on.shop.post(owner, on.at(`/attention/${deposit?.id}/credit`), {
        reason: 'our customer sent it',
      });
    }
    const [granted = '', declined = ''] = strays;
    await looksRight(await on.shown(await on.shop.user('admin'), '/o/credits'), 'o-credits');
    const page = await open('/o/credits');
    expect(await page.locator('main').textContent()).toContain('our customer sent it');
    await inRow(page, granted, 'Credit');
    await says(page, 'The deposit is credited.');
    await inRow(page, declined, 'Decline', { answer: 'it is another’s' });
    await says(page, 'It is declined.');
    expect(await page.locator('main').textContent()).not.toContain('our customer sent it');
  });

  test('all sessions of an operator are ended', async () => {
    const { email, token } = await on.shop.user('viewer', 2);
    expect(await on.shop.it.service.accounts.sessionOf(token)).not.toBeNull();
    const page = await open('/o/people');
    await inRow(page, email, 'End its sessions');
    await says(page, 'All sessions of this person are ended.');
    expect(await on.shop.it.service.accounts.sessionOf(token)).toBeNull();
  });
}
