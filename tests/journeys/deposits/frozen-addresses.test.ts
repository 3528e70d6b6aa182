/**
 * T5: an address whose owner changed on the chain is frozen: nothing is swept from it, and what
 * arrives is parked.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { requestSweeps } from '../../../src/app/sweeps/plan-sweeps.ts';
import { thawAddress, treasuryStatus } from '../../../src/app/treasury/treasury.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const ANY = { asset: null, address: null };

describe.skipIf(!needs('postgres', postgresAvailable()))('T5: an address whose owner changed', () => {
  let stage: PayoutStage;
  let address: string;
  beforeEach(async () => {
    stage = await openPayoutStage({ at: { chain: 'tron', native: 'trx_tron' } });
    const { journey } = stage;
    const invoice = await journey.create({ billing_type: 'STATIC' });
    address = invoice.address_to;
    journey.pay(invoice, '5');
    await journey.mineToFinality();
    journey.chain().changeOwner(address);
    await journey.mineToFinality();
  });
  afterEach(() => stage.close());

  const sweepable = async () => (await requestSweeps(stage.deps, stage.on, ANY)).map((row) => row.address);

  test('is not swept, not even on demand, until an operator says that it is ours', async () => {
    expect(await sweepable()).not.toContain(address);
    expect((await treasuryStatus(stage.deps, stage.on)).frozen).toMatchObject([
      { address, reason: expect.stringContaining('its owner changed in block') },
    ]);
    const isFrozenOn = (chain: string) =>
      stage.deps.unitOfWork.run((r) => r.frozen.isFrozen({ chains: [chain], address }));
    expect([await isFrozenOn('tron'), await isFrozenOn('ethereum')]).toEqual([true, false]);
    expect((await thawAddress(stage.deps)({ chain: 'tron', address })).ok).toBe(true);
    expect(await sweepable()).toContain(address);
    expect((await thawAddress(stage.deps)({ chain: 'tron', address })).ok).toBe(false);
  });

  test('takes no payment for its invoice: it is parked, and the invoice stays what it was', async () => {
    const { journey } = stage;
    const { txid } = journey.chain().pay({ to: address, asset: 'usdt_tron', units: 20_250_000n });
    await journey.mineToFinality();
    const [stray] = await stage.deps.operatorQueries.deposits({
      statuses: ['stray'],
      sandbox: false,
      limit: 10,
    });
    expect(stray).toMatchObject({ txid, strayReason: 'frozen_address' });
    await journey.booksAreRight();
  });

  test('takes none in the block of its change either, however many payments that block has', async () => {
    const { journey } = stage;
    const [changing, other] = [await journey.create(), await journey.create({ billing_type: 'STATIC' })];
    const chain = journey.chain();
    chain.changeOwner(changing.address_to);
    const { txid } = chain.pay({ to: changing.address_to, asset: 'usdt_tron', units: 20_250_000n });
    for (let more = 0; more < 260; more += 1)
      chain.pay({ to: other.address_to, asset: 'usdt_tron', units: 1_000n });
    await journey.mineToFinality();
    const strays = await stage.deps.operatorQueries.deposits({
      ...{ statuses: ['stray'], sandbox: false, limit: 10 },
    });
    expect(strays).toMatchObject([{ txid, strayReason: 'frozen_address' }]);
    await journey.booksAreRight();
  });

  test('that was planned for sweeping before is not swept, and says why', async () => {
    const { journey } = stage;
    const other = await journey.create();
    journey.pay(other, String(other.amount));
    await journey.mineToFinality();
    expect(await sweepable()).toContain(other.address_to);
    journey.chain().changeOwner(other.address_to);
    await journey.mineToFinality();
    await journey.it.run('sweep:tron');
    const open = await stage.deps.unitOfWork.run((r) =>
      r.sweeps.openAt({ chain: 'tron', addresses: [other.address_to] }),
    );
    expect(open).toMatchObject([{ status: 'planned', reason: { code: 'withheld' } }]);
    expect(journey.chain().balanceOf(other.address_to, 'usdt_tron')).toBeGreaterThan(0n);
  });
});
