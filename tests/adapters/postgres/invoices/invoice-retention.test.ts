/** Retention of unpaid invoices on PostgreSQL: the contract, and what goes on beside a removal. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { postgresConsoleQueries } from '../../../../src/adapters/postgres/console/console-queries.ts';
import { postgresOperatorQueries } from '../../../../src/adapters/postgres/operator-queries.ts';
import { postgresQueries } from '../../../../src/adapters/postgres/queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import type { Repositories } from '../../../../src/ports/repositories.ts';
import { describeInvoiceRetention } from '../../../contracts/invoices/invoice-retention.ts';
import {
  aDeposit,
  aMerchant,
  anId,
  anInvoice,
  inStatus,
  NOW,
  secondsAfter,
} from '../../../support/builders.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

async function open() {
  const { database, drop } = await testDatabase();
  return {
    database,
    unitOfWork: postgresUnitOfWork(database, { sendsMails: true }),
    queries: postgresQueries(database, database),
    consoleQueries: postgresConsoleQueries(database),
    operatorQueries: postgresOperatorQueries(database),
    close: drop,
  };
}

const OVER = { from: secondsAfter(-9), before: secondsAfter(9) };
async function removeAll({ invoiceRetention }: Repositories): Promise<number> {
  const set = await invoiceRetention.expiredUnpaid(OVER, { after: null, limit: 100 });
  return invoiceRetention.removeUnpaid(set.map(({ id }) => id));
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres', () => {
  describeInvoiceRetention('postgres', open);

  describe('beside a removal', () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    const run = <T>(work: (r: Repositories) => Promise<T>) => opened.unitOfWork.run(work);

    async function expired() {
      const merchant = aMerchant();
      const invoice = anInvoice({ merchantId: merchant.id, ...inStatus('expired', NOW) });
      await run(async (r) => {
        await r.merchants.insert(merchant);
        await r.invoices.insert(invoice);
      });
      return { invoice, deposit: aDeposit({ merchantId: merchant.id, invoiceId: invoice.id }) };
    }

    test('a payment that has locked its invoice is recorded, and the invoice stays', async () => {
      const { invoice, deposit } = await expired();
      await run(async (r) => {
        await r.invoices.lock(invoice.id);
        await r.deposits.insertAll([deposit]);
        expect(await run(removeAll)).toBe(0);
      });
      expect(await run(removeAll)).toBe(0);
      expect(await run((r) => r.invoices.find(invoice.id))).not.toBeNull();
    });

    test('a payment that comes while its invoice is removed waits, and then finds none', async () => {
      const { invoice } = await expired();
      let locked: Promise<unknown> = Promise.resolve();
      await run(async (r) => {
        expect(await removeAll(r)).toBe(1);
        locked = run((other) => other.invoices.lockAll([invoice.id]));
        await Bun.sleep(50);
      });
      expect(await locked).toEqual([]);
    });

    test('what names it without its lock is refused, and named by nothing', async () => {
      const { invoice, deposit } = await expired();
      let written: Promise<unknown> = Promise.resolve();
      await run(async (r) => {
        expect(await removeAll(r)).toBe(1);
        written = run((other) => other.deposits.insertAll([deposit])).catch((error: unknown) =>
          String(error),
        );
        await Bun.sleep(50);
      });
      expect(String(await written)).toContain('deposits_invoice_id_invoices_id_fk');
      expect(await run((r) => r.invoices.find(invoice.id))).toBeNull();
    });

    test('what an attempt of a webhook names stays, though the webhook is gone', async () => {
      const { invoice } = await expired();
      const { database } = opened;
      await database.query(
        `insert into webhook_attempts
          (id, delivery_id, invoice_id, merchant_id, sandbox, seq, url, response_body, attempt, sent_at)
         values ($1, $1, $2, $3, false, 1, 'https://merchant.example/', '', 1, now())`,
        [anId(), invoice.id, invoice.merchantId],
      );
      expect(await run(removeAll)).toBe(0);
      await database.query('delete from webhook_attempts where invoice_id = $1', [invoice.id]);
      expect(await run(removeAll)).toBe(1);
    });

    test('every table that names an invoice has an index that its removal finds it by', async () => {
      const { invoice } = await expired();
      const plans = await opened.database.transaction(async (on) => {
        await on.script('set local enable_seqscan = off');
        const found = await on.query<{ name: string; column: string }>(`
          select conrelid::regclass::text as name, attname as column from pg_constraint
          join pg_attribute on attrelid = conrelid and attnum = conkey[1]
          where contype = 'f' and confrelid = 'invoices'::regclass order by 1`);
        const texts: string[] = [];
        for (const { name, column } of found)
          for (const row of await on.query(
            `explain select 1 from only ${name} where '${invoice.id}' = ${column}`,
          ))
            texts.push(`${name}: ${Object.values(row as object).join(' ')}`);
        return { tables: found.map(({ name }) => name), texts };
      });
      expect(plans.tables).toEqual([
        ...['customer_mails', 'deposits', 'payouts', 'refund_claims', 'webhook_deliveries'],
      ]);
      expect(plans.texts.filter((text) => text.includes('Seq Scan'))).toEqual([]);
    });
  });
});
