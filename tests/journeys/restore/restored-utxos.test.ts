/**
 * An older database is put back on a UTXO chain, and what was signed since spends only UTXOs that
 * came since: it is known by what it pays (safety.md K4).
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { fakeEntropy, fakeFamily } from '../../../src/adapters/chains/fake/fake-family.ts';
import { startSigning, stopSigning } from '../../../src/app/sending/operate-payouts.ts';
import { type StartGate, startGate } from '../../../src/app/sending/restart/start-gate.ts';
import { hotWalletOf } from '../../../src/app/sending/sending-chain.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import type { Outpoint } from '../../../src/domain/chains/outpoint.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type FakeJourney, openFakeJourney } from '../../support/fake/fake-journey.ts';
import { type DatabaseBackup, databaseBackup } from '../../support/postgres/database-backup.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const ASSET = 'btc_bitcoin';

interface Ordered {
  readonly id: string;
  readonly to: string;
}

describe.skipIf(!needs('postgres', postgresAvailable()))('coins of an older database', () => {
  let journey: FakeJourney;
  let kept: DatabaseBackup;
  let strangers = 0;
  const deps = () => journey.it.service.dependencies;
  const utxos = () => journey.it.service.chains.fakes!.get('bitcoin')!.control;

  beforeAll(async () => {
    journey = await openFakeJourney({}, 'ethereum', ['ethereum', 'bitcoin']);
    kept = databaseBackup(journey.it.databaseUrl);
    const invoice = await journey.create({ amount: 1_000_000 });
    journey.pay(invoice, String(invoice.amount));
    await journey.mineToFinality();
  });
  afterAll(async () => {
    await kept.close();
    await journey.close();
  });

  /** A coin that could pay each of two such payouts. */
  function fund(amount: number): void {
    const to = hotWalletOf(journey.it.service.sending.chains.get('bitcoin')!);
    for (let coin = 0; coin < 2; coin += 1)
      utxos().pay({ to, asset: ASSET, units: unitsOf(String(2 * amount), 8) });
  }
  async function mine(): Promise<void> {
    utxos().mine(chainNamed('bitcoin').confirmations);
    await journey.it.settle();
  }
  async function minutes(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      journey.clock.advance(61);
      await journey.it.settle();
    }
  }
  async function order(amount: number): Promise<Ordered> {
    const to = fakeFamily('bitcoin').address(fakeEntropy('stranger/coins', strangers++));
    const body = { address: to, amount, asset: ASSET };
    const key = { 'x-uniq-id': randomUUID() };
    const answer = await journey.it.call(journey.merchant.live, 'POST', '/api/v2/payouts', body, key);
    expect(answer.body).toMatchObject({ ok: true });
    return { id: answer.body.result.order_id, to };
  }
  async function stateOf({ id, to }: Ordered): Promise<unknown> {
    const payout = await deps().unitOfWork.run((r) => r.payouts.lock(id));
    return [utxos().received(to).length, payout?.status, payout?.held?.code ?? null];
  }

  /**
   * A payout that is pending in the backup, and is signed after it: all that is enough for it came
   * to an address of after it, too.
   */
  async function signedSince(amount: number): Promise<Ordered> {
    await stopSigning(deps())('a backup is taken');
    const pending = await order(amount);
    await mine();
    await kept.take();
    const invoice = await journey.create({ asset: ASSET, amount: 4_000 * amount });
    utxos().pay({ to: invoice.address_to, asset: ASSET, units: unitsOf(String(invoice.amount), 8) });
    await mine();
    await startSigning(deps())();
    await minutes();
    expect(await stateOf(pending)).toEqual([0, 'processing', null]);
    return pending;
  }
  /** With UTXOs enough to pay it once more, and another one. */
  async function putBack(amount: number): Promise<void> {
    await kept.putBack();
    await startSigning(deps())();
    fund(amount);
  }
  async function isHeldAndOthersArePaid(pending: Ordered): Promise<void> {
    const other = await order(0.5);
    for (let round = 0; round < 2; round += 1) {
      await minutes();
      await mine();
    }
    expect([await stateOf(pending), await stateOf(other)]).toEqual([
      [1, 'pending', 'restored'],
      [1, 'success', null],
    ]);
  }

  test('K4: what waits and spends only payments to addresses that are not known any more is not paid by another transaction', async () => {
    const pending = await signedSince(0.5);
    await putBack(0.5);
    // Blocks pass it by.
    utxos().setFeeLevel(500);
    await mine();
    await minutes();
    expect(await stateOf(pending)).toEqual([0, 'pending', 'restored']);
    utxos().setFeeLevel(100);
    await isHeldAndOthersArePaid(pending);
  });

  test('K4: what was mined and spends only payments to addresses that are not known any more is not paid by another transaction', async () => {
    const pending = await signedSince(80);
    await mine();
    await putBack(80);
    await isHeldAndOthersArePaid(pending);
  });

  /**
   * With one payout pending, and told that the outputs of these transactions are spent by what
   * waits and is not known here.
   */
  async function gateWith(spent: readonly string[]): Promise<{ gate: StartGate; pending: Ordered }> {
    await stopSigning(deps())('for a moment');
    const pending = await order(0.5);
    const on = journey.it.service.sending.chains.get('bitcoin')!;
    const spentByWaiting = async (page: readonly Outpoint[]) => page.map(({ txid }) => spent.includes(txid));
    const waiting = { ...on.sender.utxos!, spentByWaiting };
    const gate = startGate(deps(), { ...on, sender: { ...on.sender, utxos: waiting } });
    await look(gate);
    return { gate, pending };
  }
  async function look(gate: StartGate): Promise<void> {
    await deps().unitOfWork.run((repositories) => gate.look(repositories));
    await gate.open();
  }

  test('K4: what waits and spends a payment that is not credited yet holds what was pending', async () => {
    const invoice = await journey.create({ asset: ASSET, amount: 2_000 });
    const { txid } = utxos().pay({
      to: invoice.address_to,
      asset: ASSET,
      units: unitsOf(String(invoice.amount), 8),
    });
    utxos().mine();
    await journey.it.settle();
    const { gate, pending } = await gateWith([txid]);
    journey.clock.advance(61);
    await journey.it.settle();
    await look(gate);
    expect(await stateOf(pending)).toEqual([0, 'pending', 'restored']);
    await startSigning(deps())();
    await mine();
  });

  test('K4: after a rest no coin is spent, also for what is ordered since, before the chain was read twice', async () => {
    const { gate } = await gateWith([]);
    const later = await order(0.5);
    const isKept: boolean[] = [];
    for (let reads = 0; reads < 3; reads += 1) {
      isKept.push(gate.keepsUtxos() && gate.keeps(later.id));
      journey.clock.advance(61);
      await journey.it.settle();
      await look(gate);
    }
    expect([isKept, gate.keepsUtxos(), gate.keeps(later.id)]).toEqual([[true, true, false], false, false]);
    await startSigning(deps())();
    await mine();
  });
});
