/**
 * What waits for a block: it is not outbid without end, and neither a refused signature, an asset
 * nor a lost nonce stops the others.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { cancelPayout } from '../../../src/app/sending/operate-payouts.ts';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import { SendingRefused } from '../../../src/ports/sending/chain-sender.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';
import { needs } from '../../support/runtime/needs.ts';
import { OPEN_GATE } from '../../support/runtime/open-gate.ts';

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

  test('a payout whose nonce waits for the one before it is not replaced: a higher fee helps nobody', async () => {
    const [first, second] = [await stage.order(), await stage.order()];
    await stage.step();
    await hours(1 / 2);
    expect((await feesOf(first)).length).toBeGreaterThan(2);
    expect(await feesOf(second)).toHaveLength(1);
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

describe.skipIf(!ready)('a signed payout that cannot go on', () => {
  let stage: PayoutStage;
  let lines: LogLine[];
  beforeEach(async () => {
    lines = [];
    stage = await openPayoutStage();
  });
  afterEach(() => stage.close());

  async function steps(count: number, seconds: number, blocks = 0): Promise<void> {
    const deps = { ...stage.deps, logger: memoryLogger(lines) };
    const sender = transferSender(deps, stage.on, UNLIMITED_PAYOUTS, OPEN_GATE);
    const watcher = stage.journey.it.service.watchers.get('ethereum');
    for (let step = 0; step < count; step += 1) {
      stage.journey.clock.advance(seconds);
      if (blocks > 0) stage.journey.chain().mine(blocks);
      await watcher?.poll();
      await sender.step();
    }
  }
  const alarms = () => lines.filter(({ level }) => level === 'error').map(({ event }) => event);
  const received = async (id: string) =>
    stage.journey.chain().received((await stage.stored(id)).address).length;
  const statuses = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await stage.stored(id)).status));

  test('G3: a payment that waits and would be undone now is voided, and its balance is back', async () => {
    const { available } = await stage.journey.balance();
    const id = await stage.order();
    await stage.step();
    // Fees rise above what it offers.
    stage.journey.chain().setFeeLevel(400);
    stage.journey.chain().refuse((await stage.stored(id)).address, true);
    const behind = await stage.order();
    await steps(3, 91, 1);
    expect(alarms()).toContain('transfer.given_up');
    await steps(2, 91, 13);
    expect(await statuses([id, behind])).toEqual(['failed', 'success']);
    expect(await received(id)).toBe(0);
    expect((await stage.stored(id)).failure).toContain('refuses payments');
    const { reservedMicroUsd } = await stage.stored(behind);
    // What it cost to use the nonce up is its recipient's doing (G2).
    const { wastedFeeMicroUsd } = await stage.stored(id);
    expect(wastedFeeMicroUsd).toBeGreaterThan(0n);
    expect(available - (await stage.journey.balance()).available).toBeCloseTo(
      Number(reservedMicroUsd + wastedFeeMicroUsd) / 1e6,
      4,
    );
    await stage.journey.booksAreRight();
  });

  test('G3: what takes the place of a cancelled one is handed out at the next step when no node took it at first', async () => {
    const id = await stage.order();
    await stage.step();
    const [payment] = await stage.signedOf(id);
    expect((await cancelPayout(stage.deps)(id)).ok).toBe(true);
    stage.journey.chain().spoilBroadcasts('refuse');
    await steps(1, 1);
    expect(stage.journey.chain().waiting()).toEqual([payment!.txid]);
    stage.journey.chain().spoilBroadcasts(null);
    await steps(1, 1);
    expect(stage.journey.chain().waiting()).not.toContain(payment!.txid);
    await steps(2, 1, 13);
    expect(await statuses([id])).toEqual(['cancelled']);
    expect(await received(id)).toBe(0);
    await stage.journey.booksAreRight();
  });

  test.each(['cost', 'untried'] as const)(
    "G3: one whose recipient makes it %s when it is to be replaced gives its place up in half an hour at most, at its merchant's cost",
    async (because) => {
      const [id, behind] = [await stage.order(), await stage.order()];
      await stage.step();
      const { address } = await stage.stored(id);
      stage.journey.chain().setFeeLevel(400);
      const { prepare } = stage.on.sender;
      stage.over.sender = {
        prepare: async (order, replaces) => {
          if (order.voids || order.payments[0]?.to !== address) return prepare(order, replaces);
          throw new SendingRefused(because, 'its recipient changed');
        },
      };
      await steps(20, 91, 1);
      expect(alarms()).toContain('transfer.given_up');
      await steps(4, 91, 13);
      expect(await statuses([id, behind])).toEqual(['failed', 'success']);
      expect((await stage.stored(id)).wastedFeeMicroUsd).toBeGreaterThan(0n);
      expect(await received(id)).toBe(0);
      await stage.journey.booksAreRight();
    },
  );

  test('G3: one that waits while the wallet lacks the money for a higher fee is not given up for that', async () => {
    const id = await stage.order();
    await stage.step();
    stage.journey.chain().setFeeLevel(400);
    stage.over.sender = {
      prepare: async () => {
        throw new SendingRefused('money', 'the wallet lacks it');
      },
    };
    await steps(60, 91, 1);
    expect(await stage.stored(id)).toMatchObject({ status: 'processing', waiting: { code: 'liquidity' } });
    expect(alarms()).not.toContain('transfer.given_up');
    expect(alarms()).toContain('wallet.blocked');
    stage.over.sender = {};
    await steps(3, 91, 13);
    expect(await statuses([id])).toEqual(['success']);
  });

  test('G3: one that expired, and for which the wallet lacks the money then, gives its place up at the cost of the operator', async () => {
    const [id, behind] = [await stage.order(), await stage.order()];
    await stage.step();
    const [payment] = await stage.signedOf(id);
    stage.journey.chain().drop(payment!.txid);
    const { capabilities, prepare, outcome } = stage.on.sender;
    stage.over.sender = {
      capabilities: { ...capabilities, expires: true },
      outcome: async (query) =>
        query.nonce > 0n || query.transactions.length > 1 ? outcome(query) : { kind: 'expired' },
      prepare: async (order, replaces) => {
        if (order.voids) return prepare(order, replaces);
        throw new SendingRefused('money', 'the wallet lacks it');
      },
    };
    await steps(30, 60);
    expect(lines.find(({ event }) => event === 'transfer.given_up')?.fields).toMatchObject({
      code: 'overdue',
    });
    await steps(3, 60, 13);
    expect(await statuses([id, behind])).toEqual(['failed', 'success']);
    expect(await stage.stored(id)).toMatchObject({ failure: 'the wallet lacks it', wastedFeeMicroUsd: 0n });
    await stage.journey.booksAreRight();
  });

  test('G3: it is looked after as soon as those before it are mined, whether that is final or not', async () => {
    const [before, id] = [await stage.order(), await stage.order()];
    await stage.step();
    const chain = stage.journey.chain();
    const raws = await stage.signedOf(id);
    for (const { txid } of raws) chain.drop(txid);
    chain.refuse((await stage.stored(id)).address, true);
    // Only the first is taken.
    chain.mine(1);
    chain.setFeeLevel(400);
    await steps(4, 91);
    expect(await statuses([before, id])).toEqual(['processing', 'processing']);
    expect(alarms()).toContain('transfer.given_up');
    await steps(2, 91, 13);
    expect(await statuses([before, id])).toEqual(['success', 'failed']);
    await stage.journey.booksAreRight();
  });

  test('G3: one that no block takes for hours, though it offers twice the present price, is given up; without blocks it waits', async () => {
    const [id, behind] = [await stage.order(), await stage.order()];
    await stage.step();
    const { mine } = stage.journey.chain();
    const { outcome } = stage.on.sender;
    const { address } = await stage.stored(id);
    // Miners do not want it, whatever it pays.
    stage.over.sender = { broadcast: async () => ({ kind: 'accepted' }), outcome };
    for (const { txid } of await stage.signedOf(id)) stage.journey.chain().drop(txid);
    await steps(40, 360);
    expect(await statuses([id, behind])).toEqual(['processing', 'processing']);
    expect(alarms()).toContain('wallet.blocked');
    expect(alarms()).not.toContain('transfer.given_up');
    await steps(75, 120, 2);
    expect(alarms()).toContain('transfer.given_up');
    stage.over.sender = {};
    await steps(3, 10);
    mine(13);
    await steps(3, 10, 13);
    expect(await statuses([id, behind])).toEqual(['failed', 'success']);
    expect(stage.journey.chain().received(address)).toEqual([]);
    await stage.journey.booksAreRight();
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
    // As after `assets.usdt_ethereum.enabled: false` and a restart: the sender does not know the
    // token (test above).
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
    stage.over.sender = {
      reportedNonces: async () => ({ lowest: 3n, highest: 3n, complete: true }),
      nextNonce: async () => 3n,
    };
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
