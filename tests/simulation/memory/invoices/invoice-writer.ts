/** Creates each invoice in a transaction of its own, with the response to its request. */
import { isUniqueViolation } from '../../../../src/adapters/postgres/client/pg-errors.ts';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import { InvoiceIdTaken, type InvoiceWriter } from '../../../../src/ports/invoices/invoice-writer.ts';
import type { KeyUse, Once } from '../../../../src/ports/stored-answers.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { storedAnswerRepository } from '../stored-answers.ts';
import { insertInvoice } from './insert-invoice.ts';

export function invoiceWriter(store: MemoryStore): InvoiceWriter {
  const answers = storedAnswerRepository(store);
  return {
    add: (invoice, address, once = null) =>
      store
        .transaction(async () => {
          const made = { ...invoice, createdAt: insertInvoice(store, invoice, address) };
          if (once !== null) await answers.store(useOf(store, { once, invoice, made }));
          return made;
        })
        .catch((error: unknown) => {
          throw isUniqueViolation(error, 'invoices_pkey') ? new InvoiceIdTaken('the invoice exists') : error;
        }),
  };
}

/**
 * The database stores the response to the given invoice, in the statement of the invoice itself,
 * unless that was created in another second, or the key has been used (storeBeside).
 */
function useOf(
  { tables }: MemoryStore,
  { once, invoice, made }: { once: Once<Invoice>; invoice: Invoice; made: Invoice },
): KeyUse {
  const { key, fingerprint } = once;
  const isBeside =
    secondOf(invoice) === secondOf(made) &&
    tables.storedAnswers.find(invoice.merchantId, invoice.sandbox, key) === undefined;
  const told = isBeside ? invoice : made;
  return { scope: invoice, key, fingerprint, answer: once.answer(told), at: told.createdAt };
}

function secondOf({ createdAt }: Invoice): number {
  return Math.floor(createdAt.getTime() / 1000);
}
