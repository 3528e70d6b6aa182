/**
 * Payouts on TON that come back, and what of them does not: it is the cost of the merchant who
 * ordered them, and of nobody else. What our own wallet could not send is the operator's.
 */
import { describe, expect, test } from 'bun:test';
import { cancelPayout } from '../../../src/app/sending/operate-payouts.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { burningContract, unpayableContract } from '../../support/ton/small-contracts.ts';
import { stageTonJourney } from '../../support/ton/ton-journey.ts';
import { NATIVE, TON, USDT } from '../../support/ton/ton-lab.ts';

const USD_PER_TON = 3;

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts that bounce on TON', () => {
  const on = stageTonJourney();
  const stranger = (index: number): string =>
    on.lab.addressOf(on.lab.strangersAddress(index)).toString({ bounceable: true });
  /** A contract at a stranger's address, in the form that lets coins come back. */
  function contractAt(index: number, state: ReturnType<typeof burningContract>): string {
    on.lab.place(on.lab.addressOf(on.lab.strangersAddress(index)), state);
    return stranger(index);
  }
  /** Nanotons that the books say the network took for these payouts. */
  async function feesOf(ids: readonly string[]): Promise<bigint> {
    const { unitOfWork } = on.it.service.dependencies;
    const settled = await unitOfWork.run(({ outgoing }) => outgoing.settledFrom('ton', 0));
    return settled
      .filter(({ referenceId }) => ids.includes(referenceId))
      .reduce((sum, { feeUnits }) => sum + (feeUnits ?? 0n), 0n);
  }
  async function ready(): Promise<void> {
    const invoice = await on.create({ amount: 2_000 });
    on.pay(invoice);
    if (on.lab.jettonsOf(on.hot) === 0n) await on.fund();
    await on.mineToFinality();
  }
  async function finish(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await on.settle();
      await on.mineToFinality();
      await on.settle();
    }
  }

  test("G6: of twenty payouts that contracts send back, some after they burnt their gas, what is gone is the merchant's", async () => {
    await ready();
    const before = { usd: (await on.balance()).available, coins: on.lab.balanceOf(on.hot) };
    const ids: string[] = [];
    for (let index = 0; index < 20; index += 1) {
      // A million units of gas each take the lab a second.
      const to = contractAt(500 + index, index < 4 ? burningContract() : unpayableContract());
      ids.push(await on.order({ to, amount: 0.5, asset: NATIVE }));
    }
    await finish();
    for (const id of ids) expect(await on.readPayout(id)).toMatchObject({ status: 'failed' });
    const gone = before.coins - on.lab.balanceOf(on.hot);
    // Exactly, also where reconciliation takes a small difference for none.
    expect(gone).toBe(await feesOf(ids));
    const lost = (Number(gone) / Number(TON)) * USD_PER_TON;
    const charged = before.usd - (await on.balance()).available;
    // Four times 0.4 TON at 3 USD, and fees.
    expect(lost).toBeGreaterThan(4.8);
    expect(Math.abs(lost - charged)).toBeLessThanOrEqual(charged / 100);
    const fees = await Promise.all(ids.map(async (id) => (await on.readPayout(id)).fee_usd));
    expect(fees.reduce((sum, fee) => sum + fee, 0)).toBeCloseTo(charged, 4);
    expect([fees.filter((fee) => fee > 1.2).length, fees.filter((fee) => fee < 0.1).length]).toEqual([4, 16]);
    await on.chainAndBooksAgree();
  });

  test('G6: whoever leaves in the same transaction pays his own fee and no part of what another one burns', async () => {
    await ready();
    const other = await on.another();
    on.pay(await other.create({ asset: USDT, amount: 200 }));
    await on.mineToFinality();
    const before = { other: (await other.balance()).available, usd: (await on.balance()).available };
    const burning = contractAt(600, burningContract());
    const refusing = contractAt(601, unpayableContract());
    const failing = [
      await on.order({ to: burning, amount: 0.5, asset: NATIVE }),
      await on.order({ to: refusing, amount: 0.5, asset: NATIVE }),
    ];
    const honest = await on.it.call(
      other.merchant.live,
      'POST',
      '/api/v2/payouts',
      { address: stranger(602), amount: 5, asset: NATIVE },
      { 'x-uniq-id': crypto.randomUUID() },
    );
    const { order_id: id } = honest.body.result;
    await finish();
    const paid = (await on.it.call(other.merchant.live, 'GET', `/api/v2/payouts/${id}`)).body.result;
    expect(paid.status).toBe('success');
    expect(before.other - (await other.balance()).available).toBeCloseTo(
      paid.fiat_amount_usd + paid.fee_usd,
      6,
    );
    const [burnt, refused] = await Promise.all(failing.map((each) => on.readPayout(each)));
    expect(burnt.fee_usd).toBeGreaterThan(1.2);
    expect(refused.fee_usd).toBeLessThan(0.1);
    expect(before.usd - (await on.balance()).available).toBeCloseTo(burnt.fee_usd + refused.fee_usd, 6);
    await on.chainAndBooksAgree();
  });

  test('G6: payouts that the wallet could not pay any more when a block took them cost their merchant nothing', async () => {
    await ready();
    const before = (await on.balance()).available;
    const ids: string[] = [];
    for (const index of [700, 701, 702])
      ids.push(await on.order({ to: stranger(index), amount: 5, asset: NATIVE }));
    await on.settle();
    expect((await cancelPayout(on.it.service.dependencies)(ids[2]!)).ok).toBe(true);
    // Somebody who has the same key takes most of what is in the wallet: it is enough for the
    // first.
    const money = on.lab.balanceOf(on.hot);
    on.lab.setBalance(on.hot, 6n * TON);
    await finish();
    const gone = TON - on.lab.balanceOf(on.hot);
    on.lab.setBalance(on.hot, money - 5n * TON - gone);
    await on.mineToFinality();
    const [paid, ...unpaid] = await Promise.all(ids.map((id) => on.readPayout(id)));
    expect(paid.status).toBe('success');
    expect(unpaid).toMatchObject([
      { status: 'failed', fee_usd: 0 },
      { status: 'cancelled', fee_usd: 0 },
    ]);
    expect(before - (await on.balance()).available).toBeCloseTo(paid.fiat_amount_usd + paid.fee_usd, 6);
    expect(gone).toBeGreaterThan(0n);
    expect(await feesOf(ids)).toBe(gone);
    await on.chainAndBooksAgree();
  });
});
