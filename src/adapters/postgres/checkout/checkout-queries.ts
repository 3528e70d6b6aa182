/**
 * Reads of the hosted checkout: the live states of all open pages in one statement, and the
 * payments of one.
 */
import { type SQL, sql } from 'drizzle-orm';
import { CHAINS } from '../../../domain/catalog/chain.ts';
import {
  type CheckoutQueries,
  CONFIRMATIONS_TOLD,
  PAYMENTS_SHOWN,
} from '../../../ports/checkout/checkout-queries.ts';
import type { Sql } from '../client/sql.ts';
import { isUuid, theOnly } from '../client/statements.ts';
import { IS_THERE } from '../deposits/deposit-row.ts';
import { addresses as a, deposits as d, permanentAddresses as p } from '../schema/addresses.ts';
import { chainCursors as c } from '../schema/chains.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { frozenAddresses as f } from '../schema/treasury.ts';
import { statement } from '../statement.ts';
import { at, listOf, outer, value } from '../statement-parts.ts';

const CHAIN_NAMES = CHAINS.map(({ name }) => name);

// domain/deposits/deposit.ts: seen and not final, or gone; everything else is final.
const FINAL = sql<boolean>`not ${equals(d.status, 'confirming')}`;
const SHOWN_FIRST = sql`order by ${d.firstSeenAt}, ${d.id} limit ${sql.raw(String(PAYMENTS_SHOWN))}`;

// An address is frozen on a chain, and only the present choice's address is on that chain.
const ON_CHAIN = sql`${f.chain} = split_part(${i.asset}, '_', 2)`;
const ADDRESS_GONE = sql<boolean>`(
  exists (select from ${p} where ${p.id} = ${i.permanentAddressId} and not ${p.active})
  or exists (
    select from ${a} join ${f} on ${f.address} = ${a.address}
    where ${a.invoiceId} = ${i.id} and ${a.retired} = 0 and ${ON_CHAIN})
  or exists (
    select from ${a} join ${f} on ${f.address} = ${a.address}
    where ${a.permanentAddressId} = ${i.permanentAddressId} and ${ON_CHAIN}))`;

// While the page may show it, or the list of choices depends on it.
const UNDECIDED = oneOf(i.status, ['created', 'confirming', 'partially_paid', 'failed', 'high_risk']);
const late = (seenLate: SQL) => sql`(
  case when ${i.sandbox} or not ${UNDECIDED} then null
    when ${i.asset} is null then nullif(array_to_string(${seenLate}, ','), '')
    when ${i.asset} = any (${seenLate}) then 'late' end)`;

// Uses the unique index of external_id, and per invoice deposits_of_invoice: only the payments that
// the page shows, because thousands may exist. The others are in the received sum. The state is a
// digest that nobody can guess, because it includes the id that customers do not know: statuses
// such as high_risk are the merchant's.
const LIVE_STATES = statement({
  given: { externalIds: listOf(i.externalId), seenLate: value<readonly string[]>('text[]') },
  selects: { externalId: i.externalId, state: sql<string>`live.state` },
  text: ({ externalIds, seenLate }, select) => sql`
    select ${select} from unnest(${externalIds}) as wanted (external_id)
    join ${i} on ${i.externalId} = ${at('wanted', i.externalId)}
    left join lateral (
      select md5(string_agg(concat_ws(',', ${d.id}, ${d.units}, case
          when ${FINAL} then 'final'
          when ${d.blockHeight} is null then 'waiting'
          else least(${c.height} - ${d.blockHeight} + 1, ${sql.raw(String(CONFIRMATIONS_TOLD))})::text
        end), ';' order by ${d.firstSeenAt}, ${d.id})) as state
      from (select * from ${d} where ${d.invoiceId} = ${i.id} and ${IS_THERE} ${SHOWN_FIRST}) ${d}
      left join ${c} on ${c.chain} = ${d.chain}
    ) paid on true
    cross join lateral (
      select md5(concat_ws(':', ${i.id}, ${i.version}, ${i.status}, coalesce(${i.asset}, ''), coalesce(${i.dueUnits}, 0),
        ${i.pendingUnits} + ${i.creditedUnits} + ${i.heldUnits}, paid.state,
        case when ${oneOf(i.status, ['created', 'partially_paid'])} and ${ADDRESS_GONE} then 'gone' end,
        ${late(seenLate)})) as state
    ) live`,
});

const PAYMENTS = statement({
  given: { invoiceId: i.id },
  selects: {
    chain: d.chain,
    txid: d.txid,
    asset: d.asset,
    units: d.units,
    final: FINAL,
    height: d.blockHeight,
    ...outer({ head: c.height }),
  },
  text: ({ invoiceId }, select) => sql`
    select ${select} from ${d} left join ${c} on ${c.chain} = ${d.chain}
    where ${d.invoiceId} = ${invoiceId} and ${IS_THERE} ${SHOWN_FIRST}`,
});

const STANDING = statement({
  given: { id: i.id },
  selects: {
    addressGone: ADDRESS_GONE,
    arrivals: sql<boolean>`(
      exists (select from ${d} where ${d.invoiceId} = ${i.id} and ${IS_THERE})
      or exists (
        select from ${a} join ${d} on ${oneOf(d.chain, CHAIN_NAMES)} and ${d.address} = ${a.address}
        where ${a.invoiceId} = ${i.id} and ${IS_THERE}))`,
  },
  text: ({ id }, select) => sql`select ${select} from ${i} where ${i.id} = ${id}`,
});

const LATE_PAYMENT = statement({
  given: { id: a.invoiceId },
  selects: { id: d.id },
  text: ({ id }, select) => sql`
    select ${select} from ${a} join ${d} on ${oneOf(d.chain, CHAIN_NAMES)} and ${d.address} = ${a.address}
    where ${a.invoiceId} = ${id} and ${equals(d.status, 'stray')} and ${equals(d.strayReason, 'invoice_closed')}
    limit 1`,
});

/** The states of thousands of open pages together are read on the connections of lists. */
export function checkoutQueries(database: Sql, lists: Sql): CheckoutQueries {
  return {
    async liveStates(ids, seenLate) {
      const externalIds = ids.filter(isUuid);
      if (externalIds.length === 0) return new Map();
      const rows = await LIVE_STATES(lists, { externalIds, seenLate: [...seenLate] });
      return new Map(rows.map(({ externalId, state }) => [externalId, state]));
    },
    checkoutPayments: (invoiceId) => PAYMENTS(database, { invoiceId }),
    checkoutStanding: async (id) => theOnly(await STANDING(database, { id }), `invoice ${id}`),
    hasLatePayment: async (id) => (await LATE_PAYMENT(database, { id })).length > 0,
  };
}
