/**
 * Reads of the API. Every statement is one snapshot, within one merchant and environment; lists are
 * in lists/lists.ts.
 */
import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { ListRefused, type Queries, type Scope } from '../../ports/list-queries.ts';
import { checkoutQueries } from './checkout/checkout-queries.ts';
import type { Reads } from './client/client.ts';
import { StatementTimedOut } from './client/pg-errors.ts';
import type { Sql } from './client/sql.ts';
import { isUuid } from './client/statements.ts';
import { INVOICE, invoiceFromRow } from './invoices/invoice-row.ts';
import { PERMANENT_ADDRESS } from './invoices/permanent-address-row.ts';
import { BALANCE } from './ledger/ledger-row.ts';
import { paymentLinkOf, paymentLinkPage, paymentLinkQueries } from './links/payment-links.ts';
import { everyRow } from './lists/every-row.ts';
import { listTurns, type TurnLimits } from './lists/list-turns.ts';
import {
  invoicePage,
  ledgerPage,
  notificationPage,
  payoutPage,
  permanentAddressPage,
} from './lists/lists.ts';
import { readsById } from './lists/reads-by-id.ts';
import { brandQueries } from './merchants/brands.ts';
import { merchantQueries } from './merchants/merchant-queries.ts';
import { MERCHANT } from './merchants/merchant-row.ts';
import { environmentOf } from './merchants/merchants.ts';
import { PAYOUT, payoutFromRow } from './payouts/payout-row.ts';
import { refundClaimQueries } from './payouts/refund-claims.ts';
import { permanentAddresses as p } from './schema/addresses.ts';
import { equals } from './schema/columns.ts';
import { invoices as i } from './schema/invoices.ts';
import { balances as b, apiKeys as k, merchants as m } from './schema/merchants.ts';
import { payouts, uniqIds as u } from './schema/payouts.ts';
import { statement } from './statement.ts';
import { listOf, nullable } from './statement-parts.ts';
import { eventsAfter } from './webhooks/events.ts';

const o = alias(k, 'o');
const IDENTITY = statement({
  given: { lookupHash: k.lookupHash, now: k.createdAt },
  selects: {
    ...MERCHANT,
    sandbox: k.sandbox,
    firstUse: sql<boolean>`${k.revokedAt} is null and ${k.firstUsedAt} is null and exists (
      select from ${k} o where ${o.merchantId} = ${k.merchantId} and ${o.sandbox} = ${k.sandbox}
        and ${o.livesUntil} is not null)`,
  },
  text: ({ lookupHash, now }, select) => sql`
    select ${select} from ${k} join ${m} on ${m.id} = ${k.merchantId}
    where ${k.lookupHash} = ${lookupHash} and (${k.revokedAt} is null or ${k.livesUntil} > ${now})`,
});
const KEY_HASHES = statement({
  given: { since: nullable(k.createdAt) },
  selects: { lookupHash: k.lookupHash },
  text: ({ since }, select) =>
    sql`select ${select} from ${k} where ${k.createdAt} >= coalesce(${since}, '-infinity')`,
});
const PERMANENT_ADDRESS_IN_SCOPE = statement({
  given: { id: p.id, merchantId: p.merchantId, sandbox: p.sandbox },
  selects: PERMANENT_ADDRESS,
  text: ({ id, merchantId, sandbox }, select) => sql`
    select ${select} from ${p}
    where ${p.id} = ${id} and ${p.merchantId} = ${merchantId} and ${p.sandbox} = ${sandbox}`,
});
const INVOICES_BY_ID = statement({
  given: { ids: listOf(i.id) },
  selects: INVOICE,
  text: ({ ids }, select) => sql`select ${select} from ${i} where ${i.id} = any (${ids})`,
});
const INVOICE_BY_EXTERNAL_ID = statement({
  given: { externalId: i.externalId },
  selects: INVOICE,
  text: ({ externalId }, select) => sql`select ${select} from ${i} where ${i.externalId} = ${externalId}`,
});
const BALANCE_IN_SCOPE = statement({
  given: { merchantId: b.merchantId, sandbox: b.sandbox },
  selects: BALANCE,
  text: ({ merchantId, sandbox }, select) =>
    sql`select ${select} from ${b} where ${b.merchantId} = ${merchantId} and ${b.sandbox} = ${sandbox}`,
});
// Without refunds: an operator orders them, and the merchant sees them in the ledger.
const PAYOUT_IN_SCOPE = statement({
  given: { id: payouts.id, merchantId: payouts.merchantId, sandbox: payouts.sandbox },
  selects: PAYOUT,
  text: ({ id, merchantId, sandbox }, select) => sql`
    select ${select} from ${payouts}
    where ${payouts.id} = ${id} and ${payouts.merchantId} = ${merchantId} and ${payouts.sandbox} = ${sandbox}
      and ${equals(payouts.kind, 'payout')}`,
});
const PAYOUT_BY_UNIQ_ID = statement({
  given: { uniqId: u.uniqId, merchantId: u.merchantId, sandbox: u.sandbox },
  selects: PAYOUT,
  text: ({ uniqId, merchantId, sandbox }, select) => sql`
    select ${select} from ${payouts} where ${equals(payouts.kind, 'payout')} and ${payouts.id} = (
      select ${u.orderId} from ${u}
      where ${u.uniqId} = ${uniqId} and ${u.merchantId} = ${merchantId} and ${u.sandbox} = ${sandbox})`,
});

