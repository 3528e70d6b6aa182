/**
 * Reconciliation's checks of the ledger, internally and against incoming money: each selects
 * `reference, expected, found`.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { DepositStatus } from '../../../domain/deposits/deposit.ts';
import type { EntryKind } from '../../../domain/ledger.ts';
import { deposits as d } from '../schema/addresses.ts';
import { equals, literals, oneOf } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { ledgerEntries as e, ledgerPostings as l } from '../schema/ledger.ts';
import { payouts as p } from '../schema/payouts.ts';
import { capitalBookings as c } from '../schema/treasury.ts';
import { at, commas } from '../statement-parts.ts';

/**
 * The statuses of deposits whose money is the gateway's, and the unreversed entries that each must
 * have.
 */
export const STANDING_KINDS: readonly (readonly [DepositStatus, EntryKind])[] = [
  ['arrived', 'deposit_arrived'],
  ['stray', 'deposit_arrived'],
  ['credited', 'deposit_arrived'],
  ['held', 'deposit_arrived'],
  ['rejected', 'deposit_arrived'],
  ['credited', 'income'],
  ['held', 'hold'],
  ['rejected', 'hold'],
];
const NEEDED = sql`(values ${commas(STANDING_KINDS.map((pair) => sql`(${literals(pair)})`))}) as needed (status, kind)`;
const STANDING = sql`${e.reversedBy} is null and ${oneOf(e.kind, ['deposit_arrived', 'income', 'hold'])}`;
const OF_ENTRY = sql`${l.entryId} = ${e.id}`;

/**
 * Simulated invoices have no deposits, so only live ones are compared. The rows that a check
 * compares belong together (books/reach.ts), and a reference begins with the id of one of them.
 */
