/**
 * A sweep whose transfer a reorganisation undid is open again, in sight, and ends; an operator can
 * give it up.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { gasForVoid, giveUpSweep } from '../../../src/app/sweeps/give-up-sweep.ts';
import { requestSweeps } from '../../../src/app/sweeps/plan-sweeps.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { treasuryStatus } from '../../../src/app/treasury/treasury.ts';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import { usdt } from '../../support/fake/fake-journey.ts';
import {
  ETH,
  ETHER,
  openTreasuryJourney,
  type TreasuryJourney,
  USDT,
} from '../../support/payouts/treasury-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a sweep that was undone', () => {
  let journey: TreasuryJourney;
  beforeEach(async () => {
    journey = await openTreasuryJourney({ funded: true });
  });
  afterEach(() => journey.close());

  const deps = () => journey.it.service.dependencies;
  const giveUp = (id: string) => giveUpSweep(deps())(id);
  const last = async (address: string) => (await journey.sweepsOf(address)).at(-1);
  async function only(purpose: string, address: string): Promise<OutgoingTransfer> {
    const [transfer, ...others] = await journey.transfersOf(purpose, address);
    if (!transfer || others.length > 0) throw new Error(`not one ${purpose} of ${address}`);
    return transfer;
  }
  async function depthOf({ block }: OutgoingTransfer): Promise<number> {
    const tip = await journey.on.sender.balances(journey.hot, [ETH]);
    return tip.block.height - (block?.height ?? 0) + 1;
  }
  async function rounds(count: number): Promise<void> {
    for (let round = 0; round < count; round += 1) {
      journey.clock.advance(600);
      await journey.finish();
      await journey.sweep();
    }
  }

  test('comes to its end again on the other branch, and nothing else begins at its address meanwhile', async () => {
    const address = await journey.credited('250');
    await journey.sweepToTheEnd();
    const transfer = await only('sweep', address);
    journey.chain().reorg(await depthOf(transfer), { requeue: [transfer.txid ?? ''] });
    await journey.it.settle();
    await journey.it.service.sending.senders.get('ethereum')?.step();
    await journey.sweep();
    expect(await last(address)).toMatchObject({
      status: 'sweeping',
      reason: { code: 'reorganised' },
      endedAt: null,
    });
    expect(await requestSweeps(deps(), journey.on, { asset: null, address })).toEqual([]);
    await rounds(2);
    expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'done', reason: null }]);
    expect(journey.balanceOf(journey.hot, USDT)).toBe(usdt('250'));
    expect(await journey.reconciled()).toMatchObject({ differences: [], unavailable: null });
  });

  /** A swept coin whose deposit is gone for ever: its transfer can never be mined. */
  async function sweptForNothing(): Promise<string> {
    const address = await journey.credited(String(ETHER), ETH);
    journey.chain().mine(2);
    await journey.sweepToTheEnd();
    expect(await last(address)).toMatchObject({ status: 'done' });
    journey.chain().reorg((await depthOf(await only('sweep', address))) + 15);
    await rounds(6);
    return address;
  }

  test('without its deposit is shown to the operator, who gives it up, and is told what gas that needs', async () => {
    const address = await sweptForNothing();
    const { sweeps } = await treasuryStatus(deps(), journey.on);
    expect(sweeps).toMatchObject([{ address, status: 'sweeping' }]);
    const transfer = await only('sweep', address);
    expect(transfer.status).toBe('signed');
    const book = bookCapital(deps(), journey.on);
    expect(await book({ asset: ETH, note: '', dryRun: true })).toMatchObject({ ok: false });

    const given = await giveUp(sweeps[0]?.id ?? '');
    expect(given).toMatchObject({ ok: true, value: { transfer: { id: transfer.id, voided: true } } });
    const gas = await gasForVoid(deps(), journey.on, transfer);
    expect(gas).toMatchObject({ asset: ETH, hasUnits: 0n });
    // Without gas it cannot be: it stays open and in sight. Giving it up again changes nothing.
    await rounds(1);
    expect(await last(address)).toMatchObject({ status: 'sweeping', reason: { code: 'operator' } });
    expect(await giveUp(transfer.id)).toMatchObject({ ok: true });
    journey.chain().pay({ to: address, asset: ETH, units: gas.neededUnits });
    await journey.mineToFinality();
    await rounds(3);
    expect(await only('sweep', address)).toMatchObject({
      status: 'failed',
      failure: { code: 'operator' },
    });
    expect(await last(address)).toMatchObject({ status: 'failed', reason: { code: 'operator' } });
    expect((await treasuryStatus(deps(), journey.on)).sweeps).toEqual([]);
    expect(await book({ asset: ETH, note: '', dryRun: true })).toMatchObject({ ok: true });
    expect(await journey.reconciled()).toMatchObject({ unavailable: null });
  });

  test('beside which another began meanwhile is in sight, and both come to their end', async () => {
    const address = await journey.credited(String(ETHER), ETH);
    journey.chain().pay({ to: address, asset: USDT, units: usdt('250') });
    await journey.mineToFinality();
    await journey.sweepToTheEnd();
    const coin = await last(address);
    const transfer = await only('sweep', address);
    await creditStrays(USDT);
    await journey.sweep();
    expect(await last(address)).toMatchObject({ asset: USDT, status: 'topping_up' });
    journey.chain().reorg(await depthOf(transfer), { requeue: [transfer.txid ?? ''] });
    await journey.it.settle();
    await journey.it.service.sending.senders.get('ethereum')?.step();
    await journey.sweep();
    const { sweeps } = await treasuryStatus(deps(), journey.on);
    expect(sweeps).toContainEqual(expect.objectContaining({ id: coin?.id, status: 'done' }));
    await rounds(6);
    expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'done' }, { status: 'done' }]);
    expect((await treasuryStatus(deps(), journey.on)).sweeps).toEqual([]);
    expect(journey.balanceOf(journey.hot, USDT)).toBe(usdt('250'));
  });

  test('goes before one of the same money that was planned meanwhile', async () => {
    const address = await sweptForNothing();
    const first = await last(address);
    await journey.damage(`update sweeps set status = 'done', ended_at = now() where id = '${first?.id}'`);
    journey.chain().pay({ to: address, asset: ETH, units: ETHER });
    await journey.mineToFinality();
    await creditStrays(ETH);
    await requestSweeps(deps(), journey.on, { asset: ETH, address });
    await journey.sweep();
    expect(await journey.sweepsOf(address)).toMatchObject([
      { status: 'sweeping' },
      { status: 'failed', reason: { code: 'earlier_reopened' } },
    ]);
  });

  /** As an operator who credits what no invoice took. */
  const creditStrays = (asset: string) =>
    journey.damage(`update deposits set status = 'credited' where asset = '${asset}' and status = 'stray'`);

  test('or never began is given up as well: its money stays until it is swept on demand', async () => {
    const address = await journey.credited('250');
    await requestSweeps(deps(), journey.on, { asset: null, address });
    const planned = await last(address);
    expect(await giveUp(planned?.id ?? '')).toMatchObject({
      ok: true,
      value: { sweep: { status: 'failed' }, transfer: null },
    });
    expect(await giveUp(planned?.id ?? '')).toMatchObject({
      ok: false,
      error: { code: 'INVALID_TRANSITION' },
    });
    await journey.sweepToTheEnd();
    expect(await last(address)).toMatchObject({ status: 'failed' });
    await requestSweeps(deps(), journey.on, { asset: null, address });
    await journey.sweepToTheEnd();
    expect(await last(address)).toMatchObject({ status: 'done' });
  });

  test('gas that is on its way is given up by its transfer: the nonce of the hot wallet is used, and nothing is sent', async () => {
    const address = await journey.credited('250');
    await journey.sweep();
    const transfer = await only('topup', address);
    expect(await giveUp(transfer.id)).toMatchObject({ ok: true, value: { transfer: { voided: true } } });
    await rounds(2);
    expect(await only('topup', address)).toMatchObject({ status: 'failed' });
    expect(await last(address)).toMatchObject({ status: 'failed', reason: { code: 'operator' } });
    expect(journey.balanceOf(address, ETH)).toBe(0n);
    expect(await journey.reconciled()).toMatchObject({ differences: [], unavailable: null });
  });

  test('what is no sweep, or nobody knows, is refused', async () => {
    expect(await giveUp('0'.repeat(24))).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    const address = await journey.credited('250');
    await journey.sweepToTheEnd();
    expect(await giveUp((await only('sweep', address)).id)).toMatchObject({
      ok: false,
      error: { code: 'INVALID_TRANSITION' },
    });
  });
});
