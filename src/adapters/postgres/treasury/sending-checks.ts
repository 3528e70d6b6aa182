/**
 * Reconciliation's checks of payouts, refunds and outgoing money: each selects `reference,
 * expected, found`.
 */
import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { EntryKind } from '../../../domain/ledger.ts';
import { MERCHANTS_DOING, OPERATORS_DOING } from '../../../domain/sending/wasted-fee.ts';
import { equals, literals, oneOf } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { ledgerEntries as e, ledgerPostings as l } from '../schema/ledger.ts';
import { signedTransactions as s, outgoingTransfers as t } from '../schema/outgoing.ts';
import { payouts as p } from '../schema/payouts.ts';
import { refundClaims as c } from '../schema/refund-claims.ts';
import { at, commas } from '../statement-parts.ts';

/**
 * The kinds of payout and transfer entries that reverse another, and the kinds that each reverses.
 */
export const TAKES_BACK: readonly (readonly [EntryKind, readonly EntryKind[]])[] = [
  ['payout_released', ['payout_reserved', 'payout_retaken']],
  ['payout_unsettled', ['payout_settled']],
  ['refund_unsettled', ['refund_settled']],
  ['network_fee_reversed', ['network_fee']],
  ['forward_reversed', ['forward']],
  ['payout_fee_returned', ['payout_fee_charged']],
  ['refund_fee_returned', ['refund_fee_charged']],
];
const BACK = sql`(values ${commas(
  TAKES_BACK.map(([kind, taken]) => sql`(${literals([kind])}, array[${literals(taken)}])`),
)}) as back (kind, taken)`;
const ofEntry = (account: (typeof l.account)['_']['data']): SQL =>
  sql`${l.entryId} = ${e.id} and ${equals(l.account, account)}`;
const countOf = (...kinds: EntryKind[]): SQL => sql`count(*) filter (where ${oneOf(e.kind, kinds)})`;
const HAS_ENDED_UNPAID = oneOf(p.status, ['failed', 'cancelled']);
/** It gives back what was paid too much: its invoice stays paid. */
const OF_SURPLUS = sql`exists (
  select from ${c} where ${c.id} = ${p.refundClaimId} and ${equals(c.subject, 'surplus')})`;
const payment = alias(s, 'payment');
/** All transfers of the batches on UTXO chains that a transfer to be compared is of. */
export const batched = alias(t, 'batched');

