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
