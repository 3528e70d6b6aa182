/**
 * The hosted checkout under /checkout: the page, its two forms, its files, and what its script
 * reads.
 */
import type { Application } from '../../../app/application.ts';
import { err } from '../../../domain/result.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import { RateLimiter } from '../kit/rate-limit.ts';
import type { PublicRoute } from '../kit/route.ts';
import { pageAssets } from './assets.ts';
import { brandAssetRoutes } from './brand-assets.ts';
import { type CheckoutSources, checkoutSources } from './data.ts';
import { externalIdOf } from './external-id.ts';
import { chooseCurrency, type FormAction, isOwnForm, readForm, simulatePayment } from './forms.ts';
import { linkRoutes } from './links/link-routes.ts';
import { type LiveLimits, liveRoutes } from './live/live.ts';
import type { LiveHub } from './live/live-hub.ts';
import { known, switchedLanguage } from './messages/language-of-request.ts';
import { guarded, invoicePage, messagePage, notFoundPage, type Pages, type PathParams } from './pages.ts';
import { receiptRoutes } from './receipt/receipt-routes.ts';
import { refundRoutes } from './refunds/refund-routes.ts';
import { HEADERS, seeOther } from './responses.ts';
import { pagePath } from './view.ts';
import { viewReader } from './view-reader.ts';
import { walletRoute } from './wallets/wallet-routes.ts';

export interface CheckoutDependencies {
  readonly application: Application;
  readonly clock: Clock;
  /** Public address of the checkout. Links begin with its path. */
  readonly checkoutUrl: string;
  readonly rateLimitPerMinute: number;
  /** What the page shows besides the use cases' data. What is missing is left out of the page. */
  readonly sources?: Partial<CheckoutSources>;
  readonly hub: LiveHub;
  readonly liveLimits?: Partial<LiveLimits>;
  callerIp(request: Request): string | null;
}

export function checkoutRoutes(dependencies: CheckoutDependencies): readonly PublicRoute[] {
  const { application, clock, hub } = dependencies;
  const sources = checkoutSources(application, dependencies.sources);
  const pages: Pages = {
    home: `${new URL(dependencies.checkoutUrl).pathname.replace(/\/$/, '')}/checkout`,
    ...{ checkoutUrl: dependencies.checkoutUrl, clock },
    limiter: new RateLimiter(dependencies.rateLimitPerMinute),
    readView: viewReader({ application, clock, sources }),
    callerIp: (request) => dependencies.callerIp(request),
  };
  const streams = liveRoutes({
    liveState: sources.liveState,
    hub,
    clock,
    limits: dependencies.liveLimits ?? {},
    headers: HEADERS,
    callerIp: pages.callerIp,
  });
  const routes: readonly PublicRoute[] = [
    { method: 'GET', path: '/checkout/assets/page/:name', respond: assetOf(pages) },
    {
      method: 'GET',
      path: '/checkout/:external_id',
      respond: guarded(pages, (request, params) => invoicePage(pages, request, params)),
    },
    ...receiptRoutes(pages),
    walletRoute({
      ...{ application, sources, clock, callerIp: pages.callerIp },
      isLimited: dependencies.rateLimitPerMinute > 0,
    }),
    ...brandAssetRoutes(application.queries, (respond) => guarded(pages, respond)),
    ...streams.map((route) => ({ ...route, respond: guarded(pages, route.respond) })),
    ...formRoutes('/checkout/:external_id/currency', chooseCurrency, { pages, dependencies }),
    ...formRoutes('/checkout/:external_id/simulate', simulatePayment, { pages, dependencies }),
  ];
  const links = linkRoutes({
    ...{ application, pages },
    isLimited: dependencies.rateLimitPerMinute > 0,
    brand: sources.brand,
  });
  const refunds = refundRoutes({
    ...{ application, pages },
    isLimited: dependencies.rateLimitPerMinute > 0,
    brand: sources.brand,
    explorer: sources.explorer,
  });
  return [...routes, ...links, ...refunds].map((route) => ({
    ...route,
    failed: (request, params) =>
      messagePage(pages, request, params, { status: 500, text: 'awayText', wait: 5 }),
  }));
}

function assetOf(pages: Pages): PublicRoute['respond'] {
  return async (request, { name = '' }) => {
    const assets = await pageAssets();
    const found = assets.serve(name, request.headers.get('accept-encoding'));
    if (found === null) return notFoundPage(pages, request);
    return new Response(found.body, { headers: { ...HEADERS, ...found.headers } });
  };
}

/**
 * A form of the page. When it is done, the browser is sent to the page; a refusal shows the page at
 * the form's own address. GET of that address, by a reload or a bookmark, leads to the page too.
 */
function formRoutes(
  path: string,
  act: FormAction,
  { pages, dependencies }: { pages: Pages; dependencies: CheckoutDependencies },
): readonly PublicRoute[] {
  const { application, checkoutUrl } = dependencies;
  const pageOf = (id: string, lang: string | null) => seeOther(pagePath(pages.home, id, known(lang ?? '')));
  const post = async (request: Request, params: PathParams): Promise<Response> => {
    const id = externalIdOf(params);
    const invoice = id === null ? null : await application.queries.invoiceByExternalId(id);
    if (invoice === null) return notFoundPage(pages, request);
    const form = await readForm(request);
    const done = isOwnForm(request, checkoutUrl)
      ? await act(application, invoice, form)
      : err({ status: 403, text: 'problemForeign' } as const);
    if (!done.ok) return invoicePage(pages, request, params, { problem: done.error, form });
    return pageOf(invoice.externalId, form.get('lang'));
  };
  const get = (request: Request, params: PathParams) => {
    const id = externalIdOf(params);
    return id === null ? notFoundPage(pages, request) : pageOf(id, switchedLanguage(request.url));
  };
  return [
    { method: 'POST', path, respond: guarded(pages, post) },
    { method: 'GET', path, respond: get },
  ];
}