const USED_UNIQ_ID = statement({
  given: { uniqId: u.uniqId, merchantId: u.merchantId, sandbox: u.sandbox },
  selects: { orderId: u.orderId, batchId: u.batchId },
  text: ({ uniqId, merchantId, sandbox }, select) => sql`
    select ${select} from ${u}
    where ${u.merchantId} = ${merchantId} and ${u.sandbox} = ${sandbox} and ${u.uniqId} = ${uniqId}`,
});

/**
 * At most two lists of a merchant at a time; others wait for up to a second, longer than nearly all
 * of them take.
 */
const LIST_TURNS: TurnLimits = { atOnce: 2, waitingMax: 100, waitMs: 1_000 };
/** A whole list that waits between reads has already sent a part of its response. */
const PATIENT_MS = 20_000;

/**
 * `lists` are separate connections: reads of lists take none from writes. `primaryLists` are
 * those of them that never lead to a replica.
 */
export function postgresQueries(database: Sql, lists: Reads, primaryLists: Sql = lists): Queries {
  const turns = listTurns(LIST_TURNS);
  const list = <Made>(scope: Scope, make: () => Promise<Made>, waitMs?: number): Promise<Made> =>
    turns(
      scope.merchantId,
      () =>
        make().catch((error: unknown) => {
          throw error instanceof StatementTimedOut ? new ListRefused('slow') : error;
        }),
      waitMs,
    );
  const invoiceRow = readsById((ids) => INVOICES_BY_ID(database, { ids }));
  return {
    ...brandQueries(database),

    async identity(lookupHash, now) {
      const [row] = await IDENTITY(database, { lookupHash, now });
      if (row === undefined) return null;
      const { sandbox, firstUse, ...merchant } = row;
      return { merchant, environment: environmentOf(sandbox), firstUse };
    },

    async keyHashes(since) {
      return (await KEY_HASHES(database, { since })).map(({ lookupHash }) => lookupHash);
    },

    async invoice(scope, id) {
      const row = await invoiceRow(id);
      return row?.merchantId === scope.merchantId && row.sandbox === scope.sandbox
        ? invoiceFromRow(row)
        : null;
    },

    async invoiceByExternalId(externalId) {
      if (!isUuid(externalId)) return null;
      const [row] = await INVOICE_BY_EXTERNAL_ID(database, { externalId });
      return row ? invoiceFromRow(row) : null;
    },

    ...merchantQueries(database),
    ...checkoutQueries(database, lists),
    ...paymentLinkQueries(database),
    ...refundClaimQueries(database),
    async payout({ merchantId, sandbox }, id) {
      const [row] = await PAYOUT_IN_SCOPE(database, { id, merchantId, sandbox });
      return row ? payoutFromRow(row) : null;
    },

    async usedUniqId({ merchantId, sandbox }, uniqId) {
      const [row] = await USED_UNIQ_ID(database, { merchantId, sandbox, uniqId });
      if (row === undefined) return null;
      return row.orderId === null ? { batch_id: row.batchId ?? '' } : { order_id: row.orderId };
    },

    async payoutByUniqId({ merchantId, sandbox }, uniqId) {
      const [row] = await PAYOUT_BY_UNIQ_ID(database, { uniqId, merchantId, sandbox });
      return row ? payoutFromRow(row) : null;
    },

    permanentAddress: async ({ merchantId, sandbox }, id) =>
      (await PERMANENT_ADDRESS_IN_SCOPE(database, { id, merchantId, sandbox }))[0] ?? null,

    paymentLink: (scope, id) => paymentLinkOf(database, scope, id),

    async balance({ merchantId, sandbox }) {
      const [found] = await BALANCE_IN_SCOPE(database, { merchantId, sandbox });
      return found ?? { incomeMicroUsd: 0n, payoutsMicroUsd: 0n, refundsMicroUsd: 0n };
    },

    invoices: (scope, filter, sort, page) =>
      list(scope, () => invoicePage(lists, { scope, filter, sort, page })),
    payouts: (scope, filter, sort, page) =>
      list(scope, () => payoutPage(lists, { scope, filter, sort, page })),
    permanentAddresses: (scope, filter, page) =>
      list(scope, () => permanentAddressPage(lists, { scope, filter, page })),
    paymentLinks: (scope, page) => list(scope, () => paymentLinkPage(lists, scope, page)),
    ledger: (scope, filter, page) => list(scope, () => ledgerPage(lists, { scope, filter, page })),
    notifications: (scope, filter, page) =>
      list(scope, () => notificationPage(lists, { scope, filter, page })),
    every: everyRow((scope, make) => list(scope, () => make(lists), PATIENT_MS)),
    // A reader of events keeps its place. A replica may show events that a failover takes back, and
    // then others would have their numbers.
    events: (scope, of) => list(scope, () => eventsAfter(primaryLists, scope, of)),
  };
}
