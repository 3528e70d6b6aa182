/** Invoices that are created at the same time are one statement and one commit (performance.md, "Creating an invoice"). */
import type { Invoice } from '../../domain/invoice-record.ts';
import type { InvoiceIntake } from '../../ports/invoice-intake.ts';
import type { Once } from '../../ports/stored-answers.ts';
import type { Database, Sql } from './client.ts';
import { groupedWrites } from './grouped-writes.ts';
import { insertInvoices, type NewInvoice } from './insert-invoices.ts';
import { oncePerGroup, storeForGroup } from './stored-answers.ts';

const GROUP_MAX = 64;

interface Given extends NewInvoice {
  readonly once: Once<Invoice> | null;
}

export function postgresInvoiceIntake(database: Database): InvoiceIntake {
  const add = groupedWrites<Given, Invoice>({
    weightMax: GROUP_MAX,
    weigh: () => 1,
    async write(group) {
      if (group.every(({ once }) => once === null)) return inserted(database, group);
      oncePerGroup(group, ({ invoice, once }) => once && { scope: invoice, key: once.key });
      return database.transaction(async (sql) => {
        const answers = await inserted(sql, group);
        await storeForGroup(sql, group, ({ invoice, once }, position) => {
          const made = answers[position];
          if (once === null || made === undefined || made instanceof Error) return null;
          const { key, fingerprint } = once;
          return { scope: invoice, key, fingerprint, answer: once.answer(made), at: invoice.createdAt };
        });
        return answers;
      });
    },
  });
  return { add: (invoice, address, once = null) => add({ invoice, address, once }) };
}

async function inserted(sql: Sql, group: readonly Given[]): Promise<readonly (Invoice | Error)[]> {
  const createdAt = await insertInvoices(sql, group);
  return group.map(({ invoice }) => {
    const stored = createdAt.get(invoice.id);
    if (stored === undefined) return new Error(`invoice ${invoice.id} is of an unknown merchant`);
    return { ...invoice, createdAt: stored };
  });
}
