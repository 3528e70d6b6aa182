/** The gauges of the operators' metrics. They read partial indexes, never whole tables. */
import { type SQL, sql } from 'drizzle-orm';
import { UTXO_FAMILIES } from '../../domain/catalog/family.ts';
import type { OperatorMetrics, WaitingWork } from '../../ports/operator-queries.ts';
import type { Sql } from './client/sql.ts';
import { theOnly } from './client/statements.ts';
import { STILL_PAYABLE } from './invoices/expiry.ts';
import { deposits as d } from './schema/addresses.ts';
import { chainCursors as c } from './schema/chains.ts';
import { equals, literals, oneOf } from './schema/columns.ts';
import {
  operatorNoticeDeliveries as messages,
  newestBackup,
  operatorNotices as notices,
} from './schema/console/notices.ts';
import { invoices as i } from './schema/invoices.ts';
import { signingSwitch, utxos } from './schema/outgoing.ts';
import { payouts as p } from './schema/payouts.ts';
import { webhookQueue as q, webhookCircuits as r } from './schema/webhooks.ts';
import { statement } from './statement.ts';
import { like, notNull, value } from './statement-parts.ts';
import { IS_SHUT } from './webhooks/webhook-circuits.ts';

const SILENT = sql`array(select ${r.destination} from ${r} where ${IS_SHUT})`;
const IS_OPEN_PAYOUT = oneOf(p.status, ['pending', 'processing']);
const depositsIn = (status: (typeof d.status)['_']['data']): SQL =>
  sql`(select count(*) from ${d} where ${equals(d.status, status)})`;
const counted = (name: string): SQL<number> => sql`${sql.identifier(name)}`.mapWith(Number);
// Money without a tag, where deposits are pooled, is stray as well; funding of UTXO chains is
// booked automatically.
const COUNTS = statement({
  given: { now: value<Date>('timestamptz') },
  selects: {
    webhooksPending: counted('webhooks_pending'),
    oldestDueSeconds: sql<number | null>`oldest_due_seconds`,
    webhooksHeldBack: counted('webhooks_held_back'),
    depositsToScreen: counted('to_screen'),
    straysOpen: counted('strays'),
    heldOpen: counted('held'),
    payoutsHeld: counted('payouts_held'),
    signingStopped: sql<boolean>`signing_stopped`,
    noticesOpen: counted('notices_open'),
    noticesUnsent: counted('notices_unsent'),
    newestBackupAt: sql<Date | null>`newest_backup_at`,
  },
  text: ({ now }, select) => sql`
    select ${select} from (
      select
        (select count(*) from ${q} where ${q.deadAt} is null) as webhooks_pending,
        (select extract(epoch from ${now} - (
           select ${q.dueAt} from ${q} where ${q.deadAt} is null and ${q.destination} <> all (${SILENT})
           order by ${q.dueAt} limit 1))::float8) as oldest_due_seconds,
        (select count(*) from ${q}
         where ${q.deadAt} is null and ${q.dueAt} <= ${now} and ${q.destination} = any (${SILENT})) as webhooks_held_back,
        ${depositsIn('arrived')} as to_screen,
        ${depositsIn('stray')} + (
          select count(*) from ${utxos} where not ${utxos.booked} and ${utxos.blockHeight} is not null
            and ${utxos.chain} not in (${literals([...UTXO_FAMILIES])})) as strays,
        ${depositsIn('held')} as held,
        (select count(*) from ${p} where ${IS_OPEN_PAYOUT} and ${p.held} is not null) as payouts_held,
        exists (select from ${signingSwitch} where ${signingSwitch.stoppedAt} is not null) as signing_stopped,
        (select count(*) from ${notices} where ${equals(notices.status, 'open')}) as notices_open,
        (select count(*) from ${messages} where ${equals(messages.status, 'queued')}) as notices_unsent,
        (select ${newestBackup.at} from ${newestBackup}) as newest_backup_at) counts`,
});

const ROWS = sql`count(*)`.mapWith(Number);
const CIRCUITS = statement({
  selects: { status: r.state, rows: ROWS },
  text: (_given, select) => sql`select ${select} from ${r} group by ${r.state}`,
});
const PAYOUTS = statement({
  selects: { status: p.status, rows: ROWS },
  text: (_given, select) => sql`select ${select} from ${p} where ${IS_OPEN_PAYOUT} group by ${p.status}`,
});
const WAITING = statement({
  selects: { status: notNull(p.waitingCode), rows: ROWS },
  text: (_given, select) => sql`
    select ${select} from ${p} where ${IS_OPEN_PAYOUT} and ${p.waiting} is not null group by ${p.waitingCode}`,
});
const INVOICES = statement({
  selects: { status: i.status, rows: ROWS },
  text: (_given, select) => sql`
    select ${select} from ${i} where ${STILL_PAYABLE} group by ${i.status}
    union all
    select ${select} from ${i} where ${oneOf(i.status, ['confirming', 'high_risk'])} group by ${i.status}`,
});
// A quiet chain has an old tip, and this process has not yet read a chain to its tip that is still
// catching up.
const CURSORS = statement({
  selects: {
    chain: c.chain,
    height: c.height,
    seenUntil: like(c.coveredUntil, sql`greatest(${c.readAt}, ${c.coveredUntil})`),
  },
  text: (_given, select) => sql`select ${select} from ${c} order by ${c.chain}`,
});

/**
 * Payouts and invoices are counted while they are open: counting ended ones would read the whole
 * history.
 */
export async function operatorMetrics(on: Sql, now: Date): Promise<OperatorMetrics> {
  return {
    ...(await waiting(on, now)),
    circuitsByState: byStatus(await CIRCUITS(on)),
    payoutsByStatus: byStatus(await PAYOUTS(on)),
    invoicesByStatus: byStatus(await INVOICES(on)),
    cursors: await CURSORS(on),
  };
}

export function waitingWork(on: Sql, now: Date): Promise<WaitingWork> {
  return waiting(on, now);
}

async function waiting(on: Sql, now: Date) {
  const { oldestDueSeconds, ...counts } = theOnly(await COUNTS(on, { now }), 'counts');
  return {
    ...counts,
    oldestDueWebhookSeconds: Math.max(0, oldestDueSeconds ?? 0),
    payoutsWaiting: byStatus(await WAITING(on)),
  };
}

function byStatus(rows: readonly { status: string; rows: number }[]): Readonly<Record<string, number>> {
  return Object.fromEntries(rows.map(({ status, rows: count }) => [status, count]));
}
