/**
 * What the service writes for payments that come in one block, in plain SQL: sets of payments, a
 * statement for each table, and a transaction for each of the two moments (seen in a block; final
 * and credited). Nothing is decided here, and nothing is read that the statements do not need.
 */
import type { SQL } from 'bun';

export interface PaidInvoices {
  readonly ids: readonly string[];
  /** Where webhooks go, and what they say. */
  readonly url: string;
  /** Of one of them, packed, in hex. */
  readonly body: string;
}

/** Payments in a transaction. */
const SET = 500;

const GIVEN = `any (string_to_array($1, ','))`;
const id = (kind: string, of: string): string => `substr(md5('${kind}' || ${of}), 1, 24)`;
const TXID = `md5('t' || id) || md5(id)`;
const SENDER = `'0x' || substr(md5('f' || id) || md5(id), 1, 40)`;

/** The next numbers of a stream, for each merchant. */
const numbers = (stream: 'events' | 'ledger') => `
  wanted as (
    select merchant_id, sandbox, count(*) as lines from invoices where id = ${GIVEN} group by 1, 2),
  counter as (
    insert into counters (merchant_id, sandbox, stream, value, last_at)
    select merchant_id, sandbox, '${stream}', lines, now() from wanted order by 1, 2
    on conflict (merchant_id, sandbox, stream) do update set
      value = counters.value + excluded.value, last_at = excluded.last_at
    returning merchant_id, sandbox, value),
  numbered as (
    select i.id, i.merchant_id, i.sandbox, i.version, i.asset, i.status,
      counter.value - wanted.lines + row_number() over (partition by i.merchant_id, i.sandbox order by i.id) as seq
    from invoices i join counter using (merchant_id, sandbox) join wanted using (merchant_id, sandbox)
    where i.id = ${GIVEN})`;

/** A webhook of each invoice, and its event. */
const TELL = `
  with ${numbers('events')},
  delivery as (
    insert into webhook_deliveries (id, invoice_id, merchant_id, sandbox, invoice_version, url, packed_body, told_status, event_seq, event_at)
    select ${id('w', 'version || id')}, id, merchant_id, sandbox, version, $2, decode($3, 'hex'), status, seq, now() from numbered
    returning id, merchant_id, sandbox, url)
  insert into webhook_queue (delivery_id, merchant_id, sandbox, destination, due_at, attempts)
  select id, merchant_id, sandbox, url, now(), 0 from delivery`;

const SEEN = [
  `insert into deposits (id, chain, txid, output, asset, address, address_from, units, status, block_height, block_hash,
     first_seen_at, unexplained, encumbered, merchant_id, sandbox, invoice_id)
   select ${id('d', 'id')}, 'ethereum', ${TXID}, 'log:0', asset, address_to, ${SENDER}, due_units, 'confirming', 1000,
     md5('block'), now(), false, false, merchant_id, sandbox, id
   from invoices where id = ${GIVEN}`,
  `update invoices set status = 'confirming', version = version + 1, pending_units = due_units, txid = ${TXID},
     address_from = ${SENDER}, updated_at = now() where id = ${GIVEN}`,
];
const FINAL = [
  `update deposits set status = 'credited' where invoice_id = ${GIVEN}`,
  `with entry as (
     insert into ledger_entries (id, merchant_id, sandbox, kind, reference_id, ordinal, deposit_id, at)
     select ${id('a', 'id')}, merchant_id, sandbox, 'deposit_arrived', invoice_id, 1, id, now()
     from deposits where invoice_id = ${GIVEN})
   insert into ledger_postings (entry_id, ordinal, account, currency, amount)
   select ${id('a', 'id')}, ordinal, account, asset, sign * units
   from deposits cross join (values (1, 'treasury', 1), (2, 'suspense', -1)) posting (ordinal, account, sign)
   where invoice_id = ${GIVEN}`,
  `update balances set income_micro_usd = income_micro_usd + paid.micro_usd
   from (select merchant_id, sandbox, count(*) * 25000000 as micro_usd from invoices where id = ${GIVEN} group by 1, 2) paid
   where balances.merchant_id = paid.merchant_id and balances.sandbox = paid.sandbox`,
  `with ${numbers('ledger')},
   entry as (
     insert into ledger_entries (id, merchant_id, sandbox, kind, reference_id, ordinal, deposit_id, at, feed_type, feed_seq,
       feed_asset, feed_amount_units, feed_fee_units, feed_currency, feed_micro_usd, feed_reference_id)
     select ${id('i', 'id')}, merchant_id, sandbox, 'income', id, 2, ${id('d', 'id')}, now(), 'income', seq, asset, 25000000,
       250000, 'USD', 25000000, id
     from numbered)
   insert into ledger_postings (entry_id, ordinal, account, currency, amount)
   select ${id('i', 'id')}, ordinal, account, coalesce(currency, asset), amount
   from invoices cross join (values (1, 'suspense', null, 25250000), (2, 'trading', null, -25250000),
     (3, 'trading', 'USD', 25250000), (4, 'merchant', 'USD', -25000000), (5, 'fees', 'USD', -250000))
     posting (ordinal, account, currency, amount)
   where id = ${GIVEN}`,
  `update invoices set status = 'success', version = version + 1, pending_units = 0, credited_units = due_units,
     processed_at = now(), updated_at = now() where id = ${GIVEN}`,
];

/** All of the invoices wait for their first payment, of 25.25 USDT on Ethereum. */
export async function creditInSets(sql: SQL, { ids, url, body }: PaidInvoices): Promise<void> {
  for (const writes of [SEEN, FINAL])
    for (let from = 0; from < ids.length; from += SET) {
      const given = ids.slice(from, from + SET).join(',');
      await sql.begin(async (transaction) => {
        for (const write of writes) await transaction.unsafe(write, [given]);
        await transaction.unsafe(TELL, [given, url, body]);
      });
    }
}
