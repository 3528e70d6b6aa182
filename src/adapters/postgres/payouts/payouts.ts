/** Payouts inside a transaction. Merchants' new payouts come through payout-writer.ts. */
import { sql } from 'drizzle-orm';
import { payoutBar } from '../../../domain/merchants/merchant.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import type { PayoutRepository } from '../../../ports/payouts/payout-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { nextNumber } from '../lists/numbering.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { merchants as m } from '../schema/merchants.ts';
import { outgoingTransfers as t } from '../schema/outgoing.ts';
import { payouts as p, uniqIds as u } from '../schema/payouts.ts';
import { refundClaims as c } from '../schema/refund-claims.ts';
import { statement } from '../statement.ts';
import {
  insertInto,
  like,
  listOf,
  names,
  nullable,
  records,
  set,
  updateAllById,
  updateById,
  value,
} from '../statement-parts.ts';
import { PAYOUT, type PayoutRow, payoutFromRow, payoutToRow } from './payout-row.ts';
import { payoutsToSend } from './payouts-to-send.ts';

const INSERT = statement({
  given: { ...PAYOUT, seq: p.seq },
  text: (values) => insertInto(p, values),
});
const FIND = statement({
  given: { id: p.id },
  selects: PAYOUT,
  text: ({ id }, select) => sql`select ${select} from ${p} where ${p.id} = ${id}`,
});
const LOCK = statement({
  given: { id: p.id },
  selects: PAYOUT,
  text: ({ id }, select) => sql`select ${select} from ${p} where ${p.id} = ${id} for no key update`,
});
const LOCK_ALL = statement({
  given: { ids: listOf(p.id) },
  selects: PAYOUT,
  text: ({ ids }, select) => sql`
    select ${select} from ${p} where ${p.id} = any (${ids}) order by ${p.id} for no key update`,
});
const CHANGEABLE = {
  status: p.status,
  txid: p.txid,
  txHashes: p.txHashes,
  failure: p.failure,
  processedAt: p.processedAt,
  extraGas: p.extraGas,
  wastedFeeUnits: p.wastedFeeUnits,
  wastedFeeMicroUsd: p.wastedFeeMicroUsd,
  held: p.held,
  heldCode: p.heldCode,
  released: p.released,
  merchantWaived: p.merchantWaived,
  waiting: p.waiting,
  waitingCode: p.waitingCode,
  triedAt: p.triedAt,
  tries: p.tries,
  dispatchedAt: p.dispatchedAt,
  updatedAt: p.updatedAt,
};
const SAVE = statement({
  given: { id: p.id, ...CHANGEABLE },
  selects: { id: p.id },
  text: (given, select) => updateById(p, given, select),
});
const SAVE_ALL = statement({
  given: { rows: records('g', { id: p.id, ...CHANGEABLE }), ids: listOf(p.id) },
  selects: { id: p.id },
  text: (given, select) => updateAllById(p, CHANGEABLE, given, select),
});

