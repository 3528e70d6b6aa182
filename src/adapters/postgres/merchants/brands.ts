/** Merchants' branding: operators set it, and the checkout reads it. */
import { sql } from 'drizzle-orm';
import type { BrandRepository } from '../../../ports/checkout/brand-repository.ts';
import type { BrandQueries } from '../../../ports/checkout/checkout-queries.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { merchantBrands as b, merchants as m } from '../schema/merchants.ts';
import { statement } from '../statement.ts';
import { insertInto, names, toExcluded } from '../statement-parts.ts';

const SHARED = {
  ...{ accent: b.accent, support: b.support, legalName: b.legalName, termsUrl: b.termsUrl },
  frameAncestors: b.frameAncestors,
};
const SETTINGS = { name: b.name, ...SHARED, logoType: b.logoType, logo: b.logo };

const LOCK = statement({
  given: { merchantId: b.merchantId },
  selects: SETTINGS,
  text: ({ merchantId }, select) =>
    sql`select ${select} from ${b} where ${b.merchantId} = ${merchantId} for update`,
});
const PUT = statement({
  given: { merchantId: b.merchantId, ...SETTINGS },
  selects: { merchantId: b.merchantId },
  text: (values, select) => sql`
    ${insertInto(b, values)}
    on conflict (${names(b.merchantId)}) do update set ${toExcluded(...Object.values(SETTINGS))}
    returning ${select}`,
});
const FIND = statement({
  given: { merchantId: m.id },
  selects: {
    ...{ ...SHARED, logoDigest: b.logoDigest },
    name: sql<string>`coalesce(${b.name}, ${m.name})`,
    language: m.checkoutLanguage,
    frameAncestors: sql<string[]>`coalesce(${b.frameAncestors}, '{}')`,
  },
  text: ({ merchantId }, select) => sql`
    select ${select} from ${m} left join ${b} on ${b.merchantId} = ${m.id} where ${m.id} = ${merchantId}`,
});
const LOGO = statement({
  given: { digest: b.logoDigest },
  selects: { logoType: b.logoType, logo: b.logo },
  text: ({ digest }, select) => sql`select ${select} from ${b} where ${b.logoDigest} = ${digest} limit 1`,
});

export function brandRepository(on: Sql): BrandRepository {
  return {
    find: async (merchantId) => (await FIND(on, { merchantId }))[0] ?? null,

    async lock(merchantId) {
      const [row] = await LOCK(on, { merchantId });
      if (row === undefined) return null;
      const { logoType: _, logo: __, ...settings } = row;
      return { ...settings, logo: logoFrom(row) };
    },

    async put(merchantId, { logo, frameAncestors, ...settings }) {
      const picture = { logoType: logo?.type ?? null, logo: logo?.bytes ?? null };
      await PUT(on, { merchantId, ...settings, ...picture, frameAncestors: [...frameAncestors] });
      return theOnly(await FIND(on, { merchantId }), `brand of ${merchantId}`);
    },
  };
}

export function brandQueries(on: Sql): BrandQueries {
  return {
    brand: async (merchantId) => (await FIND(on, { merchantId }))[0] ?? null,

    async logo(digest) {
      const [row] = await LOGO(on, { digest });
      return row ? logoFrom(row) : null;
    },
  };
}

function logoFrom({ logoType, logo }: Awaited<ReturnType<typeof LOGO>>[number]) {
  return logoType === null || logo === null ? null : { type: logoType, bytes: logo };
}
