/**
 * What needs a merchant's attention, each kind by an index of its own. Totals are counted in the
 * indexes: what a standing refund claim settles is counted apart, from the claims, which are few.
 */
import { type SQL, sql } from 'drizzle-orm';
import {
  ATTENTION_CODES,
  ATTENTION_OF_STRAY,
  type AttentionCode,
} from '../../../domain/console/attention.ts';
import { STRAY_REASON_CODES, type StrayReason } from '../../../domain/deposits/stray-reason.ts';
import {
  ATTENTION_REACH,
  type AttentionCase,
  type AttentionQueries,
} from '../../../ports/console/attention-queries.ts';
import type { Scope } from '../../../ports/list-queries.ts';
import type { Sql } from '../client/sql.ts';
import { deposits as d } from '../schema/addresses.ts';
import { equals, lastChange, literals, oneOf } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { payouts as p } from '../schema/payouts.ts';
import { refundClaims as c } from '../schema/refund-claims.ts';
import { webhookQueue as q, webhookDeliveries as w } from '../schema/webhooks.ts';
import { type PlacesOf, statement, statementsBy } from '../statement.ts';
import { like, value } from '../statement-parts.ts';

const GIVEN = { merchantId: i.merchantId, sandbox: i.sandbox, from: i.createdAt };
type Places = Pick<PlacesOf<typeof GIVEN>, 'merchantId' | 'sandbox'> & { readonly from: SQL };
type Of = { readonly merchantId: unknown; readonly sandbox: unknown };

const within = (t: Of, { merchantId, sandbox }: Places): SQL =>
  sql`${t.merchantId} = ${merchantId} and ${t.sandbox} = ${sandbox}`;
const code = (of: AttentionCode) => literals([of]);
/** A claim that settles what it is about, or will. */
const standing = oneOf(c.status, ['open', 'confirmed', 'sent', 'paid']);
const isClaimed = (fits: SQL): SQL => sql`exists (select from ${c} where ${fits} and ${standing})`;

const CODE_OF_STRAY = sql`case ${d.strayReason} ${sql.join(
  STRAY_REASON_CODES.map(
    (reason) => sql`when ${literals([reason])} then ${code(ATTENTION_OF_STRAY[reason])}`,
  ),
  sql` `,
)} end`;
const reasonsOf = (of: AttentionCode) =>
  STRAY_REASON_CODES.filter((reason) => ATTENTION_OF_STRAY[reason] === of);

interface Kind {
  readonly codes: readonly AttentionCode[];
  /** Rows of the scope with columns of CASE, without order. */
  cases(of: Places, wanted: AttentionCode | null): SQL;
  readonly since: SQL;
  readonly id: SQL;
  /** `code, count`, and rows with a negative count for what is settled. */
  counts(of: Places): SQL;
}

/** The order is that of CASE. */
const row = (of: Partial<Record<keyof AttentionCase, SQL>> & { code: SQL; since: SQL }, id: SQL): SQL => sql`
  ${of.code} as code, ${of.since} as since, ${id} as id, ${of.invoiceId ?? sql`null`} as invoice_id,
  ${of.depositId ?? sql`null`} as deposit_id, ${of.payoutId ?? sql`null`} as payout_id,
  ${of.claimId ?? sql`null`} as claim_id, ${of.deliveryId ?? sql`null`} as delivery_id, ${of.strayReason ?? sql`null`} as stray_reason,
  ${of.asset ?? sql`null`} as asset, ${of.units ?? sql`null::numeric`} as units`;

const CHANGED = lastChange(i);
function ofInvoices(its: AttentionCode, statuses: SQL, units: SQL): Kind {
  const fits = (of: Places) => sql`${within(i, of)} and ${statuses} and ${CHANGED} >= ${of.from}`;
  return {
    codes: [its],
    since: CHANGED,
    id: sql`${i.id}`,
    cases: (of) => sql`
      select ${row(
        { code: code(its), since: CHANGED, invoiceId: sql`${i.id}`, asset: sql`${i.asset}`, units },
        sql`${i.id}`,
      )}
      from ${i} where ${fits(of)} and not ${isClaimed(sql`${c.invoiceId} = ${i.id} and ${c.depositId} is null`)}`,
    counts: (of) => sql`
      select ${code(its)} as code, count(*) as count from ${i} where ${fits(of)}
      union all
      select ${code(its)}, -count(distinct ${i.id}) from ${c} join ${i} on ${i.id} = ${c.invoiceId}
      where ${within(c, of)} and ${standing} and ${c.depositId} is null and ${fits(of)}`,
  };
}

