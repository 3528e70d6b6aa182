/**
 * The pgbench scripts that write what POST /invoices writes: every column of the invoice, its
 * address row and its merchant's counter. Made from the real tables and from an invoice the service
 * wrote, so that they cannot fall behind.
 */
import type { SQL } from 'bun';
import { columnsOf, literal, names, values } from './sample-rows.ts';

export interface InvoiceScripts {
  /** One statement for an invoice. */
  readonly oneStatement: string;
  /** BEGIN, a statement for each of the three writes, COMMIT. */
  readonly transaction: string;
}

/**
 * The columns that differ from invoice to invoice; `c` is the counter's row, `:t`, `:k` and `:a`
 * are random numbers.
 */
const ID = `lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || lpad(to_hex(:k::bigint), 12, '0')`;
const ADDRESS = `'0x' || lpad(to_hex(:a::bigint), 16, '0') || '5fb8a1c0d9e37264b1f0a8d3'`;
const DERIVATION_INDEX = ':t::bigint';
const EXPIRES_AT = `now() + interval '1 hour'`;
const RANDOM = `\\set k random(0, 281474976710655)
\\set a random(0, 9223372036854775806)
\\set t random(0, 2147483647)`;

/**
 * `sampleId`: an invoice with an address of its own, written by the service for a merchant of
 * `merchantIds`.
 */
export async function invoiceScripts(
  sql: SQL,
  given: { sampleId: string; merchantIds: readonly string[] },
): Promise<InvoiceScripts> {
  const invoice = await columnsOf(sql, 'invoices', 'id', given.sampleId);
  const address = await columnsOf(sql, 'addresses', 'invoice_id', given.sampleId);
  const sandbox = literal(invoice.find(({ name }) => name === 'sandbox'));
  const merchant = `(array[${given.merchantIds.map((id) => `'${id}'`).join(', ')}])[:m]`;
  const head = `\\set m random(1, ${given.merchantIds.length})\n${RANDOM}`;
  const count = `update counters set value = value + 1, last_at = greatest(last_at, now())
    where merchant_id = ${merchant} and sandbox = ${sandbox} and stream = 'invoices' returning value, last_at`;

  const invoiceValues = (counter: { seq: string; at: string }) =>
    values(invoice, {
      id: ID,
      external_id: 'gen_random_uuid()',
      merchant_id: merchant,
      seq: counter.seq,
      address_to: ADDRESS,
      expires_at: EXPIRES_AT,
      created_at: counter.at,
    });
  const addressValues = (invoiceId: string, written: string) =>
    values(address, {
      address: written,
      derivation_index: DERIVATION_INDEX,
      merchant_id: merchant,
      invoice_id: invoiceId,
    });
  const insertInvoice = `insert into invoices (${names(invoice)})`;
  const insertAddress = `insert into addresses (${names(address)})`;

  return {
    oneStatement: `${head}
with c as (${count}),
i as (${insertInvoice} select ${invoiceValues({ seq: 'c.value', at: 'c.last_at' })} from c returning id, address_to, created_at),
a as (${insertAddress} select ${addressValues('i.id', 'i.address_to')} from i)
select id, created_at from i;
`,
    transaction: `${head}
begin;
${count} \\gset c_
${insertInvoice} values (${invoiceValues({ seq: ':c_value::bigint', at: ':c_last_at::timestamptz' })}) returning id \\gset i_
${insertAddress} values (${addressValues(':i_id::text', ADDRESS)});
commit;
`,
  };
}
