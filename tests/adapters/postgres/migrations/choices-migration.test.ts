/** Migration 0020 on a database with invoices: whose customers may still choose, and may change, is known of the open ones. */
import { expect, test } from 'bun:test';
import { migrate } from '../../../../src/adapters/postgres/client/migrate.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import { anInvoice } from '../../../support/builders.ts';
import { insertInvoiceRow } from '../../../support/invoice-rows.ts';
import { MIGRATIONS, merchantOfThen, migratedBefore } from '../../../support/postgres/migrated-before.ts';
import { postgresAvailable } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

const NEW = ['customerChooses', 'earlierChoices', 'updatedAt'] as const;

test.skipIf(!needs('postgres', postgresAvailable()))(
  'invoices that wait may be changed where they have no asset or accepted coins, and no others',
  async () => {
    const { database, drop } = await migratedBefore('0020_choices');
    try {
      const { run } = postgresUnitOfWork(database);
      const merchant = await merchantOfThen(database);
      const invoices: [Invoice, boolean][] = [
        [anInvoice({ price: null }), true],
        [anInvoice({ acceptedCoins: ['usdt_ethereum', 'eth_base'] }), true],
        [anInvoice({ acceptedCoins: [] }), false],
        [anInvoice(), false],
      ];
      for (const [seq, [given]] of invoices.entries()) {
        const invoice = { ...given, merchantId: merchant.id };
        await insertInvoiceRow(database, { invoice, seq: seq + 1, without: NEW });
      }
      await migrate(database, { directory: MIGRATIONS });
      for (const [{ id }, expected] of invoices) {
        const found = await run((repositories) => repositories.invoices.find(id));
        expect(found).toMatchObject({ customerChooses: expected, earlierChoices: [] });
      }
    } finally {
      await drop();
    }
  },
);
