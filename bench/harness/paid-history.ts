/**
 * A long history of paid invoices whose books agree: some that the service created, were paid and
 * credited, copied by SQL. Triggers keep counts and sums; counters and the balance are set.
 */
import type { SQL } from 'bun';

/** Copies in a transaction. */
const AT_ONCE = 20;
/** Ids begin with their time; those of copies with their number instead. */
const ORIGINAL = `'01'`;
const copyOf = (id: string): string => `lpad(to_hex(copy), 6, '0') || substr(t.${id}, 7)`;
/** Times never decrease along numbers. */
const LAST = '(select max(created_at) from invoices)';

/** The columns that differ from those of the original, by table. */
const DIFFERENT = {
  invoices: {
    ...{ id: copyOf('id'), external_id: 'gen_random_uuid()', created_at: LAST },
    seq: `t.seq + copy * (select count(*) from invoices where id > ${ORIGINAL})`,
  },
  deposits: { id: copyOf('id'), invoice_id: copyOf('invoice_id'), txid: `t.txid || '-' || copy` },
  ledger_entries: {
    ...{ id: copyOf('id'), reference_id: copyOf('reference_id'), deposit_id: copyOf('deposit_id') },
    ...{
      feed_reference_id: copyOf('feed_reference_id'),
      at: 'greatest(t.at, (select max(at) from ledger_entries))',
    },
    feed_seq: `t.feed_seq + copy * (select max(feed_seq) from ledger_entries where id > ${ORIGINAL})`,
  },
  ledger_postings: { entry_id: copyOf('entry_id') },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;
const COUNTERS = `
  update counters c set value = stored.value, last_at = stored.latest
  from (select 'invoices' as stream, max(seq) as value, max(created_at) as latest from invoices
    union all select 'ledger', max(feed_seq), max(at) from ledger_entries) stored
  where c.stream = stored.stream and c.merchant_id = $1 and not c.sandbox`;
const BALANCE = `update balances set income_micro_usd = income_micro_usd * ($2 + 1) where merchant_id = $1 and not sandbox`;

/** Each invoice of this merchant, the only one, so many times more. */
export async function copyPaid(sql: SQL, merchantId: string, copies: number): Promise<void> {
  for (let from = 1; from <= copies; from += AT_ONCE) {
    const to = Math.min(copies, from + AT_ONCE - 1);
    const of = (table: keyof typeof DIFFERENT) => copied(table, DIFFERENT[table], from, to);
    // Entries with their postings, which a trigger asks for.
    const entries = `with entries as (${of('ledger_entries')}) ${of('ledger_postings')}`;
    const inserts = [of('invoices'), of('deposits'), entries].join('; ');
    await sql.unsafe(`begin; set local synchronous_commit = off; ${inserts}; commit`);
  }
  await sql.unsafe(COUNTERS, [merchantId]);
  await sql.unsafe(BALANCE, [merchantId, copies]);
}

function copied(
  table: string,
  different: Readonly<Record<string, string>>,
  from: number,
  to: number,
): string {
  const changes = Object.entries(different).map(([column, to]) => `'${column}', ${to}`);
  const key = table === 'ledger_postings' ? 'entry_id' : 'id';
  return `
    insert into ${table} select made.* from ${table} t cross join generate_series(${from}, ${to}) copy
    cross join lateral jsonb_populate_record(null::${table}, to_jsonb(t) || jsonb_build_object(${changes.join(', ')})) made
    where t.${key} > ${ORIGINAL}`;
}
