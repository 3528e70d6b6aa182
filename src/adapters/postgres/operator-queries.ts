/** Reads of the operators' scripts, across merchants. */
import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { OperatorPayout, OperatorQueries } from '../../ports/operator-queries.ts';
import { approvalQueries } from './accounts/approvals.ts';
import { auditQueries } from './audit/audit-log.ts';
import { bookChecks } from './books/book-checks.ts';
import { followedAddresses } from './chains/followed-addresses.ts';
import type { Database } from './client/client.ts';
import type { Sql } from './client/sql.ts';
import { theOnly } from './client/statements.ts';
import { DEPOSIT, depositFromRow } from './deposits/deposit-row.ts';
import { MERCHANT } from './merchants/merchant-row.ts';
import { recordedBackup } from './notices/backup-record.ts';
import { storedNotices } from './notices/stored-notices.ts';
import { operatorMetrics, waitingWork } from './operator-metrics.ts';
import { PAYOUT, type PayoutRow, payoutFromRow } from './payouts/payout-row.ts';
import { reasonFromRow } from './reason-row.ts';
import { deposits } from './schema/addresses.ts';
import { equals } from './schema/columns.ts';
import { apiKeys as k, merchants as m } from './schema/merchants.ts';
import { signingSwitch, outgoingTransfers as t, signedTransactions as x } from './schema/outgoing.ts';
import { payouts as p } from './schema/payouts.ts';
import { webhookDeliveries as d, webhookQueue as q } from './schema/webhooks.ts';
import { newestUnknown } from './sending/unknown-transactions.ts';
import { type RowOf, statement } from './statement.ts';
import { ifThere, listOf, names, notNull, nullable, outer, value } from './statement-parts.ts';

const hasKey = (sandbox: boolean) => sql<boolean>`
  exists (select from ${k} where ${k.merchantId} = ${m.id} and ${k.sandbox} = ${sql.raw(String(sandbox))}
    and ${k.revokedAt} is null)`;
const oldKeyUntil = (sandbox: boolean) => sql<Date | null>`
  (select ${k.livesUntil} from ${k}
    where ${k.merchantId} = ${m.id} and ${k.sandbox} = ${sql.raw(String(sandbox))}
      and ${k.livesUntil} is not null)`;
const LISTED = {
  ...MERCHANT,
  hasLiveKey: hasKey(false),
  hasSandboxKey: hasKey(true),
  oldLiveKeyUntil: oldKeyUntil(false),
  oldSandboxKeyUntil: oldKeyUntil(true),
};
const MERCHANTS = statement({
  selects: LISTED,
  text: (_given, select) => sql`select ${select} from ${m} order by ${m.createdAt}, ${m.id}`,
});
// Ids sort by time. Names are read one after the other: there are far fewer merchants than
// payments.
const MERCHANT_PAGE = statement({
  given: { text: value<string | null>('text'), before: nullable(m.id), limit: value<number>('bigint') },
  selects: LISTED,
  text: ({ text, before, limit }, select) => sql`
    select ${select} from ${m}
    where (${before} is null or ${m.id} < ${before})
      and (${text} is null or ${m.id} = lower(${text}) or strpos(lower(${m.name}), lower(${text})) > 0)
    order by ${m.id} desc limit ${limit}`,
});
const ONE_MERCHANT = statement({
  given: { id: m.id },
  selects: LISTED,
  text: ({ id }, select) => sql`select ${select} from ${m} where ${m.id} = ${id}`,
});

const NAMES = statement({
  given: { ids: listOf(m.id) },
  selects: { id: m.id, name: m.name },
  text: ({ ids }, select) => sql`select ${select} from ${m} where ${m.id} = any (${ids})`,
});

const DEPOSITS = statement({
  given: {
    statuses: listOf(deposits.status),
    sandbox: nullable(deposits.sandbox),
    limit: value<number>('bigint'),
  },
  selects: DEPOSIT,
  text: ({ statuses, sandbox, limit }, select) => sql`
    select ${select} from ${deposits}
    where ${deposits.status} = any (${statuses}) and (${sandbox} is null or ${deposits.sandbox} = ${sandbox})
    order by ${deposits.firstSeenAt}, ${deposits.id} limit ${limit}`,
});

