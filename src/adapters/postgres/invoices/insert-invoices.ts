/**
 * Writes any number of new invoices, each with its deposit address where it has one, in one statement and so in one commit.
 * Numbers are dense per merchant and environment, and created_at never runs backwards along them.
 */
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import type { KeyUse } from '../../../ports/invoices/stored-answers.ts';
import type { IssuedAddress } from '../../../ports/repositories.ts';
import type { Sql } from '../client/sql.ts';
import { TAKE_NUMBERS } from '../lists/numbering.ts';
import { asText } from '../statement.ts';
import { recordOf, typeOf } from '../statement-parts.ts';
import { INVOICE, invoiceToRow } from './invoice-row.ts';
import { besideParameters, isRefusedBeside, STORE_BESIDE } from './stored-answers.ts';

export interface NewInvoice {
  readonly invoice: Invoice;
  readonly address: IssuedAddress | null;
}

const INVOICE_NAMES = Object.values(INVOICE).map(({ name }) => name);
const invoiceRecord = recordOf(INVOICE);

const GIVEN = [
  'position integer',
  ...Object.values(INVOICE).map((column) => `${column.name} ${typeOf(column)}`),
  'issued_family text',
  'issued_address text',
  'issued_deriver text',
  'issued_index bigint',
  'issued_at timestamptz',
].join(', ');

const VALUES = INVOICE_NAMES.map((column) =>
  column === 'created_at' ? 'greatest(c.last_at, max(g.created_at) over batch)' : `g.${column}`,
).join(', ');

const insertWith = (beside: string) => `
  with given as materialized (
    select * from json_to_recordset($1::json) as g (${GIVEN})),
  wanted as materialized (
    select merchant_id, sandbox, 'invoices' as stream, count(*) as lines, max(created_at) as latest
    from given group by 1, 2),
  ${asText(TAKE_NUMBERS)},
  written as (
    insert into invoices (seq, ${INVOICE_NAMES.join(', ')})
    select c.value + row_number() over batch, ${VALUES}
    from given g join counter c using (merchant_id, sandbox)
    window batch as (partition by g.merchant_id, g.sandbox order by g.position)
    returning id, merchant_id, sandbox, created_at),
  directory as (
    insert into addresses (family, address, deriver, derivation_index, merchant_id, sandbox, invoice_id, issued_at)
    select g.issued_family, g.issued_address, g.issued_deriver, g.issued_index, g.merchant_id, g.sandbox, g.id, g.issued_at
    from given g join counter c using (merchant_id, sandbox) where g.issued_address is not null)${beside}
  select id, created_at from written`;
const INSERT = insertWith('');
const INSERT_ANSWERED = insertWith(`,${STORE_BESIDE}`);

interface StoredRow {
  readonly id: string;
  readonly created_at: Date;
}

/** The final created_at by invoice id. An invoice of an unknown merchant is missing from the answer. */
export async function insertInvoices(
  sql: Sql,
  batch: readonly NewInvoice[],
): Promise<ReadonlyMap<string, Date>> {
  return createdAt(await sql.query<StoredRow>(INSERT, [JSON.stringify(batch.map(givenRow))]));
}

/**
 * The same, with what is answered for invoices by their ids. Null, and nothing is written, where STORE_BESIDE refuses it: a key
 * stands, or an invoice would not be created in the second that its answer says.
 */
export async function insertAnsweredInvoices(
  sql: Sql,
  batch: readonly NewInvoice[],
  uses: ReadonlyMap<string, KeyUse>,
): Promise<ReadonlyMap<string, Date> | null> {
  const given = [JSON.stringify(batch.map(givenRow)), ...besideParameters(uses)];
  try {
    return createdAt(await sql.query<StoredRow>(INSERT_ANSWERED, given));
  } catch (error) {
    if (isRefusedBeside(error)) return null;
    throw error;
  }
}

function createdAt(rows: readonly StoredRow[]): ReadonlyMap<string, Date> {
  return new Map(rows.map((row) => [row.id, row.created_at]));
}

function givenRow({ invoice, address }: NewInvoice, position: number): Record<string, unknown> {
  if (address !== null && (address.invoiceId !== invoice.id || address.permanentAddressId !== null)) {
    throw new Error(`the address given with invoice ${invoice.id} belongs to something else`);
  }
  return {
    // Numbers are given in this order.
    position,
    ...invoiceRecord(invoiceToRow(invoice)),
    issued_family: address?.family ?? null,
    issued_address: address?.address ?? null,
    issued_deriver: address?.deriver ?? null,
    issued_index: address?.derivationIndex ?? null,
    issued_at: address?.issuedAt ?? null,
  };
}
