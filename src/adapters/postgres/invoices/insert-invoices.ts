/**
 * Writes any number of new invoices, each with its own deposit address if it has one, in one
 * statement and one commit. Numbers are dense per merchant and environment, and created_at never
 * decreases along them.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import type { IssuedAddress } from '../../../ports/invoices/address-repository.ts';
import type { KeyUse } from '../../../ports/stored-answers.ts';
import type { Sql } from '../client/sql.ts';
import { COUNTER, TAKE_NUMBERS } from '../lists/numbering.ts';
import { addresses as a } from '../schema/addresses.ts';
import { literals } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { counters as c, type Stream } from '../schema/merchants.ts';
import { type RowOf, statement, type ValuesOf } from '../statement.ts';
import { at, columnsOf, insertSelect, names, nullable, records, value } from '../statement-parts.ts';
import { BESIDE, isRefusedBeside, storeBeside, usesBeside } from '../stored-answers.ts';
import { INVOICE, invoiceToRow } from './invoice-row.ts';

export interface NewInvoice {
  readonly invoice: Invoice;
  readonly address: IssuedAddress | null;
}

/** The columns of the address; null without one. */
const ISSUED = {
  family: nullable(a.family),
  address: nullable(a.address),
  deriver: nullable(a.deriver),
  derivationIndex: nullable(a.derivationIndex),
  issuedAt: nullable(a.issuedAt),
};
/** Numbers follow the order of `position`. */
const GIVEN = { rows: records('g', { position: value<number>('integer'), ...INVOICE, ...ISSUED }) };
const G = columnsOf('given', INVOICE);
const STREAM: Stream = 'invoices';
const SCOPE = names(c.merchantId, c.sandbox);
const STORED = { id: i.id, createdAt: i.createdAt };

const insertion = (rows: SQL) => sql`
  with given as materialized (select * from ${rows}),
  wanted as materialized (
    select ${SCOPE}, ${literals([STREAM])} as ${names(c.stream)}, count(*) as lines, max(${G.createdAt}) as latest
    from given group by 1, 2),
  ${TAKE_NUMBERS},
  written as (
    ${insertSelect(i, {
      ...G,
      seq: sql<bigint>`${COUNTER.value} + row_number() over batch`,
      createdAt: sql<Date>`greatest(${COUNTER.lastAt}, max(${G.createdAt}) over batch)`,
    })}
    from given join counter using (${SCOPE})
    window batch as (partition by ${G.merchantId}, ${G.sandbox} order by given.position)
    returning ${i.id}, ${i.merchantId}, ${i.sandbox}, ${i.createdAt}),
  directory as (
    ${insertSelect(a, {
      ...columnsOf('given', {
        family: a.family,
        address: a.address,
        deriver: a.deriver,
        derivationIndex: a.derivationIndex,
        merchantId: a.merchantId,
        sandbox: a.sandbox,
        issuedAt: a.issuedAt,
      }),
      invoiceId: G.id,
    })}
    from given join counter using (${SCOPE}) where ${at('given', a.address)} is not null)`;
const INSERT = statement({
  given: GIVEN,
  selects: columnsOf('written', STORED),
  text: ({ rows }, select) => sql`${insertion(rows)} select ${select} from written`,
});
const INSERT_ANSWERED = statement({
  given: { ...GIVEN, ...BESIDE },
  selects: columnsOf('written', STORED),
  text: ({ rows, ...beside }, select) => sql`
    ${insertion(rows)}, answered as (${storeBeside(beside)}) select ${select} from written`,
});

/**
 * The final created_at by invoice id. An invoice of an unknown merchant is missing from the result.
 */
export async function insertInvoices(
  on: Sql,
  batch: readonly NewInvoice[],
): Promise<ReadonlyMap<string, Date>> {
  return timesById(await INSERT(on, { rows: batch.map(givenRow) }));
}

/**
 * The same, with responses by invoice id. Writes nothing and returns null if storeBeside refuses: a
 * key is used, or an invoice would not be created in the second that its response contains.
 */
export async function insertAnsweredInvoices(
  on: Sql,
  batch: readonly NewInvoice[],
  uses: ReadonlyMap<string, KeyUse>,
): Promise<ReadonlyMap<string, Date> | null> {
  try {
    return timesById(await INSERT_ANSWERED(on, { rows: batch.map(givenRow), ...usesBeside(uses) }));
  } catch (error) {
    if (isRefusedBeside(error)) return null;
    throw error;
  }
}

function timesById(rows: readonly RowOf<typeof STORED>[]): ReadonlyMap<string, Date> {
  return new Map(rows.map((row) => [row.id, row.createdAt]));
}

function givenRow(
  { invoice, address }: NewInvoice,
  position: number,
): ValuesOf<typeof GIVEN>['rows'][number] {
  if (address !== null && (address.invoiceId !== invoice.id || address.permanentAddressId !== null)) {
    throw new Error(`the address given with invoice ${invoice.id} belongs to something else`);
  }
  return {
    position,
    ...invoiceToRow(invoice),
    family: address?.family ?? null,
    address: address?.address ?? null,
    deriver: address?.deriver ?? null,
    derivationIndex: address?.derivationIndex ?? null,
    issuedAt: address?.issuedAt ?? null,
  };
}
