/** Invoices inside a transaction: found, locked, saved; expiry.ts has the ones whose time has passed. */
import type { InvoiceRepository } from '../../../ports/invoices/invoice-repository.ts';
import type { Sql } from '../client/sql.ts';
import { inOrder, isUuid, theOnly, updateAll, updateById } from '../client/statements.ts';
import { isThere } from '../deposits/deposit-row.ts';
import { expireUnpaid, lockOverduePartlyPaid } from './expiry.ts';
import { insertInvoices } from './insert-invoices.ts';
import {
  INVOICE_COLUMNS,
  INVOICE_TYPES,
  type InvoiceColumn,
  type InvoiceRow,
  invoiceFromRow,
  invoiceToRow,
} from './invoice-row.ts';

const CHANGEABLE = [
  'status',
  'version',
  'asset',
  'due_units',
  'base_units',
  'original_units',
  'deferral_units',
  'pending_units',
  'credited_units',
  'held_units',
  'expires_at',
  'processed_at',
  'txid',
  'address_from',
  'initial_asset',
  'address_to',
  'earlier_choices',
  'permanent_address_id',
  'updated_at',
] as const satisfies readonly InvoiceColumn[];

const SAVE = `${updateById('invoices', CHANGEABLE)} returning id`;
const SAVE_ALL = updateAll('invoices', CHANGEABLE, INVOICE_TYPES);
const SELECT = `select ${INVOICE_COLUMNS.join(', ')} from invoices`;
// `no key update` does not block the foreign-key checks of rows that refer to the invoice.
const LOCK = 'for no key update';

// One statement, so that an invoice whose customer changes the asset at this moment is found, before it or after it. The choice
// that stands comes first. What is passed over would not take the payment (app/deposits/record-transfer.ts). Each side of the `or` has an index.
const LOCK_WAITING = `
  ${SELECT}
  where status = 'created' and expires_at > $3 and ($4::timestamptz is null or created_at <= $4) and ((permanent_address_id = $1 and asset = $2)
    or (earlier_choices is not null and binds_permanent_address
      and not exists (select from deposits d where d.invoice_id = invoices.id and ${isThere('d')})
      and user_id = (select user_id from permanent_addresses where id = $1)
      and earlier_choices::jsonb
        @> jsonb_build_array(jsonb_build_object('asset', $2::text, 'permanent_address_id', $1::text))))
  order by (permanent_address_id = $1 and asset = $2) desc, seq desc limit 1 ${LOCK}`;

export function invoiceRepository(sql: Sql): InvoiceRepository {
  const one = async (text: string, ...parameters: (string | Date | null)[]) => {
    const [row] = await sql.query<InvoiceRow>(text, parameters);
    return row ? invoiceFromRow(row) : null;
  };
  return {
    async insert(invoice) {
      const written = await insertInvoices(sql, [{ invoice, address: null }]);
      if (!written.has(invoice.id)) throw new Error(`invoice ${invoice.id} is of an unknown merchant`);
    },

    find: (id) => one(`${SELECT} where id = $1`, id),
    lock: (id) => one(`${SELECT} where id = $1 ${LOCK}`, id),
    async lockFree(ids) {
      if (ids.length === 0) return [];
      const rows = await sql.query<InvoiceRow>(
        `${SELECT} where id = any ($1::text[]) order by id ${LOCK} skip locked`,
        [ids],
      );
      return rows.map(invoiceFromRow);
    },
    async lockByExternalId(externalId) {
      return isUuid(externalId) ? one(`${SELECT} where external_id = $1 ${LOCK}`, externalId) : null;
    },

    async save(invoice) {
      const row = invoiceToRow(invoice);
      theOnly(
        await sql.query(SAVE, [invoice.id, ...inOrder(row, CHANGEABLE)]),
        `save of invoice ${invoice.id}`,
      );
    },

    async saveAll(invoices) {
      if (invoices.length === 0) return;
      const rows = invoices.map(invoiceToRow);
      const saved = await sql.query(SAVE_ALL, [JSON.stringify(rows), rows.map(({ id }) => id)]);
      if (saved.length !== rows.length) throw new Error(`saved ${saved.length} invoices of ${rows.length}`);
    },

    expireUnpaid: (query) => expireUnpaid(sql, query),
    lockOverduePartlyPaid: (query) => lockOverduePartlyPaid(sql, query),

    lockWaitingOnPermanentAddress: ({ permanentAddressId, asset, seenAt, madeBefore }) =>
      one(LOCK_WAITING, permanentAddressId, asset, seenAt, madeBefore),
  };
}