const UNMATCHED: Kind = {
  codes: [...new Set(Object.values(ATTENTION_OF_STRAY))],
  since: sql`${d.firstSeenAt}`,
  id: sql`${d.id}`,
  cases: (of, wanted) => sql`
    select ${row(
      {
        ...{ code: CODE_OF_STRAY, since: sql`${d.firstSeenAt}`, invoiceId: sql`${d.invoiceId}` },
        ...{ depositId: sql`${d.id}`, strayReason: sql`${d.strayReason}` },
        ...{ asset: sql`${d.asset}`, units: sql`${d.units}` },
      },
      sql`${d.id}`,
    )}
    from ${d} where ${within(d, of)} and ${equals(d.status, 'stray')}
      ${wanted === null ? sql`` : sql`and ${oneOf(d.strayReason, reasonsOf(wanted))}`}
      and not ${isClaimed(sql`${c.depositId} = ${d.id}`)}`,
  counts: (of) => sql`
    select ${CODE_OF_STRAY} as code, count(*) as count from ${d}
    where ${within(d, of)} and ${equals(d.status, 'stray')} group by 1
    union all
    select ${CODE_OF_STRAY}, -count(distinct ${d.id}) from ${c} join ${d} on ${d.id} = ${c.depositId}
    where ${within(c, of)} and ${standing} and ${equals(d.status, 'stray')} group by 1`,
};

/** Rows that nothing settles but a change of their own. */
function plain(
  its: AttentionCode,
  t: SQL,
  fits: (of: Places) => SQL,
  columns: Omit<Parameters<typeof row>[0], 'code'>,
  id: SQL,
): Kind {
  return {
    codes: [its],
    since: columns.since,
    id,
    cases: (of) => sql`select ${row({ ...columns, code: code(its) }, id)} from ${t} where ${fits(of)}`,
    counts: (of) => sql`select ${code(its)} as code, count(*) as count from ${t} where ${fits(of)}`,
  };
}

const GIVEN_UP_FITS = (of: Places) => sql`
  ${within(q, of)} and ${q.deadAt} is not null and ${q.deadAt} >= ${of.from}`;
const GIVEN_UP: Kind = {
  codes: ['webhook_given_up'],
  since: sql`${q.deadAt}`,
  id: sql`${q.deliveryId}`,
  cases: (of) => sql`
    select ${row(
      {
        ...{ code: code('webhook_given_up'), since: sql`${q.deadAt}`, deliveryId: sql`${q.deliveryId}` },
        ...{ invoiceId: sql`${w.invoiceId}`, payoutId: sql`${w.payoutId}` },
      },
      sql`${q.deliveryId}`,
    )}
    from ${q} join ${w} on ${w.id} = ${q.deliveryId} where ${GIVEN_UP_FITS(of)}`,
  counts: (of) => sql`
    select ${code('webhook_given_up')} as code, count(*) as count from ${q} where ${GIVEN_UP_FITS(of)}`,
};

