/**
 * What a merchant with a million invoices has besides: their payments with ledger entries, webhooks
 * and attempts, payouts, what needs attention, other merchants, an audit log. Loaded by SQL, with
 * counters and sums of days right. The invoices are those of million-invoices.ts.
 */
import { withoutIndexes } from './bulk-load.ts';
import type { MillionInvoices } from './million-invoices.ts';

/** Ids are readable: the table, and the number. They sort before all that begin with a time. */
export const HISTORY_IDS = {
  payment: '001',
  income: '002',
  payout: '003',
  webhook: '004',
  attempt: '005',
} as const;
/** One of each. */
export const ONES = {
  claim: '6'.padEnd(24, '0'),
  link: '7'.padEnd(24, '0'),
  approval: '8'.padEnd(24, '0'),
  ofOperators: '8'.padEnd(24, '1'),
} as const;
const TABLES = [
  ...['deposits', 'ledger_entries', 'ledger_postings', 'payouts', 'webhook_deliveries'],
  ...['webhook_attempts', 'webhook_queue', 'audit_log'],
];

export async function addHistory({
  sql,
  merchants,
}: Pick<MillionInvoices, 'sql' | 'merchants'>): Promise<void> {
  const merchantId = merchants[0]?.id ?? '';
  await sql.unsafe(`set session_replication_role = replica; set synchronous_commit = off`);
  // One statement for all days, below, is many times as fast as the trigger.
  await sql.unsafe('alter table ledger_postings disable trigger sum_added');
  await withoutIndexes(sql, TABLES, async () => {
    await sql.unsafe(CREDITS, [merchantId]);
    for (const text of [...ROWS, ...SINGLE]) await sql.unsafe(text);
  });
  await sql.unsafe('alter table ledger_postings enable always trigger sum_added');
  for (const text of [SUMS, COUNTERS, BALANCE, OLDER]) await sql.unsafe(text, [merchantId]);
  await sql.unsafe(OTHERS, [merchantId]);
  await sql.unsafe('reset session_replication_role; reset synchronous_commit');
  for (const table of [...TABLES, 'refund_claims', 'merchants', 'counters', 'day_figures', 'list_counts'])
    await sql.unsafe(`vacuum (analyze) ${table}`);
  await sql.unsafe('checkpoint');
}

const id = (table: keyof typeof HISTORY_IDS, number: string): string =>
  `'${HISTORY_IDS[table]}' || lpad(to_hex(${number}), 21, '0')`;

/** Payments that no sweep has taken yet: the newest. */
const UNSWEPT = 10_000;

/** Eight of ten invoices were paid, each with one payment that credited 12.375 USD. */
const CREDITS = `
  create temporary table credits as
  select row_number() over (order by seq) as k, id, seq, merchant_id, sandbox, asset, address_to,
    created_at + interval '10 minutes' as at,
    12625000 + row_number() over (order by seq) * 7919 % 100000 * 100 as units
  from invoices where merchant_id = $1 and sandbox and status in ('success', 'partially_paid')`;
/** Of 100 USD, after each sixteenth payment. */
const PAYOUTS = `(select k / 16 as j, merchant_id, sandbox, at + interval '1 second' as at from credits where k % 16 = 0) p`;