const TRANSFER = {
  transferId: t.id,
  transferStatus: t.status,
  chain: t.chain,
  wallet: t.wallet,
  nonce: t.nonce,
  voided: t.voided,
  transferFailure: t.failure,
  transferFailureCode: t.failureCode,
};
// Reads the transfers once for the whole page: only unfailed ones are indexed by their payout. One
// id is a range, which every plan reads by the index.
const PAYOUTS = statement({
  given: {
    statuses: listOf(p.status),
    held: value<boolean>('boolean'),
    waiting: value<boolean>('boolean'),
    merchantId: nullable(p.merchantId),
    id: nullable(p.id),
    limit: value<number>('bigint'),
  },
  selects: {
    ...PAYOUT,
    ...outer(TRANSFER),
    txids: sql<readonly string[] | null>`
      (select array_agg(${x.txid} order by ${x.ordinal}) from ${x} where ${x.transferBatchId} = ${t.transferBatchId})`,
  },
  text: ({ statuses, held, waiting, merchantId, id, limit }, select) => sql`
    with page as materialized (
      select * from ${p}
      where ${p.status} = any (${statuses}) and (not ${held} or ${p.held} is not null)
        and (not ${waiting} or ${p.waiting} is not null) and (${merchantId} is null or ${p.merchantId} = ${merchantId})
        and ${p.id} between coalesce(${id}, repeat('0', 24)) and coalesce(${id}, repeat('f', 24))
      order by ${p.id} desc limit ${limit}),
    newest as (
      select distinct on (${t.referenceId}) * from ${t}
      where ${equals(t.purpose, 'payout')} and not ${t.takenOut}
        and ${t.referenceId} in (select ${names(p.id)} from page)
      order by ${t.referenceId}, ${t.id} desc)
    select ${select} from page ${p} left join newest ${t} on ${t.referenceId} = ${p.id} order by ${p.id} desc`,
});
const STOPPED = statement({
  selects: { at: notNull(signingSwitch.stoppedAt), note: signingSwitch.note },
  text: (_given, select) =>
    sql`select ${select} from ${signingSwitch} where ${signingSwitch.stoppedAt} is not null`,
});

const later = alias(d, 'later');
const place = ({ eventSeq, id }: typeof d | typeof later) => sql`(coalesce(${eventSeq}, 0), ${id})`;
/** Looked up delivery by delivery: transitions have one index of invoices, replays another. */
const isFollowed = (among: SQL): SQL => sql`
  (select true from ${d} later where ${later.invoiceId} = ${d.invoiceId} and ${among} and ${later.url} is not null
    and ${place(later)} > ${place(d)} limit 1)`;
const DEAD_DELIVERIES = statement({
  given: {
    since: nullable(q.deadAt),
    afterAt: nullable(q.deadAt),
    afterId: nullable(q.deliveryId),
    limit: value<number>('bigint'),
  },
  selects: { id: d.id, invoiceId: d.invoiceId, url: notNull(d.url), deadAt: notNull(q.deadAt) },
  text: ({ since, afterAt, afterId, limit }, select) => sql`
    select ${select} from ${q} join ${d} on ${d.id} = ${q.deliveryId}
    where ${q.deadAt} is not null and (${since} is null or ${q.deadAt} >= ${since})
      and (${afterAt} is null or (${q.deadAt}, ${q.deliveryId}) > (${afterAt}, ${afterId}))
      and ${isFollowed(sql`${later.invoiceVersion} is not null`)} is null
      and ${isFollowed(sql`${later.invoiceVersion} is null`)} is null
    order by ${q.deadAt}, ${q.deliveryId} limit ${limit}`,
});

const DEAD_COUNT = statement({
  given: { since: q.deadAt },
  selects: { count: sql`count(*)`.mapWith(Number) },
  text: ({ since }, select) => sql`select ${select} from ${q} where ${q.deadAt} >= ${since}`,
});

/** `reads`: what the metrics are counted on. */
export function postgresOperatorQueries(database: Database, reads: Sql = database): OperatorQueries {
  return {
    merchants: () => MERCHANTS(database),
    merchantNames: async (ids) =>
      new Map((await NAMES(database, { ids: [...new Set(ids)] })).map(({ id, name }) => [id, name])),
    merchantPage: (text, page) => MERCHANT_PAGE(database, { ...page, text }),
    merchant: async (id) => (await ONE_MERCHANT(database, { id }))[0] ?? null,

    deposits: async (wanted) => (await DEPOSITS(database, wanted)).map(depositFromRow),

    unknownTransactions: (of) => newestUnknown(database, of),
    payouts: async ({ id = null, ...filter }) =>
      (await PAYOUTS(database, { ...filter, id })).map(operatorPayoutFromRow),
    signingStopped: async () => (await STOPPED(database))[0] ?? null,
    deadDeliveries: ({ after, ...filter }) =>
      DEAD_DELIVERIES(database, {
        ...filter,
        afterAt: after?.deadAt ?? null,
        afterId: after?.id ?? null,
      }),
    countDeadDeliveries: async (since) => theOnly(await DEAD_COUNT(database, { since }), 'a count').count,
    ...followedAddresses(database),
    ...auditQueries(database),
    ...approvalQueries(database),
    ...bookChecks(database),
    operatorNotices: ({ limit }) => storedNotices(database, limit),
    newestBackup: () => recordedBackup(database),
    metrics: (now) => operatorMetrics(reads, now),
    waitingWork: (now) => waitingWork(database, now),
  };
}

type TransferRow = RowOf<typeof TRANSFER>;
type FoundRow = PayoutRow & {
  readonly [Name in keyof TransferRow]: TransferRow[Name] | null;
} & { readonly txids: readonly string[] | null };

function operatorPayoutFromRow(row: FoundRow): OperatorPayout {
  const transfer = ifThere<TransferRow>(row, 'transferId');
  return {
    payout: payoutFromRow(row),
    transfer: transfer && {
      id: transfer.transferId,
      status: transfer.transferStatus,
      chain: transfer.chain,
      wallet: transfer.wallet,
      nonce: transfer.nonce,
      voided: transfer.voided,
      failure: reasonFromRow(transfer.transferFailure, transfer.transferFailureCode),
      txids: row.txids ?? [],
    },
  };
}
