/** Rows of `invoices` that are written past the repository. */
import type { Sql } from '../../../src/adapters/postgres/client/sql.ts';
import {
  INVOICE,
  type InvoiceRow,
  invoiceToRow,
} from '../../../src/adapters/postgres/invoices/invoice-row.ts';
import { encoderOf } from '../../../src/adapters/postgres/statement-parts.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';

export async function insertInvoiceRow(
  on: Pick<Sql, 'query'>,
  { invoice, seq }: { invoice: Invoice; seq: number },
): Promise<void> {
  const row = invoiceToRow(invoice);
  const names = Object.keys(INVOICE) as (keyof InvoiceRow)[];
  const columns = ['seq', ...names.map((name) => INVOICE[name].name)];
  const places = columns.map((_, position) => `$${position + 1}`);
  await on.query(`insert into invoices (${columns.join(', ')}) values (${places.join(', ')})`, [
    seq,
    ...names.map((name) => encoderOf(INVOICE[name])(row[name])),
  ]);
}
