/** The records about one invoice or payout, in one snapshot. Each list is read by its index. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import {
  type DeliveryFact,
  FACTS_MAX,
  type TimelineQueries,
} from '../../../ports/console/timeline-queries.ts';
import type { Scope } from '../../../ports/list-queries.ts';
import type { Database } from '../client/client.ts';
import type { Sql } from '../client/sql.ts';
import { DEPOSIT, depositFromRow } from '../deposits/deposit-row.ts';
import { INVOICE, invoiceFromRow } from '../invoices/invoice-row.ts';
import { CHAIN_NAMES } from '../lists/conditions.ts';
import { PAYOUT, payoutFromRow } from '../payouts/payout-row.ts';
import { addresses as a, deposits as d } from '../schema/addresses.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { ledgerEntries as e, ledgerPostings as l } from '../schema/ledger.ts';
import { customerMails as m } from '../schema/mails.ts';
import { signedTransactions as s, outgoingTransfers as t } from '../schema/outgoing.ts';
import { payouts as p } from '../schema/payouts.ts';
import { refundClaims as c } from '../schema/refund-claims.ts';
import { webhookQueue as q, webhookDeliveries as w, webhookAttempts as x } from '../schema/webhooks.ts';
import { type RowOf, statement } from '../statement.ts';
import { like, listOf, nullable, outer } from '../statement-parts.ts';
import { eventTold } from '../webhooks/stored-body.ts';

const MOST = sql`limit ${sql.raw(String(FACTS_MAX))}`;

const GIVEN_SCOPE = { merchantId: nullable(i.merchantId), sandbox: nullable(i.sandbox) };
const within = (of: { readonly merchantId: SQL; readonly sandbox: SQL }, row: typeof i | typeof p) => sql`
  (${of.merchantId} is null or (${row.merchantId} = ${of.merchantId} and ${row.sandbox} = ${of.sandbox}))`;

const FIND_INVOICE = statement({
  given: { id: i.id, ...GIVEN_SCOPE },
  selects: INVOICE,
  text: ({ id, ...of }, select) => sql`select ${select} from ${i} where ${i.id} = ${id} and ${within(of, i)}`,
});
// Refunds are the operator's: a merchant reads of them on the time line of the invoice.
const FIND_PAYOUT = statement({
  given: { id: p.id, ...GIVEN_SCOPE },
  selects: PAYOUT,
  text: ({ id, ...of }, select) => sql`
    select ${select} from ${p} where ${p.id} = ${id} and ${within(of, p)}
      and (${of.merchantId} is null or ${equals(p.kind, 'payout')})`,
});

const ISSUED = statement({
  given: { id: a.invoiceId },
  selects: { family: a.family, address: a.address, issuedAt: a.issuedAt },
  text: ({ id }, select) => sql`
    select ${select} from ${a} where ${a.invoiceId} = ${id} order by ${a.issuedAt}, ${a.family} ${MOST}`,
});
const DEPOSITS = statement({
  given: { id: d.invoiceId },
  selects: DEPOSIT,
  text: ({ id }, select) => sql`
    select ${select} from ${d} where ${d.invoiceId} = ${id} order by ${d.firstSeenAt} desc, ${d.id} desc ${MOST}`,
});
const UNMATCHED = statement({
  given: { addresses: listOf(d.address) },
  selects: DEPOSIT,
  text: ({ addresses }, select) => sql`
    select ${select} from ${d}
    where ${oneOf(d.chain, CHAIN_NAMES)} and ${d.address} = any (${addresses}) and ${d.invoiceId} is null
    order by ${d.firstSeenAt} desc, ${d.id} desc ${MOST}`,
});
const ENTRIES = statement({
  given: { references: listOf(e.referenceId) },
  selects: {
    ...{ kind: e.kind, referenceId: e.referenceId, depositId: e.depositId, at: e.at },
    microUsd: like(
      l.amount,
      sql`coalesce((select -sum(${l.amount}) from ${l}
        where ${l.entryId} = ${e.id} and ${equals(l.account, 'merchant')}), 0)`,
    ),
  },
  text: ({ references }, select) => sql`
    select ${select} from ${e} where ${e.referenceId} = any (${references})
    order by ${e.at} desc, ${e.referenceId}, ${e.ordinal} desc ${MOST}`,
});

const DELIVERY = {
  ...{ id: w.id, url: w.url, eventAt: w.eventAt },
  type: eventTold(w),
  ...outer({ dueAt: q.dueAt, attempts: q.attempts, deadAt: q.deadAt }),
};
const DELIVERIES_OF_INVOICE = statement({
  given: { id: w.invoiceId },
  selects: DELIVERY,
  text: ({ id }, select) => sql`
    select ${select} from ${w} left join ${q} on ${q.deliveryId} = ${w.id}
    where ${w.invoiceId} = ${id} and ${w.invoiceVersion} is not null order by ${w.invoiceVersion} desc ${MOST}`,
});
const DELIVERIES_OF_PAYOUT = statement({
  given: { id: w.payoutId },
  selects: DELIVERY,
  text: ({ id }, select) => sql`
    select ${select} from ${w} left join ${q} on ${q.deliveryId} = ${w.id}
    where ${w.payoutId} = ${id} order by ${w.eventSeq} desc ${MOST}`,
});

const ATTEMPT = {
  ...{ url: x.url, statusCode: x.statusCode, responseBody: x.responseBody },
  ...{ attempt: x.attempt, sentAt: x.sentAt },
};
const ATTEMPTS_OF_INVOICE = statement({
  given: { id: x.invoiceId },
  selects: ATTEMPT,
  text: ({ id }, select) => sql`
    select ${select} from ${x} where ${x.invoiceId} = ${id} order by ${x.seq} desc ${MOST}`,
});
const ATTEMPTS_OF_DELIVERIES = statement({
  given: { ids: listOf(w.id) },
  selects: ATTEMPT,
  text: ({ ids }, select) => sql`
    select ${select} from ${x} where ${x.invoiceId} is null and ${x.deliveryId} = any (${ids})
    order by ${x.seq} desc ${MOST}`,
});

const CLAIMS = statement({
  given: { id: c.invoiceId },
  selects: getTableColumns(c),
  text: ({ id }, select) => sql`
    select ${select} from ${c} where ${c.invoiceId} = ${id} order by ${c.id} desc ${MOST}`,
});
const REFUNDS = statement({
  given: { id: p.invoiceId, claims: listOf(c.id) },
  selects: PAYOUT,
  text: ({ id, claims }, select) => sql`
    select ${select} from ${p} where ${p.id} = any (array(
      select ${p.id} from ${p} where ${p.invoiceId} = ${id}
      union select ${p.id} from ${p} where ${p.refundClaimId} = any (${claims})))
    order by ${p.id} desc ${MOST}`,
});
const MAILS = statement({
  given: { id: m.invoiceId },
  selects: getTableColumns(m),
  text: ({ id }, select) => sql`
    select ${select} from ${m} where ${m.invoiceId} = ${id} order by ${m.createdAt} desc, ${m.id} desc ${MOST}`,
});

const TRANSFERS = statement({
  given: { id: t.referenceId },
  selects: { at: t.createdAt, transferBatchId: t.transferBatchId },
  text: ({ id }, select) => sql`
    select ${select} from ${t} where ${t.referenceId} = ${id} and ${equals(t.purpose, 'payout')}
    order by ${t.id} desc ${MOST}`,
});
const SIGNED = statement({
  given: { batches: listOf(s.transferBatchId) },
  selects: {
    ...{ txid: s.txid, ordinal: s.ordinal, voids: s.voids },
    ...{ signedAt: s.signedAt, broadcastAt: s.broadcastAt },
  },
  text: ({ batches }, select) => sql`
    select ${select} from ${s} where ${s.transferBatchId} = any (${batches})
    order by ${s.signedAt} desc, ${s.ordinal} desc, ${s.txid} ${MOST}`,
});

export function timelineQueries(lists: Pick<Database, 'snapshot'>): TimelineQueries {
  return {
    invoiceFacts: (scope, id) =>
      lists.snapshot(async (on) => {
        const [row] = await FIND_INVOICE(on, { id, ...placed(scope) });
        if (row === undefined) return null;
        const issued = await ISSUED(on, { id });
        const addresses = issued.map(({ address }) => address);
        const unmatched = oldestFirst(await UNMATCHED(on, { addresses })).map(depositFromRow);
        const claims = oldestFirst(await CLAIMS(on, { id }));
        const references = [id, ...unmatched.map((deposit) => deposit.id)];
        return {
          invoice: invoiceFromRow(row),
          ...{ issued, unmatched, claims },
          deposits: oldestFirst(await DEPOSITS(on, { id })).map(depositFromRow),
          entries: oldestFirst(await ENTRIES(on, { references })),
          deliveries: oldestFirst(await DELIVERIES_OF_INVOICE(on, { id })).map(deliveryFromRow),
          attempts: oldestFirst(await ATTEMPTS_OF_INVOICE(on, { id })),
          refunds: oldestFirst(await REFUNDS(on, { id, claims: claims.map((claim) => claim.id) })).map(
            payoutFromRow,
          ),
          mails: oldestFirst(await MAILS(on, { id })),
        };
      }),
    payoutFacts: (scope, id) =>
      lists.snapshot(async (on) => {
        const [row] = await FIND_PAYOUT(on, { id, ...placed(scope) });
        if (row === undefined) return null;
        return { payout: payoutFromRow(row), ...(await aboutPayout(on, id)) };
      }),
  };
}

async function aboutPayout(on: Sql, id: string) {
  const transfers = oldestFirst(await TRANSFERS(on, { id }));
  const batches = [...new Set(transfers.map(({ transferBatchId }) => transferBatchId))];
  const deliveries = oldestFirst(await DELIVERIES_OF_PAYOUT(on, { id })).map(deliveryFromRow);
  const attempts = await ATTEMPTS_OF_DELIVERIES(on, { ids: deliveries.map((one) => one.id) });
  return {
    entries: oldestFirst(await ENTRIES(on, { references: [id] })),
    allocatedAt: transfers.map(({ at }) => at),
    signed: oldestFirst(await SIGNED(on, { batches })),
    deliveries,
    attempts: oldestFirst(attempts),
  };
}

/** All are read newest first, so that a long list loses the oldest. */
const oldestFirst = <Row>(rows: readonly Row[]): readonly Row[] => rows.toReversed();

const placed = (scope: Scope | null) => ({
  merchantId: scope?.merchantId ?? null,
  sandbox: scope?.sandbox ?? null,
});

function deliveryFromRow({ dueAt, attempts, deadAt, ...row }: RowOf<typeof DELIVERY>): DeliveryFact {
  const queued = dueAt === null || attempts === null ? null : { dueAt, attempts, deadAt };
  return { ...row, queued };
}
