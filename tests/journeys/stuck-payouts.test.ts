/** What waits for a block: it is not outbid without end, and neither a refused signature, an asset nor a lost sequence stops the others. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { needs } from '../support/needs.ts';
import { openPayoutStage, type PayoutStage } from '../support/payout-stage.ts';
import { postgresAvailable } from '../support/postgres.ts';

const ready = needs('postgres', postgresAvailable());

describe.skipIf(!ready)('a payout that waits for a block', () => {
  let stage: PayoutStage;
  beforeEach(async () => {
    stage = await openPayoutStage();
  });
  afterEach(() => stage.close());

  const feesOf = async (id: string) => (await stage.signedOf(id)).map(({ maxFeeUnits }) => maxFeeUnits);
  async function hours(count: number): Promise<void> {
    for (let step = 0; step < (count * 3_600) / 91; step += 1) {
      stage.journey.clock.advance(91);
      await stage.step();
    }
  }

  test('a chain that makes no block for two hours does not multiply the fee of a payout', async () => {
    const id = await stage.order();
    await stage.step();
    await hours(2);
    const fees = await feesOf(id);
    expect(Number(fees.at(-1)) / Number(fees[0])).toBeLessThan(10);
  });

  test('a payout whose sequence waits for the one before it is not replaced: a higher fee helps nobody', async () => {
    const first = await stage.order();
    stage.refused.add(first);
    const second = await stage.order();
    await stage.step();
    await hours(2);
    const fees = await feesOf(second);
    expect(fees.length).toBeLessThanOrEqual(2);
  });

  test('a payout that may not be signed at present does not stop all that are behind it', async () => {
    const first = await stage.order();
    stage.refused.add(first);
    const second = await stage.order({ asset: 'eth_ethereum', amount: 0.001 });
    for (let round = 0; round < 10; round += 1) {
      await stage.step();
      stage.journey.chain().mine(13);
      stage.journey.clock.advance(600);
    }
    expect((await stage.stored(first)).status).toBe('pending');
    expect((await stage.stored(second)).status).toBe('success');
  });
});

describe.skipIf(!ready)('a wallet goes on', () => {
  let stage: PayoutStage;
  beforeEach(async () => {
    stage = await openPayoutStage();
  });
  afterEach(() => stage.close());

  test('a payout that waits in an asset which was switched off meanwhile stops no other, and nothing that is on its way', async () => {
    const sent = await stage.order({ asset: 'eth_ethereum', amount: 0.001 });
    await stage.step();
    const waits = await stage.order({ asset: 'usdt_ethereum' });
    // As after `assets.usdt_ethereum.enabled: false` and a restart: the sender does not know the token (test above).
    const known = (asset: string) => {
      if (asset === 'usdt_ethereum') throw new Error('usdt_ethereum is no asset of ethereum');
    };
    const { price, balances } = stage.on.sender;
    stage.over.sender = {
      async price(order) {
        known(order.asset);
        return price(order);
      },
      async balances(wallet, assets, at) {
        for (const asset of assets) known(asset);
        return balances(wallet, assets, at);
      },
    };
    const other = await stage.order({ asset: 'eth_ethereum', amount: 0.001 });
    for (let round = 0; round < 4; round += 1) {
      await stage.step();
      stage.journey.chain().mine(13);
    }
    expect((await stage.stored(waits)).waiting).toMatchObject({
      code: 'asset',
      reason: expect.stringContaining('is no asset of ethereum'),
    });
    stage.over.sender = {};
    const statuses = await Promise.all(
      [sent, waits, other].map(async (id) => (await stage.stored(id)).status),
    );
    expect(statuses).toEqual(['success', 'pending', 'success']);
  });

  test('a node that once tells too high a count does not leave a gap that nothing fills', async () => {
    stage.over.sender = { toldSequences: async () => ({ lowest: 3n, highest: 3n, complete: true }) };
    const first = await stage.order();
    await stage.step();
    stage.over.sender = {};
    const second = await stage.order();
    for (let round = 0; round < 10; round += 1) {
      await stage.step();
      stage.journey.chain().mine(13);
      stage.journey.clock.advance(600);
    }
    const statuses = await Promise.all([first, second].map(async (id) => (await stage.stored(id)).status));
    expect(statuses).toEqual(['success', 'success']);
  });
});
