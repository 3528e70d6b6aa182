/** Claims to refunds, with the payouts that pay them. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { RefundClaim } from '../../../domain/payouts/refund-claim.ts';
import type {
  ClaimWithPayout,
  RefundClaimQueries,
  RefundClaimRepository,
} from '../../../ports/payouts/refund-claim-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { deposits as d } from '../schema/addresses.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { payouts as p } from '../schema/payouts.ts';
import { refundClaims as c } from '../schema/refund-claims.ts';
import { statement } from '../statement.ts';
import { insertInto, listOf, set, updateById, value } from '../statement-parts.ts';
import { PAYOUT, payoutFromRow } from './payout-row.ts';

const CLAIM = getTableColumns(c);

const INSERT = statement({ given: CLAIM, text: (values) => insertInto(c, values) });
const STANDING = statement({
  given: { invoiceId: c.invoiceId, depositId: c.depositId },
  selects: { id: c.id },
  text: ({ invoiceId, depositId }, select) => sql`
    select ${select} from ${c} where ${oneOf(c.status, ['open', 'confirmed', 'sent'])}
      and (${c.depositId} = ${depositId} or (${c.depositId} is null and ${c.invoiceId} = ${invoiceId}))
    limit 1`,
});
const FIND = statement({
  given: { id: c.id },
  selects: CLAIM,
  text: ({ id }, select) => sql`select ${select} from ${c} where ${c.id} = ${id}`,
});
const LOCK = statement({
  given: { id: c.id },
  selects: CLAIM,
  text: ({ id }, select) => sql`select ${select} from ${c} where ${c.id} = ${id} for no key update`,
});
const SAVE = statement({
  given: {
    ...{ id: c.id, status: c.status, address: c.address, payoutId: c.payoutId },
    ...{ expiresAt: c.expiresAt, updatedAt: c.updatedAt },
  },
  selects: { id: c.id },
  text: (given, select) => updateById(c, given, select),
});
const PAYOUTS = statement({
  given: { id: p.refundClaimId },
  selects: { count: sql<number>`count(*)`.mapWith(Number) },
  text: ({ id }, select) => sql`select ${select} from ${p} where ${p.refundClaimId} = ${id}`,
});
const CREDITED_UNITS = statement({
  given: { id: c.id },
  selects: { units: d.units },
  text: ({ id }, select) => sql`
    select ${select} from ${c} join ${d} on ${d.id} = ${c.depositId}
    where ${c.id} = ${id} and ${equals(d.status, 'credited')}`,
});
const LOCK_OVERDUE = statement({
  given: { now: c.expiresAt, limit: value<number>('bigint') },
  selects: CLAIM,
  text: ({ now, limit }, select) => sql`
    select ${select} from ${c} where ${equals(c.status, 'open')} and ${c.expiresAt} <= ${now}
    order by ${c.expiresAt}, ${c.id} limit ${limit} for no key update skip locked`,
});
const COUNT_OPEN = statement({
  given: { assets: listOf(c.asset) },
  selects: { count: sql<number>`count(*)`.mapWith(Number) },
  text: ({ assets }, select) => sql`
    select ${select} from ${c}
    where ${equals(c.status, 'open')} and not ${c.sandbox} and ${c.asset} = any (${assets})`,
});
const END_OPEN = statement({
  given: { assets: value<readonly string[] | null>('text[]'), at: c.expiresAt },
  text: ({ assets, at }) => sql`
    update ${c} set ${set(c, { expiresAt: at as SQL<Date> })}
    where ${equals(c.status, 'open')} and ${c.expiresAt} > ${at}
      and (${assets} is null or ${c.asset} = any (${assets}))`,
});

export function refundClaimRepository(on: Sql): RefundClaimRepository {
  return {
    async insert(claim) {
      await INSERT(on, claim);
    },
    isStanding: async ({ invoiceId, depositId }) =>
      (await STANDING(on, { invoiceId: depositId === null ? invoiceId : null, depositId })).length > 0,
    find: async (id) => (await FIND(on, { id }))[0] ?? null,
    lock: async (id) => (await LOCK(on, { id }))[0] ?? null,
    async save(claim) {
      theOnly(await SAVE(on, claim), `save of refund claim ${claim.id}`);
    },
    payouts: async (id) => theOnly(await PAYOUTS(on, { id }), `payouts of refund claim ${id}`).count,
    creditedUnits: async (id) => (await CREDITED_UNITS(on, { id }))[0]?.units ?? 0n,
    lockOverdue: (now, limit) => LOCK_OVERDUE(on, { now, limit }),
    countOpen: async (assets) =>
      theOnly(await COUNT_OPEN(on, { assets: [...assets] }), 'count of open claims').count,
    async endOpen({ assets, at }) {
      await END_OPEN(on, { assets, at });
    },
  };
}

const OF_MERCHANT = statement({
  given: { id: c.id, merchantId: c.merchantId, sandbox: c.sandbox },
  selects: CLAIM,
  text: ({ id, merchantId, sandbox }, select) => sql`
    select ${select} from ${c}
    where ${c.id} = ${id} and ${c.merchantId} = ${merchantId} and ${c.sandbox} = ${sandbox}`,
});
const OF_INVOICE = statement({
  given: { invoiceId: c.invoiceId, merchantId: c.merchantId, sandbox: c.sandbox },
  selects: CLAIM,
  text: ({ invoiceId, merchantId, sandbox }, select) => sql`
    select ${select} from ${c}
    where ${c.invoiceId} = ${invoiceId} and ${c.merchantId} = ${merchantId} and ${c.sandbox} = ${sandbox}
    order by ${c.id} desc`,
});
const ON_CHECKOUT = statement({
  given: { invoiceId: c.invoiceId },
  selects: CLAIM,
  text: ({ invoiceId }, select) => sql`
    select ${select} from ${c} where ${c.invoiceId} = ${invoiceId} and ${c.onCheckout}
    order by ${c.id} desc limit 1`,
});
const PAYOUT_OF = statement({
  given: { id: p.id },
  selects: PAYOUT,
  text: ({ id }, select) => sql`select ${select} from ${p} where ${p.id} = ${id}`,
});

export function refundClaimQueries(on: Sql): RefundClaimQueries {
  const withPayout = async (claim: RefundClaim): Promise<ClaimWithPayout> => {
    const [row] = claim.payoutId === null ? [] : await PAYOUT_OF(on, { id: claim.payoutId });
    return { claim, payout: row === undefined ? null : payoutFromRow(row) };
  };
  const first = async ([claim]: readonly RefundClaim[]): Promise<ClaimWithPayout | null> =>
    claim === undefined ? null : withPayout(claim);
  return {
    refundClaim: async ({ merchantId, sandbox }, id) =>
      first(await OF_MERCHANT(on, { id, merchantId, sandbox })),
    refundClaims: async ({ merchantId, sandbox }, invoiceId) =>
      Promise.all((await OF_INVOICE(on, { invoiceId, merchantId, sandbox })).map(withPayout)),
    anyRefundClaim: async (id) => first(await FIND(on, { id })),
    checkoutClaim: async (invoiceId) => first(await ON_CHECKOUT(on, { invoiceId })),
  };
}
