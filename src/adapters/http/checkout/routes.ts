/** The hosted checkout under /checkout: page, choice of currency, and what the page's script asks. */
import type { Application } from '../../../app/application.ts';
import type { Invoice } from '../../../domain/invoice-record.ts';
import { AddressesNotDerived } from '../../../ports/address-pool.ts';
import type { Clock } from '../../../ports/clock.ts';
import { StorageUnavailable } from '../../../ports/repositories.ts';
import { readBytes } from '../body.ts';
import { networkOf } from '../caller-ip.ts';
import { HTTP_STATUS } from '../errors.ts';
import { RateLimiter } from '../rate-limit.ts';
import type { OpenRoute } from '../route.ts';
import { SCRIPT, STYLE } from './assets.ts';
import { brandAssetRoutes } from './brand-assets.ts';
import { type LiveLimits, liveRoutes } from './live.ts';
import type { LiveHub } from './live-hub.ts';
import { invoicePage, messagePage } from './page.ts';

export interface CheckoutDependencies {
  readonly application: Application;
  readonly clock: Clock;
  /** Public address of the checkout; its path comes before ours in links. */
  readonly checkoutUrl: string;
  readonly rateLimitPerMinute: number;
  /** Page that shows a transaction of a chain; null where none is known. */
  explorers(chain: string, txid: string): string | null;
  readonly hub: LiveHub;
  readonly liveLimits?: Partial<LiveLimits>;
  callerIp(request: Request): string | null;
}

type Respond = OpenRoute['respond'];

interface Found {
  readonly state: string;
  readonly invoice: Invoice;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const FORM_LIMIT_BYTES = 4_096;

export function checkoutRoutes(dependencies: CheckoutDependencies): readonly OpenRoute[] {
  const { application, clock } = dependencies;
  const home = `${new URL(dependencies.checkoutUrl).pathname.replace(/\/$/, '')}/checkout`;
  const limiter = new RateLimiter(dependencies.rateLimitPerMinute);

  /** Pages for people also when something is in the way. */
  const guarded =
    (respond: Respond): Respond =>
    async (request, params) => {
      const wait = limiter.take(networkOf(dependencies.callerIp(request)), clock.now().getTime());
      if (wait !== null) {
        return page(429, messagePage(home, 'One moment', 'Too many requests. Please try again shortly.'), {
          'retry-after': String(wait),
        });
      }
      try {
        return await respond(request, params);
      } catch (thrown) {
        const passes = thrown instanceof StorageUnavailable || thrown instanceof AddressesNotDerived;
        if (!passes) throw thrown;
        const text =
          'The payment page cannot be shown right now. Nothing is lost; please reload in a few seconds.';
        return page(503, messagePage(home, 'One moment', text), { 'retry-after': '5' });
      }
    };

  /** The state is read first: what changes in between means a refresh too many, and never one too few. */
  async function found(params: Readonly<Record<string, string | undefined>>): Promise<Found | null> {
    const id = (params.external_id ?? '').toLowerCase();
    if (!UUID.test(id)) return null;
    const state = (await application.queries.liveStates([id])).get(id);
    const invoice = state === undefined ? null : await application.queries.invoiceByExternalId(id);
    return state === undefined || invoice === null ? null : { state, invoice };
  }

  async function show({ state, invoice }: Found, status: number, problem: string | null): Promise<Response> {
    const choices = application.choosableAssets(invoice);
    const { catalog, partsOf } = application;
    const family = invoice.price === null ? null : catalog.require(invoice.price.asset).family;
    const address = invoice.addressTo;
    const parts = family === null || address === null ? null : partsOf(family, address);
    const view = { home, state, invoice, catalog, parts, choices, now: clock.now(), problem };
    return page(status, await invoicePage(view));
  }

  return [
    asset('/checkout/assets/checkout.css', 'text/css; charset=utf-8', STYLE),
    asset('/checkout/assets/checkout.js', 'text/javascript; charset=utf-8', SCRIPT),
    ...brandAssetRoutes(application.queries, guarded),
    {
      method: 'GET',
      path: '/checkout/:external_id',
      respond: guarded(async (_, params) => {
        const seen = await found(params);
        return seen === null ? notFoundPage(home) : show(seen, 200, null);
      }),
    },
    ...liveRoutes({
      queries: application.queries,
      hub: dependencies.hub,
      clock,
      limits: dependencies.liveLimits ?? {},
      headers: HEADERS,
      callerIp: (request) => dependencies.callerIp(request),
    }).map((route) => ({ ...route, respond: guarded(route.respond) })),
    {
      method: 'POST',
      path: '/checkout/:external_id/currency',
      respond: guarded(async (request, params) => {
        const seen = await found(params);
        if (seen === null) return notFoundPage(home);
        const { invoice } = seen;
        if (request.headers.get('sec-fetch-site') === 'cross-site') {
          return show(seen, 403, 'Please choose on this page.');
        }
        const asset = await chosenAsset(request, application, invoice);
        if (asset === null) return show(seen, 400, 'Please choose one of the currencies below.');
        const result = await application.chooseCurrency(invoice.externalId, asset);
        if (!result.ok) return show(seen, HTTP_STATUS[result.error.code], result.error.message);
        return new Response(null, {
          status: 303,
          headers: { ...HEADERS, location: `${home}/${invoice.externalId}` },
        });
      }),
    },
  ];
}

/** Only what the page offered; anything else is no choice. Once it was made, the use case says what may be changed. */
async function chosenAsset(request: Request, application: Application, invoice: Invoice) {
  const bytes = await readBytes(request, FORM_LIMIT_BYTES);
  if (bytes === null) return null;
  const key = new URLSearchParams(new TextDecoder().decode(bytes)).get('asset');
  const offered = invoice.price === null ? application.choosableAssets(invoice) : application.catalog.all;
  return offered.find((asset) => asset.key === key) ?? null;
}

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

function page(status: number, text: string, more: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, {
    status,
    headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8', ...more },
  });
}

function notFoundPage(home: string): Response {
  return page(
    404,
    messagePage(home, 'No such payment', 'Check the link, or ask the merchant for a new one.'),
  );
}

function asset(path: string, type: string, text: string): OpenRoute {
  return {
    method: 'GET',
    path,
    respond: () =>
      new Response(text, {
        headers: { ...HEADERS, 'content-type': type, 'cache-control': 'public, max-age=300' },
      }),
  };
}
