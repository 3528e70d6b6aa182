/** Payment links, and what has become of their invoices. */
import { getTableColumns, sql } from 'drizzle-orm';
import { INVOICE_STATUSES } from '../../../domain/invoices/invoice.ts';
import type { PaymentLink } from '../../../domain/links/payment-link.ts';
import type {
  PaymentLinkQueries,
  PaymentLinkRepository,
  WrittenLink,
} from '../../../ports/links/payment-link-repository.ts';
import type { Page, PageRequest, Scope } from '../../../ports/list-queries.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { MERCHANT } from '../merchants/merchant-row.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { paymentLinks as l } from '../schema/links.ts';
import { merchants as m } from '../schema/merchants.ts';
import { type RowOf, statement } from '../statement.ts';
import { columnsOf, insertInto, nullable, updateById, value } from '../statement-parts.ts';

const { picture: _, pictureType: __, ...LINK } = getTableColumns(l);
const { pictureDigest: ___, ...WRITTEN } = getTableColumns(l);

const INSERT = statement({
  given: WRITTEN,
  selects: { id: l.id },
  text: (values, select) => sql`${insertInto(l, values)} on conflict do nothing returning ${select}`,
});
const LOCK = statement({
  given: { id: l.id, merchantId: l.merchantId, sandbox: l.sandbox },
  selects: WRITTEN,
  text: ({ id, merchantId, sandbox }, select) => sql`
    select ${select} from ${l} where ${l.id} = ${id} and ${l.merchantId} = ${merchantId}
      and ${l.sandbox} = ${sandbox} for no key update`,
});
const SAVE = statement({
  given: WRITTEN,
  selects: LINK,
  text: (given, select) => updateById(l, given, select),
});
const COUNT = statement({
  given: { merchantId: l.merchantId, sandbox: l.sandbox },
  selects: { count: sql<number>`count(*)`.mapWith(Number) },
  text: ({ merchantId, sandbox }, select) => sql`
    select ${select} from ${l} where ${l.merchantId} = ${merchantId} and ${l.sandbox} = ${sandbox}`,
});
const FIND = statement({
  given: { id: l.id, merchantId: l.merchantId, sandbox: l.sandbox },
  selects: LINK,
  text: ({ id, merchantId, sandbox }, select) => sql`
    select ${select} from ${l} where ${l.id} = ${id} and ${l.merchantId} = ${merchantId}
      and ${l.sandbox} = ${sandbox}`,
});
const BY_ID = statement({
  given: { id: l.id },
  selects: LINK,
  text: ({ id }, select) => sql`select ${select} from ${l} where ${l.id} = ${id}`,
});
const PAGE = statement({
  given: {
    ...{ merchantId: l.merchantId, sandbox: l.sandbox },
    ...{ limit: value<number>('bigint'), offset: value<bigint>('bigint') },
  },
  selects: LINK,
  text: ({ merchantId, sandbox, limit, offset }, select) => sql`
    select ${select} from ${l} where ${l.merchantId} = ${merchantId} and ${l.sandbox} = ${sandbox}
    order by ${l.createdAt} desc, ${l.id} desc limit ${limit} offset ${offset}`,
});
const BY_SLUG = statement({
  given: { slug: l.slug },
  selects: LINK,
  text: ({ slug }, select) => sql`select ${select} from ${l} where ${l.slug} = ${slug}`,
});
const MERCHANT_OF = statement({
  given: { id: m.id },
  selects: MERCHANT,
  text: ({ id }, select) => sql`select ${select} from ${m} where ${m.id} = ${id}`,
});
const PICTURE = statement({
  given: { digest: l.pictureDigest },
  selects: { type: l.pictureType, bytes: l.picture },
  text: ({ digest }, select) => sql`select ${select} from ${l} where ${l.pictureDigest} = ${digest} limit 1`,
});

