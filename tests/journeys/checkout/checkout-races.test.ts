/**
 * Customers, scanners, the expiry and the simulator at one invoice in the same moment: each finds
 * it before or after the other.
 */
import { describe, expect, test } from 'bun:test';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import { stageCheckout } from '../../support/http/checkout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const COINS = ['eth_ethereum', 'usdt_ethereum', 'usdt_tron', 'btc_bitcoin', 'eth_base', 'usdc_base'] as const;
const ROUNDS = 12;

describe.skipIf(!needs('postgres', postgresAvailable()))('at the same moment', () => {
  const { stage, merchant } = stageCheckout();
  const chooseIn = ({ externalId }: Invoice, key: string) =>
    stage.application.chooseCurrency(externalId, stage.deps.catalog.require(key));

  test('many browsers choose: the invoice has one of their choices, remembers the others, and one address per family', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const open = await merchant.create();
      const answers = await Promise.all([...COINS, ...COINS].map((key) => chooseIn(open, key)));
      expect(answers.every(({ ok }) => ok)).toBe(true);
      const after = await stage.read(open.id);
      const all = [after.price!, ...after.earlierChoices.map(({ price }) => price)];
      expect(all.map(({ asset }) => asset).toSorted()).toEqual(COINS.toSorted());
      expect(await stage.addressesOf(after)).toEqual({ evm: 1, tron: 1, bitcoin: 1 });
    }
  });

  test('a browser changes and a payment is seen: the payment is credited at the price of what it paid', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const paidOne = await stage.choose(await merchant.create(), COINS[round % 2]!);
      const [change, deposit] = await Promise.all([
        chooseIn(paidOne, round % 3 === 0 ? 'eth_base' : 'btc_bitcoin'),
        stage.sight(paidOne),
      ]);
      if (!change.ok) expect(change.error.message).toContain('A payment was seen');
      expect(deposit.invoiceId).toBe(paidOne.id);
      await stage.finish(deposit);
      expect(await stage.read(paidOne.id)).toMatchObject({ status: 'success', price: paidOne.price });
    }
  });

  test('payments for two choices are seen: one is credited at its price, the other is a stray', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = await stage.choose(await merchant.create(), 'eth_ethereum');
      const second = await stage.choose(first, 'usdt_tron');
      const deposits = await Promise.all([stage.sight(first), stage.sight(second)]);
      const taken = deposits.filter(({ invoiceId }) => invoiceId === first.id);
      expect(taken).toHaveLength(1);
      for (const deposit of deposits) await stage.finish(deposit);
      const price = taken[0]?.asset === 'usdt_tron' ? second.price : first.price;
      expect(await stage.read(first.id)).toMatchObject({ status: 'success', price });
    }
  });

  test('a browser changes at a permanent address that is paid: the payment opens no other invoice', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const bound = { billing_type: 'VARY', permanent_address: true, user_id: `customer-${round}` };
      const first = await stage.choose(await merchant.create(bound), 'eth_ethereum');
      await stage.choose(first, 'usdt_tron');
      const changes = [chooseIn(first, 'eth_ethereum'), chooseIn(first, 'usdt_tron')];
      const [deposit] = await Promise.all([stage.sight(first), ...changes]);
      expect(deposit.invoiceId).toBe(first.id);
      expect(await stage.read(first.id)).toMatchObject({ status: 'confirming', price: first.price });
    }
  });

  test('a browser changes and time ends the invoice: it is not changed any more, or changed and then ended', async () => {
    const invoices = [];
    for (let round = 0; round < ROUNDS; round += 1)
      invoices.push(await stage.choose(await merchant.create({ ttl: 300 }), 'eth_ethereum'));
    const expire = () => stage.it.run('expire-invoices');
    stage.clock.advance(299);
    const changes = invoices.map((invoice) => chooseIn(invoice, 'btc_bitcoin'));
    stage.clock.advance(1);
    await Promise.all([...changes, expire(), expire()]);
    for (const chain of ['ethereum', 'bitcoin']) {
      stage.it.service.chains.fakes?.get(chain)?.control.mine();
      await stage.it.run(`chain:${chain}`);
    }
    stage.clock.advance(60);
    for (const chain of ['ethereum', 'bitcoin']) {
      stage.it.service.chains.fakes?.get(chain)?.control.mine();
      await stage.it.run(`chain:${chain}`);
    }
    await expire();
    for (const [position, change] of changes.entries()) {
      const after = await stage.read(invoices[position]!.id);
      expect(after.status).toBe('expired');
      expect(after.price?.asset).toBe((await change).ok ? 'btc_bitcoin' : 'eth_ethereum');
    }
  });

  test('a merchant cancels and a payment is seen: the invoice ends and the payment is a stray, or it is confirming', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const open = await stage.choose(await merchant.create(), COINS[round % COINS.length]!);
      const path = `/api/v2/invoices/${open.id}/cancel`;
      const [answer, deposit] = await Promise.all([
        stage.it.call(merchant.live, 'POST', path),
        // Half of them come at about the time that the request takes to arrive.
        round % 2 === 0 ? stage.sight(open) : Bun.sleep(round / 4).then(() => stage.sight(open)),
      ]);
      const cancelled = answer.status === 200;
      if (!cancelled) expect(answer.body.error.code).toBe('INVALID_TRANSITION');
      expect([(await stage.read(open.id)).status, deposit.invoiceId, deposit.strayReason]).toEqual(
        cancelled ? ['expired', null, 'invoice_closed'] : ['confirming', open.id, null],
      );
      await stage.finish(deposit);
      expect((await stage.read(open.id)).status).toBe(cancelled ? 'expired' : 'success');
    }
  });

  test('a merchant cancels after a stray came to its address: somebody has to look at it first', async () => {
    const open = await stage.choose(await merchant.create(), 'eth_ethereum');
    expect((await stage.sight(open, { asset: 'eth_base' })).strayReason).toBe('other_asset');
    const answer = await stage.it.call(merchant.live, 'POST', `/api/v2/invoices/${open.id}/cancel`);
    expect([answer.body.error.code, (await stage.read(open.id)).status]).toEqual([
      'INVALID_TRANSITION',
      'created',
    ]);
  });

  test('a browser changes and the simulator pays: what is credited is the price of the asset that stands', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const open = await merchant.create({}, true);
      if (round % 2 === 0) await stage.choose(open, 'eth_ethereum');
      const [, paid] = await Promise.all([
        chooseIn(open, 'usdt_tron'),
        stage.application.simulateFromCheckout(open.externalId, 'paid'),
      ]);
      expect(paid.ok).toBe(true);
      const after = await stage.read(open.id);
      expect(after).toMatchObject({ status: 'success', funds: { creditedUnits: after.price!.dueUnits } });
    }
  });
});