const ROWS = [
  `insert into deposits (id, chain, txid, output, asset, address, address_from, units, status, block_height, block_hash, first_seen_at,
     unexplained, merchant_id, sandbox, invoice_id, stray_reason, swept_by)
   select ${id('payment', 'k')}, split_part(asset, '_', 2), 'simulated-' || md5(k::text), '0', asset, address_to,
     '0x' || case k % 3 when 0 then repeat('5e', 20) else substr(md5(k::text) || md5('s' || k), 1, 40) end, units,
     case when k % 1000 = 7 then 'held' when k % 400 = 9 then 'stray' else 'credited' end,
     k, md5(k::text), at, false, merchant_id, sandbox, id, case when k % 400 = 9 then 'came_back_late' end,
     case when k <= (select count(*) from credits) - ${UNSWEPT} then repeat('e', 24) end
   from credits`,
  `with entry as (insert into ledger_entries (id, merchant_id, sandbox, kind, reference_id, ordinal, deposit_id, at, feed_type, feed_seq,
     feed_asset, feed_amount_units, feed_fee_units, feed_currency, feed_micro_usd, feed_reference_id)
   select ${id('income', 'k')}, merchant_id, sandbox, 'income', id, 1, ${id('payment', 'k')}, at, 'income', k + (k - 1) / 16,
     asset, units - 125000, 125000, 'USD', 12375000, id
   from credits)
   insert into ledger_postings (entry_id, ordinal, account, currency, amount)
   select ${id('income', 'k')}, part.ordinal, part.account, coalesce(part.currency, asset), part.amount + part.paid * units
   from credits cross join (values (1, 'suspense', null, 0, 1), (2, 'trading', null, 0, -1),
     (3, 'trading', 'USD', 12500000, 0), (4, 'merchant', 'USD', -12375000, 0), (5, 'fees', 'USD', -125000, 0))
     part (ordinal, account, currency, amount, paid)`,
  `insert into payouts (id, merchant_id, sandbox, seq, status, txid, tx_hashes, failure, processed_at, asset, address,
     amount_units, sent_units, fee_units, fee_micro_usd, fee_bearer, amount_micro_usd, reserved_micro_usd, ref, held,
     held_code, let_go_at, created_at)
   select ${id('payout', 'j')}, merchant_id, sandbox, j, status, case when status = 'success' then md5('t' || j) end,
     case when status = 'success' then array[md5('t' || j)] else '{}' end, case when status = 'failed' then 'reverted' end,
     case when status <> 'pending' then at + interval '1 minute' end, 'usdt_tron', 'T' || substr(md5('p' || j), 1, 33),
     99000000, 99000000, 1000000, 1000000, 'merchant', 99000000, 100000000, 'withdrawal-' || j,
     case when status = 'pending' then 'by hand' end, case when status = 'pending' then 'operator' end,
     case when status = 'success' then at end, at
   from (select *, case j % 1000 when 1 then 'failed' when 2 then 'pending' else 'success' end as status from ${PAYOUTS}) p`,
  `with entry as (insert into ledger_entries (id, merchant_id, sandbox, kind, reference_id, ordinal, at, feed_type, feed_seq, feed_asset,
     feed_amount_units, feed_micro_usd, feed_reference_id)
   select ${id('payout', 'j * 2')}, merchant_id, sandbox, 'payout_reserved', ${id('payout', 'j')}, 1, at, 'payout', 17 * j,
     'usdt_tron', 99000000, 100000000, ${id('payout', 'j')} from ${PAYOUTS}
   union all select ${id('payout', 'j * 2 + 1')}, merchant_id, sandbox, 'payout_settled', ${id('payout', 'j')}, 2,
     at + interval '1 minute', null, null, null, null, null, null from ${PAYOUTS})
   insert into ledger_postings (entry_id, ordinal, account, currency, amount)
   select '${HISTORY_IDS.payout}' || lpad(to_hex(j * 2 + part.entry), 21, '0'), part.ordinal, part.account, part.currency, part.amount
   from ${PAYOUTS} cross join (values (0, 1, 'merchant', 'USD', 100000000), (0, 2, 'payouts_in_flight', 'USD', -100000000),
     (1, 1, 'payouts_in_flight', 'USD', 100000000), (1, 2, 'network_fees', 'USD', -1000000),
     (1, 3, 'trading', 'USD', -99000000), (1, 4, 'trading', 'usdt_tron', 99000000),
     (1, 5, 'treasury', 'usdt_tron', -99000000)) part (entry, ordinal, account, currency, amount)`,
  `insert into webhook_deliveries (id, invoice_id, merchant_id, sandbox, invoice_version, url, body, event_seq, event_at)
   select ${id('webhook', 'k')}, id, merchant_id, sandbox, 1, 'https://shop.example/webhooks',
     json_build_object('id', id, 'status', 'success', 'asset', asset, 'address', address_to, 'note', repeat('x', 400))::text, k, at
   from credits`,
  `insert into webhook_attempts (id, delivery_id, invoice_id, merchant_id, sandbox, seq, url, status_code, response_body,
     attempt, sent_at)
   select ${id('attempt', 'k')}, ${id('webhook', 'k')}, id, merchant_id, sandbox, k, 'https://shop.example/webhooks', 200, 'ok', 1, at
   from credits`,
  `insert into audit_log (id, at, actor_kind, actor_name, action, subject, subject_id, merchant_id, note)
   select lpad(to_hex(j), 24, '0'), at, 'script', 'bench', 'payout.released', 'payout', ${id('payout', 'j')}, merchant_id, 'checked'
   from ${PAYOUTS}`,
];
/** Of the merchant, and of the operators. Each thousandth webhook was given up. */
const SINGLE = [
  `insert into refund_claims (id, merchant_id, sandbox, subject, invoice_id, asset, units, fee_bearer, on_checkout, status,
     expires_at, created_at, updated_at)
   select '${ONES.claim}', merchant_id, sandbox, 'invoice', id, asset, 1000000, 'client', true, 'open', now() + interval '7 days', at, at
   from credits where k = 11`,
  `insert into payment_links (id, slug, merchant_id, sandbox, mode, title, fiat_currency, amount_micros, suggested_micros, tips,
     fields, ttl_seconds, active, created_at, updated_at)
   select '${ONES.link}', 'bench', merchant_id, sandbox, 'payment', 'Ticket', 'USD', 12000000, '{}', '{}', '{}', 3600, true, at, at
   from credits where k = 1`,
  `insert into approvals (id, kind, merchant_id, sandbox, status, amount_micro_usd, "order", form_id, uniq_id, requested_by, requested_by_name,
     created_at, expires_at)
   select id, kind, merchant_id, sandbox, 'waiting', 99000000, '{"asset":"usdt_tron","amount":"99"}', gen_random_uuid(),
     gen_random_uuid(), repeat('f', 24),
     'somebody@shop.example', now(), now() + interval '3 days'
   from (
     select '${ONES.approval}' as id, 'payout' as kind, merchant_id, sandbox from credits where k = 1
     union all select '${ONES.ofOperators}', 'payout_release', null, null) one`,
  `insert into webhook_queue (delivery_id, merchant_id, sandbox, destination, due_at, attempts, dead_at)
   select ${id('webhook', 'k')}, merchant_id, sandbox, 'https://shop.example:443', at, 10, at from credits where k % 1000 = 0`,
];
const SUMS = `
  insert into day_figures (merchant_id, sandbox, day, figure, label, count, units, micro_usd, fee_micro_usd)
  select merchant_id, sandbox, day, figure, label, sum(count), sum(units), sum(micro_usd), sum(fee_micro_usd)
  from entry_figures where merchant_id = $1 group by 1, 2, 3, 4, 5`;
