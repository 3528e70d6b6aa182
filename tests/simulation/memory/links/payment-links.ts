/** Payment links in memory, and what has become of their invoices. */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import { GONE } from '../../../../src/adapters/postgres/links/payment-links.ts';
import type { PaymentLink } from '../../../../src/domain/links/payment-link.ts';
import type {
  PaymentLinkQueries,
  PaymentLinkRepository,
  WrittenLink,
} from '../../../../src/ports/links/payment-link-repository.ts';
import type { Page, PageRequest, Scope } from '../../../../src/ports/list-queries.ts';
import type { MemoryStore, Tables } from '../store/memory-store.ts';
import { byNumber, byText, byTime } from '../store/orders.ts';

type StoredLink = NonNullable<ReturnType<Tables['paymentLinks']['find']>>;

export function paymentLinkRepository(store: MemoryStore): PaymentLinkRepository {
  const { paymentLinks } = store.tables;
  return {
    insertIfAbsent: async (link) => paymentLinks.insertUnlessThere(rowOf(link)) !== null,

    find: async (id) => readOf(paymentLinks.find(id)),

    async lock(owner, id) {
      const row = ownLink(store, owner, id);
      if (row === null) return null;
      const { picture: bytes, pictureType: type, pictureDigest: _, ...link } = row;
      return { ...link, picture: type === null || bytes === null ? null : { type, bytes } };
    },

    async save(link) {
      const there = paymentLinks.find(link.id);
      const row = theOnly(there ? [there] : [], `save of payment link ${link.id}`);
      return linkOf(paymentLinks.update(row, rowOf(link)));
    },

    count: async (owner) => linksOf(store, owner).length,
  };
}

export function paymentLinkQueries({ tables }: MemoryStore): PaymentLinkQueries {
  const { paymentLinks, invoices, merchants } = tables;
  return {
    async paymentLinkBySlug(slug) {
      const link = readOf(paymentLinks.by('slug', slug)[0]);
      if (link === null) return null;
      const merchant = merchants.find(link.merchantId);
      return { link, merchant: theOnly(merchant ? [merchant] : [], `merchant of link ${link.id}`) };
    },

    async linkPicture(digest) {
      const [row] = paymentLinks.by('pictureDigest', digest);
      return row === undefined || row.pictureType === null || row.picture === null
        ? null
        : { type: row.pictureType, bytes: row.picture };
    },

    openOfLink: async (linkId) =>
      invoices.by('paymentLinkId', linkId).filter(({ status }) => status === 'created').length,

    async takenOfLink(linkId, before) {
      const taken = invoices.by('paymentLinkId', linkId).filter(({ status }) => !GONE.has(status));
      if (before === null) return taken.length;
      const limit = invoices.find(before);
      return limit === undefined ? 0 : taken.filter(({ seq }) => seq < limit.seq).length;
    },

    async oldestUnchosen(linkId) {
      const [oldest] = invoices
        .by('paymentLinkId', linkId)
        .filter(({ status, asset }) => status === 'created' && asset === null)
        .sort((a, b) => byNumber(a.seq, b.seq));
      return oldest?.id ?? null;
    },

    lastOfLink: async (linkId, since, limit) =>
      invoices
        .by('paymentLinkId', linkId)
        .filter(({ createdAt }) => createdAt >= since)
        .sort((a, b) => byNumber(b.seq, a.seq))
        .slice(0, limit)
        .map(({ externalId, status, initialFiatMicros, createdAt }) => ({
          ...{ externalId, status, createdAt },
          fiatMicros: initialFiatMicros,
        })),
  };
}

export async function paymentLinkOf(
  store: MemoryStore,
  scope: Scope,
  id: string,
): Promise<PaymentLink | null> {
  return readOf(ownLink(store, scope, id));
}

/** Newest first. */
export async function paymentLinkPage(
  store: MemoryStore,
  scope: Scope,
  { page, perPage }: PageRequest,
): Promise<Page<PaymentLink>> {
  const all = linksOf(store, scope).sort((a, b) => byTime(b.createdAt, a.createdAt) || byText(b.id, a.id));
  const offset = (page - 1) * perPage;
  return { rows: all.slice(offset, offset + perPage).map(linkOf), total: all.length };
}

function ownLink({ tables }: MemoryStore, { merchantId, sandbox }: Scope, id: string): StoredLink | null {
  const link = tables.paymentLinks.find(id);
  return link?.merchantId === merchantId && link.sandbox === sandbox ? link : null;
}

function linksOf({ tables }: MemoryStore, { merchantId, sandbox }: Scope): StoredLink[] {
  return tables.paymentLinks.by('merchantId', merchantId).filter((link) => link.sandbox === sandbox);
}

function readOf(row: StoredLink | null | undefined): PaymentLink | null {
  return row ? linkOf(row) : null;
}

function linkOf(row: StoredLink): PaymentLink {
  const { picture: _, pictureType: __, ...link } = row;
  return link;
}

/** With lists of its own: nobody else may change those of a row. */
function rowOf({ picture, ...link }: WrittenLink): Omit<StoredLink, 'pictureDigest'> {
  return {
    ...link,
    suggestedMicros: [...link.suggestedMicros],
    tips: [...link.tips],
    acceptedCoins: link.acceptedCoins && [...link.acceptedCoins],
    fields: [...link.fields],
    pictureType: picture?.type ?? null,
    picture: picture?.bytes ?? null,
  };
}
