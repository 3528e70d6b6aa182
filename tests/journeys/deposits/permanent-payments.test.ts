/** Payments to permanent addresses: the invoice that each opens, whose it is, and at whose cost. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { changeMerchant } from '../../../src/app/merchants/manage-merchants.ts';
import { type FakeJourney, openFakeJourney, usdt } from '../../support/fake/fake-journey.ts';
import { openHarness, stageHarness } from '../../support/http/http-harness.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

stageHarness();

describe.skipIf(!needs('postgres', postgresAvailable()))('a payment to a permanent address', () => {
  let journey: FakeJourney;
  beforeAll(async () => {
    journey = await openFakeJourney({}, 'tron');
  });
  afterAll(() => journey.close());

  async function addressOf(user: string, body: Json = {}): Promise<Json> {
    const answer = await journey.it.call(journey.merchant.live, 'POST', '/api/v2/permanent', {
      ...{ user_id: user, family: 'tron', ...body },
    });
    expect(answer.status).toBe(201);
    return answer.body.result;
  }
  async function paid(to: string, amount: string): Promise<void> {
    journey.chain().pay({ to, asset: 'usdt_tron', units: usdt(amount) });
    await journey.mineToFinality();
  }
  const read = async (id: string): Promise<Json> =>
    (await journey.it.call(journey.merchant.live, 'GET', `/api/v2/permanent/${id}`)).body.result;
  const unitOfWork = () => journey.it.service.dependencies.unitOfWork;
  const indexOf = (address: string) =>
    unitOfWork().run(async ({ addresses }) => (await addresses.find('tron', [address]))[0]?.derivationIndex);
  const invoices = async (): Promise<Json[]> =>
    (await journey.it.call(journey.merchant.live, 'GET', '/api/v2/invoices')).body.result;

  test('opens an invoice of its own, less the commission, told where the address says', async () => {
    const { url } = journey.receiver;
    const metadata = { tier: 'gold' };
    const { id, address } = await addressOf('user-1', { notify_url: `${url}?of=user-1`, metadata });
    await paid(address, '50');
    const [invoice] = await invoices();
    expect(invoice).toMatchObject({
      ...{ status: 'success', billing_type: 'VARY', fee_bearer: 'merchant', amount: 50, received_amount: 50 },
      ...{ permanent_address_id: id, user_id: 'user-1', metadata, notify_url: `${url}?of=user-1` },
      ...{ asset: 'usdt_tron', initial_asset: 'usdt_tron', fiat_currency: 'USD', initial_fiat_amount: 50 },
    });
    expect(invoice.expires_at - invoice.created_at).toBe(86_400);
    expect(journey.statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
    expect((await journey.balance()).available).toBe(49.5);
    await journey.booksAreRight();
  });

  test('is the merchant’s cost whoever usually bears it, at the commission of the moment', async () => {
    const { dependencies } = journey.it.service;
    const change = { defaultFeeBearer: 'client', commissionPpm: 50_000n } as const;
    expect(await changeMerchant(dependencies)(journey.merchant.id, change)).toMatchObject({ ok: true });
    const before = (await journey.balance()).available;
    const { address } = await addressOf('user-2');
    await paid(address, '20');
    const [invoice] = await invoices();
    expect(invoice).toMatchObject({
      status: 'success',
      amount: 20,
      fee_bearer: 'merchant',
      user_id: 'user-2',
    });
    expect((await journey.balance()).available).toBe(before + 19);
  });

  test('is credited in an asset that customers may not choose on the checkout', async () => {
    const { dependencies } = journey.it.service;
    const change = (acceptedCoins: readonly string[] | null) =>
      changeMerchant(dependencies)(journey.merchant.id, { acceptedCoins });
    expect(await change(['btc_bitcoin'])).toMatchObject({ ok: true });
    const { address } = await addressOf('user-coins');
    await paid(address, '20');
    expect((await invoices())[0]).toMatchObject({ status: 'success', asset: 'usdt_tron', amount: 20 });
    await change(null);
  });

  test('that is answered again is the same, and made anew with what it had once it was deactivated', async () => {
    const first = await addressOf('user-3', { metadata: { kept: true }, notify_url: journey.receiver.url });
    expect(await addressOf('user-3', { metadata: { other: true } })).toEqual(first);
    const gone = await journey.it.call(journey.merchant.live, 'DELETE', `/api/v2/permanent/${first.id}`);
    expect(gone.body.result).toEqual({ deactivated: true, id: first.id });
    const ended = (await read(first.id)).deactivated_at;
    journey.clock.advance(60);
    const again = await journey.it.call(journey.merchant.live, 'DELETE', `/api/v2/permanent/${first.id}`);
    expect(again.body.result).toEqual({ deactivated: true, id: first.id });
    expect((await read(first.id)).deactivated_at).toBe(ended);
    const second = await addressOf('user-3');
    expect(second.address).not.toBe(first.address);
    await paid(first.address, '30');
    expect((await invoices()).filter(({ user_id }) => user_id === 'user-3')).toEqual([]);
  });

  test('of the other environment, or of another merchant, is another one', async () => {
    const own = await addressOf('user-4');
    const body = { user_id: 'user-4', family: 'tron' };
    const sandbox = await journey.it.call(journey.merchant.sandbox, 'POST', '/api/v2/permanent', body);
    const other = await journey.it.merchant();
    const others = await journey.it.call(other.live, 'POST', '/api/v2/permanent', body);
    const addresses = [own, sandbox.body.result, others.body.result].map(({ address }) => address);
    expect(new Set(addresses).size).toBe(3);
    for (const key of [other.live, journey.merchant.sandbox]) {
      const refused = await journey.it.call(key, 'DELETE', `/api/v2/permanent/${own.id}`);
      expect(refused.status).toBe(404);
    }
    await paid(own.address, '10');
    expect((await invoices())[0]).toMatchObject({ user_id: 'user-4', status: 'success' });
    const theirs = await journey.it.call(other.live, 'GET', '/api/v2/invoices');
    expect(theirs.body.pagination.total).toBe(0);
  });

  test('that several ask for at once is one address, and what the others took is the next one’s', async () => {
    const before = await indexOf((await addressOf('user-5')).address);
    const asked = await Promise.all(Array.from({ length: 6 }, () => addressOf('user-6')));
    expect(new Set(asked.map(({ address }) => address)).size).toBe(1);
    const indexes = [await indexOf(asked[0].address)];
    for (let next = 0; next < 5; next += 1)
      indexes.push(await indexOf((await addressOf(`next-${next}`)).address));
    expect(indexes.map(Number).toSorted((a, b) => a - b)).toEqual(
      indexes.map((_, at) => Number(before) + 1 + at),
    );
  });

  test('whose owner changed on the chain is given out no more, and its successor has what it had', async () => {
    const metadata = { tier: 'silver' };
    const first = await addressOf('user-7', { metadata, notify_url: journey.receiver.url });
    await unitOfWork().run(({ frozen }) =>
      frozen.freeze({ chain: 'tron', address: first.address, reason: 'a test', at: journey.clock.now() }),
    );
    const second = await addressOf('user-7');
    expect(second.address).not.toBe(first.address);
    expect(second).toMatchObject({ metadata, notify_url: journey.receiver.url, active: true });
    expect((await read(first.id)).active).toBe(false);
  });

  test('needs a watched chain on live, and none in the sandbox', async () => {
    const { call, sandboxKey } = await openHarness({
      ports: { watchedChains: new Set(), chainHealth: new Map() },
    });
    const body = { user_id: 'u', family: 'evm' };
    const live = await call('POST', '/api/v2/permanent', { body });
    expect([live.status, live.json.error.details.rule]).toEqual([400, 'family_unavailable']);
    expect((await call('POST', '/api/v2/permanent', { key: sandboxKey, body })).status).toBe(201);
  });
});
