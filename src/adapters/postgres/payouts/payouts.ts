/** Payouts inside a transaction. New ones that merchants ask for come through payout-writer.ts. */
import { type Merchant, payoutBar } from '../../../domain/merchants/merchant.ts';
import type { PayoutRepository } from '../../../ports/payouts/payout-repository.ts';
import type { Sql } from '../client/sql.ts';
import { inOrder, insertInto, prefixed, theOnly, updateAll, updateById } from '../client/statements.ts';
import { bigintOrNull } from '../invoices/invoice-row.ts';
import { nextNumber } from '../lists/numbering.ts';
import { PAYOUT_COLUMNS, PAYOUT_TYPES, type PayoutRow, payoutFromRow, payoutToRow } from './payout-row.ts';

const INSERT = insertInto('payouts', ['seq', ...PAYOUT_COLUMNS]);
const SELECT = `select ${PAYOUT_COLUMNS.join(', ')} from payouts`;
const CHANGEABLE = [
  'status',
  'txid',
  'tx_hashes',
  'failure',
  'processed_at',
  'extra_gas',
  'wasted_fee_units',
  'wasted_fee_micro_usd',
  'held',
  'held_code',
  'released',
  'merchant_waived',
  'waiting',
  'waiting_code',
  'tried_at',
  'tries',
  'let_go_at',
  'updated_at',
] as const;
const SAVE = `${updateById('payouts', CHANGEABLE)} returning id`;
const SAVE_ALL = updateAll('payouts', CHANGEABLE, PAYOUT_TYPES);

/** domain/merchants/merchant.ts, payoutBar. */
const MAY_BE_PAID_OUT = `(m.status = 'active' and m.kyc = 'approved')`;

const TO_SEND = `
  not p.sandbox and p.status = 'pending' and p.held is null and p.waiting_code is distinct from 'merchant'`;
const MAY_GO = `${TO_SEND} and p.asset = a.asset
  and not exists (
    select from outgoing_transfers t
    where t.purpose = 'payout' and t.reference_id = p.id and t.status <> 'failed' and not t.voided)`;
/** Of a merchant, whatever others have before it. */
const EACH = 10;
// The order by the whole index leaves its plan no other index to choose.
const nextMerchant = (asset: string, after: string): string => `
  select p.merchant_id from payouts p where ${TO_SEND} and p.asset = ${asset} and p.merchant_id > ${after}
  order by p.asset, p.merchant_id, p.tried_at nulls first, p.id limit 1`;
const KEY = 'p.id, p.asset, p.merchant_id, p.tried_at';
const inTurns = (rows: string, by: string): string => `
  select *, row_number() over (partition by asset, merchant_id order by ${by}) as turn from (${rows}) p order by turn, ${by}`;
// $1 assets, $2 of all at most, $3 of those that wait at most, $4 new ones of an asset, $5 now. A part of the index payouts_to_send is read,
// however many there are, and some of each merchant beside it: nobody's are behind all of another one's (safety.md G4).
const SENDABLE = `
  with recursive merchant (asset, id) as (
    select a.asset, (${nextMerchant('a.asset', "''")}) from unnest($1::text[]) as a (asset)
    union all
    select m.asset, (${nextMerchant('m.asset', 'm.id')}) from merchant m where m.id is not null),
  some_of_each as materialized (
    select ${KEY} from merchant a cross join lateral (
      select p.* from payouts p
      where p.merchant_id = a.id and (p.tried_at is null or p.tried_at <= $5) and ${MAY_GO}
      order by p.tried_at nulls first, p.id limit ${EACH}) p
    where a.id is not null),
  waits as materialized (${inTurns(
    `
      select ${KEY} from unnest($1::text[]) as a (asset) cross join lateral (
        select p.* from payouts p where p.tried_at <= $5 and ${MAY_GO} order by p.tried_at nulls first, p.id limit $3) p
      union select ${KEY} from some_of_each p where p.tried_at is not null`,
    'tried_at, id',
  )} limit $3),
  fresh as (${inTurns(
    `
      select ${KEY} from unnest($1::text[]) as a (asset) cross join lateral (
        select p.* from payouts p where p.tried_at is null and ${MAY_GO} order by p.tried_at nulls first, p.id limit $4) p
      union select ${KEY} from some_of_each p where p.tried_at is null`,
    'id',
  )} limit $2 - (select count(*) from waits)),
  chosen as materialized (select id, turn from fresh union all select id, null from waits)
  select ${prefixed('s', PAYOUT_COLUMNS)} from payouts s join chosen on chosen.id = s.id
  where s.id = any (array(select id from chosen))
  order by chosen.turn nulls last, s.tried_at, s.id`;
