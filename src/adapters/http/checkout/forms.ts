/** The page's two forms as they arrive: where from, and what they say. */
import { readBytes } from '../kit/input/body.ts';

const FORM_LIMIT_BYTES = 4_096;
const SAME_SITE: ReadonlySet<string> = new Set(['same-origin', 'none']);

/**
 * Whether the form can have been sent by our own page. Browsers that tell where a request comes from are believed; of
 * older ones the origin is looked at, which is `null` for our own form too, since the page sends no referrer.
 */
export function isOwnForm(request: Request, checkoutUrl: string): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return SAME_SITE.has(site);
  const origin = request.headers.get('origin');
  if (origin === null || origin === 'null') return true;
  return [checkoutUrl, request.url].some((url) => new URL(url).origin === origin);
}

/** Empty for a body that is too long: it names nothing that we offered. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const bytes = await readBytes(request, FORM_LIMIT_BYTES);
  return new URLSearchParams(bytes === null ? '' : new TextDecoder().decode(bytes));
}
