/** Shops of other providers, paid for real on a chain: what they are answered, what their receivers are told, and what they pay out. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { changeMerchant } from '../../src/app/manage-merchants.ts';
import { WEBHOOK_FORMATS } from '../../src/domain/invoice-record.ts';
import { anAddress } from '../support/builders.ts';
import { type FakeJourney, usdt } from '../support/fake-journey.ts';
import { needs } from '../support/needs.ts';
import { openPayoutJourney, type PayoutJourney } from '../support/payout-journey.ts';
import { postgresAvailable } from '../support/postgres.ts';
import { providerShops } from '../support/provider-shops.ts';
import { refusedBy, wordOf } from '../support/receiver-recipes.ts';

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
