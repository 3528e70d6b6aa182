/**
 * What final money brings its merchant, to the unit: after the risk check, and after an operator
 * decided about it.
 */
import { describe, expect, test } from 'bun:test';
import { screenDeposits } from '../../../src/app/deposits/screen-deposits.ts';
import { creditStray, rejectHeld, releaseHeld } from '../../../src/app/deposits/unmatched-deposits.ts';
import { stageCheckout } from '../../support/http/checkout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const USDT = 1_000_000n;
const HIT = { kind: 'hit', reason: 'listed' } as const;

describe.skipIf(!needs('postgres', postgresAvailable()))('final money', () => {
  const { stage, merchant } = stageCheckout();
  const anInvoice = (body = {}) => merchant.create({ asset: 'usdt_ethereum', ...body });
  async function income(): Promise<bigint> {
    const scope = { merchantId: merchant.id, sandbox: false };
    return (await stage.deps.queries.balance(scope)).incomeMicroUsd;
  }
  const refused = { ok: false, error: { code: 'INVALID_TRANSITION' } };

  test('in three parts that divide badly brings what one payment of the sum does', async () => {
    const invoice = await anInvoice();
    for (const units of [8_416_667n, 8_416_666n, 8_416_667n])
      await stage.finish(await stage.sight(invoice, { units }));
    expect((await stage.read(invoice.id)).status).toBe('success');
    expect(await income()).toBe(25n * USDT);
    const { body } = await stage.it.call(merchant.live, 'GET', '/api/v2/ledger');
    const told = body.result.map(({ amount, fee }: { amount: number; fee: number }) => [amount, fee]);
    expect(told.toReversed()).toEqual([
      [8.333333, 0.083334],
      [8.333333, 0.083333],
      [8.333334, 0.083333],
    ]);
  });

  test('under 2 USD waits for more, and is credited together with it', async () => {
    const invoice = await anInvoice();
    await stage.finish(await stage.sight(invoice, { units: 1_250_001n }));
    expect(await stage.read(invoice.id)).toMatchObject({
      ...{ status: 'created', funds: { pendingUnits: 1_250_001n, creditedUnits: 0n } },
    });
    await stage.finish(await stage.sight(invoice, { units: 23_999_999n }));
    expect((await stage.read(invoice.id)).status).toBe('success');
    expect(await income()).toBe(25n * USDT);
  });

  test('under 2 USD is not credited when the payment that it came with is gone meanwhile', async () => {
    const invoice = await anInvoice();
    const dust = await stage.sight(invoice, { units: 1n * USDT });
    await stage.arrive(dust);
    const payment = await stage.sight(invoice, { units: 20n * USDT });
    let asked = 0;
    stage.screen(async () => {
      asked += 1;
      if (asked === 1) await stage.lose(payment);
      return { kind: 'pass' };
    });
    await stage.finish(payment);
    expect(asked).toBe(2);
    expect(await stage.read(invoice.id)).toMatchObject({
      ...{ status: 'created', funds: { pendingUnits: 1n * USDT, creditedUnits: 0n } },
    });
  });

  test('that came in parts of which one is held brings the whole once that one is released, and only once', async () => {
    const invoice = await anInvoice();
    await stage.finish(await stage.sight(invoice, { units: 8_416_667n }));
    stage.screen(() => HIT);
    const deposit = await stage.sight(invoice, { units: 16_833_333n });
    await stage.finish(deposit);
    expect(await stage.read(invoice.id)).toMatchObject({
      ...{ status: 'high_risk', funds: { creditedUnits: 8_416_667n, heldUnits: 16_833_333n } },
    });
    await stage.booksAreRight();
    const release = releaseHeld(stage.deps);
    expect(await release(deposit.id)).toMatchObject({ ok: true, value: { status: 'credited' } });
    expect(await release(deposit.id)).toMatchObject(refused);
    expect((await stage.read(invoice.id)).status).toBe('success');
    expect(await income()).toBe(25n * USDT);
  });

  test('that was rejected stays held, and nobody can release it later', async () => {
    const invoice = await anInvoice();
    stage.screen(() => HIT);
    const deposit = await stage.sight(invoice);
    await stage.finish(deposit);
    expect(await rejectHeld(stage.deps)(deposit.id, 'stolen')).toMatchObject({
      ok: true,
      value: { status: 'rejected', note: 'stolen' },
    });
    expect(await releaseHeld(stage.deps)(deposit.id)).toMatchObject(refused);
    expect(await income()).toBe(0n);
  });

  describe('under 2 USD beside a held payment', () => {
    const dustUnits = 1n * USDT;
    /** Both are final; the risk check held the other one, and the invoice is `high_risk`. */
    async function heldBesideDust(units: bigint, body = {}) {
      const invoice = await anInvoice({ fee_bearer: 'merchant', ...body });
      const dust = await stage.sight(invoice, { units: dustUnits });
      const held = await stage.sight(invoice, { units });
      stage.screen((screened) => (screened === units ? HIT : { kind: 'unavailable', reason: 'away' }));
      await stage.arrive(held);
      await stage.finish(dust);
      expect((await stage.read(invoice.id)).status).toBe('high_risk');
      expect(await statusOf(dust)).toBe('arrived');
      stage.screen(() => ({ kind: 'pass' }));
      return { invoice, dust, held };
    }
    async function depositOf({ id }: { id: string }) {
      const found = await stage.deps.unitOfWork.run(({ deposits }) => deposits.lock(id));
      return found!;
    }
    const statusOf = async (of: { id: string }) => (await depositOf(of)).status;
    const screenAll = () => screenDeposits(stage.deps)();

    test('waits while an operator has not decided about that', async () => {
      const { invoice, dust } = await heldBesideDust(24n * USDT);
      await screenAll();
      expect(await statusOf(dust)).toBe('arrived');
      expect((await stage.read(invoice.id)).funds).toMatchObject({ pendingUnits: dustUnits });
    });

    test('is unmatched once that is rejected, and counts for the invoice when an operator credits it', async () => {
      const { invoice, dust, held } = await heldBesideDust(24n * USDT);
      expect(await rejectHeld(stage.deps)(held.id, 'stolen')).toMatchObject({ ok: true });
      await screenAll();
      expect(await depositOf(dust)).toMatchObject({ status: 'stray', strayReason: 'invoice_ended' });
      expect(await creditStray(stage.deps)(dust.id)).toMatchObject({ ok: true });
      expect(await stage.read(invoice.id)).toMatchObject({
        status: 'high_risk',
        funds: { pendingUnits: 0n, creditedUnits: dustUnits, heldUnits: 24n * USDT },
      });
    });

    test('is unmatched also when its block is final only after that was rejected', async () => {
      const invoice = await anInvoice();
      stage.screen(() => HIT);
      const held = await stage.sight(invoice, { units: 24n * USDT });
      const dust = await stage.sight(invoice, { units: dustUnits });
      await stage.finish(held);
      await rejectHeld(stage.deps)(held.id, 'stolen');
      await stage.finish(dust);
      expect(await statusOf(dust)).toBe('stray');
    });

    test('is unmatched only once the last of several held ones is decided, and taken back if all of them leave the chain', async () => {
      const invoice = await anInvoice();
      stage.screen(() => HIT);
      const [dust, one, other, part] = [
        await stage.sight(invoice, { units: dustUnits }),
        await stage.sight(invoice, { units: 9n * USDT }),
        await stage.sight(invoice, { units: 8n * USDT }),
        await stage.sight(invoice, { units: 5n * USDT }),
      ];
      stage.screen((units) => (units === part.units ? { kind: 'pass' } : HIT));
      for (const payment of [one, other, part]) await stage.finish(payment);
      await stage.finish(dust);
      await rejectHeld(stage.deps)(one.id, 'stolen');
      await screenAll();
      expect(await statusOf(dust)).toBe('arrived');
      await rejectHeld(stage.deps)(other.id, 'stolen');
      await screenAll();
      expect(await statusOf(dust)).toBe('stray');
      for (const { txid, output } of [one, other])
        await stage.lose(await stage.sight(invoice, { txid, output }));
      expect([await statusOf(dust), (await stage.read(invoice.id)).status]).toEqual([
        'arrived',
        'partially_paid',
      ]);
    });

    test('is credited once that is released, where they cover the invoice together', async () => {
      const { invoice, dust, held } = await heldBesideDust(24n * USDT);
      await releaseHeld(stage.deps)(held.id);
      await screenAll();
      expect([await statusOf(dust), (await stage.read(invoice.id)).status]).toEqual(['credited', 'success']);
    });

    test('is unmatched once that is released and covers the invoice alone', async () => {
      const { invoice, dust, held } = await heldBesideDust(25n * USDT);
      await releaseHeld(stage.deps)(held.id);
      expect((await stage.read(invoice.id)).status).toBe('success');
      await screenAll();
      expect(await depositOf(dust)).toMatchObject({ status: 'stray', strayReason: 'invoice_ended' });
    });

    test('waits for a top-up once that is released and covers too little, and is unmatched at the end of the time', async () => {
      const { invoice, dust, held } = await heldBesideDust(20n * USDT);
      await releaseHeld(stage.deps)(held.id);
      await screenAll();
      expect((await stage.read(invoice.id)).status).toBe('partially_paid');
      expect(await statusOf(dust)).toBe('arrived');
      await stage.finish(await stage.sight(invoice, { units: 4n * USDT }));
      expect([await statusOf(dust), (await stage.read(invoice.id)).status]).toEqual(['credited', 'success']);
    });
  });

  test('that was a stray is credited less the merchant’s commission, whoever bears it elsewhere, and once', async () => {
    const invoice = await anInvoice();
    const stray = await stage.sight(invoice, { asset: 'usdc_ethereum', units: 100n * USDT });
    expect(stray.strayReason).toBe('other_asset');
    await stage.arrive(stray);
    const credit = creditStray(stage.deps);
    const both = await Promise.all([credit(stray.id), credit(stray.id)]);
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    expect(both.find(({ ok }) => !ok)).toMatchObject(refused);
    expect(await income()).toBe(99n * USDT);
    expect(await stage.read(invoice.id)).toMatchObject({ status: 'created', funds: { creditedUnits: 0n } });
  });

  test('of dust that its invoice ended without counts for the invoice again when an operator credits it', async () => {
    const invoice = await anInvoice({ fee_bearer: 'merchant' });
    const dust = await stage.sight(invoice, { units: 1n * USDT });
    await stage.finish(await stage.sight(invoice));
    await stage.arrive(dust);
    expect(await creditStray(stage.deps)(dust.id)).toMatchObject({ ok: true });
    expect(await stage.read(invoice.id)).toMatchObject({
      ...{ status: 'paid_over', funds: { pendingUnits: 0n, creditedUnits: 26n * USDT } },
    });
  });

  test('of dust that the risk check could not judge is a stray once its invoice ended without it', async () => {
    const invoice = await anInvoice({ fee_bearer: 'merchant' });
    const dust = await stage.sight(invoice, { units: 1n * USDT });
    await stage.arrive(dust);
    const away = { kind: 'unavailable', reason: 'away' } as const;
    stage.screen((units) => (units === dust.units ? away : { kind: 'pass' }));
    await stage.finish(await stage.sight(invoice));
    expect((await stage.read(invoice.id)).status).toBe('success');
    const { txid, units } = dust;
    expect(await stage.sight(invoice, { txid, units })).toMatchObject({
      ...{ status: 'stray', strayReason: 'invoice_ended' },
    });
  });
});
