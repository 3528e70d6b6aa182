/** What operators' scripts and the metrics ask, across merchants. The gauges read partial indexes, never whole tables. */

import { sql } from 'drizzle-orm';
import { UTXO_FAMILIES } from '../../domain/catalog/family.ts';
import type { OutgoingStatus } from '../../domain/sending/outgoing.ts';
import type { FailureCode } from '../../domain/sending/outgoing-failure.ts';
import type { OperatorMetrics, OperatorPayout, OperatorQueries } from '../../ports/queries.ts';
import type { Database } from './client/client.ts';
import type { Sql } from './client/sql.ts';
import { prefixed, theOnly } from './client/statements.ts';
import { DEPOSIT_COLUMNS, type DepositRow, depositFromRow } from './deposits/deposit-row.ts';
import { MERCHANT } from './merchants/merchant-row.ts';
import { PAYOUT_COLUMNS, type PayoutRow, payoutFromRow } from './payouts/payout-row.ts';
import { reasonFromRow } from './reason-row.ts';
import { apiKeys as k, merchants as m } from './schema/merchants.ts';
import { notedFromRow, UNKNOWN_NEWEST, type UnknownTransactionRow } from './sending/unknown-transactions.ts';
import { statement } from './statement.ts';
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
const STOPPED = 'select stopped_at as at, note from signing_switch where stopped_at is not null';

const DEAD_DELIVERIES = `
  select d.id, d.invoice_id, d.url, q.attempts
  from webhook_queue q join webhook_deliveries d on d.id = q.delivery_id
  where q.dead_at is not null and ($1::text is null or d.invoice_id = $1) and ($2::timestamptz is null or q.dead_at >= $2)
  order by q.dead_at, q.delivery_id limit $3`;

const SILENT = `array(select destination from webhook_circuits where state <> 'closed')`;
// Money without a tag, where deposits are pooled, is stray as well; funding of chains of coins is booked by itself.
const COUNTS = `
  select
    (select count(*) from webhook_queue where dead_at is null) as webhooks_pending,
    (select extract(epoch from $1::timestamptz - (
       select due_at from webhook_queue where dead_at is null and destination <> all (${SILENT})
       order by due_at limit 1))::float8) as oldest_due_seconds,
    (select count(*) from webhook_queue
     where dead_at is null and due_at <= $1 and destination = any (${SILENT})) as webhooks_held_back,
    (select count(*) from deposits where status = 'arrived') as to_screen,
    (select count(*) from deposits where status = 'stray')
      + (select count(*) from coins where not booked and block_height is not null and chain <> all ($2::text[])) as strays,
    (select count(*) from deposits where status = 'held') as held,
    (select count(*) from payouts where status in ('pending', 'processing') and held is not null) as payouts_held,
    exists (select from signing_switch where stopped_at is not null) as signing_stopped`;

const CIRCUITS = 'select state as status, count(*) as rows from webhook_circuits group by state';
const OPEN_PAYOUTS = `
  select status, count(*) as rows from payouts where status in ('pending', 'processing') group by status`;
const WAITING_PAYOUTS = `
  select waiting_code as status, count(*) as rows from payouts
  where status in ('pending', 'processing') and waiting is not null group by waiting_code`;
const OPEN_INVOICES = `
  select status, count(*) as rows from invoices
  where status = 'created' or (status = 'partially_paid' and billing_type = 'STATIC') group by status
  union all
  select status, count(*) from invoices where status in ('confirming', 'high_risk') group by status`;
// A quiet chain has an old tip; one that is caught up with was never read to its tip by this process yet.
const CURSORS = `
  select chain, height, greatest(read_at, covered_until) as seen_until from chain_cursors order by chain`;

interface CountsRow {
  readonly webhooks_pending: string;
  readonly oldest_due_seconds: number | null;
  readonly webhooks_held_back: string;
  readonly to_screen: string;
  readonly strays: string;
  readonly held: string;
  readonly payouts_held: string;
  readonly signing_stopped: boolean;
}

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

interface StatusRow {
  readonly status: string;
  readonly rows: string;
}

interface CursorRow {
  readonly chain: string;
  readonly height: string;
  readonly seen_until: Date;
}

interface DeadRow {
  readonly id: string;
  readonly invoice_id: string | null;
  readonly url: string;
  readonly attempts: number;
}

