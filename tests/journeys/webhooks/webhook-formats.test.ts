/**
 * Webhooks in the shapes of other providers, of the real application: each is verified as that
 * provider's receivers do.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rotateKey } from '../../../src/app/merchants/manage-merchants.ts';
import { INVOICE_STATUSES } from '../../../src/domain/invoices/invoice.ts';
import { WEBHOOK_FORMATS, type WebhookFormat } from '../../../src/domain/webhooks/webhook-format.ts';
import { bodyOf, refusedBy, wordOf } from '../../support/compat/receiver-recipes.ts';
import { type FakeJourney, openFakeJourney, usdt } from '../../support/fake/fake-journey.ts';
import { FOREIGN } from '../../support/fake/presented-invoices.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const PAID: Readonly<Record<WebhookFormat, readonly string[]>> = {
  native_v2: ['confirming', 'success'],
  cryptomus: ['confirm_check', 'paid'],
  heleket: ['confirm_check', 'paid'],
  nowpayments: ['confirming', 'finished'],
  coinpayments: ['0', '100'],
  coinpayments_v2: ['InvoicePending', 'InvoiceCompleted'],
};

describe.skipIf(!needs('postgres', postgresAvailable()))('webhooks of every format', () => {
  let journey: FakeJourney;
  beforeAll(async () => {
    journey = await openFakeJourney({}, 'tron');
  });
  afterAll(() => journey.close());

  const urlOf = (path: string) => new URL(path, journey.receiver.url).href;
  const sentTo = (path: string) => journey.receiver.received.filter((sent) => sent.path === path);
  const refusals = (format: WebhookFormat, path: string, key: string) =>
    sentTo(path).flatMap((sent) => refusedBy(format, { ...sent, url: urlOf(path) }, key));

  test('tell of a payment as their provider does, and its own recipes accept each', async () => {
    for (const format of WEBHOOK_FORMATS) {
      const notify_url = urlOf(`/${format}`);
      const invoice = await journey.create({
        ...{ notify_url, webhook_format: format, extra: 'order-1', title: 'Größe 5/7' },
        ...{ description: 'a/b é 💶', payer_info: { name: 'Ä/Ö' } },
      });
      journey.pay(invoice, String(invoice.amount));
    }
    await journey.it.settle();
    await journey.mineToFinality();
    for (const format of WEBHOOK_FORMATS) {
      const sent = sentTo(`/${format}`);
      expect(sent.map((one) => wordOf(format, one))).toEqual([...PAID[format]]);
      expect(refusals(format, `/${format}`, journey.merchant.live)).toEqual([]);
      const form = format === 'coinpayments' ? 'application/x-www-form-urlencoded' : 'application/json';
      expect(sent[0]?.headers['content-type']).toBe(form);
    }
    const events = await journey.it.call(journey.merchant.live, 'GET', '/api/v2/events');
    const told = events.body.result.map(({ data }: Json) => data.status);
    expect(told.toSorted()).toEqual(WEBHOOK_FORMATS.flatMap(() => PAID.native_v2).toSorted());
  });

  test('are sent again, and simulated, in the same format, signed anew with the key of their environment', async () => {
    const { it, merchant } = journey;
    for (const format of WEBHOOK_FORMATS) {
      const path = `/again/${format}`;
      const body = { amount: 25, fiat_currency: 'USD', asset: 'usdt_tron', webhook_format: format };
      const created = await it.call(merchant.sandbox, 'POST', '/api/v2/invoices', {
        ...{ ...body, notify_url: urlOf(path) },
      });
      const at = `/api/v2/invoices/${created.body.result.order_id}`;
      const simulated = await it.call(merchant.sandbox, 'POST', `${at}/simulate`, { status: 'paid_over' });
      expect(simulated.body.result.webhook).toMatchObject({ delivered: true });
      journey.clock.advance(1);
      await it.call(merchant.sandbox, 'POST', `${at}/notify`);
      await it.settle();
      expect(sentTo(path)).toHaveLength(2);
      expect(refusals(format, path, merchant.sandbox)).toEqual([]);
      expect(refusals(format, path, merchant.live)).not.toEqual([]);
    }
  });

  test('have the signature of the older of two keys until the shop calls with the newer one', async () => {
    const { it } = journey;
    const shop = await it.merchant();
    const rotated = await rotateKey(it.service.dependencies)(shop.id, 'sandbox', 3_600);
    if (!rotated.ok) throw new Error(rotated.error.message);
    const simulated = async (key: string, format: WebhookFormat, path: string) => {
      const wanted = { amount: 25, asset: 'usdt_tron', webhook_format: format, notify_url: urlOf(path) };
      const { result } = (await it.call(key, 'POST', '/api/v2/invoices', wanted)).body;
      await it.call(key, 'POST', `/api/v2/invoices/${result.order_id}/simulate`, { status: 'success' });
    };
    for (const format of FOREIGN) await simulated(shop.sandbox, format, `/older/${format}`);
    for (const format of FOREIGN) await simulated(rotated.value.key, format, `/newer/${format}`);
    for (const format of FOREIGN) {
      expect(refusals(format, `/older/${format}`, shop.sandbox)).toEqual([]);
      expect(refusals(format, `/newer/${format}`, rotated.value.key)).toEqual([]);
      expect([sentTo(`/older/${format}`).length, sentTo(`/newer/${format}`).length]).toEqual([1, 1]);
    }
  });

  test('tell of payments to a permanent address in the format that it was made with', async () => {
    const { it, merchant } = journey;
    const make = async (user_id: string, body: Json) =>
      (await it.call(merchant.live, 'POST', '/api/v2/permanent', { user_id, family: 'tron', ...body })).body
        .result;
    for (const webhook_format of WEBHOOK_FORMATS) {
      const notify_url = urlOf(`/wallet/${webhook_format}`);
      const made = await make(webhook_format, { webhook_format, notify_url });
      expect(made.webhook_format).toBe(webhook_format);
      journey.chain().pay({ to: made.address, asset: 'usdt_tron', units: usdt('40') });
    }
    expect((await make('plain', {})).webhook_format).toBe('native_v2');
    await journey.mineToFinality();
    for (const format of WEBHOOK_FORMATS) {
      const sent = sentTo(`/wallet/${format}`);
      expect(wordOf(format, sent.at(-1)!)).toBe(PAID[format][1]!);
      expect(refusals(format, `/wallet/${format}`, merchant.live)).toEqual([]);
    }
    expect(bodyOf('heleket', sentTo('/wallet/heleket').at(-1)!)).toMatchObject({
      ...{ type: 'wallet', order_id: 'heleket', payment_amount: '40.00000000' },
      ...{ merchant_amount: '39.60000000', commission: '0.40000000' },
    });
    await journey.booksAreRight();
  });

  test('can be tried with a sample of any status, which those recipes accept, too, and which is no event', async () => {
    const { it, merchant } = journey;
    const before = (await it.call(merchant.live, 'GET', '/api/v2/events')).body.result.length;
    for (const format of WEBHOOK_FORMATS) {
      const url = urlOf(`/sample-${format}`);
      for (const status of INVOICE_STATUSES) {
        const body = { url, status, format };
        const { result } = (await it.call(merchant.live, 'POST', '/api/v2/notifications/test', body)).body;
        expect(result, `${status} ${format}`).toMatchObject({ delivered: true });
      }
      const sent = sentTo(`/sample-${format}`);
      expect(refusals(format, `/sample-${format}`, merchant.live)).toEqual([]);
      const told = sent.map((one) => wordOf(format, one));
      expect(told).toHaveLength(INVOICE_STATUSES.length);
      expect(told[INVOICE_STATUSES.indexOf('success')]).toBe(PAID[format].at(-1) ?? '');
      expect(sent.some(({ headers }) => 'x-service-event-seq' in headers)).toBe(false);
    }
    const native = sentTo('/sample-native_v2').map((one) => bodyOf('native_v2', one));
    expect(native.map(({ status }) => status)).toEqual([...INVOICE_STATUSES]);
    expect(native[0]).toMatchObject({ extra: 'sample', metadata: { sample: true }, event_seq: null });
    expect((await it.call(merchant.live, 'GET', '/api/v2/events')).body.result).toHaveLength(before);
  });
});
