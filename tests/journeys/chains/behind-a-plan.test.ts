/**
 * The composed service on a chain that it reads through a provider's plan, after blocks were
 * missed.
 */
import { describe, expect, test } from 'bun:test';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { CONFIRMATIONS, stageAnvilJourney } from '../../support/evm/anvil-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { ALCHEMY_FREE } from '../../support/providers/plans.ts';
import { startProviderProxy } from '../../support/providers/provider.ts';
import { needs } from '../../support/runtime/needs.ts';
import { until } from '../../support/runtime/poll.ts';
import type { Json } from '../../support/test-service.ts';

const ready = [needs('anvil', anvilAvailable()), needs('postgres', postgresAvailable())].every(Boolean);
/** The call that the provider refuses, whatever else its plan lets it refuse. */
const TOO_MANY = 40;
const ASSETS = ['usdt_ethereum', 'eth_ethereum', 'usdt_ethereum'];

describe.skipIf(!ready)('a chain that was away for a while', () => {
  const on = stageAnvilJourney();

  test('R1: is read to its tip within the plan of its provider, and every payment of that time is credited once', async () => {
    const plan = { ...ALCHEMY_FREE, perSecond: 150 };
    const node = startProviderProxy({ target: on.lab.anvil.url, plan });
    const shop = await on.open({
      chains: { ethereum: { rpc: [node.url], chain_id: 31_337, confirmations: CONFIRMATIONS } },
      assets: { usdt_ethereum: { contract: on.lab.contracts.tether }, usdc_ethereum: { enabled: false } },
    });
    const invoices: Json[] = [];
    for (const asset of ASSETS) invoices.push(await shop.create({ asset }));
    // One call is too many, however slowly this machine asks; pages and cut connections
    // come along.
    let calls = 0;
    const { error } = plan.refuse({ suspendedFor: 0, ofDay: false });
    expect(error).toBeDefined();
    node.trouble({ pageEvery: 23, cutEvery: 31, refuse: () => (++calls === TOO_MANY ? error : undefined) });
    for (const invoice of invoices) {
      await on.pay(invoice);
      await on.mine(40);
    }
    await until('every invoice is paid', 25_000, async () => {
      await shop.it.settle().catch(() => undefined);
      const now = await Promise.all(invoices.map(({ order_id }) => shop.read(order_id)));
      return now.every(({ status }) => status === 'success');
    });
    node.trouble({});
    expect(calls).toBeGreaterThan(TOO_MANY);
    for (const { order_id, address_to } of invoices) {
      expect(shop.statusesSent(order_id).filter((status) => status === 'success')).toHaveLength(1);
      expect(await shop.depositsTo(address_to)).toMatchObject([{ status: 'credited' }]);
    }
    expect((await shop.balance()).available).toBeCloseTo(25 * ASSETS.length, 4);
    await shop.booksAreRight();
    await node.stop();
  });
});