// The two conditions on the status are those of partial indexes; a VARY invoice that is partly paid has ended.
const EXPECTING = `
  select a.address from addresses a join invoices i on i.id = a.invoice_id
  where a.family = $1 and not i.sandbox
    and (i.asset = $2 or (i.status = 'created'
      and i.earlier_choices::jsonb @> jsonb_build_array(jsonb_build_object('asset', $2::text))))
    and (i.status = 'created' or (i.status = 'partially_paid' and i.billing_type = 'STATIC'))
  union
  select a.address from addresses a join invoices i on i.id = a.invoice_id
  where a.family = $1 and not i.sandbox and i.asset = $2 and i.status = 'confirming'
  union
  select a.address from addresses a join permanent_addresses p on p.id = a.permanent_address_id
  where a.family = $1 and not a.sandbox and p.active`;

// Ids of invoices sort by time (ports/runtime/id-source.ts). Those of other families lie between: so many are looked at, and no more.
const TO_FOLLOW = `
  ${EXPECTING}
  union
  select address from (
    select address from (select address, family, invoice_id from addresses where invoice_id is not null
      order by invoice_id desc limit 5 * $4::bigint) looked_at
    where family = $1 order by invoice_id desc limit $4) newest
  union
  select address from (select a.address from permanent_addresses p join addresses a on a.permanent_address_id = p.id
    where p.family = $1 and not p.sandbox and not p.active order by p.deactivated_at desc limit $4) gone
  union
  select address from (select address from coins
    where chain = $3 and claimed_by is null and block_height is not null order by units desc limit $5) coins`;

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

    async signingStopped() {
      const [stop] = await database.query<{ at: Date; note: string }>(STOPPED);
      return stop ?? null;
    },

    async deadDeliveries({ invoiceId, since, limit }) {
      const rows = await database.query<DeadRow>(DEAD_DELIVERIES, [invoiceId, since, limit]);
      return rows.map((row) => ({
        id: row.id,
        invoiceId: row.invoice_id,
        url: row.url,
        attempts: row.attempts,
      }));
    },

    async addressesExpecting({ family, asset }) {
      const rows = await database.query<{ address: string }>(EXPECTING, [family, asset]);
      return rows.map((row) => row.address);
    },

    async addressesToFollow({ family, chain, asset, newest, coins }) {
      const parameters = [family, asset, chain, newest, coins];
      const rows = await database.query<{ address: string }>(TO_FOLLOW, parameters);
      return rows.map((row) => row.address);
    },

    reconciliationFaults: () => reconciliationFaults(database),
    metrics: (now) => metrics(database, now),
  };
}

/** Payouts and invoices are counted while they are open: what ended is history, and counting it would read it all. */
async function metrics(database: Sql, now: Date): Promise<OperatorMetrics> {
  const counts = theOnly(await database.query<CountsRow>(COUNTS, [now, [...UTXO_FAMILIES]]), 'counts');
  const circuits = await database.query<StatusRow>(CIRCUITS);
  const payouts = await database.query<StatusRow>(OPEN_PAYOUTS);
  const waiting = await database.query<StatusRow>(WAITING_PAYOUTS);
  const invoices = await database.query<StatusRow>(OPEN_INVOICES);
  const cursors = await database.query<CursorRow>(CURSORS);
  return {
    webhooksPending: Number(counts.webhooks_pending),
    oldestDueWebhookSeconds: Math.max(0, counts.oldest_due_seconds ?? 0),
    webhooksHeldBack: Number(counts.webhooks_held_back),
    circuitsByState: byStatus(circuits),
    depositsToScreen: Number(counts.to_screen),
    straysOpen: Number(counts.strays),
    heldOpen: Number(counts.held),
    payoutsByStatus: byStatus(payouts),
    payoutsHeld: Number(counts.payouts_held),
    payoutsWaiting: byStatus(waiting),
    signingStopped: counts.signing_stopped,
    invoicesByStatus: byStatus(invoices),
    cursors: cursors.map((row) => ({
      chain: row.chain,
      height: Number(row.height),
      seenUntil: row.seen_until,
    })),
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

function byStatus(rows: readonly StatusRow[]): Readonly<Record<string, number>> {
  return Object.fromEntries(rows.map(({ status, rows: count }) => [status, Number(count)]));
}