const KINDS: readonly Kind[] = [
  GIVEN_UP,
  ofInvoices(
    'partial',
    oneOf(i.status, ['partially_paid', 'cancelled']),
    sql`${i.dueUnits} - ${i.creditedUnits}`,
  ),
  ofInvoices('over', equals(i.status, 'paid_over'), sql`${i.creditedUnits} - ${i.dueUnits}`),
  UNMATCHED,
  plain(
    'high_risk',
    sql`${d}`,
    (of) => sql`${within(d, of)} and ${equals(d.status, 'held')}`,
    {
      ...{ since: sql`${d.firstSeenAt}`, invoiceId: sql`${d.invoiceId}`, depositId: sql`${d.id}` },
      ...{ asset: sql`${d.asset}`, units: sql`${d.units}` },
    },
    sql`${d.id}`,
  ),
  plain(
    'refund_open',
    sql`${c}`,
    (of) => sql`${within(c, of)} and ${equals(c.status, 'open')}`,
    {
      ...{ since: sql`${c.createdAt}`, invoiceId: sql`${c.invoiceId}`, depositId: sql`${c.depositId}` },
      ...{ claimId: sql`${c.id}`, asset: sql`${c.asset}`, units: sql`${c.units}` },
    },
    sql`${c.id}`,
  ),
  plain(
    'held_payout',
    sql`${p}`,
    (of) => sql`${within(p, of)} and ${p.held} is not null and ${p.seq} is not null`,
    {
      ...{ since: sql`${p.createdAt}`, payoutId: sql`${p.id}` },
      ...{ asset: sql`${p.asset}`, units: sql`${p.amountUnits}` },
    },
    sql`${p.id}`,
  ),
  plain(
    'failed_payout',
    sql`${p}`,
    (of) => sql`
      ${within(p, of)} and ${equals(p.status, 'failed')} and ${p.seq} is not null and ${p.processedAt} >= ${of.from}`,
    {
      ...{ since: sql`${p.processedAt}`, payoutId: sql`${p.id}` },
      ...{ asset: sql`${p.asset}`, units: sql`${p.amountUnits}` },
    },
    sql`${p.id}`,
  ),
];

const CASE = {
  code: sql<AttentionCode>`code`,
  since: like(i.createdAt, sql`since`),
  invoiceId: sql<string | null>`invoice_id`,
  depositId: sql<string | null>`deposit_id`,
  payoutId: sql<string | null>`payout_id`,
  claimId: sql<string | null>`claim_id`,
  deliveryId: sql<string | null>`delivery_id`,
  strayReason: sql<StrayReason | null>`stray_reason`,
  asset: sql<string | null>`asset`,
  units: like(d.units, sql`units`),
};

interface Shape {
  readonly wanted: AttentionCode | null;
}
const PAGES = statementsBy(
  [null, ...ATTENTION_CODES].map((wanted) => ({ wanted })),
  ({ wanted }: Shape) =>
    statement({
      given: { ...GIVEN, limit: value<number>('bigint'), offset: value<number>('bigint') },
      selects: CASE,
      // Each kind gives the newest that the page may need. `asked` uses a parameter that some kinds
      // do not.
      text: ({ limit, offset, from, ...scope }, select) => {
        const of: Places = { ...scope, from: sql`${from}::timestamptz` };
        const parts = KINDS.filter(({ codes }) => wanted === null || codes.includes(wanted)).map(
          (kind) =>
            sql`(${kind.cases(of, wanted)} order by ${kind.since} desc, ${kind.id} desc limit ${limit} + ${offset})`,
        );
        return sql`
          with asked as (select ${of.from})
          select ${select} from (${sql.join(parts, sql` union all `)}) cases
          order by since desc, id desc limit ${limit} offset ${offset}`;
      },
    }),
);

const COUNTS = statement({
  given: GIVEN,
  selects: { code: sql<AttentionCode>`code`, count: sql`sum(count)`.mapWith(Number) },
  text: ({ from, ...scope }, select) => {
    const of: Places = { ...scope, from: sql`${from}::timestamptz` };
    const parts = KINDS.map((kind) => sql`(${kind.counts(of)})`);
    return sql`select ${select} from (${sql.join(parts, sql` union all `)}) counted group by code`;
  },
});

export function attentionQueries(on: Sql): AttentionQueries {
  const counts = async ({ merchantId, sandbox }: Scope, from: Date) => {
    const rows = await COUNTS(on, { merchantId, sandbox, from });
    const found = new Map(rows.map((counted) => [counted.code, counted.count]));
    return Object.fromEntries(ATTENTION_CODES.map((one) => [one, found.get(one) ?? 0])) as Record<
      AttentionCode,
      number
    >;
  };
  return {
    attentionCounts: counts,
    async attention(scope, { from, code: wanted, counts: known }, { page, perPage }) {
      const byCode = known ?? (await counts(scope, from));
      const total =
        wanted === null ? Object.values(byCode).reduce((sum, count) => sum + count, 0) : byCode[wanted];
      const offset = (page - 1) * perPage;
      if (offset >= Math.min(total, ATTENTION_REACH)) return { rows: [], total };
      const { merchantId, sandbox } = scope;
      const rows = await PAGES({ wanted })(on, { merchantId, sandbox, from, limit: perPage, offset });
      return { rows, total };
    },
  };
}
