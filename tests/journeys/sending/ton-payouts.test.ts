/**
 * Payouts and sweeps on TON through the composed service: many at once, stuck, expired, refused on
 * the way, and the books after each.
 */
import { describe, expect, test } from 'bun:test';
import { cancelPayout } from '../../../src/app/sending/operate-payouts.ts';
import { expectToldWhenUnknown } from '../../support/chains/unknown-sent.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { RECEIVES_NOTHING } from '../../support/ton/jetton.ts';
import { unpayableContract } from '../../support/ton/small-contracts.ts';
import { CONFIRMATIONS, LAB, stageTonJourney } from '../../support/ton/ton-journey.ts';
import { NATIVE, TON, USDT } from '../../support/ton/ton-lab.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('money out on TON', () => {
  const on = stageTonJourney();
  const { create, pay, settle, mineToFinality, balance, chainAndBooksAgree, order, readPayout } = on;

  /** A merchant with 2,000 dollars, and a hot wallet that can pay them. */
  async function ready(): Promise<void> {
    const invoice = await create({ amount: 2_000 });
    pay(invoice);
    if (on.lab.jettonsOf(on.hot) === 0n) await on.fund();
    await mineToFinality();
    expect((await balance()).available).toBeCloseTo(2_000, 2);
  }
  const stranger = (number: number): string => on.lab.strangersAddress(number);
  const requests = (): number =>
    on.lab.chain
      .history(on.hot)
      .filter(({ transaction }) => transaction.inMessage?.info.type === 'external-in').length;
  const transactionsOf = async (id: string) => {
    const { unitOfWork } = on.it.service.dependencies;
    return unitOfWork.run(async ({ outgoing }) => {
      const transfer = await outgoing.activeOf('payout', id);
      return transfer === null ? [] : outgoing.signedOf([transfer.transferBatchId]);
    });
  };
  async function finish(): Promise<void> {
    await settle();
    await mineToFinality();
    await settle();
  }

  test('K4: twenty payouts of two assets leave in two requests, arrive, and cost what the books say; the scanner tells them when they are not known', async () => {
    await ready();
    const before = requests();
    const coins = on.lab.balanceOf(on.hot);
    const payouts = [];
    for (let index = 0; index < 10; index += 1) {
      payouts.push({
        id: await order({ to: stranger(index), amount: 10 + index, asset: USDT }),
        to: stranger(index),
      });
      payouts.push({
        id: await order({ to: stranger(100 + index), amount: 3, asset: NATIVE }),
        to: stranger(100 + index),
      });
    }
    await finish();
    await finish();
    expect(requests() - before).toBe(2);
    let chargedUsd = 0;
    for (const { id, to } of payouts) {
      const payout = await readPayout(id);
      chargedUsd += payout.fee_usd;
      expect(payout).toMatchObject({ status: 'success', txid: expect.stringMatching(/^[0-9a-f]{64}$/) });
      const [coins, jettons] = [on.lab.balanceOf(to), on.lab.jettonsOf(to)];
      if (payout.currency === USDT) expect(jettons).toBeGreaterThan(9_000_000n);
      else expect(coins).toBeGreaterThan((TON * 29n) / 10n);
    }
    // Ten payouts of 3 TON, at 3 USD each: what else is gone was charged.
    const gone = coins - on.lab.balanceOf(on.hot) - 30n * TON;
    expect(chargedUsd).toBeGreaterThan((3 * Number(gone)) / Number(TON));
    await chainAndBooksAgree();
    await expectToldWhenUnknown(
      on.it,
      'ton',
      payouts.map(({ id }) => id),
    );
  });

  test('a payout that nobody took is broadcast again, and one that expired is signed again once and paid once', async () => {
    await ready();
    const [stuck, to] = [await order({ to: stranger(200), amount: 10, asset: USDT }), stranger(200)];
    await settle();
    on.lab.chain.dropExternals();
    await settle();
    await mineToFinality();
    await settle();
    expect((await readPayout(stuck)).status).toBe('success');
    expect(await transactionsOf(stuck)).toHaveLength(1);

    const expired = await order({ to, amount: 10, asset: USDT });
    const paid = on.lab.jettonsOf(to);
    await settle();
    await on.loseAndExpire();
    expect(await transactionsOf(expired)).toHaveLength(2);
    await finish();
    await finish();
    const [dead, alive] = await transactionsOf(expired);
    expect(await readPayout(expired)).toMatchObject({ status: 'success', txid: alive?.txid });
    expect(alive?.validUntil).toBeGreaterThan(dead?.validUntil ?? 0n);
    expect(on.lab.jettonsOf(to) - paid).toBe(paid);
    await chainAndBooksAgree();
  });

  test('G3: of several in one request one is cancelled, and the others are signed without it when the request has expired', async () => {
    await ready();
    const to = [210, 211, 212].map(stranger);
    const before = to.map((address) => on.lab.jettonsOf(address));
    const { available } = await balance();
    const ids = [];
    for (const address of to) ids.push(await order({ to: address, amount: 10, asset: USDT }));
    await settle();
    expect(new Set((await Promise.all(ids.map(readPayout))).map(({ txid }) => txid)).size).toBe(1);
    expect((await cancelPayout(on.it.service.dependencies)(ids[0]!)).ok).toBe(true);
    await on.loseAndExpire();
    await finish();
    await finish();
    const views = await Promise.all(ids.map(readPayout));
    expect(views.map(({ status }) => status)).toEqual(['cancelled', 'success', 'success']);
    expect(to.map((address, place) => on.lab.jettonsOf(address) - before[place]!)).toEqual([
      0n,
      10_000_000n,
      10_000_000n,
    ]);
    const spent = views
      .slice(1)
      .reduce((usd, { fiat_amount_usd, fee_usd }) => usd + fiat_amount_usd + fee_usd, 0);
    expect(available - (await balance()).available).toBeCloseTo(spent, 4);
    await chainAndBooksAgree();
  });

  test('the asset of which one waits longest has the next request, whatever is ordered meanwhile', async () => {
    await ready();
    const place = await order({ to: stranger(220), amount: 3, asset: NATIVE });
    await settle();
    const waits = await order({ to: stranger(221), amount: 10, asset: USDT });
    await settle();
    await on.lab.chain.settle();
    await on.lab.mine(CONFIRMATIONS);
    const { watchers, sending } = on.it.service;
    await watchers.get('ton')?.poll();
    await sending.senders.get('ton')?.step();
    on.clock.advance(1);
    const later = await order({ to: stranger(222), amount: 3, asset: NATIVE });
    await sending.senders.get('ton')?.step();
    const views = await Promise.all([place, waits, later].map(readPayout));
    expect(views.map(({ status }) => status)).toEqual(['success', 'processing', 'pending']);
    await finish();
    await finish();
    expect((await readPayout(later)).status).toBe('success');
    await chainAndBooksAgree();
  });

  test('an address in the masterchain is refused with the reason, and uses nothing up', async () => {
    await ready();
    const before = await balance();
    for (const asset of [NATIVE, USDT])
      for (const address of [
        `-1:${'ab'.repeat(32)}`,
        on.lab.addressOf(`-1:${'ab'.repeat(32)}`).toString({ bounceable: false }),
      ]) {
        const headers = { 'x-uniq-id': crypto.randomUUID() };
        const body = { address, amount: 10, asset };
        const answer = await on.it.call(on.merchant.live, 'POST', '/api/v2/payouts', body, headers);
        expect(answer.status).toBe(400);
        expect(answer.body.error).toMatchObject({
          ...{ code: 'PAYOUT_REJECTED', details: { rule: 'invalid_address' } },
          message: expect.stringContaining('masterchain'),
        });
      }
    expect(await balance()).toEqual(before);
  });

  test('jettons that the recipient refuses, and coins that a contract sends back, fail alone, and the balance is back', async () => {
    await ready();
    const { available } = await balance();
    const [locked, contract, fine] = [stranger(300), stranger(301), stranger(302)];
    const owner = on.lab.addressOf(locked);
    on.lab.place(
      on.lab.jetton.walletOf(owner),
      on.lab.jetton.walletState(owner, { status: RECEIVES_NOTHING }),
    );
    on.lab.place(on.lab.addressOf(contract), unpayableContract());
    const failing = [
      await order({ to: locked, amount: 20, asset: USDT }),
      await order({
        to: on.lab.addressOf(contract).toString({ bounceable: true }),
        amount: 6,
        asset: NATIVE,
      }),
    ];
    const paid = [
      await order({ to: fine, amount: 20, asset: USDT }),
      await order({ to: fine, amount: 6, asset: NATIVE }),
    ];
    await finish();
    await finish();
    for (const id of failing) expect((await readPayout(id)).status).toBe('failed');
    for (const id of paid) expect((await readPayout(id)).status).toBe('success');
    expect(on.lab.jettonsOf(locked)).toBe(0n);
    const views = await Promise.all([...paid, ...failing].map(readPayout));
    const spent = views.reduce(
      (usd, { status, fiat_amount_usd: amount, fee_usd: fee }) =>
        usd + fee + (status === 'success' ? amount : 0),
      0,
    );
    expect(available - (await balance()).available).toBeCloseTo(spent, 4);
    await chainAndBooksAgree();
  });

  test('sweeps bring coins and jettons to the hot wallet, deploy the wallets as they go, and their gas comes back', async () => {
    await ready();
    const [coins, jettons] = [await create({ asset: NATIVE, amount: 300 }), await create({ amount: 300 })];
    pay(coins);
    pay(jettons);
    await mineToFinality();
    await chainAndBooksAgree();
    const [hotCoins, hotJettons] = [on.lab.balanceOf(on.hot), on.lab.jettonsOf(on.hot)];
    await on.sweepToTheEnd();
    expect(on.lab.jettonsOf(jettons.address_to)).toBe(0n);
    expect(on.lab.jettonsOf(on.hot) - hotJettons).toBeGreaterThanOrEqual(on.due(jettons));
    expect(on.lab.balanceOf(coins.address_to)).toBeLessThan(TON / 50n);
    expect(on.lab.balanceOf(jettons.address_to)).toBeLessThan(TON / 50n);
    expect(on.lab.balanceOf(on.hot) - hotCoins).toBeGreaterThan((on.due(coins) * 99n) / 100n);
    await chainAndBooksAgree();
  });

  test('a jetton that only the configuration lists is swept and paid out', async () => {
    await ready();
    const invoice = await create({ asset: LAB, amount: 300 });
    pay(invoice);
    await mineToFinality();
    await on.sweepToTheEnd();
    expect(on.lab.jettonsOf(on.hot, on.lab.stranger)).toBe(on.due(invoice));
    const id = await order({ to: stranger(700), amount: 5, asset: LAB });
    await finish();
    expect((await on.readPayout(id)).status).toBe('success');
    expect(on.lab.jettonsOf(stranger(700), on.lab.stranger)).toBe(5_000_000n);
    await chainAndBooksAgree();
  });
});
