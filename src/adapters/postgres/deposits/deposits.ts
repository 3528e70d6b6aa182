/** Deposits inside a transaction. The credit key (chain, txid, output) is unique, so one payment is one row for ever. */
import type { DepositRepository } from '../../../ports/repositories.ts';
import type { SqlParameter } from '../client/parameters.ts';
import type { Sql } from '../client/sql.ts';
import { inOrder, insertInto, prefixed, theOnly, updateAll, updateById } from '../client/statements.ts';
import { DEPOSIT_COLUMNS, type DepositRow, depositFromRow, depositToRow, isThere } from './deposit-row.ts';

const SELECT = `select ${DEPOSIT_COLUMNS.join(', ')} from deposits`;
const BY_KEY = `${SELECT} where chain = $1 and txid = $2 and output = $3`;
const BY_KEYS = `
  select ${prefixed('d', DEPOSIT_COLUMNS)}
  from (select distinct txid, output from unnest($2::text[], $3::text[]) as k (txid, output)) k
  join deposits d on d.chain = $1 and d.txid = k.txid and d.output = k.output`;
const INSERT = `${insertInto('deposits', DEPOSIT_COLUMNS)} on conflict (chain, txid, output) do nothing returning id`;
// The key, the owner and the first-seen time never change.
const CHANGEABLE = [
  'address_from',
  'units',
  'status',
  'block_height',
  'block_hash',
  'unexplained',
  'locked_until',
  'invoice_id',
  'stray_reason',
  'note',
] as const;
const SAVE = `${updateById('deposits', CHANGEABLE)} returning id`;
const SAVE_ALL = updateAll('deposits', CHANGEABLE, {
  address_from: 'text',
  units: 'numeric',
  status: 'text',
  block_height: 'bigint',
  block_hash: 'text',
  unexplained: 'boolean',
  locked_until: 'bigint',
  invoice_id: 'text',
  stray_reason: 'text',
  note: 'text',
});
const OF_INVOICES = `
  select ${prefixed('d', DEPOSIT_COLUMNS)} from unnest($1::text[]) as i (id)
  cross join lateral (
    select d.* from deposits d where d.invoice_id = i.id and d.status = any ($2::text[])
    order by d.units desc, d.id limit $3) d`;
const LOCK = 'for no key update';
const LOCK_OF_INVOICES = `
  ${SELECT} where invoice_id = any ($1::text[]) and status = any ($2::text[]) order by id ${LOCK}`;

// domain/invoices/invoice.ts, isDeferred, over the invoices of arrived deposits; processed_at says that an invoice has ended.
const NOT_DEFERRED = `not (i.pending_units > 0 and i.pending_units < i.deferral_units
  and (i.credited_units + i.pending_units) * 1000000 < i.due_units * (1000000 - i.tolerance_ppm))`;
const TO_SCREEN = `
  select d.invoice_id, min(d.first_seen_at) as first_seen_at
  from deposits d join invoices i on i.id = d.invoice_id
  where d.status = 'arrived'
    and ((i.processed_at is not null and i.status <> 'high_risk') or (d.asset = any ($4::text[]) and ${NOT_DEFERRED}))
  group by d.invoice_id having (min(d.first_seen_at), d.invoice_id) > ($2::timestamptz, $3::text)
  order by min(d.first_seen_at), d.invoice_id limit $1`;
const WAITING_FOR_PRICE = `
  select d.asset, min(e.at) as since
  from deposits d join invoices i on i.id = d.invoice_id
  join ledger_entries e on e.deposit_id = d.id and e.kind = 'deposit_arrived' and e.reversed_by is null
  where d.status = 'arrived' and d.asset <> all ($1::text[])
    and not (i.processed_at is not null and i.status <> 'high_risk') and ${NOT_DEFERRED}
  group by d.asset order by d.asset`;

// Each status by its own index: what is credited, which is nearly all, is not read. Of rejected ones there are few.
const UNDECIDED = `
  select coalesce(sum(units), 0) as units from (
    select chain, asset, units, sandbox, block_height from deposits
    where chain = $1 and status = 'confirming' and block_height <= $3
    union all
    select chain, asset, units, sandbox, block_height from deposits where status = 'arrived'
    union all
    select chain, asset, units, sandbox, block_height from deposits where status in ('held', 'stray')
    union all
    select chain, asset, units, sandbox, block_height from deposits
    where chain = $1 and swept_by is null and status = 'rejected') as undecided
  where chain = $1 and asset = $2 and block_height <= $3 and not sandbox`;

const MOVE_OF_INVOICES = `
  update deposits set status = $3, stray_reason = $4 where invoice_id = any ($1::text[]) and status = $2`;
const HAS_PAYMENT = `
  select exists (select from deposits d where d.invoice_id = $1 and ${isThere('d')}) as found`;
const HAS_ARRIVALS = `
  select exists (
    select from addresses a join deposits d on d.chain = any($2::text[]) and d.address = a.address
    where a.invoice_id = $1 and ${isThere('d')}) as found`;
// domain/deposits/deposit.ts, isTraced. What is gone has no block.
const HAS_TRACED = `
  select exists (
    select from deposits where chain = $1 and address = $2 and asset = $3 and block_hash = $4 and output like 'call:%') as found`;

const IS_PARKED = `
  chain = $1 and address = $2 and asset = $3 and stray_reason = $4 and invoice_id is null and status in ('confirming', 'stray')`;
const PARKED = `select coalesce(sum(units), 0) as units from deposits where ${IS_PARKED}`;
const CLAIM_PARKED = `
  with claimed as (
    update deposits set invoice_id = $5, stray_reason = null,
      status = case when status = 'stray' then 'arrived' else status end
    where ${IS_PARKED} returning units)
  select coalesce(sum(units), 0) as units from claimed`;

