/**
 * A merchant's logo and accent colour, served here so that the page needs no other host. Both are
 * named after their content and so never change. Browsers may treat a logo as an image only.
 */
import { accentColour } from '../../../domain/merchants/brand.ts';
import type { BrandQueries } from '../../../ports/checkout/checkout-queries.ts';
import type { PublicRoute } from '../kit/route.ts';
import { accentStyle } from './page/accent.ts';

type RespondAsset = PublicRoute['respond'];

const DIGEST = /^[0-9a-f]{64}$/;
const STYLE_NAME = /^accent-([0-9a-f]{6})\.css$/;

/** `guarded` wraps every endpoint of the checkout that reads the database. */
export function brandAssetRoutes(
  queries: Pick<BrandQueries, 'logo'>,
  guarded: (respond: RespondAsset) => RespondAsset,
): readonly PublicRoute[] {
  return [
    {
      method: 'GET',
      path: '/checkout/assets/logo/:digest',
      respond: guarded(async (_, { digest = '' }) => {
        const logo = DIGEST.test(digest) ? await queries.logo(digest) : null;
        return logo === null ? nothing() : asset(logo.bytes, logo.type);
      }),
    },
    {
      method: 'GET',
      path: '/checkout/assets/:name',
      respond: (_, { name = '' }) => {
        const colour = accentColour(`#${STYLE_NAME.exec(name)?.[1] ?? ''}`);
        return colour === null ? nothing() : asset(accentStyle(colour), 'text/css; charset=utf-8');
      },
    },
  ];
}

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

function asset(body: string | Uint8Array, type: string): Response {
  // A copy: the database's bytes may be part of a larger buffer.
  const content = typeof body === 'string' ? body : new Uint8Array(body);
  const caching = 'public, max-age=31536000, immutable';
  return new Response(content, { headers: { ...HEADERS, 'content-type': type, 'cache-control': caching } });
}

function nothing(): Response {
  return new Response(null, { status: 404, headers: { ...HEADERS, 'cache-control': 'no-store' } });
}
