/** What operators' scripts ask, across merchants. */
import { sql } from 'drizzle-orm';
import type { OutgoingStatus } from '../../domain/sending/outgoing.ts';
import type { FailureCode } from '../../domain/sending/outgoing-failure.ts';
import type { OperatorPayout, OperatorQueries } from '../../ports/queries.ts';
import { followedAddresses } from './chains/followed-addresses.ts';
import type { Database } from './client/client.ts';
import { prefixed } from './client/statements.ts';
import { DEPOSIT_COLUMNS, type DepositRow, depositFromRow } from './deposits/deposit-row.ts';
import { MERCHANT } from './merchants/merchant-row.ts';
import { operatorMetrics } from './operator-metrics.ts';
import { PAYOUT_COLUMNS, type PayoutRow, payoutFromRow } from './payouts/payout-row.ts';
import { reasonFromRow } from './reason-row.ts';
import { apiKeys as k, merchants as m } from './schema/merchants.ts';
import { signingSwitch } from './schema/outgoing.ts';
import { webhookDeliveries as d, webhookQueue as q } from './schema/webhooks.ts';
import { notedFromRow, UNKNOWN_NEWEST, type UnknownTransactionRow } from './sending/unknown-transactions.ts';
import { statement } from './statement.ts';
import { notNull, nullable, value } from './statement-parts.ts';
import { reconciliationFaults } from './treasury/reconciliation.ts';

const hasKey = (sandbox: boolean) => sql<boolean>`
  exists (select from ${k} where ${k.merchantId} = ${m.id} and ${k.sandbox} = ${sql.raw(String(sandbox))}
    and ${k.revokedAt} is null)`;
const oldKeyUntil = (sandbox: boolean) => sql<Date | null>`
  (select ${k.livesUntil} from ${k}
    where ${k.merchantId} = ${m.id} and ${k.sandbox} = ${sql.raw(String(sandbox))}
      and ${k.livesUntil} is not null)`;
const MERCHANTS = statement({
  selects: {
    ...MERCHANT,
    hasLiveKey: hasKey(false),
    hasSandboxKey: hasKey(true),
    oldLiveKeyUntil: oldKeyUntil(false),
    oldSandboxKeyUntil: oldKeyUntil(true),
  },
  text: (_given, select) => sql`select ${select} from ${m} order by ${m.createdAt}, ${m.id}`,
});

const DEPOSITS = `
  select ${DEPOSIT_COLUMNS.join(', ')} from deposits
  where status = any ($1::text[]) and ($2::boolean is null or sandbox = $2)
  order by first_seen_at, id limit $3`;

// The transfers are read once for the whole page: only those that may still happen are indexed by their payout.
const PAYOUTS = `
  with page as materialized (
    select * from payouts
    where status = any ($1::text[]) and (not $2::boolean or held is not null) and (not $3::boolean or waiting is not null)
      and ($4::text is null or merchant_id = $4)
    order by id desc limit $5),
  newest as (
    select distinct on (reference_id) * from outgoing_transfers
    where purpose = 'payout' and not taken_out and reference_id in (select id from page) order by reference_id, id desc)
  select ${prefixed('p', PAYOUT_COLUMNS)}, t.id as transfer_id, t.status as transfer_status, t.chain, t.wallet,
    t.sequence, t.voided, t.failure_code as transfer_failure_code, t.failure as transfer_failure,
    (select array_agg(s.txid order by s.ordinal) from signed_transactions s where s.bundle_id = t.bundle_id) as txids
  from page p left join newest t on t.reference_id = p.id
  order by p.id desc`;
const STOPPED = statement({
  selects: { at: notNull(signingSwitch.stoppedAt), note: signingSwitch.note },
  text: (_given, select) =>
    sql`select ${select} from ${signingSwitch} where ${signingSwitch.stoppedAt} is not null`,
});

const DEAD_DELIVERIES = statement({
  given: { invoiceId: nullable(d.invoiceId), since: nullable(q.deadAt), limit: value<number>('bigint') },
  selects: { id: d.id, invoiceId: d.invoiceId, url: notNull(d.url), attempts: q.attempts },
  text: ({ invoiceId, since, limit }, select) => sql`
    select ${select} from ${q} join ${d} on ${d.id} = ${q.deliveryId}
    where ${q.deadAt} is not null and (${invoiceId} is null or ${d.invoiceId} = ${invoiceId})
      and (${since} is null or ${q.deadAt} >= ${since})
    order by ${q.deadAt}, ${q.deliveryId} limit ${limit}`,
});

type OperatorPayoutRow = PayoutRow &
  (
    | {
        readonly transfer_id: string;
        readonly transfer_status: OutgoingStatus;
        readonly chain: string;
        readonly wallet: string;
        readonly sequence: string;
        readonly voided: boolean;
        readonly transfer_failure_code: FailureCode | null;
        readonly transfer_failure: string | null;
        readonly txids: readonly string[] | null;
      }
    | { readonly transfer_id: null }
  );

export function postgresOperatorQueries(database: Database): OperatorQueries {
  return {
    merchants: () => MERCHANTS(database),

    async deposits({ statuses, sandbox, limit }) {
      const rows = await database.query<DepositRow>(DEPOSITS, [statuses, sandbox, limit]);
      return rows.map(depositFromRow);
    },

    async unknownTransactions({ chains, limit }) {
      const rows = await database.query<UnknownTransactionRow>(UNKNOWN_NEWEST, [[...chains], limit]);
      return rows.map(notedFromRow);
    },

    async payouts({ statuses, held, waiting, merchantId, limit }) {
      const parameters = [[...statuses], held, waiting, merchantId, limit];
      return (await database.query<OperatorPayoutRow>(PAYOUTS, parameters)).map(operatorPayoutFromRow);
    },

    signingStopped: async () => (await STOPPED(database))[0] ?? null,
    deadDeliveries: (filter) => DEAD_DELIVERIES(database, filter),
    ...followedAddresses(database),
    reconciliationFaults: () => reconciliationFaults(database),
    metrics: (now) => operatorMetrics(database, now),
  };
}

function operatorPayoutFromRow(row: OperatorPayoutRow): OperatorPayout {
  if (row.transfer_id === null) return { payout: payoutFromRow(row), transfer: null };
  return {
    payout: payoutFromRow(row),
    transfer: {
      id: row.transfer_id,
      status: row.transfer_status,
      chain: row.chain,
      wallet: row.wallet,
      sequence: BigInt(row.sequence),
      voided: row.voided,
      failure: reasonFromRow(row.transfer_failure, row.transfer_failure_code),
      txids: row.txids ?? [],
    },
  };
}
