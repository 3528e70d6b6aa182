/**
 * Arrived deposits: they wait for the risk check, or for a price that decides whether their invoice
 * is deferred.
 */
import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { deposits as d } from '../schema/addresses.ts';
import { equals } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { ledgerEntries as e } from '../schema/ledger.ts';
import { statement } from '../statement.ts';
import { like, listOf, notNull, nullable, value } from '../statement-parts.ts';

const h = alias(d, 'h');

// domain/invoices/invoice.ts, isDeferred and isLeftBehind, over the invoices of arrived deposits;
// processed_at marks an ended invoice.
const DEFERRED = sql`(${i.pendingUnits} > 0 and ${i.pendingUnits} < ${i.deferralUnits}
  and (${i.creditedUnits} + ${i.pendingUnits}) * 1000000 < ${i.dueUnits} * (1000000 - ${i.tolerancePpm})
  and (${i.acceptedUnits} is null or ${i.creditedUnits} + ${i.pendingUnits} < ${i.acceptedUnits}))`;
const NOT_DEFERRED = sql`not ${DEFERRED}`;
const LEFT_BEHIND = sql`(${equals(i.status, 'high_risk')} and ${DEFERRED}
  and not exists (select from ${d} ${h} where ${h.invoiceId} = ${i.id} and ${equals(h.status, 'held')}))`;
const HAS_ENDED = sql`(${i.processedAt} is not null and not ${equals(i.status, 'high_risk')})`;
const OLDEST = like(d.firstSeenAt, sql`min(${d.firstSeenAt})`);

export const TO_SCREEN = statement({
  given: {
    limit: value<number>('bigint'),
    afterAt: nullable(d.firstSeenAt),
    afterId: nullable(i.id),
    priced: listOf(d.asset),
  },
  selects: { invoiceId: notNull(d.invoiceId), firstSeenAt: OLDEST },
  text: ({ limit, afterAt, afterId, priced }, select) => sql`
    select ${select} from ${d} join ${i} on ${i.id} = ${d.invoiceId}
    where ${equals(d.status, 'arrived')} and (${HAS_ENDED} or ${LEFT_BEHIND} or (${d.asset} = any (${priced}) and ${NOT_DEFERRED}))
    group by ${d.invoiceId} having (${OLDEST}, ${d.invoiceId}) > (${afterAt}, ${afterId})
    order by ${OLDEST}, ${d.invoiceId} limit ${limit}`,
});

export const WAITING_FOR_PRICE = statement({
  given: { priced: listOf(d.asset) },
  selects: { asset: d.asset, since: like(e.at, sql`min(${e.at})`) },
  text: ({ priced }, select) => sql`
    select ${select} from ${d} join ${i} on ${i.id} = ${d.invoiceId}
    join ${e} on ${e.depositId} = ${d.id} and ${equals(e.kind, 'deposit_arrived')} and ${e.reversedBy} is null
    where ${equals(d.status, 'arrived')} and ${d.asset} <> all (${priced})
      and not ${HAS_ENDED} and ${NOT_DEFERRED}
    group by ${d.asset} order by ${d.asset}`,
});