const CAME_TO_NOTHING = oneOf(p.status, ['failed', 'cancelled']);
const UNSIGNED_IN = statement({
  given: { transferBatchIds: listOf(t.transferBatchId) },
  selects: { id: p.id, status: m.status, kyc: m.kyc },
  text: ({ transferBatchIds }, select) => sql`
    select ${select} from ${t} join ${p} on ${p.id} = ${t.referenceId} join ${m} on ${m.id} = ${p.merchantId}
    where ${t.transferBatchId} = any (${transferBatchIds}) and ${equals(t.purpose, 'payout')} and ${equals(t.status, 'allocated')}
      and not ${t.voided} and not ${p.merchantWaived}
      and (${equals(p.kind, 'payout')} or (${p.refundClaimId} is not null and ${p.orderedBy} is null))`,
});
const EXTRA_GAS_IN = statement({
  given: { transferBatchIds: listOf(t.transferBatchId) },
  selects: { id: p.id, extraGas: p.extraGas },
  text: ({ transferBatchIds }, select) => sql`
    select ${select} from ${t} join ${p} on ${p.id} = ${t.referenceId}
    where ${t.transferBatchId} = any (${transferBatchIds}) and ${equals(t.purpose, 'payout')}`,
});
const LET_GO = statement({
  given: { merchantIds: listOf(p.merchantId), since: p.dispatchedAt },
  selects: { merchantId: p.merchantId, sum: like(p.amountMicroUsd, sql`sum(${p.amountMicroUsd})`) },
  text: ({ merchantIds, since }, select) => sql`
    select ${select} from ${p}
    where ${p.merchantId} = any (${merchantIds}) and not ${p.sandbox} and ${p.dispatchedAt} > ${since}
      and not ${CAME_TO_NOTHING} and ${p.held} is null
    group by ${p.merchantId}`,
});
const PENDING_OF = statement({
  given: {
    assets: value<readonly string[] | null>('text[]'),
    madeBefore: nullable(p.createdAt),
    now: p.createdAt,
    processing: value<boolean>('boolean'),
  },
  selects: { id: p.id },
  text: ({ assets, madeBefore, now, processing }, select) => sql`
    select ${select} from ${p}
    where not ${p.sandbox} and ${oneOf(p.status, ['pending', 'processing'])}
      and (${processing} or ${equals(p.status, 'pending')}) and (${assets} is null or ${p.asset} = any (${assets}))
      and (${madeBefore} is null or ${p.createdAt} <= ${madeBefore} or ${p.createdAt} > ${now}
        or exists (
          select from ${c} where ${c.id} = ${p.refundClaimId} and ${c.createdAt} <= ${madeBefore}))
    order by ${p.id}`,
});
const PENDING_OF_CLAIMS = statement({
  given: { assets: listOf(p.asset), offeredBefore: c.createdAt },
  selects: { id: p.id },
  text: ({ assets, offeredBefore }, select) => sql`
    select ${select} from ${p} join ${c} on ${c.id} = ${p.refundClaimId}
    where not ${p.sandbox} and ${equals(p.status, 'pending')} and ${p.asset} = any (${assets})
      and ${c.createdAt} <= ${offeredBefore} order by ${p.id}`,
});
const OWED = statement({
  given: { assets: listOf(p.asset) },
  selects: { id: p.id, asset: p.asset, address: p.address, sentUnits: p.sentUnits },
  text: ({ assets }, select) => sql`
    select ${select} from ${p}
    where not ${p.sandbox} and ${equals(p.status, 'pending')} and ${p.asset} = any (${assets}) order by ${p.id}`,
});
const NOTHING = sql<null>`null`;
const HOLD_RESTORED = statement({
  given: { ids: listOf(p.id), text: value<string>('text') },
  selects: { id: p.id },
  text: ({ ids, text }, select) => sql`
    with locked as materialized (
      select ${p.id} from ${p}
      where ${p.id} = any (${ids}) and ${equals(p.status, 'pending')}
        and (${p.heldCode} is null or not ${oneOf(p.heldCode, ['restored', 'restored_held'])})
      order by ${p.id} for no key update)
    update ${p} set ${set(p, {
      heldCode: like(
        p.heldCode,
        sql`case when ${p.heldCode} is null then 'restored' else 'restored_held' end`,
      ),
      held: like(p.held, sql`${text} || coalesce('; before that: ' || ${p.held}, '')`),
      waiting: NOTHING,
      waitingCode: NOTHING,
      triedAt: NOTHING,
      tries: sql<number>`0`,
      dispatchedAt: NOTHING,
    })}
    where ${p.id} in (select ${names(p.id)} from locked) returning ${select}`,
});
const HELD_FOR = statement({
  given: { code: p.heldCode },
  selects: { id: p.id },
  text: ({ code }, select) => sql`
    select ${select} from ${p}
    where not ${p.sandbox} and ${equals(p.status, 'pending')} and ${p.heldCode} = ${code} order by ${p.id}`,
});
const STANDING_REFUNDS = statement({
  given: { invoiceId: p.invoiceId },
  selects: PAYOUT,
  text: ({ invoiceId }, select) => sql`
    select ${select} from ${p} where ${p.invoiceId} = ${invoiceId} and not ${CAME_TO_NOTHING}
    order by ${p.id}`,
});
const STANDING_OF_DEPOSIT = statement({
  given: { depositId: c.depositId },
  selects: PAYOUT,
  text: ({ depositId }, select) => sql`
    select ${select} from ${p}
    where ${p.refundClaimId} in (select ${c.id} from ${c} where ${c.depositId} = ${depositId})
      and not ${CAME_TO_NOTHING} order by ${p.id}`,
});
const LOCK_OPEN_SANDBOX = statement({
  given: { limit: value<number>('bigint') },
  selects: PAYOUT,
  text: ({ limit }, select) => sql`
    select ${select} from ${p}
    where ${p.sandbox} and ${oneOf(p.status, ['pending', 'processing'])} and ${p.held} is null
    order by ${p.id} limit ${limit} for no key update skip locked`,
});
const FORGET_UNIQ_IDS = statement({
  given: { before: u.expiresAt, limit: value<number>('bigint') },
  selects: { uniqId: u.uniqId },
  text: ({ before, limit }, select) => {
    const key = names(u.merchantId, u.sandbox, u.uniqId);
    return sql`
      delete from ${u} where (${key}) in (
        select ${key} from ${u} where ${u.expiresAt} < ${before} order by ${u.expiresAt} limit ${limit}
        for update skip locked)
      returning ${select}`;
  },
});

