/** Outgoing transfers, every transaction that was ever signed for one, and the signing switch. */
import { type SQL, sql } from 'drizzle-orm';
import type { OutgoingTransfer } from '../../../domain/sending/outgoing.ts';
import type { OutgoingRepository, SigningStop } from '../../../ports/sending/outgoing-repository.ts';
import { lockTable } from '../client/lock-table.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { signingSwitch as s, outgoingTransfers as t, signedTransactions as x } from '../schema/outgoing.ts';
import { statement } from '../statement.ts';
import {
  columnsOf,
  insertInto,
  insertSelect,
  listOf,
  names,
  records,
  set,
  updateAllById,
  updateById,
  value,
} from '../statement-parts.ts';
import { forgettingBytes } from './forget-bytes.ts';
import { SIGNED, TRANSFER, type TransferRow, toRow, transferFromRow } from './outgoing-row.ts';
import { walletNonces } from './wallet-nonces.ts';

const INSERT = statement({ given: TRANSFER, text: (values) => insertInto(t, values) });
const INSERT_ALL = statement({
  given: { rows: records('g', TRANSFER) },
  text: ({ rows }) => sql`${insertSelect(t, columnsOf('g', TRANSFER))} from ${rows}`,
});
const CHANGEABLE = {
  status: t.status,
  txid: t.txid,
  blockHeight: t.blockHeight,
  blockHash: t.blockHash,
  feeUnits: t.feeUnits,
  hotFeeUnits: t.hotFeeUnits,
  failure: t.failure,
  failureCode: t.failureCode,
  voided: t.voided,
  takenOut: t.takenOut,
  feeBumpRequested: t.feeBumpRequested,
  openAttempts: t.openAttempts,
};
const SAVE = statement({
  given: { id: t.id, ...CHANGEABLE },
  selects: { id: t.id },
  text: (given, select) => updateById(t, given, select),
});
const SAVE_ALL = statement({
  given: { rows: records('g', { id: t.id, ...CHANGEABLE }), ids: listOf(t.id) },
  selects: { id: t.id },
  text: (given, select) => updateAllById(t, CHANGEABLE, given, select),
});

const NO_LOCK = sql``;
const LOCKED = sql`for no key update`;
const ofBatch = (lock: SQL) =>
  statement({
    given: { transferBatchId: t.transferBatchId },
    selects: TRANSFER,
    text: ({ transferBatchId }, select) =>
      sql`select ${select} from ${t} where ${t.transferBatchId} = ${transferBatchId} order by ${t.position} ${lock}`,
  });
const OF_BATCH = ofBatch(NO_LOCK);
const LOCK_BATCH = ofBatch(LOCKED);
const ofBatches = (lock: SQL) =>
  statement({
    given: { transferBatchIds: listOf(t.transferBatchId) },
    selects: TRANSFER,
    text: ({ transferBatchIds }, select) => sql`
      select ${select} from ${t} where ${t.transferBatchId} = any (${transferBatchIds})
      order by ${t.transferBatchId}, ${t.position} ${lock}`,
  });