const COUNTERS = `
  insert into counters (merchant_id, sandbox, stream, value, last_at)
  select merchant_id, sandbox, stream, value, now() from (
    select merchant_id, sandbox, 'ledger' as stream, max(feed_seq) as value from ledger_entries where merchant_id = $1 group by 1, 2
    union all select merchant_id, sandbox, 'payouts', max(seq) from payouts where merchant_id = $1 group by 1, 2
    union all select merchant_id, sandbox, 'events', max(event_seq) from webhook_deliveries where merchant_id = $1 group by 1, 2
    union all select merchant_id, sandbox, 'notifications', max(seq) from webhook_attempts where merchant_id = $1 group by 1, 2) s
  on conflict (merchant_id, sandbox, stream) do update set value = excluded.value, last_at = excluded.last_at`;
const BALANCE = `
  insert into balances (merchant_id, sandbox, income_micro_usd, payouts_micro_usd, refunds_micro_usd)
  select merchant_id, sandbox, count(*) * 12375000, count(*) / 16 * 100000000, 0 from credits where merchant_id = $1 group by 1, 2
  on conflict (merchant_id, sandbox) do update set income_micro_usd = excluded.income_micro_usd,
    payouts_micro_usd = excluded.payouts_micro_usd`;
/** Its statements begin with its first month. */
const OLDER = `update merchants set created_at = (select min(at) from credits) where id = $1`;
/** A gateway of a thousand merchants. */
const OTHERS = `
  insert into merchants (id, name, status, kyc, default_fee_bearer, commission_ppm, allowed_subnets, created_at)
  select '9' || lpad(to_hex(n), 23, '0'), 'Other ' || n, m.status, m.kyc, m.default_fee_bearer, m.commission_ppm, m.allowed_subnets,
    m.created_at + make_interval(mins => n)
  from merchants m cross join generate_series(1, 1000) n where m.id = $1`;
