/**
 * Shops of other providers, paid for real on a chain: what they are answered, what their receivers
 * are told, and what they pay out.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { changeMerchant } from '../../../src/app/merchants/manage-merchants.ts';
import { WEBHOOK_FORMATS } from '../../../src/domain/webhooks/webhook-format.ts';
import { anAddress } from '../../support/builders.ts';
import { npmCoinpayments } from '../../support/compat/coinpayments-npm.ts';
import { providerShops } from '../../support/compat/provider-shops.ts';
import { refusedBy, wordOf } from '../../support/compat/receiver-recipes.ts';
import { type FakeJourney, usdt } from '../../support/fake/fake-journey.ts';
import { openPayoutJourney, type PayoutJourney } from '../../support/payouts/payout-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const PROVIDERS = WEBHOOK_FORMATS.filter((format) => format !== 'native_v2');
const SENT = { whole: '25.25', less: '10', more: '30' } as const;
const OUTCOMES = ['whole', 'less', 'more'] as const;
type Outcome = (typeof OUTCOMES)[number];

describe.skipIf(!needs('postgres', postgresAvailable()))('a shop of another provider', () => {
  let world: PayoutJourney;
  let journey: FakeJourney;
  let shops: ReturnType<typeof providerShops>;
  beforeAll(async () => {
    world = await openPayoutJourney();
    journey = world.journey;
    shops = providerShops(journey);
  });
  afterAll(() => journey.close());

  const hookOf = (path: string) => new URL(path, journey.receiver.url).href;
  const sentTo = (path: string) => journey.receiver.received.filter((sent) => sent.path === path);

  test.each(PROVIDERS)(
    'of %s is paid what it asks for, less and more, is told so, and reads so',
    async (format) => {
      const shop = shops[format];
      const pathOf = (outcome: Outcome) => `/${format}/${outcome}`;
      const told = (outcome: Outcome) => sentTo(pathOf(outcome)).map((sent) => wordOf(format, sent));
      const ids: Record<string, string> = {};
      for (const outcome of OUTCOMES) {
        const { id, address, word } = await shop.create(`order-${outcome}`, hookOf(pathOf(outcome)));
        expect(word).toBe(shop.waits);
        ids[outcome] = id;
        journey.chain().pay({ to: address, asset: 'usdt_ethereum', units: usdt(SENT[outcome]) });
      }
      journey.chain().mine();
      await journey.it.settle();
      for (const outcome of OUTCOMES) expect(told(outcome)).toEqual([shop.seen]);
      await journey.mineToFinality();
      for (const outcome of OUTCOMES) {
        expect(told(outcome)).toEqual([shop.seen, shop.ends[outcome]]);
        for (const sent of sentTo(pathOf(outcome)))
          expect(refusedBy(format, { ...sent, url: hookOf(sent.path) }, journey.merchant.live)).toEqual([]);
        expect(await shop.read(ids[outcome] ?? '')).toMatchObject(shop.reads[outcome]);
      }
    },
  );

  test('pays out, reads what became of it, and is told of that in the native format where it wants to be', async () => {
    const { id: merchantId } = journey.merchant;
    await changeMerchant(journey.it.service.dependencies)(merchantId, { payoutWebhooks: true });
    const made = [];
    for (const provider of PROVIDERS) {
      const { payout } = shops[provider];
      if (payout === undefined) continue;
      const to = anAddress();
      const id = await payout.order(`payout-${provider}`, to);
      expect(await payout.read(id)).toMatchObject(payout.made);
      made.push({ payout, id, to });
    }
    expect(made).toHaveLength(4);
    await world.finish();
    const events = sentTo('/webhook').map(({ body }) => JSON.parse(body));
    for (const { payout, id, to } of made) {
      expect(world.received(to)).toBe(usdt('5'));
      expect(await payout.read(id)).toMatchObject(payout.paid);
      expect(events.filter(({ order_id }) => order_id === id).map(({ status }) => status)).toEqual([
        ...['processing', 'success'],
      ]);
    }
  });

  test('of CoinPayments works with its npm client, unmodified', async () => {
    const { client, restore } = npmCoinpayments(journey.it.url, journey.merchant.live);
    try {
      const price = { amount: 25, currency1: 'USD', currency2: 'USDT.ERC20', buyer_email: 'b@shop.example' };
      const path = '/npm';
      const made = await client.createTransaction({ ...price, invoice: 'npm-1', ipn_url: hookOf(path) });
      journey.chain().pay({ to: made.address, asset: 'usdt_ethereum', units: usdt(made.amount) });
      await journey.mineToFinality();
      expect(
        sentTo(path)
          .map((sent) => wordOf('coinpayments', sent))
          .at(-1),
      ).toBe('100');
      const { txn_id: txid } = made;
      expect(await client.getTx({ txid, full: 1 })).toMatchObject({ status: 100, receivedf: made.amount });
      expect(await client.getTxMulti([txid, 'none'])).toMatchObject({ [txid]: { error: 'ok', status: 100 } });
      expect(await client.getTxList({ limit: '1' })).toEqual([txid]);
      const now = Math.floor(journey.clock.now().getTime() / 1000);
      expect(await client.getTxList({ newer: String(now) })).toContain(txid);
      expect(await client.getTxList({ newer: String(now + 1) })).toEqual([]);
      expect(await client.getBasicInfo()).toMatchObject({ merchant_id: journey.merchant.id });
      expect(await client.rates({ short: 1 })).toMatchObject({ BTC: { is_fiat: 0 }, USD: { is_fiat: 1 } });
      expect(Number((await client.balances()).USD?.balancef)).toBeGreaterThan(1_000);
      const callback = { currency: 'USDT.ERC20', label: 'user-1', ipn_url: hookOf(path) };
      expect(await client.getCallbackAddress(callback)).toEqual(await client.getCallbackAddress(callback));
      const [one, two] = [anAddress(), anAddress()];
      const sent = { amount: 5, currency: 'USDT.ERC20', add_tx_fee: true };
      const { id } = await client.createWithdrawal({ ...sent, address: one });
      const mass = await client.createMassWithdrawal([
        { ...sent, address: two },
        { ...sent, address: 'x' },
      ]);
      expect(Object.values(mass)).toMatchObject([{ error: 'ok', status: 1 }, { error: expect.any(String) }]);
      await world.finish();
      expect([world.received(one), world.received(two)]).toEqual([usdt('5'), usdt('5')]);
      expect(await client.getWithdrawalInfo({ id: String(id) })).toMatchObject({
        status: 2,
        send_address: one,
      });
      const refused = client.createTransaction({ ...price, currency2: 'XXX' });
      await expect(refused).rejects.toThrow('currency2 XXX is not known');
      await expect(client.tagList()).rejects.toThrow('get_pbn_list is not supported');
    } finally {
      restore();
    }
  });

  test('is told when what is missing does not come in time', async () => {
    journey.clock.advance(3_700);
    journey.chain().mine();
    await journey.it.settle(3);
    for (const format of PROVIDERS) {
      const sent = sentTo(`/${format}/less`);
      const { seen, ends, givenUp } = shops[format];
      expect(sent.map((one) => wordOf(format, one))).toEqual([seen, ends.less, givenUp]);
    }
    await journey.booksAreRight();
  });
});
