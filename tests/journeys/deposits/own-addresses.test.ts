/**
 * Whose an address of the gateway is: told to its merchant in its environment, and to nobody else.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { type FakeJourney, openFakeJourney } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const FOREIGN = '0x1111111111111111111111111111111111111111';
const PERMANENT = '/api/v2/permanent';
const MISSING_ID = 'ffffffffffffffffffffffff';

describe.skipIf(!needs('postgres', postgresAvailable()))('addresses of the gateway', () => {
  let journey: FakeJourney;
  let merchant: FakeJourney['merchant'];
  let other: FakeJourney['merchant'];
  beforeAll(async () => {
    journey = await openFakeJourney();
    merchant = journey.merchant;
    other = await journey.it.merchant({ callbackUrl: journey.receiver.url });
  });
  afterAll(() => journey.close());

  const result = async (key: string, method: string, path: string, body?: Json): Promise<Json> =>
    (await journey.it.call(key, method, path, body)).body.result;
  const invoiceOf = (key: string, amount = 25) =>
    result(key, 'POST', '/api/v2/invoices', { amount, asset: 'usdt_ethereum' });
  const permanentOf = (key: string, userId = 'u') =>
    result(key, 'POST', PERMANENT, { user_id: userId, family: 'evm' });

  /** All that a single payout and a batch answer, but for the ids of what they make. */
  async function payoutAnswers(key: string, address: string, amount: number): Promise<string> {
    const { call } = journey.it;
    const payout = { address, amount, asset: 'usdt_ethereum' };
    const single = await call(key, 'POST', '/api/v2/payouts', payout, { 'x-uniq-id': randomUUID() });
    const items = { items: [payout] };
    const batch = await call(key, 'POST', '/api/v2/payouts/batch', items, { 'x-uniq-id': randomUUID() });
    const told = JSON.stringify([single.status, single.body, batch.status, batch.body]);
    return told.replaceAll(/"[0-9a-f]{24}"/g, '"id"');
  }

  test('W5: a sandbox payout to an address of the gateway is answered as one to a stranger’s', async () => {
    const income = await invoiceOf(merchant.sandbox, 200);
    const simulated = `/api/v2/invoices/${income.order_id}/simulate`;
    await result(merchant.sandbox, 'POST', simulated, { status: 'success' });
    const ours = {
      'of the same merchant, live': (await invoiceOf(merchant.live)).address_to,
      'permanent, of another merchant, live': (await permanentOf(other.live)).address,
      'of another merchant’s sandbox': (await invoiceOf(other.sandbox)).address_to,
      'the hot wallet': journey.it.service.dependencies.liveDerivers.get('evm')?.hotWallet() ?? '',
    };
    for (const [amount, told] of [
      [1, 'pending'],
      [1_000_000, 'insufficient_balance'],
    ] as const) {
      const foreign = await payoutAnswers(merchant.sandbox, FOREIGN, amount);
      expect(foreign).toContain(told);
      for (const [whose, address] of Object.entries(ours))
        expect([whose, await payoutAnswers(merchant.sandbox, address, amount)]).toEqual([whose, foreign]);
    }
    await journey.booksAreRight();
  });

  test('W5: a payout to the merchant’s own sandbox address, and a live one to any of ours, is refused', async () => {
    const own = (await invoiceOf(merchant.sandbox)).address_to;
    expect(await payoutAnswers(merchant.sandbox, own, 1)).toContain('own_address');
    for (const address of [own, (await invoiceOf(other.live)).address_to])
      expect(await payoutAnswers(merchant.live, address, 1)).toContain('own_address');
  });

  test('a permanent address of one user id is another one for each merchant and environment', async () => {
    const keys = [merchant.live, merchant.sandbox, other.live, other.sandbox];
    const given = [];
    for (const key of keys) given.push(await permanentOf(key, 'the same user'));
    expect(new Set(given.map(({ address }) => address)).size).toBe(keys.length);
    for (const [place, key] of keys.entries()) {
      const { id, address } = given[place];
      expect(await permanentOf(key, 'the same user')).toMatchObject({ id, address });
      const bound = await result(key, 'POST', '/api/v2/invoices', {
        ...{ amount: 25, asset: 'usdt_ethereum', billing_type: 'VARY' },
        ...{ permanent_address: true, user_id: 'the same user' },
      });
      expect(bound).toMatchObject({ address_to: address, permanent_address_id: id });
      const listed = await result(key, 'GET', `${PERMANENT}?user_id=the%20same%20user`);
      expect(listed.map((each: Json) => each.id)).toEqual([id]);
    }
  });

  test('nobody else reads or deactivates a permanent address, and what is paid to it is its merchant’s', async () => {
    const { id, address } = await permanentOf(merchant.live, 'a customer');
    const { call } = journey.it;
    for (const key of [merchant.sandbox, other.live, other.sandbox]) {
      for (const method of ['GET', 'DELETE']) {
        const foreign = await call(key, method, `${PERMANENT}/${id}`);
        const missing = await call(key, method, `${PERMANENT}/${MISSING_ID}`);
        expect([foreign.status, foreign.body]).toEqual([404, missing.body]);
      }
    }
    expect(await permanentOf(merchant.live, 'a customer')).toMatchObject({ id, address, active: true });
    journey.pay({ address_to: address }, '30');
    await journey.mineToFinality();
    const paidFor = async (key: string) => {
      const invoices = await result(key, 'GET', '/api/v2/invoices?status=success');
      return invoices.filter((each: Json) => each.address_to === address);
    };
    expect(await paidFor(merchant.live)).toMatchObject([{ user_id: 'a customer', received_amount: 30 }]);
    for (const key of [merchant.sandbox, other.live, other.sandbox]) expect(await paidFor(key)).toEqual([]);
    await journey.booksAreRight();
  });

  test('a deactivated permanent address is nobody’s next one, and its payments are strays', async () => {
    const first = await permanentOf(merchant.live, 'a leaver');
    await result(merchant.live, 'DELETE', `${PERMANENT}/${first.id}`);
    for (const [key, userId] of [
      [merchant.live, 'a leaver'],
      [merchant.live, 'a newcomer'],
      [other.live, 'a leaver'],
    ] as const)
      expect((await permanentOf(key, userId)).address).not.toBe(first.address);
    const before = await journey.balance();
    journey.pay({ address_to: first.address }, '30');
    await journey.mineToFinality();
    expect(await journey.balance()).toEqual(before);
  });
});
