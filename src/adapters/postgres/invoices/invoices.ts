/** Invoices inside a transaction: find, lock, save. Expiry is in expiry.ts. */
import { type SQL, sql } from 'drizzle-orm';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import type { InvoiceRepository } from '../../../ports/invoices/invoice-repository.ts';
import type { Sql } from '../client/sql.ts';
import { isUuid, theOnly } from '../client/statements.ts';
import { IS_THERE } from '../deposits/deposit-row.ts';
import { deposits, permanentAddresses as p } from '../schema/addresses.ts';
import { equals } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { statement } from '../statement.ts';
import { at, listOf, nullable, records, updateAllById, updateById, value } from '../statement-parts.ts';
import { dueInvoices, expireUnpaid, lockOverduePartlyPaid } from './expiry.ts';
import { insertInvoices } from './insert-invoices.ts';
import { INVOICE, type InvoiceRow, invoiceFromRow, invoiceToRow } from './invoice-row.ts';

const CHANGEABLE = {
  status: i.status,
  version: i.version,
  asset: i.asset,
  dueUnits: i.dueUnits,
  baseUnits: i.baseUnits,
  originalUnits: i.originalUnits,
  deferralUnits: i.deferralUnits,
  pendingUnits: i.pendingUnits,
  creditedUnits: i.creditedUnits,
  heldUnits: i.heldUnits,
  acceptedUnits: i.acceptedUnits,
  expiresAt: i.expiresAt,
  processedAt: i.processedAt,
  txid: i.txid,
  addressFrom: i.addressFrom,
  initialAsset: i.initialAsset,
  addressTo: i.addressTo,
  earlierChoices: i.earlierChoices,
  permanentAddressId: i.permanentAddressId,
  updatedAt: i.updatedAt,
};
const SAVE = statement({
  given: { id: i.id, ...CHANGEABLE },
  selects: { id: i.id },
  text: (given, select) => updateById(i, given, select),
});
const SAVE_ALL = statement({
  given: { rows: records('g', { id: i.id, ...CHANGEABLE }), ids: listOf(i.id) },
  selects: { id: i.id },
  text: (given, select) => updateAllById(i, CHANGEABLE, given, select),
});

// `no key update` does not block the foreign-key checks of rows that refer to the invoice.
const LOCKED = sql`for no key update`;
const byId = (lock: SQL) =>
  statement({
    given: { id: i.id },
    selects: INVOICE,
    text: ({ id }, select) => sql`select ${select} from ${i} where ${i.id} = ${id} ${lock}`,
  });
const FIND = byId(sql``);
const LOCK = byId(LOCKED);
const lockedById = (others: SQL) =>
  statement({
    given: { ids: listOf(i.id) },
    selects: INVOICE,
    text: ({ ids }, select) => sql`
      select ${select} from ${i} where ${i.id} = any (${ids}) order by ${i.id} ${LOCKED} ${others}`,
  });
const LOCK_ALL = lockedById(sql``);
const LOCK_FREE = lockedById(sql`skip locked`);
const LOCK_BY_EXTERNAL_ID = statement({
  given: { externalId: i.externalId },
  selects: INVOICE,
  text: ({ externalId }, select) =>
    sql`select ${select} from ${i} where ${i.externalId} = ${externalId} ${LOCKED}`,
});