const ANY_READY = `
  select from unnest($1::text[]) as a (asset) cross join lateral (
    select from payouts p where ${MAY_GO} and (p.waiting_code is null or p.waiting_code = 'signing') limit 1) p limit 1`;
const PUT_OFF = `
  update payouts set tried_at = $2 where id in (
    select id from payouts where id = any ($1::text[]) and tried_at is not null order by id for no key update skip locked)`;
// $1 of a merchant at most. Each merchant is found by a step along the index, not by a look at all payouts that wait.
const READMIT = `
  with recursive waits as (
    (select merchant_id from payouts where waiting_code = 'merchant' order by merchant_id limit 1)
    union all
    select (select p.merchant_id from payouts p where p.waiting_code = 'merchant' and p.merchant_id > w.merchant_id
            order by p.merchant_id limit 1)
    from waits w where w.merchant_id is not null)
  update payouts set waiting = null, waiting_code = null, tried_at = null where id in (
    select p.id from waits w
    join merchants m on m.id = w.merchant_id and ${MAY_BE_PAID_OUT}
    cross join lateral (
      select p.id from payouts p where p.waiting_code = 'merchant' and p.merchant_id = w.merchant_id
      order by p.id limit $1 for no key update skip locked) p)`;
const UNSIGNED_IN = `
  select p.id, m.status, m.kyc from outgoing_transfers t
  join payouts p on p.id = t.reference_id join merchants m on m.id = p.merchant_id
  where t.bundle_id = $1 and t.purpose = 'payout' and t.status = 'allocated' and not t.voided
    and p.kind = 'payout' and not p.merchant_waived`;
const LET_GO = `
  select coalesce(sum(amount_micro_usd), 0)::text as sum from payouts
  where merchant_id = $1 and not sandbox and let_go_at > $2 and id <> $3
    and status not in ('failed', 'cancelled') and held is null`;
const EXTRA_GAS_IN = `
  select p.id, p.extra_gas from outgoing_transfers t join payouts p on p.id = t.reference_id
  where t.bundle_id = $1 and t.purpose = 'payout'`;
const PENDING_OF = `
  select id from payouts
  where not sandbox and status in ('pending', 'processing') and ($4 or status = 'pending') and ($1::text[] is null or asset = any ($1))
    and ($2::timestamptz is null or created_at <= $2 or created_at > $3)
  order by id`;
const OWED = `
  select id, asset, address, sent_units from payouts
  where not sandbox and status = 'pending' and asset = any ($1::text[]) order by id`;
const HOLD_RESTORED = `
  with locked as materialized (
    select id from payouts
    where id = any ($1::text[]) and status = 'pending' and (held_code is null or held_code not in ('restored', 'restored_held'))
    order by id for no key update)
  update payouts set held_code = case when held_code is null then 'restored' else 'restored_held' end,
    held = $2 || coalesce('; before that: ' || held, ''), waiting = null, waiting_code = null, tried_at = null, tries = 0, let_go_at = null
  where id in (select id from locked) returning id`;
const HELD_FOR = `
  select id from payouts where not sandbox and status = 'pending' and held_code = $1 order by id`;
const FORGET_UNIQ_IDS = `
  delete from uniq_ids where (merchant_id, sandbox, uniq_id) in (
    select merchant_id, sandbox, uniq_id from uniq_ids where expires_at < $1 order by expires_at limit $2
    for update skip locked)
  returning 1 as one`;

