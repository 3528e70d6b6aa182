/**
 * Holds the books against each other, each check one statement over all rows: entries against zero, balances against
 * postings, invoices, deposits, payouts and what left our wallets against the ledger, numbers against their counters. All
 * in one snapshot.
 */
import { type SQL, sql } from 'drizzle-orm';
import { MERCHANTS_DOING, OPERATORS_DOING } from '../../../domain/sending/wasted-fee.ts';
import type { ReconciliationFault } from '../../../ports/queries.ts';
import type { Database } from '../client/client.ts';
import { LIST_COUNT_CHECK } from '../lists/list-counts.ts';
import { NUMBERING_CHECKS } from '../lists/numbering-checks.ts';
import { statement } from '../statement.ts';

/** Faults reported per check: enough to see the pattern of a broken one. */
const FAULTS_MAX = 1_000;
const TIMEOUT_MS = 600_000;

/** Deposits whose money is ours, and the entries that must then stand, unreversed. */
const STANDING_KINDS = `
  (values ('arrived', 'deposit_arrived'), ('stray', 'deposit_arrived'), ('credited', 'deposit_arrived'),
    ('held', 'deposit_arrived'), ('rejected', 'deposit_arrived'),
    ('credited', 'income'), ('held', 'hold'), ('rejected', 'hold')) as needed (status, kind)`;
const STANDING = `e.reversed_by is null and e.kind in ('deposit_arrived', 'income', 'hold')`;

/** The entries of payouts and transfers that take another one back, and of which kinds the one is that they mark. */
const TAKES_BACK = `
  (values ('payout_released', array['payout_reserved', 'payout_retaken']), ('payout_unsettled', array['payout_settled']),
    ('refund_unsettled', array['refund_settled']), ('network_fee_reversed', array['network_fee']),
    ('payout_fee_returned', array['payout_fee_charged']), ('refund_fee_returned', array['refund_fee_charged'])) as back (kind, taken)`;