const OF_BATCHES = ofBatches(NO_LOCK);
const LOCK_BATCHES = ofBatches(LOCKED);
const PAYOUTS_OF = statement({
  given: { transferBatchId: t.transferBatchId },
  selects: { referenceId: t.referenceId },
  text: ({ transferBatchId }, select) => sql`
    select ${select} from ${t} where ${t.transferBatchId} = ${transferBatchId} and ${equals(t.purpose, 'payout')}
    order by ${t.position}`,
});
const FIND = statement({
  given: { ids: listOf(t.id) },
  selects: TRANSFER,
  text: ({ ids }, select) => sql`select ${select} from ${t} where ${t.id} = any (${ids})`,
});
const LOCK = statement({
  given: { id: t.id },
  selects: TRANSFER,
  text: ({ id }, select) => sql`select ${select} from ${t} where ${t.id} = ${id} ${LOCKED}`,
});
const IS_ACTIVE = sql`not ${equals(t.status, 'failed')} and not ${t.voided}`;
const ACTIVE_OF = statement({
  given: { purpose: t.purpose, referenceId: t.referenceId },
  selects: TRANSFER,
  text: ({ purpose, referenceId }, select) => sql`
    select ${select} from ${t} where ${t.purpose} = ${purpose} and ${t.referenceId} = ${referenceId}
      and ${IS_ACTIVE}`,
});
const ACTIVE_AMONG = statement({
  given: { purpose: t.purpose, referenceIds: listOf(t.referenceId) },
  selects: { referenceId: t.referenceId },
  text: ({ purpose, referenceIds }, select) => sql`
    select ${select} from ${t} where ${t.purpose} = ${purpose} and ${t.referenceId} = any (${referenceIds})
      and ${IS_ACTIVE}`,
});
const PAYING_OF = statement({
  given: { payoutId: t.referenceId },
  selects: TRANSFER,
  text: ({ payoutId }, select) => sql`
    select ${select} from ${t}
    where ${equals(t.purpose, 'payout')} and ${t.referenceId} = ${payoutId} and ${equals(t.status, 'signed')}
      and exists (select from ${x} where ${x.transferBatchId} = ${t.transferBatchId} and not ${x.voids})`,
});
const OPEN = statement({
  given: { chain: t.chain, limit: value<number>('bigint') },
  selects: TRANSFER,
  text: ({ chain, limit }, select) => sql`
    select ${select} from ${t} where ${t.chain} = ${chain} and ${oneOf(t.status, ['allocated', 'signed'])}
    order by ${t.wallet}, ${t.nonce}, ${t.position} limit ${limit}`,
});
const SETTLED_FROM = statement({
  given: { chain: t.chain, height: t.blockHeight },
  selects: TRANSFER,
  text: ({ chain, height }, select) => sql`
    select ${select} from ${t} where ${t.chain} = ${chain} and ${t.blockHeight} >= ${height}
    order by ${t.blockHeight}, ${t.id}`,
});

const IS_FORWARD = equals(t.purpose, 'forward');
const UNSIGNED_FORWARDS = statement({
  given: { assets: value<readonly string[] | null>('text[]') },
  selects: TRANSFER,
  text: ({ assets }, select) => sql`
    select ${select} from ${t} where ${IS_FORWARD} and ${equals(t.status, 'allocated')}
      and (${assets} is null or ${t.asset} = any (${assets}))
    order by ${t.id}`,
});
const NEWEST_FORWARDS = statement({
  given: { asset: t.asset, limit: value<number>('bigint') },
  selects: TRANSFER,
  text: ({ asset, limit }, select) => sql`
    select ${select} from ${t} where ${IS_FORWARD} and ${t.asset} = ${asset}
    order by ${t.createdAt} desc, ${t.id} desc limit ${limit}`,
});

const { broadcastAt: _, ...SIGNING } = SIGNED;
const INSERT_SIGNED = statement({
  given: SIGNING,
  selects: { ordinal: x.ordinal },
  text: (values, select) => sql`
    ${insertInto(x, values)} on conflict (${names(x.transferBatchId, x.ordinal)}) do nothing returning ${select}`,
});
const INSERT_ALL_SIGNED = statement({
  given: { rows: records('g', SIGNING) },
  text: ({ rows }) => sql`${insertSelect(x, columnsOf('g', SIGNING))} from ${rows}`,
});
const SIGNED_OF = statement({
  given: { transferBatchIds: listOf(x.transferBatchId) },
  selects: SIGNED,
  text: ({ transferBatchIds }, select) => sql`
    select ${select} from ${x} where ${x.transferBatchId} = any (${transferBatchIds}) order by ${x.transferBatchId}, ${x.ordinal}`,
});
const MARK_BROADCAST = statement({
  given: { txids: listOf(x.txid), broadcastAt: x.broadcastAt },
  text: ({ txids, broadcastAt }) => sql`
    update ${x} set ${set(x, { broadcastAt })} where ${x.txid} = any (${txids}) and ${x.broadcastAt} is null`,
});
const OURS = statement({
  given: { txids: listOf(x.txid) },
  selects: { txid: x.txid },
  text: ({ txids }, select) => sql`select ${select} from ${x} where ${x.txid} = any (${txids})`,
});
const NEWEST_SIGNED = statement({
  given: { limit: value<number>('bigint') },
  selects: { txid: x.txid },
  text: ({ limit }, select) => sql`select ${select} from ${x} order by ${x.signedAt} desc limit ${limit}`,
});

const POSITION = { at: s.stoppedAt, note: s.note };
const SWITCH = statement({
  selects: POSITION,
  text: (_given, select) => sql`select ${select} from ${s} for share`,
});
const FIND_SWITCH = statement({
  selects: POSITION,
  text: (_given, select) => sql`select ${select} from ${s}`,
});
const SET_SWITCH = statement({
  given: { stoppedAt: s.stoppedAt, note: s.note },
  selects: { singleton: s.singleton },
  text: (values, select) => sql`update ${s} set ${set(s, values)} returning ${select}`,
});

