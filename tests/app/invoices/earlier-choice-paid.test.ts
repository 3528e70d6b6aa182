/**
 * The customer's phone may still show the QR code of an earlier choice: what becomes of a payment
 * that comes for it.
 */
import { describe, expect, test } from 'bun:test';
import { openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import { stageCheckout } from '../../support/http/checkout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a payment for an earlier choice', () => {
  const { stage, merchant } = stageCheckout();
  /** Each choice as its page showed it; the rates move after each. */
  async function chosen(...assets: string[]): Promise<Invoice[]> {
    const open = await merchant.create();
    const pages: Invoice[] = [];
    for (const [turn, asset] of assets.entries()) {
      pages.push(await stage.choose(open, asset));
      stage.setRates(100n + 10n * BigInt(turn + 1));
    }
    return pages;
  }

  for (const [earlier, later] of [
    ['eth_ethereum', 'btc_bitcoin'],
    ['eth_ethereum', 'usdt_ethereum'],
    ['usdt_tron', 'usdt_ethereum'],
  ] as const) {
    test(`in ${earlier}, changed to ${later} since, makes it the invoice’s again at its price, and is credited`, async () => {
      const [old, now] = await chosen(earlier, later);
      const deposit = await stage.sight(old!);
      expect(deposit).toMatchObject({ status: 'confirming', invoiceId: old!.id, strayReason: null });
      expect(await stage.read(old!.id)).toMatchObject({
        ...{ status: 'confirming', price: old!.price, addressTo: old!.addressTo, initialAsset: earlier },
        earlierChoices: [{ price: now!.price, addressTo: now!.addressTo }],
      });
      await stage.finish(deposit);
      expect(await stage.read(old!.id)).toMatchObject({
        ...{ status: 'success', price: old!.price },
        funds: { pendingUnits: 0n, creditedUnits: old!.price!.dueUnits, heldUnits: 0n },
      });
    });
  }

  test('K6: that is older than its address, which was given out with the choice, is a stray, though the invoice is older', async () => {
    const open = await merchant.create();
    stage.clock.advance(1_200);
    const choice = await stage.choose(open, 'eth_ethereum');
    stage.clock.advance(300);
    const older = { status: 'confirming', invoiceId: null, strayReason: 'older_than_invoice' } as const;
    expect(await stage.sight(choice, { secondsAgo: 600 })).toMatchObject(older);
    expect(await stage.read(open.id)).toMatchObject({ status: 'created', funds: { pendingUnits: 0n } });
    expect(await stage.sight(choice, { secondsAgo: 200 })).toMatchObject({ invoiceId: open.id });
  });

  test('that is smaller than due leaves the invoice waiting for the rest of that choice', async () => {
    const [old] = await chosen('usdt_ethereum', 'btc_bitcoin', 'eth_ethereum');
    const first = await stage.sight(old!, { units: 10_000_000n });
    await stage.finish(first);
    expect((await stage.read(old!.id)).status).toBe('partially_paid');
    await stage.finish(await stage.sight(old!, { units: old!.price!.dueUnits - 10_000_000n }));
    expect((await stage.read(old!.id)).status).toBe('success');
  });

  test('is a stray when the invoice was paid in another asset, even by dust', async () => {
    for (const units of [1n, null]) {
      const [old, now] = await chosen('eth_ethereum', 'usdt_ethereum');
      const taken = await stage.sight(now!, units === null ? {} : { units });
      const late = await stage.sight(old!);
      expect(late).toMatchObject({ invoiceId: null, strayReason: 'other_asset' });
      expect((await stage.read(old!.id)).price).toEqual(now!.price);
      await stage.finish(late);
      await stage.finish(taken);
    }
  });

  test('of dust leaves the present choice standing, whose full payment is then taken', async () => {
    const [old, now] = await chosen('usdt_tron', 'usdt_ethereum');
    const dust = await stage.sight(old!, { units: 1_900_000n });
    expect(dust).toMatchObject({
      invoiceId: null,
      strayReason: 'below_minimum_for_earlier_choice',
    });
    expect(await stage.read(old!.id)).toEqual(now!);
    await stage.finish(dust);
    await stage.finish(await stage.sight(now!));
    expect(await stage.read(old!.id)).toMatchObject({ status: 'success', price: now!.price });
  });

  test('of dust is found by its code: other words for it lose no part of what the customer paid', async () => {
    const [old] = await chosen('usdt_tron', 'usdt_ethereum');
    const due = old!.price!.dueUnits;
    const dust = await stage.sight(old!, { units: 1_000_000n });
    const database = openDatabase({ url: stage.it.databaseUrl, poolSize: 1, logger: silentLogger });
    await database.query(`update deposits set note = 'other words' where id = $1`, [dust.id]);
    await database.close();
    await stage.finish(await stage.sight(old!, { units: due - 1_000_000n }));
    await stage.finish({ ...dust, invoiceId: old!.id });
    expect(await stage.read(old!.id)).toMatchObject({
      status: 'success',
      funds: { pendingUnits: 0n, creditedUnits: due, heldUnits: 0n },
    });
  });

  for (const final of [false, true])
    test(`of dust is the invoice’s as soon as more comes, ${final ? 'final' : 'on its way'} till then`, async () => {
      const [old] = await chosen('usdt_tron', 'usdt_ethereum');
      const due = old!.price!.dueUnits;
      const dust = await stage.sight(old!, { units: 1_000_000n });
      if (final) await stage.finish(dust);
      const more = await stage.sight(old!, { units: due - 1_000_000n });
      expect(await stage.read(old!.id)).toMatchObject({
        ...{ status: 'confirming', price: old!.price, txid: more.txid },
        funds: { pendingUnits: due, creditedUnits: 0n, heldUnits: 0n },
      });
      for (const each of final ? [more] : [dust, more]) await stage.finish({ ...each, invoiceId: old!.id });
      expect(await stage.read(old!.id)).toMatchObject({
        status: 'success',
        funds: { pendingUnits: 0n, creditedUnits: due, heldUnits: 0n },
      });
    });

  test('of dust that was final before more came leaves the books right when it is gone, and comes back', async () => {
    const [old] = await chosen('usdt_tron', 'usdt_ethereum');
    const due = old!.price!.dueUnits;
    const dust = await stage.sight(old!, { units: 1_000_000n });
    await stage.finish(dust);
    await stage.finish(await stage.sight(old!, { units: due - 1_000_000n }));
    const credited = { ...dust, invoiceId: old!.id };
    await stage.lose(credited);
    await stage.booksAreRight();
    expect(await stage.read(old!.id)).toMatchObject({ funds: { creditedUnits: due - 1_000_000n } });
    const back = await stage.sight(old!, { units: 1_000_000n, txid: dust.txid });
    expect(back).toMatchObject({ id: dust.id, status: 'confirming' });
    await stage.finish(back);
    expect((await stage.read(old!.id)).funds).toMatchObject({ pendingUnits: 0n, creditedUnits: due });
  });

  test('of dust twice is taken when it is together no dust any more, and dust of another choice is not', async () => {
    const [trx, old] = await chosen('trx_tron', 'usdt_tron', 'usdt_ethereum');
    const other = await stage.sight(trx!, { units: 5n });
    await stage.sight(old!, { units: 1_000_000n });
    await stage.sight(old!, { units: 1_000_000n });
    expect(await stage.read(old!.id)).toMatchObject({
      ...{ status: 'confirming', price: old!.price },
      funds: { pendingUnits: 2_000_000n },
    });
    expect((await stage.sight(trx!, { units: 5n, txid: other.txid })).invoiceId).toBeNull();
  });

  test('is taken although a stray lies at the address: that belongs to nobody', async () => {
    const [old, now] = await chosen('usdt_ethereum', 'eth_ethereum');
    await stage.sight(now!, { asset: 'usdc_ethereum' });
    await stage.sight(old!);
    expect(await stage.read(old!.id)).toMatchObject({ status: 'confirming', price: old!.price });
  });

  test('seen too late is a stray, and changes nothing', async () => {
    const [old, now] = await chosen('eth_ethereum', 'btc_bitcoin');
    stage.clock.advance(3_600);
    const late = await stage.sight(old!);
    expect(late.strayReason).toBe('invoice_closed');
    expect(await stage.read(old!.id)).toEqual(now!);
  });

  test('of an asset that was never chosen is a stray, also where the family’s address is known', async () => {
    const [, now] = await chosen('eth_ethereum', 'usdt_ethereum');
    expect((await stage.sight(now!, { asset: 'usdc_ethereum' })).invoiceId).toBeNull();
    expect(await stage.read(now!.id)).toEqual(now!);
  });

  test('that disappears leaves its choice standing, and the customer may change again', async () => {
    const [old, now] = await chosen('eth_ethereum', 'btc_bitcoin');
    await stage.lose(await stage.sight(old!));
    expect(await stage.read(old!.id)).toMatchObject({ status: 'created', price: old!.price });
    const again = await stage.choose(old!, 'btc_bitcoin');
    expect([again.price, again.addressTo]).toEqual([now!.price, now!.addressTo]);
  });

  describe('after a payment that disappeared', () => {
    test('comes back as that of its own asset: never as units of the present one', async () => {
      const [eth] = await chosen('eth_ethereum');
      const gone = await stage.sight(eth!);
      await stage.lose(gone);
      await stage.choose(eth!, 'usdt_tron');
      const back = await stage.sight(eth!, { txid: gone.txid });
      expect(back).toMatchObject({ id: gone.id, status: 'confirming', invoiceId: eth!.id });
      expect(await stage.read(eth!.id)).toMatchObject({ status: 'confirming', price: eth!.price });
      await stage.finish(back);
      expect((await stage.read(eth!.id)).status).toBe('success');
    });

    test('is a stray when its invoice failed for want of a payment in another asset', async () => {
      const [eth] = await chosen('eth_ethereum');
      const gone = await stage.sight(eth!);
      await stage.lose(gone);
      const tron = await stage.choose(eth!, 'usdt_tron');
      const paid = await stage.sight(tron);
      await stage.finish(paid);
      await stage.lose(paid);
      expect((await stage.read(eth!.id)).status).toBe('failed');
      expect(await stage.sight(eth!, { txid: gone.txid })).toMatchObject({ strayReason: 'came_back_late' });
      expect((await stage.read(eth!.id)).price).toEqual(tron.price);
    });

    test('is a stray when the invoice was paid in another asset meanwhile', async () => {
      const [eth] = await chosen('eth_ethereum');
      const gone = await stage.sight(eth!);
      await stage.lose(gone);
      const tron = await stage.choose(eth!, 'usdt_tron');
      const paid = await stage.sight(tron);
      const back = await stage.sight(eth!, { txid: gone.txid });
      expect(back).toMatchObject({
        ...{
          status: 'confirming',
          invoiceId: null,
          strayReason: 'came_back_late',
        },
      });
      expect((await stage.read(eth!.id)).funds.pendingUnits).toBe(tron.price!.dueUnits);
      await stage.finish(back);
      await stage.finish(paid);
      expect(await stage.read(eth!.id)).toMatchObject({ status: 'success', price: tron.price });
    });
  });

  describe('to a permanent address', () => {
    const BOUND = { billing_type: 'VARY', permanent_address: true, user_id: 'customer-1' };

    test('belongs to the invoice whose customer had chosen it, and opens none of its own', async () => {
      const open = await merchant.create(BOUND);
      const eth = await stage.choose(open, 'eth_ethereum');
      await stage.choose(open, 'usdt_tron');
      expect((await stage.sight(eth)).invoiceId).toBe(open.id);
      expect(await stage.read(open.id)).toMatchObject({
        ...{ status: 'confirming', price: eth.price, permanentAddressId: eth.permanentAddressId },
      });
    });

    test('belongs rather to an invoice that waits for just that, however old', async () => {
      const waiting = await stage.choose(await merchant.create(BOUND), 'eth_ethereum');
      const changed = await stage.choose(await merchant.create(BOUND), 'eth_ethereum');
      await stage.choose(changed, 'usdt_tron');
      expect((await stage.sight(waiting)).invoiceId).toBe(waiting.id);
      expect((await stage.sight(waiting)).invoiceId).toBe(changed.id);
    });

    test('opens an invoice of its own when the one that was changed is paid', async () => {
      const open = await merchant.create(BOUND);
      const eth = await stage.choose(open, 'eth_ethereum');
      await stage.sight(await stage.choose(open, 'usdt_tron'));
      const other = await stage.sight(eth);
      expect(other.invoiceId).not.toBe(open.id);
      expect(await stage.read(other.invoiceId!)).toMatchObject({ status: 'confirming', billingType: 'VARY' });
    });
  });

  test('is waited for: its chain must have been read past the invoice’s time before it expires', async () => {
    const [old] = await chosen('eth_ethereum', 'btc_bitcoin');
    stage.clock.advance(3_700);
    const read = async (...names: string[]) => {
      for (const name of names) {
        stage.it.service.chains.fakes?.get(name)?.control.mine();
        await stage.it.run(`chain:${name}`);
      }
      await stage.it.run('expire-invoices');
      return (await stage.read(old!.id)).status;
    };
    expect(await read('bitcoin', 'tron')).toBe('created');
    expect(await read('ethereum')).toBe('expired');
  });
});
