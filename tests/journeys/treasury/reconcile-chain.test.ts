/**
 * Our records are held against the chain at one block, and each way in which they can differ is
 * found and named.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import {
  lastReconciliation,
  reconcileJob,
  reconciliationFigures,
} from '../../../src/app/treasury/reconcile.ts';
import { composeTreasury } from '../../../src/compose/treasury.ts';
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
import { sendingOrder, signingOrder } from '../../support/utxo/lone-orders.ts';

const ELSEWHERE = '0x52908400098527886e0f7030069857d2e4169ee7';

describe.skipIf(!needs('postgres', postgresAvailable()))('reconciliation with the chain', () => {
  let journey: TreasuryJourney;
  let address: string;
  beforeEach(async () => {
    journey = await openTreasuryJourney({ funded: true });
    address = await journey.credited('25');
    expect(await differences()).toEqual([]);
  });
  afterEach(() => journey.close());

  const deps = () => journey.it.service.dependencies;
  async function differences(options?: { everyAddress: boolean }) {
    const { differences: found, unavailable } = await journey.reconciled(options);
    expect(unavailable).toBeNull();
    return found.map(({ kind, address: at, asset, expectedUnits, foundUnits }) => ({
      kind,
      at,
      asset,
      more: foundUnits - expectedUnits,
    }));
  }

  test('a deposit whose record is missing is unrecorded money, and the ledger has more than the records', async () => {
    journey.chain().pay({ to: address, asset: USDT, units: usdt('9') });
    await journey.mineToFinality();
    await journey.damage(`delete from deposits where units = ${usdt('9')}`);
    expect(await differences()).toEqual([
      { kind: 'unrecorded_incoming', at: address, asset: USDT, more: usdt('9') },
      { kind: 'ledger', at: null, asset: USDT, more: usdt('9') },
    ]);
  });

  test('a payment that the scanner never saw is unrecorded money, and a first one is found among all addresses', async () => {
    journey.chain().fund(address, ETH, 5n);
    const unpaid = await journey.create();
    const never = journey.on.deriver.normalize(unpaid.address_to) ?? '';
    journey.chain().fund(never, USDT, 3n);
    const first = { kind: 'unrecorded_incoming' as const, at: never, asset: USDT, more: 3n };
    const further = { kind: 'unrecorded_incoming' as const, at: address, asset: ETH, more: 5n };
    expect(await differences()).toEqual([further]);
    const all = await differences({ everyAddress: true });
    expect(all).toHaveLength(2);
    expect(all).toEqual(expect.arrayContaining([first, further]));
  });

  test('the hourly run finds a first payment that was missed, in turn, and keeps it in sight', async () => {
    const unpaid = [];
    for (let count = 0; count < 7; count += 1) unpaid.push(await journey.create());
    const never = journey.on.deriver.normalize(unpaid[3]?.address_to) ?? '';
    journey.chain().fund(never, USDT, 3n);
    const last = lastReconciliation();
    const job = reconcileJob(deps(), [journey.on], last, 2);
    const seen = [];
    for (let hour = 0; hour < 5; hour += 1) {
      await job.run();
      const [chain] = last.read()?.report.chains ?? [];
      expect(chain).toMatchObject({ unavailable: null });
      // The hot wallet, the paid address, and two in turn or one more that differed.
      expect(chain?.addresses).toBeLessThanOrEqual(5);
      seen.push(chain?.differences.map(({ address: at }) => at) ?? []);
    }
    const found = seen.findIndex((addresses) => addresses.length > 0);
    expect(found).toBeLessThan(4);
    for (const addresses of seen.slice(found)) expect(addresses).toEqual([never]);
  });

  test('a transfer that left the hot wallet without our records is unrecorded outgoing, of the coin and its fee', async () => {
    const { sender, chain } = journey.on;
    const signer = journey.it.service.sending.chains.get('ethereum')?.signer;
    const order = {
      wallet: journey.hot,
      nonce: await sender.nextNonce(journey.hot),
      asset: ETH,
      to: ELSEWHERE,
      units: ETHER,
      voids: false,
    };
    const { payload } = await sender.prepare(sendingOrder(order), null);
    const signed = await signer?.sign(
      signingOrder({
        ...order,
        payload,
        chain,
        transferId: 'nobody',
        referenceId: 'nobody',
        key: { role: 'hot' },
        toKey: null,
        purpose: 'payout',
      }),
    );
    await sender.broadcast(signed?.raw ?? '');
    await journey.mineToFinality();
    const [found, ...rest] = await differences();
    expect(rest).toEqual([]);
    expect(found).toMatchObject({ kind: 'unrecorded_outgoing', at: journey.hot, asset: ETH });
    expect(found?.more).toBeLessThan(-ETHER);
    // The operator took it out: it is booked as such, once.
    const book = bookCapital(deps(), journey.on);
    const dry = await book({ asset: ETH, note: '', dryRun: true });
    expect(dry).toMatchObject({ ok: true, value: { booked: false, units: found?.more } });
    expect(await book({ asset: ETH, note: 'taken out', dryRun: false })).toMatchObject({
      ok: true,
      value: { booked: true, units: found?.more },
    });
    expect(await book({ asset: ETH, note: 'again', dryRun: false })).toMatchObject({ ok: false });
    expect(await differences()).toEqual([]);
    await journey.booksAreRight();
  });

  test('a ledger row that was tampered with is found', async () => {
    const tamper = (by: string) =>
      journey.damage(`update ledger_postings set amount = amount ${by} where account = 'treasury' and currency = '${USDT}'
        and entry_id in (select id from ledger_entries where kind = 'deposit_arrived' order by id desc limit 1)`);
    await tamper('+ 7');
    expect(await differences()).toEqual([{ kind: 'ledger', at: null, asset: USDT, more: 7n }]);
    await tamper('- 7');
    expect(await differences()).toEqual([]);
  });

  test('transfers that are mined and not settled yet are no difference, at any block', async () => {
    const start = await height();
    const agreesAtEveryBlock = async () => {
      for (let at = start; at <= (await height()); at += 1)
        expect(await journey.reconciled({ height: at })).toMatchObject({ height: at, differences: [] });
    };
    // First the gas, then the token: broadcast and mined to finality, and read by the scanner, but
    // not settled.
    for (const purpose of ['topup', 'sweep']) {
      await journey.sweep();
      await journey.it.settle();
      journey.chain().mine(14);
      await journey.it.service.watchers.get('ethereum')?.poll();
      expect(await journey.transfersOf(purpose, address)).toMatchObject([{ status: 'signed' }]);
      await agreesAtEveryBlock();
      const book = await bookCapital(deps(), journey.on)({ asset: ETH, note: '', dryRun: false });
      expect(book).toMatchObject({ ok: false });
      await journey.finish();
    }
    await journey.sweepToTheEnd();
    await agreesAtEveryBlock();
    expect(journey.balanceOf(address, USDT)).toBe(0n);
  });

  test('a chain that cannot be asked, or not at that block, is told apart from one that agrees', async () => {
    const above = (await height()) + 1;
    expect((await journey.reconciled({ height: above })).unavailable).toContain(`not to ${above}`);
    const last = lastReconciliation();
    expect(reconciliationFigures(last)).toBeNull();
    journey.chain().fail(true);
    await reconcileJob(deps(), [journey.on], last).run();
    journey.chain().fail(false);
    expect(reconciliationFigures(last)).toMatchObject({
      at: journey.clock.now(),
      faults: 0,
      chains: [{ chain: 'ethereum', differences: 0, checked: false }],
    });
    await reconcileJob(deps(), [journey.on], last).run();
    expect(reconciliationFigures(last)?.chains).toEqual([
      { chain: 'ethereum', differences: 0, checked: true },
    ]);
  });

  test('the worker sweeps each chain and reconciles all of them', async () => {
    const { service } = journey.it;
    const { chains, sending } = service;
    const treasury = composeTreasury(service.config, { deps: deps(), chains, sending });
    const wanted = ['sweep:ethereum', 'reconcile'];
    for (const name of wanted) await treasury.jobs.find((job) => job.name === name)?.run();
    expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'topping_up' }]);
    expect(reconciliationFigures(treasury.lastReconciliation)).toMatchObject({ faults: 0 });
  });

  async function height(): Promise<number> {
    const cursor = await deps().unitOfWork.run((repositories) => repositories.chains.cursor('ethereum'));
    return cursor?.height ?? 0;
  }
});