export function payoutRepository(on: Sql): PayoutRepository {
  return {
    ...payoutsToSend(on),

    async insert(payout) {
      const { merchantId, sandbox, createdAt } = payout;
      const number =
        payout.kind === 'payout'
          ? await nextNumber(on, { merchantId, sandbox, stream: 'payouts', latest: createdAt })
          : { seq: null, at: createdAt };
      await INSERT(on, { ...payoutToRow(payout), seq: number.seq, createdAt: number.at });
    },

    find: async (id) => first(await FIND(on, { id })),
    lock: async (id) => first(await LOCK(on, { id })),
    lockAll: async (ids) => (ids.length === 0 ? [] : (await LOCK_ALL(on, { ids })).map(payoutFromRow)),

    async save(payout) {
      theOnly(await SAVE(on, payoutToRow(payout)), `save of payout ${payout.id}`);
    },

    async saveAll(payouts) {
      if (payouts.length === 0) return;
      const rows = payouts.map(payoutToRow);
      const saved = await SAVE_ALL(on, { rows, ids: rows.map(({ id }) => id) });
      if (saved.length !== rows.length) throw new Error(`saved ${saved.length} payouts of ${rows.length}`);
    },

    async barredIn(transferBatchIds) {
      const rows = await UNSIGNED_IN(on, { transferBatchIds });
      return new Map(
        rows.flatMap((row) => {
          const why = payoutBar(row);
          return why === null ? [] : [[row.id, why] as const];
        }),
      );
    },

    extraGasIn: async (transferBatchIds) =>
      new Map((await EXTRA_GAS_IN(on, { transferBatchIds })).map(({ id, extraGas }) => [id, extraGas])),

    pendingOfClaims: async (assets, offeredBefore) =>
      idsOf(await PENDING_OF_CLAIMS(on, { assets: [...assets], offeredBefore })),
    pendingOf: async ({ processing = false, ...of }) => idsOf(await PENDING_OF(on, { ...of, processing })),
    owed: (assets) => OWED(on, { assets }),

    holdRestored: async (ids, text) =>
      ids.length === 0 ? [] : idsOf(await HOLD_RESTORED(on, { ids, text })).toSorted(),

    heldFor: async (code) => idsOf(await HELD_FOR(on, { code })),
    standingRefunds: async (invoiceId) => (await STANDING_REFUNDS(on, { invoiceId })).map(payoutFromRow),
    standingRefundsOfDeposit: async (depositId) =>
      (await STANDING_OF_DEPOSIT(on, { depositId })).map(payoutFromRow),

    async dispatchedMicroUsd(merchantIds, since) {
      const rows = await LET_GO(on, { merchantIds, since });
      return new Map(rows.map(({ merchantId, sum }) => [merchantId, sum]));
    },

    purgeUniqIds: async (before, limit) => (await FORGET_UNIQ_IDS(on, { before, limit })).length,
    lockOpenSandbox: async (limit) => (await LOCK_OPEN_SANDBOX(on, { limit })).map(payoutFromRow),
  };
}

function first([row]: readonly PayoutRow[]): Payout | null {
  return row ? payoutFromRow(row) : null;
}

function idsOf(rows: readonly Pick<PayoutRow, 'id'>[]): readonly string[] {
  return rows.map(({ id }) => id);
}
