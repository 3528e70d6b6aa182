/** Merchants' branding in memory. */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import {
  BRAND_NAME_LENGTH_MAX,
  type BrandSettings,
  CONTACT_LENGTH_MAX,
  LOGO_BYTES_MAX,
  ORIGINS_MAX,
} from '../../../../src/domain/merchants/brand.ts';
import { PICTURE_TYPES } from '../../../../src/domain/merchants/image-header.ts';
import type { BrandRepository } from '../../../../src/ports/checkout/brand-repository.ts';
import type { Brand, BrandQueries } from '../../../../src/ports/checkout/checkout-queries.ts';
import { check } from '../store/checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';

export function brandRepository(store: MemoryStore): BrandRepository {
  const { merchantBrands } = store.tables;
  return {
    find: async (merchantId) => brandOf(store, merchantId),

    async lock(merchantId) {
      const row = merchantBrands.find(merchantId);
      if (row === undefined) return null;
      const { merchantId: _merchant, logoDigest: _digest, logoType: _type, ...settings } = row;
      return { ...settings, logo: logoFrom(row) };
    },

    async put(merchantId, brand) {
      checkBrand(brand);
      const { logo, frameAncestors, ...settings } = brand;
      const picture = { logoType: logo?.type ?? null, logo: logo?.bytes ?? null };
      const values = { ...settings, ...picture, frameAncestors: [...frameAncestors] };
      merchantBrands.insertOrUpdate({ merchantId, ...values }, () => values);
      const put = brandOf(store, merchantId);
      return theOnly(put ? [put] : [], `brand of ${merchantId}`);
    },
  };
}

export function brandQueries(store: MemoryStore): BrandQueries {
  return {
    brand: async (merchantId) => brandOf(store, merchantId),

    async logo(digest) {
      const [row] = store.tables.merchantBrands.by('logoDigest', digest);
      return row ? logoFrom(row) : null;
    },
  };
}

function brandOf({ tables }: MemoryStore, merchantId: string): Brand | null {
  const merchant = tables.merchants.find(merchantId);
  if (merchant === undefined) return null;
  const brand = tables.merchantBrands.find(merchantId);
  return {
    accent: brand?.accent ?? null,
    support: brand?.support ?? null,
    legalName: brand?.legalName ?? null,
    termsUrl: brand?.termsUrl ?? null,
    frameAncestors: brand?.frameAncestors ?? [],
    logoDigest: brand?.logoDigest ?? null,
    name: brand?.name ?? merchant.name,
    language: merchant.checkoutLanguage,
  };
}

type LogoRow = Pick<
  NonNullable<ReturnType<MemoryStore['tables']['merchantBrands']['find']>>,
  'logoType' | 'logo'
>;

function logoFrom({ logoType, logo }: LogoRow) {
  return logoType === null || logo === null ? null : { type: logoType, bytes: logo };
}

/** In the order of names, as PostgreSQL evaluates them. */
function checkBrand({ accent, frameAncestors, legalName, logo, name, support, termsUrl }: BrandSettings) {
  check('merchant_brands_accent', accent === null || /^#[0-9a-f]{6}$/.test(accent));
  check('merchant_brands_frame_ancestors', frameAncestors.length <= ORIGINS_MAX);
  check('merchant_brands_legal_name', fits(legalName, BRAND_NAME_LENGTH_MAX));
  const bytes = logo?.bytes.length ?? 1;
  check('merchant_brands_logo_size', bytes >= 1 && bytes <= LOGO_BYTES_MAX);
  check('merchant_brands_logo_type', logo === null || PICTURE_TYPES.includes(logo.type));
  check('merchant_brands_name', fits(name, BRAND_NAME_LENGTH_MAX));
  check('merchant_brands_support', fits(support, CONTACT_LENGTH_MAX));
  check('merchant_brands_terms_url', fits(termsUrl, CONTACT_LENGTH_MAX));
}

function fits(text: string | null, most: number): boolean {
  return text === null || (text !== '' && Array.from(text).length <= most);
}