export const LEDGER_CHECKS: Readonly<Record<string, SQL>> = {
  'ledger entry balances': sql`
    select ${l.entryId} || ' ' || ${l.currency} as reference, '0' as expected, sum(${l.amount})::text as found
    from ${l} group by ${l.entryId}, ${l.currency} having sum(${l.amount}) <> 0`,

  'ledger entry has postings': sql`
    select ${e.id} as reference, 'postings' as expected, 'none' as found from ${e}
    where not exists (select from ${l} where ${OF_ENTRY})`,

  'invoice funds equal its deposits': sql`
    with funded as (
      select ${d.invoiceId}, ${d.asset},
        coalesce(sum(${d.units}) filter (where ${oneOf(d.status, ['confirming', 'arrived', 'stray'])}), 0) as pending,
        coalesce(sum(${d.units}) filter (where ${equals(d.status, 'credited')}), 0) as credited,
        coalesce(sum(${d.units}) filter (where ${oneOf(d.status, ['held', 'rejected'])}), 0) as held
      from ${d} where ${d.invoiceId} is not null group by ${d.invoiceId}, ${d.asset})
    select ${i.id} as reference,
      format('%s / %s / %s', coalesce(pending, 0), coalesce(credited, 0), coalesce(held, 0)) as expected,
      format('%s / %s / %s', ${i.pendingUnits}, ${i.creditedUnits}, ${i.heldUnits}) as found
    from ${i} left join funded
      on ${at('funded', d.invoiceId)} = ${i.id} and ${at('funded', d.asset)} = ${i.asset}
    where not ${i.sandbox} and (${i.pendingUnits}, ${i.creditedUnits}, ${i.heldUnits})
      is distinct from (coalesce(pending, 0), coalesce(credited, 0), coalesce(held, 0))`,

  'invoice status follows its funds': sql`
    select ${i.id} as reference, ${i.status} as expected,
      format('%s credited and %s held of %s due', ${i.creditedUnits}, ${i.heldUnits}, ${i.dueUnits}) as found
    from ${i}
    where not ${i.sandbox} and not case
      when ${equals(i.status, 'success')} then ${i.heldUnits} = 0
        and (${i.creditedUnits} * 1000000 >= ${i.dueUnits} * (1000000 - ${i.tolerancePpm})
          or coalesce(${i.creditedUnits} >= ${i.acceptedUnits}, false))
        and (${equals(i.billingType, 'VARY')} or ${i.creditedUnits} <= ${i.dueUnits})
      when ${equals(i.status, 'paid_over')} then ${i.heldUnits} = 0
        and ${i.creditedUnits} > ${i.dueUnits} and ${equals(i.billingType, 'STATIC')}
      when ${equals(i.status, 'partially_paid')} then ${i.heldUnits} = 0 and ${i.creditedUnits} > 0
        and ${i.creditedUnits} * 1000000 < ${i.dueUnits} * (1000000 - ${i.tolerancePpm})
        and (${i.acceptedUnits} is null or ${i.creditedUnits} < ${i.acceptedUnits})
      else true end`,

  'deposit has its entries': sql`
    select ${d.id} as reference, needed.kind as expected, 'none' as found
    from ${d} join ${NEEDED} on needed.status = ${d.status}
    where not exists (
      select from ${e}
      where ${e.depositId} = ${d.id} and ${e.kind} = needed.kind and ${e.reversedBy} is null)`,

  'entry has its deposit': sql`
    select ${e.id} as reference, ${e.kind} || ' of a deposit' as expected, coalesce(${d.status}, 'no deposit') as found
    from ${e} left join ${d} on ${d.id} = ${e.depositId}
    where ${STANDING} and (${d.id} is not null or not ${e.sandbox})
      and not exists (select from ${NEEDED} where needed.kind = ${e.kind} and needed.status = ${d.status})`,

  'entry posts the units of its deposit': sql`
    select ${e.id} as reference, ${d.units}::text as expected, ${l.amount}::text as found
    from ${e} join ${d} on ${d.id} = ${e.depositId}
    join ${l} on ${OF_ENTRY} and ${equals(l.account, 'suspense')}
    where ${STANDING} and (abs(${l.amount}) <> ${d.units} or ${l.currency} <> ${d.asset})`,

  // Fees, the operator's own money and forwards of it have separate checks.
  'treasury holds what arrived and was not paid out': sql`
    with held as (
      select coalesce(${e.depositId}, ${e.referenceId}) as id, ${l.currency} as asset, sum(${l.amount}) as units
      from ${l} join ${e} on ${OF_ENTRY}
      where ${equals(l.account, 'treasury')} and not ${e.sandbox}
        and not ${oneOf(e.kind, ['network_fee', 'network_fee_reversed', 'capital', 'forward', 'forward_reversed'])}
      group by 1, 2),
    moved as (
      select ${d.id}, ${d.asset}, ${d.units} from ${d}
      where not ${d.sandbox} and ${oneOf(d.status, ['arrived', 'stray', 'credited', 'held', 'rejected'])}
      union all
      select ${p.id}, ${p.asset}, -${p.sentUnits} from ${p} where not ${p.sandbox} and ${equals(p.status, 'success')})
    select coalesce(held.id, moved.id) || ' ' || coalesce(held.asset, moved.asset) as reference,
      coalesce(moved.units, 0)::text as expected, coalesce(held.units, 0)::text as found
    from held full join moved on moved.id = held.id and moved.asset = held.asset
    where coalesce(held.units, 0) <> coalesce(moved.units, 0)`,

  'capital is what was booked': sql`
    with posted as (
      select ${e.referenceId}, ${l.currency}, sum(${l.amount}) as units
      from ${e} join ${l} on ${OF_ENTRY} and ${equals(l.account, 'treasury')}
      where ${equals(e.kind, 'capital')} group by ${e.referenceId}, ${l.currency})
    select coalesce(${c.id}, ${at('posted', e.referenceId)}) as reference, coalesce(${c.units}, 0)::text as expected,
      coalesce(posted.units, 0)::text as found
    from ${c} full join posted
      on ${at('posted', e.referenceId)} = ${c.id} and ${at('posted', l.currency)} = ${c.asset}
    where coalesce(${c.units}, 0) <> coalesce(posted.units, 0)`,
};