export function outgoingRepository(on: Sql): OutgoingRepository {
  return {
    ...walletNonces(on),

    async insert(transfer) {
      await INSERT(on, toRow(transfer));
    },

    async insertAll(transfers) {
      if (transfers.length > 0) await INSERT_ALL(on, { rows: transfers.map(toRow) });
    },

    ofBatch: async (transferBatchId) => (await OF_BATCH(on, { transferBatchId })).map(transferFromRow),
    lockBatch: async (transferBatchId) => (await LOCK_BATCH(on, { transferBatchId })).map(transferFromRow),
    ofBatches: async (transferBatchIds) => (await OF_BATCHES(on, { transferBatchIds })).map(transferFromRow),
    lockBatches: async (transferBatchIds) =>
      (await LOCK_BATCHES(on, { transferBatchIds })).map(transferFromRow),
    payoutsOf: async (transferBatchId) =>
      (await PAYOUTS_OF(on, { transferBatchId })).map(({ referenceId }) => referenceId),
    find: async (ids) => (ids.length === 0 ? [] : (await FIND(on, { ids })).map(transferFromRow)),
    lock: async (id) => first(await LOCK(on, { id })),

    async save(transfer) {
      theOnly(await SAVE(on, toRow(transfer)), `save of outgoing transfer ${transfer.id}`);
    },

    async saveAll(transfers) {
      if (transfers.length === 0) return;
      const rows = transfers.map(toRow);
      const saved = await SAVE_ALL(on, { rows, ids: rows.map(({ id }) => id) });
      if (saved.length !== rows.length)
        throw new Error(`saved ${saved.length} outgoing transfers of ${rows.length}`);
    },

    insertSigned: async (transaction) => (await INSERT_SIGNED(on, transaction)).length === 1,

    async insertAllSigned(rows) {
      if (rows.length > 0) await INSERT_ALL_SIGNED(on, { rows });
    },

    async markBroadcast(txids, at) {
      await MARK_BROADCAST(on, { txids, broadcastAt: at });
    },

    signedOf: async (transferBatchIds) =>
      transferBatchIds.length === 0 ? [] : SIGNED_OF(on, { transferBatchIds }),
    activeOf: async (purpose, referenceId) => first(await ACTIVE_OF(on, { purpose, referenceId })),
    activeAmong: async (purpose, referenceIds) =>
      new Set((await ACTIVE_AMONG(on, { purpose, referenceIds })).map(({ referenceId }) => referenceId)),
    payingOf: async (payoutId) => first(await PAYING_OF(on, { payoutId })),
    unsignedForwards: async (assets) => (await UNSIGNED_FORWARDS(on, { assets })).map(transferFromRow),
    newestForwards: async (asset, limit) =>
      (await NEWEST_FORWARDS(on, { asset, limit })).map(transferFromRow),
    open: async (chain, limit) => (await OPEN(on, { chain, limit })).map(transferFromRow),
    settledFrom: async (chain, height) => (await SETTLED_FROM(on, { chain, height })).map(transferFromRow),

    ours: async (txids) =>
      new Set(txids.length === 0 ? [] : (await OURS(on, { txids })).map(({ txid }) => txid)),
    ...forgettingBytes(on),
    newestSigned: async (limit) => (await NEWEST_SIGNED(on, { limit })).map(({ txid }) => txid),

    signingStopped: async () => stopOf(await SWITCH(on)),
    findSigningStop: async () => stopOf(await FIND_SWITCH(on)),

    async setSigningStopped(stop) {
      // A lock of the row alone would wait for as long as readers that overlap share it.
      await lockTable(on, s);
      const before = stopOf(await FIND_SWITCH(on));
      const changed = await SET_SWITCH(on, { stoppedAt: stop?.at ?? null, note: stop?.note ?? '' });
      theOnly(changed, 'the switch of signing');
      return before;
    },
  };
}

function stopOf(rows: readonly { readonly at: Date | null; readonly note: string }[]): SigningStop | null {
  const { at, note } = theOnly(rows, 'the switch of signing');
  return at === null ? null : { at, note };
}

function first([row]: readonly TransferRow[]): OutgoingTransfer | null {
  return row ? transferFromRow(row) : null;
}
