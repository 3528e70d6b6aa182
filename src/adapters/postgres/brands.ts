/** Merchants' brands: how operators set them, and how the checkout reads them. */
import type { BrandSettings } from '../../domain/brand.ts';
import type { PictureType } from '../../domain/picture.ts';
import type { Brand, BrandQueries } from '../../ports/checkout-queries.ts';
import type { BrandRepository } from '../../ports/repositories.ts';
import type { Sql } from './client.ts';
import { theOnly } from './statements.ts';

const LOCK = `
  select name, accent, logo_type, logo from merchant_brands where merchant_id = $1 for update`;
const PUT = `
  insert into merchant_brands (merchant_id, name, accent, logo_type, logo) values ($1, $2, $3, $4, $5)
  on conflict (merchant_id) do update
    set name = excluded.name, accent = excluded.accent, logo_type = excluded.logo_type, logo = excluded.logo
  returning name, accent, logo_digest`;
const BRAND = 'select name, accent, logo_digest from merchant_brands where merchant_id = $1';
const LOGO = 'select logo_type, logo from merchant_brands where logo_digest = $1 limit 1';

interface BrandRow {
  readonly name: string | null;
  readonly accent: string | null;
  readonly logo_digest: string | null;
}

interface LogoRow {
  readonly logo_type: PictureType;
  readonly logo: Uint8Array;
}

export function brandRepository(sql: Sql): BrandRepository {
  return {
    async lock(merchantId) {
      const [row] = await sql.query<Omit<BrandSettings, 'logo'> & (LogoRow | { logo: null })>(LOCK, [
        merchantId,
      ]);
      if (!row) return null;
      const { name, accent } = row;
      return { name, accent, logo: row.logo === null ? null : { type: row.logo_type, bytes: row.logo } };
    },

    async put(merchantId, { name, accent, logo }) {
      const values = [merchantId, name, accent, logo?.type ?? null, logo?.bytes ?? null];
      return brandFromRow(theOnly(await sql.query<BrandRow>(PUT, values), `brand of ${merchantId}`));
    },
  };
}

export function brandQueries(database: Sql): BrandQueries {
  return {
    async brand(merchantId) {
      const [row] = await database.query<BrandRow>(BRAND, [merchantId]);
      return row ? brandFromRow(row) : null;
    },

    async logo(digest) {
      const [row] = await database.query<LogoRow>(LOGO, [digest]);
      return row ? { type: row.logo_type, bytes: row.logo } : null;
    },
  };
}

function brandFromRow(row: BrandRow): Brand {
  return { name: row.name, accent: row.accent, logoDigest: row.logo_digest };
}
