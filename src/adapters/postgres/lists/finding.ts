/** What finds an invoice, a payout or a permanent address beside its list, each by an index of its own (found-pages.ts). */
import { CHAINS } from '../../../domain/catalog/chain.ts';
import type { DateRange, InvoiceFilter, PayoutFilter } from '../../../ports/queries.ts';
import type { SqlParameter } from '../client/parameters.ts';
import type { Condition } from './found-pages.ts';
import type { Parameters } from './pages.ts';

const FAMILIES = [...new Set(CHAINS.map(({ family }) => family))];
/** The last is of the payments that the sandbox simulates. */
const CHAIN_NAMES = [...CHAINS.map(({ name }) => name), 'sandbox'];

/** What the filter names; the one that leaves fewest rows comes first. */
export function invoiceFinders(filter: InvoiceFilter): readonly Condition[] {
  return [
    ...given(filter.externalId, ['external_id'], (id) => `t.external_id = ${id}::uuid`),
    ...given(filter.txids, ['id'], (txids) => `t.id = any (array(${paidIn(txids)}))`),
    ...given(filter.addresses, ['id'], (addresses) => `t.id = any (array(${paidAt(addresses)}))`),
    ...given(filter.extra, ['seq'], (extra) => `t.seq = any (array(${called(extra)}))`),
    ...given(filter.userId, ['user_id'], (user) => `t.user_id = ${user}`),
    ...changedSince(filter.updatedFrom),
  ];
}

export function payoutFinders(filter: PayoutFilter): readonly Condition[] {
  return [
    ...given(
      filter.txids,
      ['tx_hashes'],
      (txids) => `t.tx_hashes <> '{}' and t.tx_hashes && ${txids}::text[]`,
    ),
    ...given(filter.ref, ['ref'], (ref) => `t.ref = ${ref}`),
    ...given(filter.address, ['address'], (address) => `lower(t.address) = lower(${address})`),
    ...changedSince(filter.updatedFrom),
  ];
}

/** Of a permanent address `t`: it is one of these, which are the spellings of one. */
export function isPermanentAddress(addresses: string): string {
  return `t.id = any (array(select a.permanent_address_id from addresses a where ${isSpelled(addresses)}))`;
}

export function among(ids: readonly string[] | null): readonly Condition[] {
  if (ids === null) return [];
  return [{ columns: ['id'], holds: (parameters) => `t.id = any (${parameters.bind(ids)}::text[])` }];
}

export function equal(wanted: Readonly<Record<string, string | null>>): readonly Condition[] {
  return Object.entries(wanted).flatMap(([column, value]) =>
    value === null
      ? []
      : [{ columns: [column], holds: (parameters) => `t.${column} = ${parameters.bind(value)}` }],
  );
}

export function inRange(time: string, { from, to }: DateRange): readonly Condition[] {
  const bound = (at: Date | null, sign: '>=' | '<='): readonly Condition[] =>
    at === null
      ? []
      : [{ columns: [time], holds: (parameters) => `t.${time} ${sign} ${parameters.bind(at)}` }];
  return [...bound(from, '>='), ...bound(to, '<=')];
}

function changedSince(from: Date | null | undefined): readonly Condition[] {
  const columns = ['updated_at', 'processed_at', 'created_at'];
  // The expression of the index (schema/columns.ts, lastChange).
  const last = `coalesce(${columns.map((name) => `t.${name}`).join(', ')})`;
  return given(from, columns, (time) => `${last} >= ${time}`).map((condition) => ({
    ...condition,
    findsMany: true,
  }));
}

function given<Value extends SqlParameter>(
  value: Value | null | undefined,
  columns: readonly string[],
  holds: (bound: string) => string,
): readonly Condition[] {
  if (value === null || value === undefined) return [];
  return [{ columns, holds: (parameters: Parameters) => holds(parameters.bind(value)) }];
}

function paidIn(txids: string): string {
  return `
    select d.invoice_id from deposits d
    where d.chain = any ('{${CHAIN_NAMES.join(',')}}') and d.txid = any (${txids}::text[]) and d.invoice_id is not null`;
}

function called(extra: string): string {
  return `
    select e.seq from invoice_extras e where e.merchant_id = $1 and e.sandbox = $2 and e.extra = ${extra}`;
}

function isSpelled(addresses: string): string {
  return `a.family = any ('{${FAMILIES.join(',')}}') and a.address = any (${addresses}::text[])`;
}

/** An address of its own, whether it is shown now or was before; or the permanent one of its user, chosen now or before. */
function paidAt(addresses: string): string {
  return `
    select a.invoice_id from addresses a where ${isSpelled(addresses)} and a.invoice_id is not null
    union all
    select i.id from addresses a
    join permanent_addresses p on p.id = a.permanent_address_id
    join invoices i on i.merchant_id = $1 and i.sandbox = $2 and i.user_id = p.user_id
      and (i.permanent_address_id = p.id
        or i.earlier_choices::jsonb @> jsonb_build_array(jsonb_build_object('permanent_address_id', p.id)))
    where ${isSpelled(addresses)} and p.merchant_id = $1 and p.sandbox = $2`;
}