/** Each selects `reference, expected, found`. Simulated invoices have no deposits, so only live ones are held against them. */
const CHECKS: Readonly<Record<string, string | SQL>> = {
  'ledger entry balances': `
    select entry_id || ' ' || currency as reference, '0' as expected, sum(amount)::text as found
    from ledger_postings group by entry_id, currency having sum(amount) <> 0`,

  'ledger entry has postings': `
    select e.id as reference, 'postings' as expected, 'none' as found from ledger_entries e
    where not exists (select from ledger_postings p where p.entry_id = e.id)`,

  'balance equals the postings to the merchant': `
    with posted as (
      select e.merchant_id, e.sandbox,
        coalesce(-sum(p.amount) filter (where e.kind in ('income', 'income_reversed')), 0) as income,
        coalesce(sum(p.amount) filter (where e.kind like 'payout%'), 0) as payouts,
        coalesce(sum(p.amount) filter (where e.kind like 'refund%'), 0) as refunds,
        -sum(p.amount) as available
      from ledger_postings p join ledger_entries e on e.id = p.entry_id
      where p.account = 'merchant' group by e.merchant_id, e.sandbox)
    select coalesce(b.merchant_id, p.merchant_id)
        || case when coalesce(b.sandbox, p.sandbox) then ' sandbox' else ' live' end as reference,
      format('%s - %s - %s', coalesce(p.income, 0), coalesce(p.payouts, 0), coalesce(p.refunds, 0)) as expected,
      format('%s - %s - %s', b.income_micro_usd, b.payouts_micro_usd, b.refunds_micro_usd) as found
    from balances b full join posted p on p.merchant_id = b.merchant_id and p.sandbox = b.sandbox
    where (b.income_micro_usd, b.payouts_micro_usd, b.refunds_micro_usd)
        is distinct from (coalesce(p.income, 0), coalesce(p.payouts, 0), coalesce(p.refunds, 0))
      or coalesce(p.available, 0)
        <> coalesce(b.income_micro_usd - b.payouts_micro_usd - b.refunds_micro_usd, 0)`,

  'invoice funds equal its deposits': `
    with funded as (
      select d.invoice_id, d.asset,
        coalesce(sum(d.units) filter (where d.status in ('confirming', 'arrived', 'stray')), 0) as pending,
        coalesce(sum(d.units) filter (where d.status = 'credited'), 0) as credited,
        coalesce(sum(d.units) filter (where d.status in ('held', 'rejected')), 0) as held
      from deposits d where d.invoice_id is not null group by d.invoice_id, d.asset)
    select i.id as reference,
      format('%s / %s / %s', coalesce(f.pending, 0), coalesce(f.credited, 0), coalesce(f.held, 0)) as expected,
      format('%s / %s / %s', i.pending_units, i.credited_units, i.held_units) as found
    from invoices i left join funded f on f.invoice_id = i.id and f.asset = i.asset
    where not i.sandbox and (i.pending_units, i.credited_units, i.held_units)
      is distinct from (coalesce(f.pending, 0), coalesce(f.credited, 0), coalesce(f.held, 0))`,

  'invoice status follows its funds': `
    select id as reference, status as expected,
      format('%s credited and %s held of %s due', credited_units, held_units, due_units) as found
    from invoices
    where not sandbox and not case status
      when 'success' then credited_units * 1000000 >= due_units * (1000000 - tolerance_ppm) and held_units = 0
        and (billing_type = 'VARY' or credited_units <= due_units)
      when 'paid_over' then credited_units > due_units and held_units = 0 and billing_type = 'STATIC'
      when 'partially_paid' then credited_units > 0 and held_units = 0
        and credited_units * 1000000 < due_units * (1000000 - tolerance_ppm)
      else true end`,

  'deposit has its entries': `
    select d.id as reference, needed.kind as expected, 'none' as found
    from deposits d join ${STANDING_KINDS} on needed.status = d.status
    where not exists (
      select from ledger_entries e where e.deposit_id = d.id and e.kind = needed.kind and e.reversed_by is null)`,

  'entry has its deposit': `
    select e.id as reference, e.kind || ' of a deposit' as expected, coalesce(d.status, 'no deposit') as found
    from ledger_entries e left join deposits d on d.id = e.deposit_id
    where ${STANDING} and (d.id is not null or not e.sandbox)
      and not exists (select from ${STANDING_KINDS} where needed.kind = e.kind and needed.status = d.status)`,

  'entry posts the units of its deposit': `
    select e.id as reference, d.units::text as expected, p.amount::text as found
    from ledger_entries e join deposits d on d.id = e.deposit_id
    join ledger_postings p on p.entry_id = e.id and p.account = 'suspense'
    where ${STANDING} and (abs(p.amount) <> d.units or p.currency <> d.asset)`,

  // Fees and the operator's own money have checks of their own.
  'treasury holds what arrived and was not paid out': `
    with held as (
      select p.currency as asset, sum(p.amount) as units
      from ledger_postings p join ledger_entries e on e.id = p.entry_id
      where p.account = 'treasury' and not e.sandbox
        and e.kind not in ('network_fee', 'network_fee_reversed', 'capital') group by p.currency),
    moved as (
      select asset, sum(units) as units from (
        select asset, units from deposits
        where not sandbox and status in ('arrived', 'stray', 'credited', 'held', 'rejected')
        union all select asset, -sent_units from payouts where not sandbox and status = 'success') as each
      group by asset)
    select coalesce(h.asset, m.asset) as reference, coalesce(m.units, 0)::text as expected,
      coalesce(h.units, 0)::text as found
    from held h full join moved m on m.asset = h.asset
    where coalesce(h.units, 0) <> coalesce(m.units, 0)`,

  'capital is what was booked': `
    with posted as (
      select e.reference_id, p.currency, sum(p.amount) as units from ledger_entries e
      join ledger_postings p on p.entry_id = e.id and p.account = 'treasury'
      where e.kind = 'capital' group by e.reference_id, p.currency)
    select coalesce(c.id, p.reference_id) as reference, coalesce(c.units, 0)::text as expected,
      coalesce(p.units, 0)::text as found
    from capital_bookings c full join posted p on p.reference_id = c.id and p.currency = c.asset
    where coalesce(c.units, 0) <> coalesce(p.units, 0)`,

  'payout has its entries': `
    with posted as (
      select reference_id,
        count(*) filter (where kind in ('payout_reserved', 'payout_retaken', 'refund'))
          - count(*) filter (where kind in ('payout_released', 'refund_reversed')) as reserved,
        count(*) filter (where kind in ('payout_settled', 'refund_settled'))
          - count(*) filter (where kind in ('payout_unsettled', 'refund_unsettled')) as settled
      from ledger_entries where kind like 'payout%' or kind like 'refund%' group by reference_id)
    select p.id as reference, p.kind || ' ' || p.status as expected,
      format('%s reserved, %s settled', coalesce(e.reserved, 0), coalesce(e.settled, 0)) as found
    from payouts p left join posted e on e.reference_id = p.id
    where (coalesce(e.reserved, 0), coalesce(e.settled, 0)) <> case
      when p.status in ('pending', 'processing') then (1::bigint, 0::bigint)
      when p.status = 'success' then (1::bigint, 1::bigint)
      else (0::bigint, 0::bigint) end`,

  // What was refunded before refunds were sent, and by the simulator, is about the invoice itself.
  'entry has its payout': `
    select e.id as reference, e.kind as expected, coalesce(p.kind, 'no payout') as found
    from ledger_entries e left join payouts p on p.id = e.reference_id
    where (e.kind like 'payout%' and p.kind is distinct from 'payout')
      or (e.kind like 'refund%' and p.kind is distinct from 'refund' and not (
        p.id is null and e.kind in ('refund', 'refund_reversed')
        and exists (select from invoices i where i.id = e.reference_id)))`,

  'reserve equals what the payout took': `
    select p.id as reference, p.reserved_micro_usd::text as expected, x.amount::text as found
    from payouts p join ledger_entries e on e.reference_id = p.id and e.kind in ('payout_reserved', 'payout_retaken', 'refund')
    join ledger_postings x on x.entry_id = e.id and x.account = 'merchant'
    where x.amount <> p.reserved_micro_usd`,

  'payment posts what its payout sent': `
    select p.id as reference, format('%s %s', p.sent_units, p.asset) as expected,
      format('%s %s', abs(x.amount), x.currency) as found
    from payouts p join ledger_entries e on e.reference_id = p.id
      and e.kind in ('payout_settled', 'payout_unsettled', 'refund_settled', 'refund_unsettled')
    join ledger_postings x on x.entry_id = e.id and x.account = 'treasury'
    where abs(x.amount) <> p.sent_units or x.currency <> p.asset`,

  'what was taken back is marked so, and nothing else': `
    select coalesce(x.id, o.id) as reference, coalesce(x.kind, 'an entry that took it back') as expected,
      coalesce(o.kind, 'nothing marked') as found
    from (select e.id, e.kind, e.reference_id, back.taken from ledger_entries e join ${TAKES_BACK} on back.kind = e.kind) x
    full join (
      select id, kind, reference_id, reversed_by from ledger_entries
      where reversed_by is not null and kind in (select unnest(taken) from ${TAKES_BACK})) o
      on o.reversed_by = x.id
    where not coalesce(o.kind = any (x.taken) and o.reference_id = x.reference_id, false)`,

  'refunded invoice has its refund': `
    select i.id as reference, i.status as expected, 'no refund' as found
    from invoices i
    where not i.sandbox and i.status = 'refunded'
      and not exists (
        select from payouts p where p.invoice_id = i.id and p.status not in ('failed', 'cancelled'))
      and not exists (select from ledger_entries e where e.reference_id = i.id and e.kind = 'refund')
      and exists (
        select from ledger_entries e where e.reference_id = i.id and e.kind = 'income' and e.feed_micro_usd > 0)
    union all
    select i.id, 'refunded', i.status from payouts p join invoices i on i.id = p.invoice_id
    where p.status not in ('failed', 'cancelled') and i.status <> 'refunded'`,

  'transfer does what its payout says': `
    select t.id as reference,
      format('%s of %s %s to %s', coalesce(p.status, 'no payout'), p.sent_units, p.asset, p.address) as expected,
      format('%s of %s %s to %s', t.status, t.units, t.asset, t.to_address) as found
    from outgoing_transfers t left join payouts p on p.id = t.reference_id
    where t.purpose = 'payout' and (
      (p.asset, p.address, p.sent_units) is distinct from (t.asset, t.to_address, t.units)
      or (t.status = 'confirmed' and (p.status, p.txid) is distinct from ('success', t.txid)))`,

  'transfer status follows what was signed': `
    select t.id as reference, t.status as expected, count(s.ordinal) || ' signed' as found
    from outgoing_transfers t left join signed_transactions s on s.bundle_id = t.bundle_id
    group by t.id, t.status, t.txid
    having (t.status = 'allocated' and count(s.ordinal) > 0) or (t.status in ('signed', 'confirmed') and count(s.ordinal) = 0)
      or (t.txid is not null and not coalesce(bool_or(s.txid = t.txid), false))`,

  'network fee has its entry': `
    with posted as (
      select e.reference_id, p.currency, -sum(p.amount) as units
      from ledger_entries e join ledger_postings p on p.entry_id = e.id and p.account = 'treasury'
      where e.kind in ('network_fee', 'network_fee_reversed') group by e.reference_id, p.currency
      having sum(p.amount) <> 0),
    taken as (select id, chain, fee_units from outgoing_transfers where fee_units <> 0)
    select coalesce(t.id, f.reference_id) as reference,
      case when t.id is null then 'no fee' else format('%s on %s', t.fee_units, t.chain) end as expected,
      case when f.units is null then 'none' else format('%s %s', f.units, f.currency) end as found
    from taken t full join posted f on f.reference_id = t.id
    where t.fee_units is distinct from f.units or right(f.currency, length(t.chain) + 1) <> '_' || t.chain`,

  'wasted fee of a payout is what was charged for it': `
    with charged as (
      select e.reference_id, sum(p.amount) as micro_usd
      from ledger_entries e join ledger_postings p on p.entry_id = e.id and p.account = 'merchant'
      where e.kind in ('payout_fee_charged', 'payout_fee_returned', 'refund_fee_charged', 'refund_fee_returned')
      group by e.reference_id)
    select p.id as reference, p.wasted_fee_micro_usd::text as expected, coalesce(c.micro_usd, 0)::text as found
    from payouts p left join charged c on c.reference_id = p.id
    where p.wasted_fee_micro_usd <> coalesce(c.micro_usd, 0)`,

  // Payouts that failed before their fee was charged have none.
  'wasted fee of a payout is what the network took': `
    with wasted as (
      select t.reference_id as payout_id, t.fee_units, f.amount as micro_usd
      from outgoing_transfers t
      join signed_transactions s on s.txid = t.txid and s.bundle_id = t.bundle_id
      join ledger_entries e on e.reference_id = t.id and e.kind = 'network_fee' and e.reversed_by is null
      join ledger_postings f on f.entry_id = e.id and f.account = 'network_fees'
      where t.purpose = 'payout' and t.status = 'failed' and t.fee_units > 0
        and case when s.voids then t.failure_code in ('${MERCHANTS_DOING.join("', '")}')
            and exists (select from signed_transactions p where p.bundle_id = t.bundle_id and not p.voids)
          else t.failure_code <> '${OPERATORS_DOING}' end)
    select p.id as reference, coalesce(w.micro_usd, 0)::text as expected, p.wasted_fee_micro_usd::text as found
    from payouts p left join wasted w on w.payout_id = p.id
    where p.wasted_fee_micro_usd not in (0, coalesce(w.micro_usd, 0))`,

  ...NUMBERING_CHECKS,

  'counts of lists equal the lists': LIST_COUNT_CHECK,
};

const FAULT = {
  reference: sql<string>`reference`,
  expected: sql<string>`expected`,
  found: sql<string>`found`,
};
const STATEMENTS = Object.entries(CHECKS).map(([check, text]) => {
  const faults = typeof text === 'string' ? sql.raw(text) : text;
  const most = sql.raw(String(FAULTS_MAX));
  const find = statement({
    selects: FAULT,
    text: (_given, select) => sql`select ${select} from (${faults}) fault order by reference limit ${most}`,
  });
  return { check, find };
});

/** Empty when all is well; at most 1,000 faults of each check. */
export function reconciliationFaults(database: Database): Promise<readonly ReconciliationFault[]> {
  return database.transaction(
    async (on) => {
      await on.script('set transaction isolation level repeatable read, read only');
      const faults: ReconciliationFault[] = [];
      for (const { check, find } of STATEMENTS)
        faults.push(...(await find(on)).map((row) => ({ check, ...row })));
      return faults;
    },
    { timeoutMs: TIMEOUT_MS },
  );
}