const PAYMENT = {
  permanentAddressId: nullable(p.id),
  asset: value<string>('text'),
  seenAt: i.expiresAt,
  madeBefore: nullable(i.createdAt),
};
// One condition, so that it also finds an invoice whose customer changes the asset meanwhile,
// before or after the change. The present choice comes first. The condition repeats the rule of
// app/deposits/permanent-payments.ts, and must change with it. Each side of the `or` has an index.
const newestWaiting = (
  { permanentAddressId, asset, seenAt, madeBefore }: Record<keyof typeof PAYMENT, SQL>,
  userId: SQL,
) => {
  const stands = sql`(${i.permanentAddressId} = ${permanentAddressId} and ${i.asset} = ${asset})`;
  return sql`
    from ${i}
    where ${equals(i.status, 'created')} and ${i.expiresAt} > ${seenAt}
      and (${madeBefore} is null or ${i.createdAt} <= ${madeBefore}) and (${stands}
        or (${i.earlierChoices} is not null and ${i.bindsPermanentAddress}
          and not exists (
            select from ${deposits} where ${deposits.invoiceId} = ${i.id} and ${IS_THERE})
          and ${i.userId} = ${userId}
          and ${i.earlierChoices}::jsonb @> jsonb_build_array(
            jsonb_build_object('asset', ${asset}, 'permanent_address_id', ${permanentAddressId}))))
    order by ${stands} desc, ${i.seq} desc limit 1`;
};
const LOCK_WAITING = statement({
  given: PAYMENT,
  selects: INVOICE,
  text: (payment, select) => sql`
    select ${select} ${newestWaiting(
      payment,
      sql`(select ${p.userId} from ${p} where ${p.id} = ${payment.permanentAddressId})`,
    )} ${LOCKED}`,
});
const WAITING = statement({
  given: {
    payments: records('given', {
      position: value<number>('integer'),
      permanentAddressId: p.id,
      asset: i.asset,
      seenAt: i.expiresAt,
      madeBefore: nullable(i.createdAt),
    }),
  },
  selects: { position: sql<number>`given.position`, id: sql<string>`waiting.id` },
  text: ({ payments }, select) => sql`
    select ${select} from ${payments} join ${p} on ${p.id} = ${at('given', p.id)}
    cross join lateral (select ${i.id} ${newestWaiting(
      {
        permanentAddressId: sql`${p.id}`,
        asset: at('given', i.asset),
        seenAt: at('given', i.expiresAt),
        madeBefore: at('given', i.createdAt),
      },
      sql`${p.userId}`,
    )}) as waiting`,
});

export function invoiceRepository(on: Sql): InvoiceRepository {
  return {
    insert: (invoice) => insertAll(on, [invoice]),
    insertAll: (invoices) => insertAll(on, invoices),

    find: async (id) => first(await FIND(on, { id })),
    lock: async (id) => first(await LOCK(on, { id })),
    lockAll: async (ids) => (ids.length === 0 ? [] : (await LOCK_ALL(on, { ids })).map(invoiceFromRow)),
    lockFree: async (ids) => (ids.length === 0 ? [] : (await LOCK_FREE(on, { ids })).map(invoiceFromRow)),
    lockByExternalId: async (externalId) =>
      isUuid(externalId) ? first(await LOCK_BY_EXTERNAL_ID(on, { externalId })) : null,

    async save(invoice) {
      theOnly(await SAVE(on, invoiceToRow(invoice)), `save of invoice ${invoice.id}`);
    },

    async saveAll(invoices) {
      if (invoices.length === 0) return;
      const rows = invoices.map(invoiceToRow);
      const saved = await SAVE_ALL(on, { rows, ids: rows.map(({ id }) => id) });
      if (saved.length !== rows.length) throw new Error(`saved ${saved.length} invoices of ${rows.length}`);
    },

    expireUnpaid: (query) => expireUnpaid(on, query),
    lockOverduePartlyPaid: (query) => lockOverduePartlyPaid(on, query),
    due: (...asked) => dueInvoices(on, ...asked),
    lockWaitingOnPermanentAddress: async (payment) => first(await LOCK_WAITING(on, payment)),

    async waitingOnPermanentAddresses(payments) {
      if (payments.length === 0) return [];
      const rows = payments.map((payment, position) => ({ ...payment, position }));
      const found = new Map(
        (await WAITING(on, { payments: rows })).map(({ position, id }) => [position, id]),
      );
      return payments.map((_, position) => found.get(position) ?? null);
    },
  };
}

async function insertAll(on: Sql, invoices: readonly Invoice[]): Promise<void> {
  if (invoices.length === 0) return;
  const written = await insertInvoices(
    on,
    invoices.map((invoice) => ({ invoice, address: null })),
  );
  for (const { id } of invoices)
    if (!written.has(id)) throw new Error(`invoice ${id} is of an unknown merchant`);
}

function first([row]: readonly InvoiceRow[]): Invoice | null {
  return row ? invoiceFromRow(row) : null;
}
