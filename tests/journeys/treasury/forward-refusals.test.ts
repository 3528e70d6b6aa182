/** A forward that the signer, the nodes or the chain do not let through ends, and says so. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { giveUpForward } from '../../../src/app/treasury/forwards/operate-forwards.ts';
import type { SigningOrder } from '../../../src/ports/sending/signer.ts';
import { type ForwardJourney, openForwardJourney } from '../../support/payouts/forward-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';

const ETH = 'eth_ethereum';
const USDT = 'usdt_ethereum';
const RULES = { [USDT]: { above: '100', keep: '20' } };
const HOUR = 3_600;

describe.skipIf(!needs('postgres', postgresAvailable()))('a forward that is refused', () => {
  let journey: ForwardJourney;
  let beforeSigning: (order: SigningOrder) => void;
  beforeEach(async () => {
    beforeSigning = () => undefined;
    const sending = {
      sending: (chain: Parameters<typeof wrapped>[0]) => wrapped(chain, (order) => beforeSigning(order)),
    };
    journey = await openForwardJourney({
      ...{ chain: 'ethereum', asset: USDT, rules: RULES, overrides: sending },
    });
    await journey.fund('4', ETH);
    await journey.fund('150');
  });
  afterEach(() => journey.close());

  const deps = () => journey.it.service.dependencies;
  const alarms = (event: string) => journey.lines.filter((line) => line.event === event);
  const statuses = async () => (await journey.forwards()).map(({ status }) => status);
  async function database(text: string): Promise<void> {
    const open = openDatabase({ url: journey.it.databaseUrl, poolSize: 1, logger: silentLogger });
    await open.script(text);
    await open.close();
  }

  test('G11: is not ordered without a cold address, and an alarm says so once an hour', async () => {
    await journey.policy({ cold_addresses: { tron: 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL' } });
    await journey.forward();
    await journey.forward();
    expect([journey.bar(), await statuses()]).toEqual(['no_cold_address', []]);
    expect(alarms('forward.no_cold_address')).toMatchObject([{ fields: { code: 'no_cold_address' } }]);
    journey.clock.advance(HOUR);
    await journey.forward();
    expect(alarms('forward.no_cold_address')).toHaveLength(2);
    await journey.policy({ cold_addresses: { [USDT]: journey.stranger(9), ethereum: journey.cold } });
    await journey.forward();
    expect((await journey.forwards())[0]).toMatchObject({ to: journey.stranger(9) });
  });

  test('G11: is not ordered while the policy cannot be used', async () => {
    await journey.policy({ cold_addresses: { ethereum: 'somewhere' } });
    await journey.forward();
    expect([journey.bar(), await statuses()]).toEqual(['no_cold_address', []]);
    expect(alarms('forward.no_cold_address')[0]?.fields.reason).toContain('cold_addresses.ethereum');
    await journey.policy({ cold_addresses: { ethereum: journey.on().deriver.hotWallet() } });
    await journey.forward();
    expect([journey.bar(), await statuses()]).toEqual(['no_cold_address', []]);
  });

  test('G11: is not ordered to an address of ours', async () => {
    await journey.earn(25);
    const { address_to: ours } = (
      await journey.it.call(journey.merchant.live, 'POST', '/api/v2/invoices', {
        ...{ amount: 25, fiat_currency: 'USD', asset: USDT },
      })
    ).body.result;
    await journey.policy({ cold_addresses: { ethereum: ours } });
    await journey.forward();
    expect([journey.bar(), await statuses()]).toEqual(['own_address', []]);
    expect(alarms('forward.no_cold_address')).toMatchObject([{ fields: { code: 'own_address' } }]);
  });

  test('G11: is not signed to an address that somebody wrote into the database; the next one is right', async () => {
    await journey.forward();
    await database(
      `update outgoing_transfers set to_address = '${journey.stranger(5)}' where purpose = 'forward'`,
    );
    await journey.it.settle();
    expect(await statuses()).toEqual(['failed']);
    expect((await journey.forwards())[0]?.failure).toMatchObject({ code: 'signer_refused' });
    await journey.forward();
    expect(journey.bar()).toBe('paused');
    journey.clock.advance(HOUR);
    await journey.forward();
    await journey.finish();
    expect(await statuses()).toEqual(['confirmed', 'failed']);
    expect([journey.received(), journey.balance()]).toEqual([journey.units('130'), journey.units('20')]);
    await journey.booksAreRight();
  });

  test('G11: gives its nonce to the payouts behind it when the cold address was changed meanwhile', async () => {
    await journey.earn(1_000);
    await journey.forward();
    await journey.policy({ cold_addresses: { ethereum: journey.stranger(7) } });
    const id = await journey.order(5);
    await journey.finish();
    await journey.finish();
    expect((await journey.payout(id)).status).toBe('success');
    expect(await statuses()).toEqual(['failed']);
    expect(journey.received()).toBe(0n);
    await journey.booksAreRight();
  });

  test('G11: gives its nonce up after it was signed, when it waits and the cold address was changed', async () => {
    journey.control().spoilBroadcasts('lose');
    await journey.forward();
    await journey.it.settle();
    expect(await statuses()).toEqual(['signed']);
    await journey.policy({ cold_addresses: { ethereum: journey.stranger(7) } });
    journey.clock.advance(HOUR);
    await journey.it.settle(6);
    journey.control().spoilBroadcasts(null);
    await journey.it.settle(4);
    await journey.finish();
    expect(await statuses()).toEqual(['failed']);
    expect([journey.received(), journey.balance()]).toEqual([0n, journey.units('150')]);
    await journey.booksAreRight();
  });

  test('of which the chain takes the fee alone ends with an alarm, and its fee is the operator’s', async () => {
    await journey.forward();
    await journey.it.settle();
    const [txid] = journey.control().waiting();
    journey.control().mine(1);
    journey.control().reorg(1, { revert: [txid!] });
    await journey.finish();
    expect(await statuses()).toEqual(['failed']);
    expect(alarms('forward.failed')).toMatchObject([{ fields: { code: 'reverted' } }]);
    expect(journey.received()).toBe(0n);
    await journey.booksAreRight();
  });

  test('or is on its way for hours is an alarm, and an operator gives it up', async () => {
    journey.control().spoilBroadcasts('lose');
    await journey.forward();
    await journey.it.settle();
    await journey.forward();
    expect(alarms('forward.late')).toEqual([]);
    journey.clock.advance(2 * HOUR);
    await journey.forward();
    await journey.forward();
    const [forward] = await journey.forwards();
    expect(alarms('forward.late')).toMatchObject([{ fields: { transferId: forward!.id, status: 'signed' } }]);
    expect(await giveUpForward(deps())('0'.repeat(24))).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await giveUpForward(deps())(forward!.id)).toMatchObject({ ok: true, value: { voided: true } });
    expect(await giveUpForward(deps())(forward!.id)).toMatchObject({ ok: true });
    journey.control().spoilBroadcasts(null);
    await journey.it.settle(4);
    await journey.finish();
    expect(await statuses()).toEqual(['failed']);
    expect(await giveUpForward(deps())(forward!.id)).toMatchObject({ ok: false });
    await journey.booksAreRight();
  });

  test('G11: names no key of ours, and one recipient', async () => {
    const orders: SigningOrder[] = [];
    beforeSigning = (order) => orders.push(order);
    await journey.forward();
    await journey.it.settle();
    expect(orders).toMatchObject([
      {
        purpose: 'forward',
        key: { role: 'hot' },
        voids: false,
        payments: [{ to: journey.cold, toKey: null }],
      },
    ]);
  });
});

type SendingOverride = NonNullable<Parameters<typeof openForwardJourney>[0]['overrides']>['sending'];
type Wrapped = Parameters<NonNullable<SendingOverride>>[0];

function wrapped(chain: Wrapped, before: (order: SigningOrder) => void): Wrapped {
  const { signer } = chain;
  return {
    ...chain,
    signer: {
      ...signer,
      async sign(order) {
        before(order);
        return signer.sign(order);
      },
    },
  };
}
