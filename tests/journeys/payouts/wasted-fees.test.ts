/**
 * What the network takes for a transaction without effect is the merchant's who ordered it,
 * whatever the chain does afterwards.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import { anAddress } from '../../support/builders.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import type { Json } from '../../support/test-service.ts';

const BORNE_BY_OPERATOR = `
  select (coalesce(sum(f.amount), 0) - (
    select coalesce(sum(p.amount), 0) from ledger_entries e join ledger_postings p on p.entry_id = e.id and p.account = 'merchant'
    where e.kind in ('payout_fee_charged', 'payout_fee_returned', 'refund_fee_charged', 'refund_fee_returned')))::text as micro_usd
  from outgoing_transfers t
  join ledger_entries e on e.reference_id = t.id and e.kind in ('network_fee', 'network_fee_reversed')
  join ledger_postings f on f.entry_id = e.id and f.account = 'network_fees'
  where t.purpose = 'payout' and t.status = 'failed' and exists (
    select from signed_transactions s where s.bundle_id = t.bundle_id and not s.voids
      and (s.txid = t.txid or t.failure_code <> 'given_up'))`;
const TO = '0x52908400098527886E0F7030069857D2E4169EE7';

describe.skipIf(!needs('postgres', postgresAvailable()))('the fee of a transaction without effect', () => {
  let stage: PayoutStage;
  afterEach(() => stage.close());

  const get = async (path: string): Promise<Json> =>
    (await stage.journey.it.call(stage.journey.merchant.live, 'GET', `/api/v2/${path}`)).body.result;
  /**
   * Micro-USD that the network took for payments without effect, less what their merchants bear.
   */
  const borneByOperator = async (): Promise<string | undefined> => {
    const url = stage.journey.it.databaseUrl;
    const database = openDatabase({ url, poolSize: 1, logger: silentLogger });
    try {
      const [row] = await database.query<{ micro_usd: string }>(BORNE_BY_OPERATOR, []);
      return row?.micro_usd;
    } finally {
      await database.close();
    }
  };

  test('G2: is charged to the merchant, told in the payout and the ledger, and taken back with its block', async () => {
    stage = await openPayoutStage({ credit: '20' });
    const before = await stage.journey.balance();
    const id = await stage.order({ address: TO, amount: 10 });
    const { fee_usd: quoted } = await get(`payouts/${id}`);
    expect(quoted).toBeGreaterThan(0);
    await stage.step();
    const [signed] = await stage.signedOf(id);
    stage.journey.chain().revertNext(TO);
    stage.journey.chain().mine(13);
    await stage.step();

    const failed = await get(`payouts/${id}`);
    const { wastedFeeMicroUsd } = await stage.stored(id);
    const wasted = Number(wastedFeeMicroUsd) / 1e6;
    expect(failed).toMatchObject({ status: 'failed', fee_usd: wasted, energy_fee_usd: null });
    expect(failed.fee_usd).toBeGreaterThan(0);
    expect(failed.fee).toBeCloseTo(failed.fee_usd, 6);
    const after = await stage.journey.balance();
    expect(before.available - after.available).toBeCloseTo(wasted, 6);
    expect(after.total_payouts - before.total_payouts).toBeCloseTo(wasted, 6);
    const [fee, back, out] = await get('ledger?type=payout');
    expect(fee).toMatchObject({ type: 'payout', asset: 'eth_ethereum', reference_id: id, status: 'failed' });
    expect(fee).toMatchObject({ network_fee: true });
    expect(fee.amount).toBeGreaterThan(0);
    expect([back.amount, out.amount]).toEqual([-10, 10]);
    expect(Object.keys(out)).not.toContain('network_fee');
    expect(await borneByOperator()).toBe('0');
    await stage.journey.booksAreRight();

    // On another branch the same bytes are mined with their effect: what was quoted is charged, and
    // nothing else.
    stage.journey.chain().reorg(13, { keep: [signed?.txid ?? ''] });
    stage.journey.chain().mine(13);
    await stage.step();
    expect(await get(`payouts/${id}`)).toMatchObject({ status: 'success', fee_usd: quoted });
    const paid = await stage.journey.balance();
    expect(before.available - paid.available).toBeCloseTo(10 + quoted, 6);
    expect((await get('ledger?type=payout')).map(({ amount }: Json) => Math.sign(amount))).toEqual([
      1, -1, 1, -1, 1,
    ]);
    await stage.journey.booksAreRight();

    // And on a third one without it again.
    stage.journey.chain().reorg(26, { revert: [signed?.txid ?? ''] });
    await stage.step();
    expect(await get(`payouts/${id}`)).toMatchObject({ status: 'failed', fee_usd: wasted });
    expect((await stage.journey.balance()).available).toBeCloseTo(after.available, 6);
    expect(await borneByOperator()).toBe('0');
    await stage.journey.booksAreRight();
  });

  test('G2: of what takes the place of a payment that failed, and whose block is gone, is charged likewise', async () => {
    stage = await openPayoutStage({ credit: '20' });
    const before = await stage.journey.balance();
    const id = await stage.order({ address: TO, amount: 10 });
    await stage.step();
    stage.journey.chain().revertNext(TO);
    stage.journey.chain().mine(13);
    await stage.step();
    const { fee_usd: first } = await get(`payouts/${id}`);
    // Its block is gone, and its balance is back: its nonce is used up by a transaction that moves
    // nothing.
    stage.journey.chain().reorg(13);
    for (let round = 0; round < 2; round += 1) {
      await stage.step();
      stage.journey.chain().mine(13);
      stage.journey.clock.advance(100);
    }
    await stage.step();
    expect(await stage.open()).toEqual([]);
    const { status, fee_usd: second } = await get(`payouts/${id}`);
    expect(status).toBe('failed');
    expect([second > 0, second < first]).toEqual([true, true]);
    expect(before.available - (await stage.journey.balance()).available).toBeCloseTo(second, 6);
    expect(await borneByOperator()).toBe('0');
    await stage.journey.booksAreRight();
  });

  test('G2: may take the balance below zero, and then nothing more is paid out', async () => {
    stage = await openPayoutStage({ credit: '20' });
    const { available } = await stage.journey.balance();
    const id = await stage.order({ address: TO, amount: 5 });
    const { fee_usd: fee } = await get(`payouts/${id}`);
    await stage.step();
    stage.journey.chain().setFeeLevel(40_000);
    await stage.order({ amount: Math.floor((available - 5 - 2 * fee) * 100) / 100 });
    stage.journey.clock.advance(120_000);
    await stage.step();
    stage.journey.chain().revertNext(TO);
    stage.journey.chain().mine(13);
    await stage.step();
    const balance = await stage.journey.balance();
    expect(await get(`payouts/${id}`)).toMatchObject({ status: 'failed' });
    expect(balance.available).toBeLessThan(0);
    const refused = await stage.journey.it.call(
      stage.journey.merchant.live,
      'POST',
      '/api/v2/payouts',
      { address: TO, amount: 0.1, asset: 'usdt_ethereum' },
      { 'x-uniq-id': crypto.randomUUID() },
    );
    expect(refused.body.error).toMatchObject({
      code: 'PAYOUT_REJECTED',
      details: { rule: 'insufficient_balance' },
    });
    await stage.journey.booksAreRight();
  });

  test('G2: of a refund is charged likewise, as a refund', async () => {
    stage = await openPayoutStage({ credit: '20' });
    const before = await stage.journey.balance();
    const [income] = await get('ledger?type=income');
    const made = await refundInvoice(stage.deps)(income.reference_id, { to: TO, amount: null, by: 'a test' });
    if (!made.ok) throw new Error(made.error.message);
    await stage.step();
    stage.journey.chain().revertNext(TO);
    stage.journey.chain().mine(13);
    await stage.step();
    const { wastedFeeMicroUsd, status } = await stage.stored(made.value.refund.id);
    expect(status).toBe('failed');
    expect(wastedFeeMicroUsd).toBeGreaterThan(0n);
    const after = await stage.journey.balance();
    expect(before.available - after.available).toBeCloseTo(Number(wastedFeeMicroUsd) / 1e6, 6);
    expect(after.total_payouts).toBe(before.total_payouts);
    const [fee] = await get('ledger?type=refund');
    expect(fee).toMatchObject({
      network_fee: true,
      asset: 'eth_ethereum',
      reference_id: income.reference_id,
    });
    expect(await borneByOperator()).toBe('0');
    await stage.journey.booksAreRight();
  });

  test('G2: whatever is mined, reverted, reorganised and repeated, no fee without effect stays with the operator', async () => {
    stage = await openPayoutStage({ credit: '100000' });
    // Deeper than any reorganisation to come.
    stage.journey.chain().mine(40);
    const which = fc.nat(20);
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.constant({ do: 'order' } as const) },
      { weight: 5, arbitrary: fc.constant({ do: 'work' } as const) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('revert' as const), which }) },
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('mine' as const), count: fc.constantFrom(1, 13) }),
      },
      { weight: 1, arbitrary: fc.constant({ do: 'wait' } as const) },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('reorg' as const),
          depth: fc.integer({ min: 1, max: 20 }),
          fate: which,
        }),
      },
    );
    let wasted = 0n;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (history) => {
        const { journey } = stage;
        const chain = journey.chain();
        const to: string[] = [];
        const ids: string[] = [];
        for (const each of history) {
          if (each.do === 'order') {
            to.push(anAddress());
            ids.push(await stage.order({ address: to.at(-1) }));
          } else if (each.do === 'work') await stage.step();
          else if (each.do === 'revert' && to.length > 0) chain.revertNext(to[each.which % to.length] ?? '');
          else if (each.do === 'mine') chain.mine(each.count);
          else if (each.do === 'wait') journey.clock.advance(100);
          else if (each.do === 'reorg') {
            const hashes = (await Promise.all(ids.map((id) => stage.stored(id)))).flatMap(
              ({ txHashes }) => txHashes,
            );
            const fated = (fate: number) => hashes.filter((_, index) => (index + each.fate) % 4 === fate);
            chain.reorg(each.depth, { keep: fated(0), revert: fated(1), requeue: fated(2) });
          }
        }
        for (let round = 0; round < 4; round += 1) {
          await stage.step();
          chain.mine(13);
          journey.clock.advance(100);
        }
        await stage.step();
        await journey.booksAreRight();
        for (const id of ids) {
          const { status, wastedFeeMicroUsd } = await stage.stored(id);
          expect(['success', 'failed']).toContain(status);
          wasted += wastedFeeMicroUsd;
        }
        expect(await borneByOperator()).toBe('0');
      }),
      { seed: 20_260_613, numRuns: 12, endOnFailure: true },
    );
    expect(wasted).toBeGreaterThan(0n);
  }, 120_000);
});
