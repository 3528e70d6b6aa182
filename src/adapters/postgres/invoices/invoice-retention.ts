/** Removes invoices that expired unpaid, in small sets, by an index of their own. */
import { type SQL, sql } from 'drizzle-orm';
import { REMOVED } from '../../../domain/console/day-figure.ts';
import type { InvoiceRetention } from '../../../ports/invoices/invoice-retention.ts';
import { seekOnly } from '../client/by-index.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { CHAIN_NAMES } from '../lists/conditions.ts';
import { noteRemoved } from '../lists/removed-numbers.ts';
import { addresses as a, deposits as d } from '../schema/addresses.ts';
import { literals, oneOf } from '../schema/columns.ts';
import { dayFigureChanges as f } from '../schema/console/figures.ts';
import { invoices as i, isExpiredUnpaid } from '../schema/invoices.ts';
import { ledgerEntries as e } from '../schema/ledger.ts';
import { customerMails as m } from '../schema/mails.ts';
import { payouts as p } from '../schema/payouts.ts';
import { refundClaims as c } from '../schema/refund-claims.ts';
import { webhookDeliveries as w, webhookAttempts as x } from '../schema/webhooks.ts';
import { statement } from '../statement.ts';
import { insertSelect, listOf, names, notNull, value } from '../statement-parts.ts';

const LOOK = statement({
  given: { before: i.processedAt, afterAt: i.processedAt, afterId: i.id, limit: value<number>('bigint') },
  selects: { id: i.id, expiredAt: notNull(i.processedAt) },
  text: ({ before, afterAt, afterId, limit }, select) => sql`
    select ${select} from ${i}
    where ${isExpiredUnpaid(i)} and (${i.processedAt}, ${i.id}) > (${afterAt}, ${afterId}) and ${i.processedAt} < ${before}
    order by ${i.processedAt}, ${i.id} limit ${limit}`,
});

// Each by an index. The foreign keys of the first five say the same once more.
const IS_NAMED = sql.join(
  [
    sql`exists (select from ${d} where ${d.invoiceId} = ${i.id})`,
    sql`exists (select from ${p} where ${p.invoiceId} = ${i.id})`,
    sql`exists (select from ${c} where ${c.invoiceId} = ${i.id})`,
    sql`exists (select from ${m} where ${m.invoiceId} = ${i.id})`,
    sql`exists (select from ${w} where ${w.invoiceId} = ${i.id})`,
    sql`exists (select from ${x} where ${x.invoiceId} = ${i.id})`,
    sql`exists (select from ${e} where ${e.referenceId} = ${i.id})`,
    sql`exists (
      select from ${a} join ${d} on ${oneOf(d.chain, CHAIN_NAMES)} and ${d.address} = ${a.address}
      where ${a.invoiceId} = ${i.id})`,
  ],
  sql` or `,
);
const isRemovable = (ids: SQL) => sql`
  ${i.id} = any (${ids}) and ${isExpiredUnpaid(i)} and ${i.pendingUnits} = 0 and ${i.creditedUnits} = 0
  and ${i.heldUnits} = 0 and not (${IS_NAMED})`;

const LOCK = statement({
  given: { ids: listOf(i.id) },
  selects: { id: i.id },
  text: ({ ids }, select) => sql`
    select ${select} from ${i} where ${isRemovable(ids)} order by ${i.id} for update of ${i} skip locked`,
});
// It asks again under the lock: what somebody wrote before the lock is visible to this statement.
const REMOVE = statement({
  given: { ids: listOf(i.id) },
  selects: { removed: sql`count(*)`.mapWith(Number) },
  text: ({ ids }, select) => sql`
    with gone as materialized (
      select ${i.id}, ${i.merchantId}, ${i.sandbox}, ${i.seq}, ${i.createdAt} from ${i} where ${isRemovable(ids)}),
    summed as (
      ${insertSelect(f, {
        ...{ merchantId: sql`merchant_id`, sandbox: sql`sandbox` },
        ...{ day: sql`(created_at at time zone 'UTC')::date`, figure: sql`${literals(['invoices'])}` },
        ...{ label: sql`${literals([REMOVED])}`, count: sql`count(*)` },
        ...{ units: sql`0`, microUsd: sql`0`, feeMicroUsd: sql`0` },
      })}
      from gone group by 1, 2, 3),
    removed as (delete from ${i} where ${i.id} = any (array(select ${names(i.id)} from gone))),
    noted as (${noteRemoved(sql`gone`)})
    select ${select} from gone`,
});

export function invoiceRetention(on: Sql): InvoiceRetention {
  return {
    // Plans from when the tables were small would read all of them.
    async expiredUnpaid({ from, before }, { after, limit }) {
      await seekOnly(on);
      const place = { afterAt: after?.expiredAt ?? from, afterId: after?.id ?? '' };
      return LOOK(on, { ...place, before, limit });
    },
    async removeUnpaid(of) {
      await seekOnly(on);
      const ids = (await LOCK(on, { ids: of })).map(({ id }) => id);
      if (ids.length === 0) return 0;
      return theOnly(await REMOVE(on, { ids }), 'a count of removed rows').removed;
    },
  };
}
