/**
 * Deposits inside a transaction. The credit key (chain, txid, output) is unique, so one payment is
 * one row for ever.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { DepositRepository } from '../../../ports/deposits/deposit-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { addresses as a, deposits as d } from '../schema/addresses.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { statement } from '../statement.ts';
import {
  columnsOf,
  insertSelect,
  like,
  listOf,
  names,
  nullable,
  records,
  set,
  total,
  updateAllById,
  updateById,
  value,
} from '../statement-parts.ts';
import { TO_SCREEN, WAITING_FOR_PRICE } from './arrived.ts';
import { DEPOSIT, depositFromRow, depositToRow, IS_THERE } from './deposit-row.ts';

const INSERT_ALL = statement({
  given: { rows: records('g', DEPOSIT) },
  text: ({ rows }) => sql`${insertSelect(d, columnsOf('g', DEPOSIT))} from ${rows}`,
});
const BY_KEYS = statement({
  given: { chain: d.chain, txids: listOf(d.txid), outputs: listOf(d.output) },
  selects: DEPOSIT,
  text: ({ chain, txids, outputs }, select) => sql`
    select ${select}
    from (select distinct txid, output from unnest(${txids}, ${outputs}) as k (txid, output)) k
    join ${d} on ${d.chain} = ${chain} and ${d.txid} = k.txid and ${d.output} = k.output`,
});
const FIND = statement({
  given: { id: d.id },
  selects: DEPOSIT,
  text: ({ id }, select) => sql`select ${select} from ${d} where ${d.id} = ${id}`,
});
const LOCK = statement({
  given: { id: d.id },
  selects: DEPOSIT,
  text: ({ id }, select) => sql`select ${select} from ${d} where ${d.id} = ${id} for no key update`,
});
const lockedById = (others: SQL) =>
  statement({
    given: { ids: listOf(d.id) },
    selects: DEPOSIT,
    text: ({ ids }, select) => sql`
      select ${select} from ${d} where ${d.id} = any (${ids}) order by ${d.id} for no key update ${others}`,
  });
const LOCK_ALL = lockedById(sql``);
const LOCK_FREE = lockedById(sql`skip locked`);
// The key, the owner and the first-seen time never change.
const CHANGEABLE = {
  addressFrom: d.addressFrom,
  units: d.units,
  status: d.status,
  blockHeight: d.blockHeight,
  blockHash: d.blockHash,
  unexplained: d.unexplained,
  lockedUntil: d.lockedUntil,
  invoiceId: d.invoiceId,
  strayReason: d.strayReason,
  note: d.note,
};
const SAVE = statement({
  given: { id: d.id, ...CHANGEABLE },
  selects: { id: d.id },
  text: (given, select) => updateById(d, given, select),
});
const SAVE_ALL = statement({
  given: { rows: records('g', { id: d.id, ...CHANGEABLE }), ids: listOf(d.id) },
  selects: { id: d.id },
  text: (given, select) => updateAllById(d, CHANGEABLE, given, select),
});
const OF_INVOICES = statement({
  given: { invoiceIds: listOf(d.invoiceId), statuses: listOf(d.status), most: value<number>('bigint') },
  selects: DEPOSIT,
  text: ({ invoiceIds, statuses, most }, select) => sql`
    select ${select} from unnest(${invoiceIds}) with ordinality as wanted (id, place)
    cross join lateral (
      select * from ${d} where ${d.invoiceId} = wanted.id and ${d.status} = any (${statuses})
      order by ${d.units} desc, ${d.id} limit ${most}) ${d}
    order by wanted.place, ${d.units} desc, ${d.id}`,
});
const LOCK_OF_INVOICES = statement({
  given: { invoiceIds: listOf(d.invoiceId), statuses: listOf(d.status) },
  selects: DEPOSIT,
  text: ({ invoiceIds, statuses }, select) => sql`
    select ${select} from ${d} where ${d.invoiceId} = any (${invoiceIds}) and ${d.status} = any (${statuses})
    order by ${d.id} for no key update`,
});

// Each status by its own index: credited ones, nearly all, are not read. Rejected ones are few.
const UNDECIDED = statement({
  given: { chain: d.chain, asset: d.asset, height: nullable(d.blockHeight) },
  selects: { units: total(d.units) },
  text: ({ chain, asset, height }, select) => {
    const some = sql`select ${names(d.chain, d.asset, d.units, d.sandbox, d.blockHeight)} from ${d}`;
    return sql`
      select ${select} from (
        ${some} where ${d.chain} = ${chain} and ${equals(d.status, 'confirming')} and ${d.blockHeight} <= ${height}
        union all ${some} where ${equals(d.status, 'arrived')}
        union all ${some} where ${oneOf(d.status, ['held', 'stray'])}
        union all
        ${some} where ${d.chain} = ${chain} and ${d.sweptBy} is null and ${equals(d.status, 'rejected')}) ${d}
      where ${d.chain} = ${chain} and ${d.asset} = ${asset} and ${d.blockHeight} <= ${height}
        and not ${d.sandbox}`;
  },
});

const MOVE_OF_INVOICES = statement({
  given: { invoiceIds: listOf(d.invoiceId), from: d.status, status: d.status, strayReason: d.strayReason },
  text: ({ invoiceIds, from, ...values }) => sql`
    update ${d} set ${set(d, values)} where ${d.invoiceId} = any (${invoiceIds}) and ${d.status} = ${from}`,
});
const HAS_PAYMENT = statement({
  given: { invoiceId: d.invoiceId },
  text: ({ invoiceId }) => sql`
    select from ${d} where ${d.invoiceId} = ${invoiceId} and ${IS_THERE} limit 1`,
});
const HAS_ARRIVALS = statement({
  given: { invoiceId: a.invoiceId, chains: listOf(d.chain) },
  text: ({ invoiceId, chains }) => sql`
    select from ${a} join ${d} on ${d.chain} = any (${chains}) and ${d.address} = ${a.address}
    where ${a.invoiceId} = ${invoiceId} and ${IS_THERE} limit 1`,
});
// domain/deposits/deposit.ts, isTraced. A deposit that is gone has no block.
const HAS_TRACED = statement({
  given: { chain: d.chain, address: d.address, asset: d.asset, blockHash: d.blockHash },
  text: ({ chain, address, asset, blockHash }) => sql`
    select from ${d} where ${d.chain} = ${chain} and ${d.address} = ${address} and ${d.asset} = ${asset}
      and ${d.blockHash} = ${blockHash} and ${d.output} like 'call:%' limit 1`,
});

const PLACE = { chain: d.chain, address: d.address, asset: d.asset, strayReason: d.strayReason };
const isParked = ({ chain, address, asset, strayReason }: Record<keyof typeof PLACE, SQL>) => sql`
  ${d.chain} = ${chain} and ${d.address} = ${address} and ${d.asset} = ${asset}
  and ${d.strayReason} = ${strayReason} and ${d.invoiceId} is null
  and ${oneOf(d.status, ['confirming', 'stray'])}`;
const PARKED = statement({
  given: PLACE,
  selects: { units: total(d.units) },
  text: (place, select) => sql`select ${select} from ${d} where ${isParked(place)}`,
});
const CLAIM_PARKED = statement({
  given: { ...PLACE, invoiceId: d.invoiceId },
  selects: { units: total(d.units) },
  text: ({ invoiceId, ...place }, select) => sql`
    with claimed as (
      update ${d} set ${set(d, {
        invoiceId,
        strayReason: sql<null>`null`,
        status: like(
          d.status,
          sql`case when ${equals(d.status, 'stray')} then 'arrived' else ${d.status} end`,
        ),
      })}
      where ${isParked(place)} returning ${names(d.units)})
    select ${select} from claimed ${d}`,
});

const ORPHAN_ABOVE = statement({
  given: { chain: d.chain, height: d.blockHeight, limit: value<number>('bigint') },
  selects: { id: d.id },
  text: ({ chain, height, limit }, select) => sql`
    with above as materialized (
      select ${d.id} from ${d} where ${d.chain} = ${chain} and ${d.blockHeight} > ${height}
      order by ${d.blockHeight} desc limit ${limit}),
    locked as materialized (
      select ${d.id} from ${d}
      where ${d.blockHeight} > ${height} and ${d.id} = any (array(select ${names(d.id)} from above))
      order by ${d.id} for no key update),
    orphaned as (
      update ${d} set ${names(d.blockHeight)} = null, ${names(d.blockHash)} = null
      where ${d.id} = any (array(select ${names(d.id)} from locked)))
    select ${select} from above ${d}`,
});
const UNFINAL = statement({
  given: { chain: d.chain, height: d.blockHeight },
  selects: DEPOSIT,
  text: ({ chain, height }, select) => sql`
    select ${select} from ${d}
    where ${d.chain} = ${chain} and ${equals(d.status, 'confirming')} and ${d.blockHeight} <= ${height}
      and (${d.lockedUntil} is null or ${d.lockedUntil} <= ${height})
    order by ${d.blockHeight}, ${d.id}`,
});
const ANY_UNFINAL = statement({
  given: { chain: d.chain },
  text: ({ chain }) => sql`
    select from ${d}
    where ${d.chain} = ${chain} and ${equals(d.status, 'confirming')} and ${d.blockHeight} is not null limit 1`,
});
const WITHOUT_BLOCK = statement({
  given: { chain: d.chain },
  selects: DEPOSIT,
  text: ({ chain }, select) => sql`
    select ${select} from ${d} where ${d.chain} = ${chain} and ${d.blockHeight} is null and ${IS_THERE}
    order by ${d.id}`,
});

export function depositRepository(on: Sql): DepositRepository {
  return {
    async insertAll(deposits) {
      if (deposits.length > 0) await INSERT_ALL(on, { rows: deposits.map(depositToRow) });
    },

    async findByKeys(chain, keys) {
      if (keys.length === 0) return [];
      const [txids, outputs] = [keys.map(({ txid }) => txid), keys.map(({ output }) => output)];
      return (await BY_KEYS(on, { chain, txids, outputs })).map(depositFromRow);
    },

    async find(id) {
      const [row] = await FIND(on, { id });
      return row ? depositFromRow(row) : null;
    },

    async lock(id) {
      const [row] = await LOCK(on, { id });
      return row ? depositFromRow(row) : null;
    },

    lockAll: async (ids) => (ids.length === 0 ? [] : (await LOCK_ALL(on, { ids })).map(depositFromRow)),
    lockFree: async (ids) => (ids.length === 0 ? [] : (await LOCK_FREE(on, { ids })).map(depositFromRow)),

    async save(deposit) {
      theOnly(await SAVE(on, depositToRow(deposit)), `save of deposit ${deposit.id}`);
    },

    async saveAll(deposits) {
      if (deposits.length === 0) return;
      const rows = deposits.map(depositToRow);
      const saved = await SAVE_ALL(on, { rows, ids: rows.map(({ id }) => id) });
      if (saved.length !== rows.length) throw new Error(`saved ${saved.length} deposits of ${rows.length}`);
    },

    ofInvoices: async (invoiceIds, wanted) =>
      invoiceIds.length === 0 ? [] : (await OF_INVOICES(on, { invoiceIds, ...wanted })).map(depositFromRow),
    lockOfInvoices: async (invoiceIds, statuses) =>
      invoiceIds.length === 0
        ? []
        : (await LOCK_OF_INVOICES(on, { invoiceIds, statuses })).map(depositFromRow),
    lockOfInvoice: async (invoiceId, statuses) =>
      (await LOCK_OF_INVOICES(on, { invoiceIds: [invoiceId], statuses })).map(depositFromRow),

    hasPayment: async (invoiceId) => (await HAS_PAYMENT(on, { invoiceId })).length > 0,
    hasArrivals: async (invoiceId, chains) => (await HAS_ARRIVALS(on, { invoiceId, chains })).length > 0,
    hasTraced: async ({ block, ...place }) =>
      (await HAS_TRACED(on, { ...place, blockHash: block.hash })).length > 0,

    parkedUnits: async (of) => theOnly(await PARKED(on, of), `what is parked at ${of.address}`).units,
    claimParked: async (of, invoiceId) =>
      theOnly(await CLAIM_PARKED(on, { ...of, invoiceId }), `what was parked at ${of.address}`).units,

    orphanAbove: async (chain, height, limit) => (await ORPHAN_ABOVE(on, { chain, height, limit })).length,

    unfinal: async (chain, height) => (await UNFINAL(on, { chain, height })).map(depositFromRow),
    anyUnfinal: async (chain) => (await ANY_UNFINAL(on, { chain })).length > 0,

    undecidedUnits: async (of) => theOnly(await UNDECIDED(on, of), `undecided deposits of ${of.chain}`).units,

    withoutBlock: async (chain) => (await WITHOUT_BLOCK(on, { chain })).map(depositFromRow),

    async moveOfInvoices(invoiceIds, { from, to, strayReason }) {
      if (invoiceIds.length > 0) await MOVE_OF_INVOICES(on, { invoiceIds, from, status: to, strayReason });
    },

    waitingForPrice: (priced) => WAITING_FOR_PRICE(on, { priced }),

    invoicesToScreen: ({ limit, after, priced }) =>
      TO_SCREEN(on, {
        limit,
        afterAt: after?.firstSeenAt ?? new Date(0),
        afterId: after?.invoiceId ?? '',
        priced,
      }),
  };
}
