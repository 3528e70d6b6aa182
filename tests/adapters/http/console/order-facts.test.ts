/** What an approver is shown of an order: all of it, and nothing that a browser would run. */
import { expect, test } from 'bun:test';
import { orderFacts } from '../../../../src/adapters/http/console/order-facts.ts';

const textOf = (order: Parameters<typeof orderFacts>[0]) => orderFacts(order, '/console/o').text;

test('every field of an order is shown, each item of a list, and what people wrote is escaped', () => {
  const item = { address: '0xab', amount: '60', asset: 'usdt_ethereum', ref: '<b>7</b>', fee_bearer: null };
  const payout = textOf({ kind: 'payout', order: item });
  for (const text of ['Address', '0xab', 'Amount', '60', 'Reference', '&lt;b&gt;7&lt;/b&gt;'])
    expect(payout).toContain(text);
  expect(payout).not.toContain('Fee bearer');
  const list = textOf({ kind: 'payout_batch', order: { items: [item, { ...item, address: '0xcd' }] } });
  for (const text of ['0xab', '0xcd']) expect(list).toContain(text);
  expect(list).not.toContain('<b>');
});

test('a limit is in dollars, an end of it is named, and so is a list of addresses without any', () => {
  const limit = textOf({ kind: 'approval_limit', order: { from: '50000000', to: null } });
  expect(limit).toContain('50.00 USD');
  expect(limit).toContain('none');
  const subnets = textOf({
    kind: 'allowed_subnets',
    order: { from: [], to: ['10.0.0.1/32', '10.0.0.2/32'] },
  });
  expect(subnets).toContain('none');
  expect(subnets).toContain('10.0.0.1/32, 10.0.0.2/32');
  const offer = textOf({ kind: 'refund_offer', order: { mails: true, on_checkout: false, days: '14' } });
  for (const text of ['By e-mail', 'yes', 'On checkout', 'no', 'Days to claim it', '14'])
    expect(offer).toContain(text);
});

test('what an order is about is a link away, and a refund without an amount says that it is all', () => {
  const release = textOf({ kind: 'payout_release', order: { payout_id: '65f0' } });
  expect(release).toContain('href="/console/o/payouts/65f0"');
  const refund = textOf({ kind: 'operator_refund', order: { invoice_id: '65f1', amount: null, to: null } });
  expect(refund).toContain('href="/console/o/payments/65f1"');
  expect(refund).toContain('all that is left');
});
