/**
 * Invoices that are created together share one statement and one commit (performance.md, "Creating
 * an invoice").
 */
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { InvoiceIdTaken, type InvoiceWriter } from '../../../ports/invoices/invoice-writer.ts';
import type { KeyUse, Once } from '../../../ports/stored-answers.ts';
import type { Database } from '../client/client.ts';
import { groupedWrites } from '../client/grouped-writes.ts';
import { isUniqueViolation } from '../client/pg-errors.ts';
import { oncePerGroup, storeForGroup } from '../stored-answers.ts';
import { insertAnsweredInvoices, insertInvoices, type NewInvoice } from './insert-invoices.ts';

const GROUP_MAX = 64;

interface Given extends NewInvoice {
  readonly once: Once<Invoice> | null;
}

export function postgresInvoiceWriter(database: Database): InvoiceWriter {
  const add = groupedWrites<Given, Invoice>({
    weightMax: GROUP_MAX,
    weigh: () => 1,
    async write(group) {
      if (group.every(({ once }) => once === null))
        return inserted(group, await insertInvoices(database, group));
      oncePerGroup(group, ({ invoice, once }) => once && { scope: invoice, key: once.key });
      const uses = new Map<string, KeyUse>();
      for (const { invoice, once } of group) if (once) uses.set(invoice.id, useOf(once, invoice));
      const createdAt = await insertAnsweredInvoices(database, group, uses);
      return createdAt === null ? stepByStep(database, group) : inserted(group, createdAt);
    },
  });
  return {
    add: (invoice, address, once = null) =>
      add({ invoice, address, once }).catch((error: unknown) => {
        throw isUniqueViolation(error, 'invoices_pkey') ? new InvoiceIdTaken('the invoice exists') : error;
      }),
  };
}

/** Finds the used keys, and returns responses with the stored times. */
function stepByStep(database: Database, group: readonly Given[]): Promise<readonly (Invoice | Error)[]> {
  return database.transaction(async (sql) => {
    const answers = inserted(group, await insertInvoices(sql, group));
    await storeForGroup(sql, group, ({ once }, position) => {
      const made = answers[position];
      return once === null || made === undefined || made instanceof Error ? null : useOf(once, made);
    });
    return answers;
  });
}

function useOf(once: Once<Invoice>, invoice: Invoice): KeyUse {
  const { key, fingerprint } = once;
  return { scope: invoice, key, fingerprint, answer: once.answer(invoice), at: invoice.createdAt };
}

function inserted(
  group: readonly Given[],
  createdAt: ReadonlyMap<string, Date>,
): readonly (Invoice | Error)[] {
  return group.map(({ invoice }) => {
    const stored = createdAt.get(invoice.id);
    if (stored === undefined) return new Error(`invoice ${invoice.id} is of an unknown merchant`);
    return { ...invoice, createdAt: stored };
  });
}
