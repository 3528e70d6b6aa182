/** Events from before bodies were packed: read, sent and shown as those of today. */
import { expect, test } from 'bun:test';
import { postgresQueries } from '../../../../src/adapters/postgres/queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { postgresWebhookQueue } from '../../../../src/adapters/postgres/webhooks/webhook-queue.ts';
import { aDelivery, aMerchant, anInvoice } from '../../../support/builders.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

const AS_BEFORE = `
  update webhook_deliveries set packed_body = null, told_status = null, told_event = null,
    body = '{"status":"success","n":' || event_seq || ',"event_seq":' || event_seq || '}' where event_seq = 1`;

const statusIn = (body = '{}'): string | null => (JSON.parse(body) as { status?: string }).status ?? null;

test.skipIf(!needs('postgres', postgresAvailable()))(
  'a delivery whose packed body is damaged keeps no other one from being claimed or listed',
  async () => {
    const { database, drop } = await testDatabase();
    const merchant = aMerchant();
    const invoice = anInvoice({ merchantId: merchant.id, sandbox: false });
    const deliveries = [1, 2].map((invoiceVersion) =>
      aDelivery({ merchantId: merchant.id, sandbox: false, invoiceId: invoice.id, invoiceVersion }),
    );
    await postgresUnitOfWork(database).run(async ({ merchants, invoices, webhooks }) => {
      await merchants.insert(merchant);
      await invoices.insert(invoice);
      for (const delivery of deliveries) await webhooks.enqueue(delivery);
    });
    await database.query(
      `update webhook_deliveries set packed_body = set_byte(packed_body, 9, get_byte(packed_body, 9) # 255)
       where event_seq = 1`,
    );
    const queue = postgresWebhookQueue(database);
    const now = new Date('2100-01-01T00:00:00Z');
    const walk = { afterMerchant: null, within: new Map<string, string>() };
    const { lanes } = await queue.dueLanes({ now, walk, merchants: 9, lanesEach: 9 });
    const most = lanes.map((lane) => ({ ...lane, most: 9 }));
    const claimed = await queue.claim({ lanes: most, now, leaseSeconds: 60 });
    expect(claimed.map(({ eventSeq, body }) => [eventSeq, body !== null])).toEqual([
      [1, false],
      [2, true],
    ]);
    const scope = { merchantId: merchant.id, sandbox: false };
    const { events } = await postgresQueries(database, database).events(scope, { after: 0, limit: 9 });
    expect(events.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(events[0]?.body).toBe(JSON.stringify({ status: statusIn(deliveries[0]?.body), event_seq: 1 }));
    await drop();
  },
  60_000,
);

test.skipIf(!needs('postgres', postgresAvailable()))(
  'an event whose body is stored as text is listed and sent like a packed one',
  async () => {
    const { database, drop } = await testDatabase();
    const { run } = postgresUnitOfWork(database);
    const merchant = aMerchant();
    const scope = { merchantId: merchant.id, sandbox: false };
    const invoice = anInvoice(scope);
    const ids: string[] = [];
    await run(async ({ merchants, invoices, webhooks }) => {
      await merchants.insert(merchant);
      await invoices.insert(invoice);
      for (const n of [1, 2]) {
        const delivery = aDelivery({ ...scope, invoiceId: invoice.id, invoiceVersion: n });
        ids.push(delivery.id);
        await webhooks.enqueue({ ...delivery, body: JSON.stringify({ status: 'success', n }) });
      }
    });
    await database.query(AS_BEFORE);
    const bodies = [1, 2].map((n) => JSON.stringify({ status: 'success', n, event_seq: n }));
    const { events } = await postgresQueries(database, database).events(scope, { after: 0, limit: 100 });
    expect(events.map(({ body }) => body)).toEqual(bodies);
    expect(events.map(({ type }) => type)).toEqual(['invoice.success', 'invoice.success']);
    const queue = postgresWebhookQueue(database);
    const lease = { now: new Date('2100-01-01T00:00:00Z'), leaseSeconds: 60 };
    const claimed = await Promise.all(ids.map((id) => queue.claimOne(id, lease)));
    expect(claimed.map((delivery) => delivery?.body)).toEqual(bodies);
    await drop();
  },
);
