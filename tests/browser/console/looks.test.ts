/**
 * Every page of the console, full and empty, as people meet it: on three screens, in light and in
 * dark colours (console-look.ts). With `SCREENSHOTS=1` pictures are kept for people to look at.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { chromiumAvailable } from '../../support/browser/chromium.ts';
import { anAddress } from '../../support/builders.ts';
import { looksRight } from '../../support/console/console-look.ts';
import { stageConsole } from '../../support/console/console-shop.ts';
import { COOKIE } from '../../support/console/console-users.ts';
import { opensAll } from '../../support/console/opened-routes.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

type Pages = readonly (readonly [name: string, path: () => string | undefined])[];

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('the console', () => {
  const on = stageConsole();
  /** Paths of things that the tests look at, by name. */
  const made: Record<string, string> = {};

  beforeAll(async () => {
    const { shop, at } = on;
    const [owner, admin] = [await shop.user('owner'), await shop.user('admin')];
    const post = (path: string, fields: Record<string, string>) => shop.post(owner, at(path), fields);
    const form = () => ({ form_id: randomUUID() });
    const paid = await shop.paid({ amount: 2_500, extra: 'order-1001', title: 'Annual plan' });
    const partly = await shop.invoice({ extra: 'order-1002', payer_info: { email: 'kim@example.com' } });
    await shop.pay(partly.address_to, '10.1');
    shop.screen({ kind: 'hit', reason: 'sanctioned sender' });
    const risky = await shop.invoice({ extra: 'order-1003' });
    await shop.pay(risky.address_to, '25.25');
    shop.screen({ kind: 'pass' });
    const open = await shop.invoice({ sandbox: true, extra: 'try-1' });
    made.paid = at(`/payments/${paid.order_id}`);
    made.open = at(`/payments/${open.order_id}`, 'sandbox');
    made.refund = await post('/refunds', { ...form(), invoice: paid.order_id, amount: '10' });
    made.link = await post('/links/new', {
      mode: 'payment',
      fiat_currency: 'EUR',
      title: 'Ticket',
      amount: '12',
    });
    await post('/addresses', { user_id: 'kim', family: 'evm' });
    const payout = { asset: 'usdt_ethereum', fee_bearer: 'merchant', fiat_currency: 'native' };
    await post('/payouts/new', { ...form(), ...payout, address: anAddress(), amount: '5', ref: 'salary 7' });
    await post('/settings/approvals', { ...form(), limit: '50' });
    await post('/payouts/new', { ...form(), ...payout, address: anAddress(), amount: '60', ref: 'salary 8' });
    made.approval = await linkOf(await shop.user('owner', 2), at('/approvals'), /\/approvals\/[0-9a-f]{24}/);
    made.payout = await linkOf(owner, at('/payouts'), /\/payouts\/[0-9a-f]{24}/);
    const id = made.payout.slice(-24);
    await shop.post(admin, `/o/payouts/${id}/hold`, { reason: 'the recipient is new' });
    made.merchant = `/o/merchants/${shop.merchant.id}`;
    await shop.run('fold-day-figures', 'reconcile');
  });

  async function linkOf(user: { token: string }, path: string, wanted: RegExp): Promise<string> {
    const answer = await fetch(`${on.shop.it.url}/console${path}`, {
      headers: { cookie: `${COOKIE}=${user.token}` },
    });
    return `${path.slice(0, path.lastIndexOf('/'))}${wanted.exec(await answer.text())?.[0] ?? ''}`;
  }

  const merchantPages: Pages = [
    ['overview', () => on.at('')],
    ['overview-sandbox', () => on.at('', 'sandbox')],
    ['payments', () => on.at('/payments')],
    ['payments-none', () => on.at('/payments?extra=nothing')],
    ['payment', () => made.paid],
    ['payment-sandbox', () => made.open],
    ['search', () => on.at('/search?q=order-1001')],
    ['attention', () => on.at('/attention')],
    ['create', () => on.at('/create')],
    ['refund', () => made.refund],
    ['links', () => on.at('/links')],
    ['link', () => made.link],
    ['link-new', () => on.at('/links/new')],
    ['balance', () => on.at('/balance')],
    ['statements', () => on.at('/statements')],
    ['statement', () => on.at('/statements/2026-06')],
    ['payouts', () => on.at('/payouts')],
    ['payouts-none', () => on.at('/payouts', 'sandbox')],
    ['payout', () => made.payout],
    ['payout-new', () => on.at('/payouts/new')],
    ['payout-upload', () => on.at('/payouts/upload')],
    ['addresses', () => on.at('/addresses')],
    ['approvals', () => on.at('/approvals')],
    ['settings', () => on.at('/settings')],
    ['brand', () => on.at('/settings/brand')],
    ['people', () => on.at('/people')],
    ['account', () => '/account'],
    ['codes', () => '/account/codes'],
    ['not-found', () => '/nothing'],
  ];
  test.each(merchantPages.map(([name, path]) => ({ name, path })))(
    '$name of a merchant is right for everybody',
    async ({ name, path }) => {
      await looksRight(await on.shown(await on.shop.user('owner'), path() ?? ''), name);
      // The browser itself tells of the answer's status.
      if (name === 'not-found') expect(on.stage.faults()).toEqual([expect.stringContaining('404')]);
    },
  );

  const operatorPages: Pages = [
    ['well', () => '/o'],
    ['wallets', () => '/o/wallets'],
    ['wallet', () => '/o/wallets/ethereum'],
    ['queue', () => '/o/queue'],
    ['o-approvals', () => '/o/approvals'],
    ['signing', () => '/o/signing'],
    ['merchants', () => '/o/merchants'],
    ['merchant', () => made.merchant],
    ['cases', () => '/o/search?q=order-1001'],
    ['case-payment', () => made.paid?.replace(/^.*\/payments/, '/o/payments')],
    ['case-payout', () => made.payout?.replace(/^.*\/payouts/, '/o/payouts')],
    ['audit', () => '/o/audit'],
    ['operators', () => '/o/people'],
  ];
  test.each(operatorPages.map(([name, path]) => ({ name, path })))(
    '$name of the operators is right for everybody',
    async ({ name, path }) => {
      await looksRight(await on.shown(await on.shop.user('admin'), path() ?? ''), name);
    },
  );

  test('the approval of another person is right for everybody', async () => {
    await looksRight(await on.shown(await on.shop.user('owner', 2), made.approval ?? ''), 'approval');
  });

  test.each([
    ['sign-in', '/sign-in'],
    ['invitation', ''],
    ['invitation-over', '/i/unknown'],
  ])('%s is right for everybody', async (name, path) => {
    const link = path === '' ? await on.shop.invitation('support', 'new@shop.example') : path;
    await looksRight(await on.shown(null, link), name);
    if (name === 'invitation-over') expect(on.stage.faults()).toEqual([expect.stringContaining('410')]);
  });

  opensAll(on, 'looks');
});
