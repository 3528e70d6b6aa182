/**
 * The pgbench script that writes what POST /payouts writes, in one statement: the X-Uniq-Id, the
 * payout, its ledger entry with the postings, both counters and the balance. Made from the real
 * tables and from a payout the service wrote.
 */
import type { SQL } from 'bun';
import { type Column, columnsOf, literal, names, rowsOf, values } from './sample-rows.ts';

/** Tells pgbench's rows from the service's. */
export const PGBENCH_REF = 'pgbench';

/** Random numbers: `:m` chooses the merchant, `:k` and `:e` end the ids. */
const idOf = (random: string) =>
  `lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || lpad(to_hex(${random}::bigint), 12, '0')`;
const PAYOUT_ID = idOf(':k');
const ENTRY_ID = idOf(':e');

/** `sampleId`: a payout that the service accepted for a merchant of `merchantIds`. */
export async function payoutScript(
  sql: SQL,
  given: { sampleId: string; merchantIds: readonly string[] },
): Promise<string> {
  const payout = await columnsOf(sql, 'payouts', 'id', given.sampleId);
  const uniqId = await columnsOf(sql, 'uniq_ids', 'order_id', given.sampleId);
  const entry = await columnsOf(sql, 'ledger_entries', 'reference_id', given.sampleId);
  const postings = await rowsOf(sql, 'ledger_postings', {
    key: 'entry_id',
    id: textOf(entry, 'id'),
    orderBy: 'ordinal',
  });
  const sandbox = literal(payout.find(({ name }) => name === 'sandbox'));
  const reserved = literal(payout.find(({ name }) => name === 'reserved_micro_usd'));
  const merchant = `(array[${given.merchantIds.map((id) => `'${id}'`).join(', ')}])[:m]`;
  const counted = (stream: string) => `
    update counters set value = value + 1, last_at = greatest(last_at, now()) from b
    where counters.merchant_id = b.merchant_id and counters.sandbox = ${sandbox} and stream = '${stream}'
    returning value, last_at`;
  const posted = postings.map((posting) => `select ${values(posting, { entry_id: 'e.id' })} from e`);

  return `\\set m random(1, ${given.merchantIds.length})
\\set k random(0, 281474976710655)
\\set e random(0, 281474976710655)
with b as (
  update balances set payouts_micro_usd = payouts_micro_usd + ${reserved}
  where merchant_id = ${merchant} and sandbox = ${sandbox}
    and income_micro_usd - payouts_micro_usd - refunds_micro_usd >= ${reserved}
  returning merchant_id),
u as (
  insert into uniq_ids (${names(uniqId)})
  select ${values(uniqId, {
    merchant_id: 'b.merchant_id',
    uniq_id: 'gen_random_uuid()::text',
    expires_at: `now() + interval '2 hours'`,
    order_id: PAYOUT_ID,
  })} from b
  on conflict (merchant_id, sandbox, uniq_id) do update
    set expires_at = excluded.expires_at, order_id = excluded.order_id, batch_id = excluded.batch_id
    where uniq_ids.expires_at <= now()
  returning merchant_id, order_id),
c as (${counted('payouts')}),
l as (${counted('ledger')}),
p as (
  insert into payouts (${names(payout)})
  select ${values(payout, {
    id: 'u.order_id',
    merchant_id: 'u.merchant_id',
    seq: 'c.value',
    ref: `'${PGBENCH_REF}'`,
    created_at: 'c.last_at',
  })} from u, c
  returning id),
e as (
  insert into ledger_entries (${names(entry)})
  select ${values(entry, {
    id: ENTRY_ID,
    merchant_id: 'u.merchant_id',
    reference_id: 'u.order_id',
    at: 'l.last_at',
    feed_seq: 'l.value',
    feed_reference_id: 'u.order_id',
  })} from u, l
  returning id),
x as (insert into ledger_postings (${names(first(postings))}) ${posted.join(' union all ')})
select id from p;
`;
}

function textOf(columns: readonly Column[], name: string): string {
  const value = columns.find((column) => column.name === name)?.value;
  if (value === undefined || value === null) throw new Error(`the sample has no ${name}`);
  return value;
}

function first(postings: readonly (readonly Column[])[]): readonly Column[] {
  const [posting] = postings;
  if (posting === undefined) throw new Error('the sample has no postings');
  return posting;
}