export function payoutRepository(sql: Sql): PayoutRepository {
  return {
    async insert(payout) {
      const { merchantId, sandbox, createdAt } = payout;
      const number =
        payout.kind === 'payout'
          ? await nextNumber(sql, { merchantId, sandbox, stream: 'payouts', latest: createdAt })
          : { seq: null, at: createdAt };
      const row = payoutToRow({ ...payout, createdAt: number.at });
      await sql.query(INSERT, [number.seq, ...inOrder(row, PAYOUT_COLUMNS)]);
    },

    async lock(id) {
      const [row] = await sql.query<PayoutRow>(`${SELECT} where id = $1 for no key update`, [id]);
      return row ? payoutFromRow(row) : null;
    },

    async save(payout) {
      const row = payoutToRow(payout);
      theOnly(await sql.query(SAVE, [payout.id, ...inOrder(row, CHANGEABLE)]), `save of payout ${payout.id}`);
    },

    async saveAll(payouts) {
      if (payouts.length === 0) return;
      const rows = payouts.map(payoutToRow);
      const saved = await sql.query(SAVE_ALL, [JSON.stringify(rows), rows.map(({ id }) => id)]);
      if (saved.length !== rows.length) throw new Error(`saved ${saved.length} payouts of ${rows.length}`);
    },

    async sendable(assets, limit, now) {
      const waiting = Math.floor(limit / 4);
      const rows = await sql.query<PayoutRow>(SENDABLE, [[...assets], limit, waiting, 4 * limit, now]);
      return rows.map(payoutFromRow);
    },

    async anyReady(assets) {
      return (await sql.query(ANY_READY, [[...assets]])).length > 0;
    },

    async putOff(ids, at) {
      if (ids.length > 0) await sql.query(PUT_OFF, [[...ids], at]);
    },

    async readmit(limit) {
      await sql.query(READMIT, [limit]);
    },

    async barredIn(bundleId) {
      type Row = Pick<Merchant, 'status' | 'kyc'> & { readonly id: string };
      const rows = await sql.query<Row>(UNSIGNED_IN, [bundleId]);
      return new Map(
        rows.flatMap((row) => {
          const why = payoutBar(row);
          return why === null ? [] : [[row.id, why] as const];
        }),
      );
    },

    async extraGasIn(bundleId) {
      const rows = await sql.query<{ id: string; extra_gas: string | null }>(EXTRA_GAS_IN, [bundleId]);
      return new Map(rows.map(({ id, extra_gas }) => [id, bigintOrNull(extra_gas)]));
    },

    async pendingOf({ assets, madeBefore, now, processing = false }) {
      const rows = await sql.query<{ id: string }>(PENDING_OF, [
        assets && [...assets],
        madeBefore,
        now,
        processing,
      ]);
      return rows.map(({ id }) => id);
    },

    async owed(assets) {
      type Row = Pick<PayoutRow, 'id' | 'asset' | 'address' | 'sent_units'>;
      const rows = await sql.query<Row>(OWED, [[...assets]]);
      return rows.map(({ id, asset, address, sent_units }) => ({
        ...{ id, asset, address },
        sentUnits: BigInt(sent_units),
      }));
    },

    async holdRestored(ids, text) {
      if (ids.length === 0) return [];
      const rows = await sql.query<{ id: string }>(HOLD_RESTORED, [[...ids], text]);
      return rows.map(({ id }) => id).toSorted();
    },

    async heldFor(code) {
      return (await sql.query<{ id: string }>(HELD_FOR, [code])).map(({ id }) => id);
    },

    async standingRefundOf(invoiceId) {
      const [row] = await sql.query<PayoutRow>(
        `${SELECT} where invoice_id = $1 and status not in ('failed', 'cancelled') order by id desc limit 1`,
        [invoiceId],
      );
      return row ? payoutFromRow(row) : null;
    },

    async microUsdLetGo({ merchantId, id }, since) {
      const rows = await sql.query<{ sum: string }>(LET_GO, [merchantId, since, id]);
      return BigInt(theOnly(rows, `payouts of merchant ${merchantId}`).sum);
    },

    async forgetUniqIds(expiredBefore, limit) {
      return (await sql.query(FORGET_UNIQ_IDS, [expiredBefore, limit])).length;
    },

    async lockOpenSandbox(limit) {
      const rows = await sql.query<PayoutRow>(
        `${SELECT} where sandbox and status in ('pending', 'processing') and held is null
         order by id limit $1 for no key update skip locked`,
        [limit],
      );
      return rows.map(payoutFromRow);
    },
  };
}
