/**
 * Filters that find invoices, payouts and permanent addresses by an index of their own
 * (found-pages.ts).
 */
import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { CHAINS } from '../../../domain/catalog/chain.ts';
import type { InvoiceFilter, PayoutFilter, PermanentAddressFilter } from '../../../ports/list-queries.ts';
import { addresses as a, deposits as d, permanentAddresses as p } from '../schema/addresses.ts';
import { lastChange, oneOf } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { invoiceExtras as e } from '../schema/lists.ts';
import { payouts } from '../schema/payouts.ts';
import { type Asked, listOf, type Parameter } from '../statement-parts.ts';
import { type Condition, type Conditions, equal, type Places, range } from './list.ts';

export const FAMILIES = [...new Set(CHAINS.map(({ family }) => family))];
/** The last one is the chain of the sandbox's simulated payments. */
export const CHAIN_NAMES = [...CHAINS.map(({ name }) => name), 'sandbox'];

export const INVOICE_CONDITIONS: Conditions<InvoiceFilter> = {
  ids: finder(listOf(i.id), [i.id], (ids) => sql`${i.id} = any (${ids})`),
  externalId: finder(i.externalId, [i.externalId], (id) => sql`${i.externalId} = ${id}`),
  txids: finder(listOf(d.txid), [i.id], (txids) => sql`${i.id} = any (array(${paidIn(txids)}))`),
  addresses: finder(
    listOf(a.address),
    [i.id],
    (addresses, of) => sql`${i.id} = any (array(${paidAt(addresses, of)}))`,
  ),
  extra: finder(e.extra, [i.seq], (extra, of) => sql`${i.seq} = any (array(${called(extra, of)}))`),
  userId: finder(i.userId, [i.userId], (user) => sql`${i.userId} = ${user}`),
  updatedFrom: changedSince(i),
  status: equal(i.status, 'label'),
  asset: equal(i.asset, 'asset'),
  ...range(i.createdAt),
};

export const PAYOUT_CONDITIONS: Conditions<PayoutFilter> = {
  ids: finder(listOf(payouts.id), [payouts.id], (ids) => sql`${payouts.id} = any (${ids})`),
  txids: finder(
    payouts.txHashes,
    [payouts.txHashes],
    (txids) => sql`${payouts.txHashes} <> '{}' and ${payouts.txHashes} && ${txids}`,
  ),
  ref: finder(payouts.ref, [payouts.ref], (ref) => sql`${payouts.ref} = ${ref}`),
  address: finder(
    payouts.address,
    [payouts.address],
    (address) => sql`lower(${payouts.address}) = lower(${address})`,
  ),
  updatedFrom: changedSince(payouts),
  asset: equal(payouts.asset, 'asset'),
  ...range(payouts.createdAt),
};

export const PERMANENT_ADDRESS_CONDITIONS: Conditions<PermanentAddressFilter> = {
  addresses: finder(
    listOf(a.address),
    [p.id],
    (addresses) =>
      sql`${p.id} = any (array(select ${a.permanentAddressId} from ${a} where ${isSpelled(addresses)}))`,
  ),
  family: equal(p.family),
  userId: equal(p.userId),
  active: equal(p.active),
};

function finder<Of extends AnyColumn | Parameter<never>>(
  given: Of,
  columns: readonly AnyColumn[],
  holds: Condition['holds'],
): Condition<NonNullable<Asked<Of>>> {
  return { given, columns, holds, finds: 'few' };
}

function changedSince(t: Record<'updatedAt' | 'processedAt' | 'createdAt', AnyPgColumn>): Condition<Date> {
  return {
    given: t.createdAt,
    columns: [t.updatedAt, t.processedAt, t.createdAt],
    // The expression of the index.
    holds: (time) => sql`${lastChange(t)} >= ${time}`,
    finds: 'many',
  };
}

function paidIn(txids: SQL): SQL {
  return sql`
    select ${d.invoiceId} from ${d}
    where ${oneOf(d.chain, CHAIN_NAMES)} and ${d.txid} = any (${txids}) and ${d.invoiceId} is not null`;
}

function called(extra: SQL, { merchantId, sandbox }: Places): SQL {
  return sql`
    select ${e.seq} from ${e}
    where ${e.merchantId} = ${merchantId} and ${e.sandbox} = ${sandbox} and ${e.extra} = ${extra}`;
}

function isSpelled(addresses: SQL): SQL {
  return sql`${oneOf(a.family, FAMILIES)} and ${a.address} = any (${addresses})`;
}

/**
 * The invoice's own address, present or former; or the user's permanent one, chosen now or before.
 */
function paidAt(addresses: SQL, { merchantId, sandbox }: Places): SQL {
  return sql`
    select ${a.invoiceId} from ${a} where ${isSpelled(addresses)} and ${a.invoiceId} is not null
    union all
    select ${i.id} from ${a}
    join ${p} on ${p.id} = ${a.permanentAddressId}
    join ${i} on ${i.merchantId} = ${merchantId} and ${i.sandbox} = ${sandbox} and ${i.userId} = ${p.userId}
      and (${i.permanentAddressId} = ${p.id}
        or ${i.earlierChoices}::jsonb @> jsonb_build_array(jsonb_build_object('permanent_address_id', ${p.id})))
    where ${isSpelled(addresses)} and ${p.merchantId} = ${merchantId} and ${p.sandbox} = ${sandbox}`;
}