/** Not paid, and not to be paid any more. */
export const GONE = new Set<string>(['expired', 'cancelled', 'failed', 'refunded']);
const TAKEN = oneOf(
  i.status,
  INVOICE_STATUSES.filter((status) => !GONE.has(status)),
);
const OPEN = statement({
  given: { linkId: i.paymentLinkId },
  selects: { count: sql<number>`count(*)`.mapWith(Number) },
  text: ({ linkId }, select) => sql`
    select ${select} from ${i} where ${i.paymentLinkId} = ${linkId} and ${equals(i.status, 'created')}`,
});
const TAKEN_OF = statement({
  given: { linkId: i.paymentLinkId, before: nullable(i.id) },
  selects: { count: sql<number>`count(*)`.mapWith(Number) },
  text: ({ linkId, before }, select) => sql`
    select ${select} from ${i} where ${i.paymentLinkId} = ${linkId} and ${TAKEN}
      and (${before} is null or ${i.seq} < (select b.seq from ${i} b where b.id = ${before}))`,
});
const OLDEST_UNCHOSEN = statement({
  given: { linkId: i.paymentLinkId },
  selects: { id: i.id },
  text: ({ linkId }, select) => sql`
    select ${select} from ${i} where ${i.paymentLinkId} = ${linkId} and ${equals(i.status, 'created')}
      and ${i.asset} is null order by ${i.seq} limit 1`,
});
const LAST = columnsOf('i', {
  ...{ externalId: i.externalId, status: i.status },
  ...{ fiatMicros: i.initialFiatMicros, createdAt: i.createdAt },
});
const LAST_OF_LINK = statement({
  given: { linkId: i.paymentLinkId, since: i.createdAt, limit: value<number>('bigint') },
  selects: LAST,
  text: ({ linkId, since, limit }, select) => sql`
    select ${select} from ${i} i where i.payment_link_id = ${linkId} and i.created_at >= ${since}
    order by i.seq desc limit ${limit}`,
});

export function paymentLinkRepository(on: Sql): PaymentLinkRepository {
  return {
    insertIfAbsent: async (link) => (await INSERT(on, rowOf(link))).length === 1,

    find: async (id) => (await BY_ID(on, { id }))[0] ?? null,

    async lock({ merchantId, sandbox }, id) {
      const [row] = await LOCK(on, { id, merchantId, sandbox });
      if (row === undefined) return null;
      const { picture: bytes, pictureType: type, ...link } = row;
      return { ...link, picture: type === null || bytes === null ? null : { type, bytes } };
    },

    save: async (link) => theOnly(await SAVE(on, rowOf(link)), `save of payment link ${link.id}`),
    count: async ({ merchantId, sandbox }) =>
      theOnly(await COUNT(on, { merchantId, sandbox }), 'count of links').count,
  };
}

function rowOf({ picture, ...link }: WrittenLink): RowOf<typeof WRITTEN> {
  return { ...link, pictureType: picture?.type ?? null, picture: picture?.bytes ?? null };
}

export function paymentLinkQueries(on: Sql): PaymentLinkQueries {
  return {
    async paymentLinkBySlug(slug) {
      const [link] = await BY_SLUG(on, { slug });
      if (link === undefined) return null;
      const merchant = theOnly(await MERCHANT_OF(on, { id: link.merchantId }), `merchant of link ${link.id}`);
      return { link, merchant };
    },

    async linkPicture(digest) {
      const [row] = await PICTURE(on, { digest });
      return row === undefined || row.type === null || row.bytes === null
        ? null
        : { type: row.type, bytes: row.bytes };
    },

    openOfLink: async (linkId) => theOnly(await OPEN(on, { linkId }), `open of link ${linkId}`).count,
    takenOfLink: async (linkId, before) =>
      theOnly(await TAKEN_OF(on, { linkId, before }), `taken of link ${linkId}`).count,
    oldestUnchosen: async (linkId) => (await OLDEST_UNCHOSEN(on, { linkId }))[0]?.id ?? null,
    lastOfLink: (linkId, since, limit) => LAST_OF_LINK(on, { linkId, since, limit }),
  };
}

export async function paymentLinkOf(
  on: Sql,
  { merchantId, sandbox }: Scope,
  id: string,
): Promise<PaymentLink | null> {
  return (await FIND(on, { id, merchantId, sandbox }))[0] ?? null;
}

/** A merchant has at most LINKS_MAX, so counting them is cheap. */
export async function paymentLinkPage(
  on: Sql,
  { merchantId, sandbox }: Scope,
  { page, perPage }: PageRequest,
): Promise<Page<PaymentLink>> {
  const offset = BigInt(page - 1) * BigInt(perPage);
  const rows = await PAGE(on, { merchantId, sandbox, limit: perPage, offset });
  return { rows, total: theOnly(await COUNT(on, { merchantId, sandbox }), 'count of links').count };
}
