/** Invoices that are created at the same time are one statement and one commit (performance.md, "Creating an invoice"). */
import type { Invoice } from '../../domain/invoice-record.ts';
import type { InvoiceIntake } from '../../ports/invoice-intake.ts';
import type { Database } from './client.ts';
import { groupedWrites } from './grouped-writes.ts';
import { insertInvoices, type NewInvoice } from './insert-invoices.ts';

const GROUP_MAX = 64;

export function postgresInvoiceIntake(database: Database): InvoiceIntake {
  const add = groupedWrites<NewInvoice, Invoice>({
    weightMax: GROUP_MAX,
    weigh: () => 1,
    async write(group) {
      const createdAt = await insertInvoices(database, group);
      return group.map(({ invoice }) => {
        const stored = createdAt.get(invoice.id);
        if (stored === undefined) return new Error(`invoice ${invoice.id} is of an unknown merchant`);
        return { ...invoice, createdAt: stored };
      });
    },
  });
  return { add: (invoice, address) => add({ invoice, address }) };
}
