/** Payment links under /l: the page, its form, its picture and its QR codes. */
import type { Application } from '../../../../app/application.ts';
import { LAST_SHOWN } from '../../../../domain/links/payment-link.ts';
import type { Brand } from '../../../../ports/checkout/checkout-queries.ts';
import type { PublicLink } from '../../../../ports/links/payment-link-repository.ts';
import { networkOf } from '../../kit/caller-ip.ts';
import { qrCode, qrPicture } from '../../kit/documents/qr-code.ts';
import { RateLimiter } from '../../kit/rate-limit.ts';
import type { PublicRoute } from '../../kit/route.ts';
import { type FormProblem, isOwnForm, readForm } from '../forms.ts';
import { frameOf, guarded, messagePage, notFoundPage, type Pages, type PathParams } from '../pages.ts';
import { framedBy, HEADERS, pageAnswer, seeOther } from '../responses.ts';
import { pagePath } from '../view.ts';
import { problemOf, readOrder } from './link-form.ts';
import { tillCookie } from './till-cookie.ts';

/** Invoices that a network may open from links in a minute (safety.md L1). */
const OPENINGS_PER_MINUTE = 10;
const DAY_MS = 86_400_000;
const SLUG = /^[a-z0-9][a-z0-9-]{2,63}$/;
/** Pixels: enough for a poster. */
const QR_WIDTH = 1_024;

export interface LinkPages {
  readonly application: Application;
  readonly pages: Pages;
  brand(merchantId: string): Promise<Brand | null>;
}

export function linkRoutes(of: LinkPages & { readonly isLimited: boolean }): readonly PublicRoute[] {
  const { pages } = of;
  const openings = new RateLimiter(of.isLimited ? OPENINGS_PER_MINUTE : 0);
  const respond = (
    act: (found: PublicLink, request: Request, params: PathParams) => Promise<Response>,
  ): PublicRoute['respond'] =>
    guarded(pages, async (request, params) => {
      const { slug = '' } = params;
      const found = SLUG.test(slug) ? await of.application.queries.paymentLinkBySlug(slug) : null;
      return found === null ? notFoundPage(pages, request) : act(found, request, params);
    });
  return [
    { method: 'GET', path: '/l/:slug', respond: respond((found, request) => shown(of, found, request)) },
    {
      method: 'POST',
      path: '/l/:slug',
      respond: respond((found, request, params) => {
        const wait = openings.take(networkOf(pages.callerIp(request)), pages.clock.now().getTime());
        return wait === null
          ? opened(of, found, request)
          : messagePage(pages, request, params, { status: 429, text: 'busyText', wait });
      }),
    },
    { method: 'GET', path: '/l/:slug/picture', respond: respond((found) => picture(of, found)) },
    {
      method: 'GET',
      path: '/l/:slug/qr.svg',
      respond: respond(async ({ link }) =>
        file(await qrCode(urlOf(of, link.slug), { margin: 4 }), 'image/svg+xml'),
      ),
    },
    {
      method: 'GET',
      path: '/l/:slug/qr.png',
      respond: respond(async ({ link }) => {
        const png = await qrPicture(urlOf(of, link.slug), { width: QR_WIDTH, margin: 4 });
        return file(new Uint8Array(png), 'image/png');
      }),
    },
  ];
}

function urlOf({ pages: { checkoutUrl } }: LinkPages, slug: string): string {
  return `${checkoutUrl}/l/${slug}`;
}

function file(body: string | Uint8Array<ArrayBuffer>, type: string): Response {
  return new Response(body, { headers: { ...HEADERS, 'content-type': type } });
}

async function picture({ application }: LinkPages, { link }: PublicLink): Promise<Response> {
  const { pictureDigest } = link;
  const found = pictureDigest === null ? null : await application.queries.linkPicture(pictureDigest);
  return found === null
    ? new Response(null, { status: 404, headers: HEADERS })
    : file(new Uint8Array(found.bytes), found.type);
}

/** The page; with `refused`, what was wrong with its form. A closed link is 410. */
async function shown(
  of: LinkPages,
  found: PublicLink,
  request: Request,
  refused: { readonly problem: FormProblem | null; readonly form: URLSearchParams } | null = null,
): Promise<Response> {
  const { application, pages } = of;
  const { link } = found;
  const { problem, form } = refused ?? { problem: null, form: null };
  const [asked, standing, brand, last, { linkPage }] = await Promise.all([
    frameOf(pages, request, form),
    application.linkStanding(found),
    of.brand(link.merchantId),
    lastOf(of, found),
    import('../page/rendering.ts'),
  ]);
  const frame = asked.spokenBy(brand);
  const text = linkPage({
    ...frame,
    ...{ link, brand, last, form },
    ...{ path: pathOf(of, link.slug), state: standing.state, left: standing.left },
    framed: new URL(request.url).searchParams.has('frame'),
    problem: problem === null ? null : frame.tongue.say(problem.text),
    isStuck: problem?.isStuck === true,
  });
  const status = standing.state === 'open' ? (problem?.status ?? 200) : 410;
  const cookie =
    link.mode === 'point_of_sale' ? { 'set-cookie': tillCookie(link, of.pages.checkoutUrl) } : {};
  return framedBy(brand?.frameAncestors ?? [], pageAnswer(request, status, text, cookie));
}

/** The last payments of a till. */
function lastOf({ application, pages }: LinkPages, { link }: PublicLink) {
  if (link.mode !== 'point_of_sale') return [];
  const since = new Date(pages.clock.now().getTime() - DAY_MS);
  return application.queries.lastOfLink(link.id, since, LAST_SHOWN);
}

function pathOf({ pages }: LinkPages, slug: string): string {
  return `${pages.home.slice(0, -'/checkout'.length)}/l/${slug}`;
}

async function opened(of: LinkPages, found: PublicLink, request: Request): Promise<Response> {
  const form = await readForm(request);
  const refuse = (problem: FormProblem | null) => shown(of, found, request, { problem, form });
  if (!isOwnForm(request, of.pages.checkoutUrl)) return refuse({ status: 403, text: 'problemForeign' });
  const order = readOrder(found.link, form);
  if (!order.ok) return refuse(order.error);
  const linkUrl = urlOf(of, found.link.slug);
  const [frame, brand] = [await frameOf(of.pages, request, form), await of.brand(found.link.merchantId)];
  const { tongue, switched } = frame.spokenBy(brand);
  const { language } = tongue;
  const made = await of.application.openLink(found, { ...order.value, linkUrl, language });
  if (!made.ok) return refuse(problemOf(made.error));
  return seeOther(pagePath(of.pages.home, made.value.externalId, switched));
}