export const SENDING_CHECKS: Readonly<Record<string, SQL>> = {
  'payout has its entries': sql`
    with posted as (
      select ${e.referenceId},
        ${countOf('payout_reserved', 'payout_retaken', 'refund')}
          - ${countOf('payout_released', 'refund_reversed')} as reserved,
        ${countOf('payout_settled', 'refund_settled')}
          - ${countOf('payout_unsettled', 'refund_unsettled')} as settled
      from ${e} where ${e.kind} like 'payout%' or ${e.kind} like 'refund%' group by ${e.referenceId})
    select ${p.id} as reference, ${p.kind} || ' ' || ${p.status} as expected,
      format('%s reserved, %s settled', coalesce(reserved, 0), coalesce(settled, 0)) as found
    from ${p} left join posted on ${at('posted', e.referenceId)} = ${p.id}
    where (coalesce(reserved, 0), coalesce(settled, 0)) <> case
      when ${oneOf(p.status, ['pending', 'processing'])} then (1::bigint, 0::bigint)
      when ${equals(p.status, 'success')} then (1::bigint, 1::bigint)
      else (0::bigint, 0::bigint) end`,

  // Refunds from before refunds were sent, and the simulator's, refer to the invoice itself.
  'entry has its payout': sql`
    select ${e.id} as reference, ${e.kind} as expected, coalesce(${p.kind}, 'no payout') as found
    from ${e} left join ${p} on ${p.id} = ${e.referenceId}
    where (${e.kind} like 'payout%' and ${equals(p.kind, 'payout')} is not true)
      or (${e.kind} like 'refund%' and ${equals(p.kind, 'refund')} is not true and not (
        ${p.id} is null and ${oneOf(e.kind, ['refund', 'refund_reversed'])}
        and exists (select from ${i} where ${i.id} = ${e.referenceId})))`,

  'reserve equals what the payout took': sql`
    select ${p.id} as reference, ${p.reservedMicroUsd}::text as expected, ${l.amount}::text as found
    from ${p} join ${e} on ${e.referenceId} = ${p.id}
      and ${oneOf(e.kind, ['payout_reserved', 'payout_retaken', 'refund'])}
    join ${l} on ${ofEntry('merchant')}
    where ${l.amount} <> ${p.reservedMicroUsd}`,

  'payment posts what its payout sent': sql`
    select ${p.id} as reference, format('%s %s', ${p.sentUnits}, ${p.asset}) as expected,
      format('%s %s', abs(${l.amount}), ${l.currency}) as found
    from ${p} join ${e} on ${e.referenceId} = ${p.id}
      and ${oneOf(e.kind, ['payout_settled', 'payout_unsettled', 'refund_settled', 'refund_unsettled'])}
    join ${l} on ${ofEntry('treasury')}
    where abs(${l.amount}) <> ${p.sentUnits} or ${l.currency} <> ${p.asset}`,

  'what was taken back is marked so, and nothing else': sql`
    select coalesce(marked.id, taker.id) as reference, coalesce(taker.kind, 'an entry that took it back') as expected,
      coalesce(marked.kind, 'nothing marked') as found
    from (
      select ${e.id}, ${e.kind}, ${e.referenceId}, back.taken from ${e} join ${BACK} on back.kind = ${e.kind}) taker
    full join (
      select ${e.id}, ${e.kind}, ${e.referenceId}, ${e.reversedBy} from ${e}
      where ${e.reversedBy} is not null and ${e.kind} in (select unnest(taken) from ${BACK})) marked
      on ${at('marked', e.reversedBy)} = taker.id
    where not coalesce(
      marked.kind = any (taker.taken) and ${at('marked', e.referenceId)} = ${at('taker', e.referenceId)}, false)`,

  'refunded invoice has its refund': sql`
    select ${i.id} as reference, ${i.status} as expected, 'no refund' as found
    from ${i}
    where not ${i.sandbox} and ${equals(i.status, 'refunded')}
      and not exists (
        select from ${p} where ${p.invoiceId} = ${i.id} and not ${HAS_ENDED_UNPAID} and not ${OF_SURPLUS})
      and not exists (select from ${e} where ${e.referenceId} = ${i.id} and ${equals(e.kind, 'refund')})
      and exists (
        select from ${e}
        where ${e.referenceId} = ${i.id} and ${equals(e.kind, 'income')} and ${e.feedMicroUsd} > 0)
    union all
    select ${i.id}, 'refunded', ${i.status} from ${p} join ${i} on ${i.id} = ${p.invoiceId}
    where not ${HAS_ENDED_UNPAID} and not ${OF_SURPLUS} and not ${equals(i.status, 'refunded')}`,

  'transfer does what its payout says': sql`
    select ${t.id} as reference,
      format('%s of %s %s to %s', coalesce(${p.status}, 'no payout'), ${p.sentUnits}, ${p.asset}, ${p.address}) as expected,
      format('%s of %s %s to %s', ${t.status}, ${t.units}, ${t.asset}, ${t.toAddress}) as found
    from ${t} left join ${p} on ${p.id} = ${t.referenceId}
    where ${equals(t.purpose, 'payout')} and (
      (${p.asset}, ${p.address}, ${p.sentUnits}) is distinct from (${t.asset}, ${t.toAddress}, ${t.units})
      or (${equals(t.status, 'confirmed')} and (
        ${equals(p.status, 'success')} is not true or ${p.txid} is distinct from ${t.txid})))`,

  'transfer status follows what was signed': sql`
    select ${t.id} as reference, ${t.status} as expected, count(${s.ordinal}) || ' signed' as found
    from ${t} left join ${s} on ${s.transferBatchId} = ${t.transferBatchId}
    group by ${t.id}, ${t.status}, ${t.txid}
    having (${equals(t.status, 'allocated')} and count(${s.ordinal}) > 0)
      or (${oneOf(t.status, ['signed', 'confirmed'])} and count(${s.ordinal}) = 0)
      or (${t.txid} is not null and not coalesce(bool_or(${s.txid} = ${t.txid}), false))`,

  'network fee has its entry': sql`
    with posted as (
      select ${e.referenceId}, ${l.currency}, -sum(${l.amount}) as units
      from ${e} join ${l} on ${ofEntry('treasury')}
      where ${oneOf(e.kind, ['network_fee', 'network_fee_reversed'])} group by ${e.referenceId}, ${l.currency}
      having sum(${l.amount}) <> 0),
    taken as (select * from ${t} where ${t.feeUnits} <> 0)
    select coalesce(${t.id}, ${at('posted', e.referenceId)}) as reference,
      case when ${t.id} is null then 'no fee' else format('%s on %s', ${t.feeUnits}, ${t.chain}) end as expected,
      case when posted.units is null then 'none'
        else format('%s %s', posted.units, ${at('posted', l.currency)}) end as found
    from taken ${t} full join posted on ${at('posted', e.referenceId)} = ${t.id}
    where ${t.feeUnits} is distinct from posted.units
      or right(${at('posted', l.currency)}, length(${t.chain}) + 1) <> '_' || ${t.chain}`,

  // On UTXO chains what was signed says exactly what the network takes. The first transfer of the
  // batch that is settled bears it (domain/sending/batch-fee.ts). If the bearer's block leaves the
  // chain, the bearer is open again, and until it is settled the others bear nothing.
  'network fee of a batch is borne once': sql`
    with borne as (
      select ${batched.transferBatchId}, ${batched.txid}, sum(${batched.feeUnits}) as units
      from ${batched} group by ${batched.transferBatchId}, ${batched.txid})
    select ${s.transferBatchId} || ' ' || ${s.txid} as reference, ${s.maxFeeUnits}::text as expected, units::text as found
    from ${s} join borne on ${at('borne', t.transferBatchId)} = ${s.transferBatchId} and ${at('borne', t.txid)} = ${s.txid}
    where ${s.feeCompared} and units <> ${s.maxFeeUnits} and not (units = 0 and exists (
      select from ${batched}
      where ${batched.transferBatchId} = ${s.transferBatchId} and ${equals(batched.status, 'signed')}))`,

  'forward has its entry': sql`
    with posted as (
      select ${e.referenceId}, ${l.currency}, -sum(${l.amount}) as units
      from ${e} join ${l} on ${ofEntry('treasury')}
      where ${oneOf(e.kind, ['forward', 'forward_reversed'])} group by ${e.referenceId}, ${l.currency}
      having sum(${l.amount}) <> 0),
    gone as (select * from ${t} where ${equals(t.purpose, 'forward')} and ${equals(t.status, 'confirmed')})
    select coalesce(${t.id}, ${at('posted', e.referenceId)}) as reference,
      case when ${t.id} is null then 'no forward' else format('%s %s', ${t.units}, ${t.asset}) end as expected,
      case when posted.units is null then 'none'
        else format('%s %s', posted.units, ${at('posted', l.currency)}) end as found
    from gone ${t} full join posted on ${at('posted', e.referenceId)} = ${t.id}
    where ${t.units} is distinct from posted.units or ${t.asset} is distinct from ${at('posted', l.currency)}`,

  'wasted fee of a payout is what was charged for it': sql`
    with charged as (
      select ${e.referenceId}, sum(${l.amount}) as micro_usd
      from ${e} join ${l} on ${ofEntry('merchant')}
      where ${oneOf(e.kind, ['payout_fee_charged', 'payout_fee_returned', 'refund_fee_charged', 'refund_fee_returned'])}
      group by ${e.referenceId})
    select ${p.id} as reference, ${p.wastedFeeMicroUsd}::text as expected, coalesce(micro_usd, 0)::text as found
    from ${p} left join charged on ${at('charged', e.referenceId)} = ${p.id}
    where ${p.wastedFeeMicroUsd} <> coalesce(micro_usd, 0)`,

  // Payouts that failed before their fee was charged have none.
  'wasted fee of a payout is what the network took': sql`
    with wasted as (
      select ${t.referenceId}, ${t.feeUnits}, ${l.amount} as micro_usd
      from ${t}
      join ${s} on ${s.txid} = ${t.txid} and ${s.transferBatchId} = ${t.transferBatchId}
      join ${e} on ${e.referenceId} = ${t.id} and ${equals(e.kind, 'network_fee')} and ${e.reversedBy} is null
      join ${l} on ${ofEntry('network_fees')}
      where ${equals(t.purpose, 'payout')} and ${equals(t.status, 'failed')} and ${t.feeUnits} > 0
        and case when ${s.voids} then ${oneOf(t.failureCode, MERCHANTS_DOING)}
            and exists (select from ${s} payment where ${payment.transferBatchId} = ${t.transferBatchId} and not ${payment.voids})
          else not ${equals(t.failureCode, OPERATORS_DOING)} end)
    select ${p.id} as reference, coalesce(micro_usd, 0)::text as expected, ${p.wastedFeeMicroUsd}::text as found
    from ${p} left join wasted on ${at('wasted', t.referenceId)} = ${p.id}
    where ${p.wastedFeeMicroUsd} not in (0, coalesce(micro_usd, 0))`,
};