export function depositRepository(sql: Sql): DepositRepository {
  const many = async (text: string, parameters: readonly SqlParameter[]) =>
    (await sql.query<DepositRow>(text, parameters)).map(depositFromRow);
  const one = async (text: string, parameters: readonly SqlParameter[]) =>
    (await many(text, parameters))[0] ?? null;

  return {
    async insertOrLock(deposit) {
      const inserted = await sql.query(INSERT, inOrder(depositToRow(deposit), DEPOSIT_COLUMNS));
      if (inserted.length === 1) return { deposit, inserted: true };
      const stored = await one(`${BY_KEY} ${LOCK}`, [deposit.chain, deposit.txid, deposit.output]);
      if (stored === null) throw new Error(`deposit ${deposit.id} was neither inserted nor found`);
      return { deposit: stored, inserted: false };
    },

    findByKeys: async (chain, keys) =>
      keys.length === 0
        ? []
        : many(BY_KEYS, [chain, keys.map(({ txid }) => txid), keys.map(({ output }) => output)]),
    lock: (id) => one(`${SELECT} where id = $1 ${LOCK}`, [id]),
    lockFree: (ids) =>
      many(`${SELECT} where id = any ($1::text[]) order by id ${LOCK} skip locked`, [[...ids]]),

    async save(deposit) {
      const row = depositToRow(deposit);
      theOnly(
        await sql.query(SAVE, [deposit.id, ...inOrder(row, CHANGEABLE)]),
        `save of deposit ${deposit.id}`,
      );
    },

    async saveAll(deposits) {
      if (deposits.length === 0) return;
      const rows = deposits.map(depositToRow);
      const saved = await sql.query(SAVE_ALL, [JSON.stringify(rows), rows.map(({ id }) => id)]);
      if (saved.length !== rows.length) throw new Error(`saved ${saved.length} deposits of ${rows.length}`);
    },

    ofInvoices: async (invoiceIds, { statuses, most }) =>
      invoiceIds.length === 0 ? [] : many(OF_INVOICES, [invoiceIds, statuses, most]),
    lockOfInvoices: async (invoiceIds, statuses) =>
      invoiceIds.length === 0 ? [] : many(LOCK_OF_INVOICES, [invoiceIds, statuses]),
    lockOfInvoice: (invoiceId, statuses) => many(LOCK_OF_INVOICES, [[invoiceId], statuses]),

    async hasPayment(invoiceId) {
      const rows = await sql.query<{ found: boolean }>(HAS_PAYMENT, [invoiceId]);
      return theOnly(rows, `payments of ${invoiceId}`).found;
    },

    async hasArrivals(invoiceId, chains) {
      const rows = await sql.query<{ found: boolean }>(HAS_ARRIVALS, [invoiceId, chains]);
      return theOnly(rows, `arrivals of ${invoiceId}`).found;
    },

    async hasTraced({ chain, address, asset, block }) {
      const rows = await sql.query<{ found: boolean }>(HAS_TRACED, [chain, address, asset, block.hash]);
      return theOnly(rows, `payments to ${address} by traces`).found;
    },

    async parkedUnits({ chain, address, asset, strayReason }) {
      const rows = await sql.query<{ units: string }>(PARKED, [chain, address, asset, strayReason]);
      return BigInt(theOnly(rows, `what is parked at ${address}`).units);
    },

    async claimParked({ chain, address, asset, strayReason }, invoiceId) {
      const parameters = [chain, address, asset, strayReason, invoiceId];
      const rows = await sql.query<{ units: string }>(CLAIM_PARKED, parameters);
      return BigInt(theOnly(rows, `what was parked at ${address}`).units);
    },

    async orphanAbove(chain, height) {
      await sql.query(
        'update deposits set block_height = null, block_hash = null where chain = $1 and block_height > $2',
        [chain, height],
      );
    },

    unfinal: (chain, height) =>
      many(
        `${SELECT} where chain = $1 and status = 'confirming' and block_height <= $2
           and (locked_until is null or locked_until <= $2) order by block_height, id`,
        [chain, height],
      ),

    async anyUnfinal(chain) {
      const one = `select from deposits where chain = $1 and status = 'confirming' and block_height is not null limit 1`;
      return (await sql.query(one, [chain])).length > 0;
    },

    async undecidedUnits({ chain, asset, height }) {
      const rows = await sql.query<{ units: string }>(UNDECIDED, [chain, asset, height]);
      return BigInt(theOnly(rows, `undecided deposits of ${chain}`).units);
    },

    withoutBlock: (chain) =>
      many(
        `${SELECT} where chain = $1 and block_height is null
           and status not in ('dropped', 'reversed') order by id`,
        [chain],
      ),

    async moveOfInvoices(invoiceIds, { from, to, strayReason }) {
      if (invoiceIds.length > 0) await sql.query(MOVE_OF_INVOICES, [invoiceIds, from, to, strayReason]);
    },

    waitingForPrice: (priced) => sql.query<{ asset: string; since: Date }>(WAITING_FOR_PRICE, [[...priced]]),

    async invoicesToScreen({ limit, after, priced }) {
      const rows = await sql.query<{ invoice_id: string; first_seen_at: Date }>(TO_SCREEN, [
        limit,
        after?.firstSeenAt ?? new Date(0),
        after?.invoiceId ?? '',
        [...priced],
      ]);
      return rows.map((row) => ({ invoiceId: row.invoice_id, firstSeenAt: row.first_seen_at }));
    },
  };
}
