/** The hosted checkout under /checkout: the page, its two forms, its files, and what the page's script asks. */
import type { Application } from '../../../app/application.ts';
import type { AppError } from '../../../domain/errors.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { CHECKOUT_OUTCOMES } from '../../../domain/invoices/invoice-simulation.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import { AddressesNotDerived } from '../../../ports/chains/address-pool.ts';
import { StorageUnavailable } from '../../../ports/repositories.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import { networkOf } from '../kit/caller-ip.ts';
import { HTTP_STATUS } from '../kit/errors.ts';
import { RateLimiter } from '../kit/rate-limit.ts';
import type { PublicRoute } from '../kit/route.ts';
import { pageAssets } from './assets.ts';
import { brandAssetRoutes } from './brand-assets.ts';
import { type CheckoutSources, checkoutSources } from './data.ts';
import { externalIdOf } from './external-id.ts';
import { isOwnForm, readForm } from './forms.ts';
import { type LiveLimits, liveRoutes } from './live/live.ts';
import type { LiveHub } from './live/live-hub.ts';
import { known, preferredLanguage, switchedLanguage } from './messages/languages.ts';
import type { TextKey } from './messages/message-keys.ts';
import { HEADERS, pageAnswer, seeOther } from './responses.ts';
import { type PageFrame, pagePath } from './view.ts';
import { viewReader } from './view-reader.ts';

export interface CheckoutDependencies {
  readonly application: Application;
  readonly clock: Clock;
  /** Public address of the checkout; its path comes before ours in links. */
  readonly checkoutUrl: string;
  readonly rateLimitPerMinute: number;
  /** What is told about invoices besides the use cases; what is missing is left out of the page. */
  readonly sources?: Partial<CheckoutSources>;
  readonly hub: LiveHub;
  readonly liveLimits?: Partial<LiveLimits>;
  callerIp(request: Request): string | null;
}

type Params = Readonly<Record<string, string | undefined>>;
type Respond = PublicRoute['respond'];
/** A refusal in the customer's words. */
interface Problem {
  readonly status: number;
  readonly text: TextKey;
}

const rendering = () => import('./page/rendering.ts');

export function checkoutRoutes(dependencies: CheckoutDependencies): readonly PublicRoute[] {
  const { application, clock, checkoutUrl } = dependencies;
  const home = `${new URL(checkoutUrl).pathname.replace(/\/$/, '')}/checkout`;
  const limiter = new RateLimiter(dependencies.rateLimitPerMinute);
  const sources = checkoutSources(application, dependencies.sources);
  const readView = viewReader({ application, clock, sources });

  async function frameOf(request: Request, form: URLSearchParams | null = null): Promise<PageFrame> {
    const [{ style, script, icon }, { Translator }] = await Promise.all([pageAssets(), rendering()]);
    const switched = switchedLanguage(request.url) ?? known(form?.get('lang') ?? '');
    const language = switched ?? preferredLanguage(request.headers.get('accept-language'));
    const at = (name: string): string => `${home}/assets/page/${name}`;
    const assets = { style: at(style), script: at(script), icon: at(icon) };
    return { home, tongue: new Translator(language), switched, assets };
  }

  /** Pages for people also when something is in the way. */
  const guarded =
    (respond: Respond): Respond =>
    async (request, params) => {
      const wait = limiter.take(networkOf(dependencies.callerIp(request)), clock.now().getTime());
      if (wait !== null) return message(request, params, { status: 429, text: 'busyText', wait });
      try {
        return await respond(request, params);
      } catch (thrown) {
        const passes = thrown instanceof StorageUnavailable || thrown instanceof AddressesNotDerived;
        if (!passes) throw thrown;
        return message(request, params, { status: 503, text: 'awayText', wait: 5 });
      }
    };

  async function message(request: Request, params: Params, said: Problem & { wait: number }) {
    const [frame, { messagePage }] = [await frameOf(request), await rendering()];
    const id = externalIdOf(params);
    const page = id === null ? null : pagePath(home, id, null);
    const { tongue } = frame;
    return pageAnswer(
      request,
      said.status,
      messagePage(frame, tongue.say('momentTitle'), tongue.say(said.text), page),
      { 'retry-after': String(said.wait) },
    );
  }

  async function notFound(request: Request): Promise<Response> {
    const [frame, { messagePage }] = [await frameOf(request), await rendering()];
    const { tongue } = frame;
    return pageAnswer(
      request,
      404,
      messagePage(frame, tongue.say('notFoundTitle'), tongue.say('notFoundText'), null),
    );
  }

  async function show(
    request: Request,
    params: Params,
    refused: { problem: Problem; form: URLSearchParams } | null,
  ): Promise<Response> {
    const id = externalIdOf(params);
    const frame = await frameOf(request, refused?.form);
    const problem = refused === null ? null : frame.tongue.say(refused.problem.text);
    const view = id === null ? null : await readView(frame, id, problem);
    if (view === null) return notFound(request);
    const { invoicePage } = await rendering();
    return pageAnswer(request, refused?.problem.status ?? 200, await invoicePage(view));
  }

  /** A form of the page: what it asks for is done and the page shown anew, or refused on the page. */
  const form = (
    act: (invoice: Invoice, form: URLSearchParams) => Promise<Result<unknown, Problem>>,
  ): Respond =>
    guarded(async (request, params) => {
      const invoice = await found(params);
      if (invoice === null) return notFound(request);
      const given = await readForm(request);
      const done = isOwnForm(request, checkoutUrl)
        ? await act(invoice, given)
        : err({ status: 403, text: 'problemForeign' } as const);
      if (!done.ok) return show(request, params, { problem: done.error, form: given });
      return seeOther(pagePath(home, invoice.externalId, known(given.get('lang') ?? '')));
    });

  /** Where a form was answered with a page, its address is asked for again: by a reload, a bookmark, a link that is shared. */
  const formAddress: Respond = (request, params) => {
    const id = externalIdOf(params);
    return id === null ? notFound(request) : seeOther(pagePath(home, id, switchedLanguage(request.url)));
  };

  async function found(params: Params): Promise<Invoice | null> {
    const id = externalIdOf(params);
    return id === null ? null : application.queries.invoiceByExternalId(id);
  }

  /** Only what the page offered; anything else is no choice. What was chosen already may be said again. */
  async function choose(invoice: Invoice, given: URLSearchParams): Promise<Result<unknown, Problem>> {
    const key = given.get('asset');
    const offered = invoice.price === null ? application.choosableAssets(invoice) : application.catalog.all;
    const asset = offered.find((one) => one.key === key);
    if (asset === undefined) return err({ status: 400, text: 'problemChoice' });
    try {
      const chosen = await application.chooseCurrency(invoice.externalId, asset);
      return chosen.ok ? chosen : err(problemOf(chosen.error));
    } catch (thrown) {
      if (!(thrown instanceof AddressesNotDerived)) throw thrown;
      return err({ status: 503, text: 'problemNetwork' });
    }
  }

  async function simulate(invoice: Invoice, given: URLSearchParams): Promise<Result<unknown, Problem>> {
    const outcome = CHECKOUT_OUTCOMES.find((one) => one === given.get('simulate'));
    if (outcome === undefined) return err({ status: 400, text: 'problemOther' });
    const done = await application.simulateFromCheckout(invoice.externalId, outcome);
    return done.ok ? ok(done.value) : err(problemOf(done.error));
  }

  const routes: readonly PublicRoute[] = [
    {
      method: 'GET',
      path: '/checkout/assets/page/:name',
      async respond(request, params) {
        const assets = await pageAssets();
        const answer = assets.serve(params.name ?? '', request.headers.get('accept-encoding'));
        if (answer === null) return notFound(request);
        return new Response(answer.body, { headers: { ...HEADERS, ...answer.headers } });
      },
    },
    {
      method: 'GET',
      path: '/checkout/:external_id',
      respond: guarded((request, params) => show(request, params, null)),
    },
    ...brandAssetRoutes(application.queries, guarded),
    ...liveRoutes({
      liveState: sources.liveState,
      hub: dependencies.hub,
      clock,
      limits: dependencies.liveLimits ?? {},
      headers: HEADERS,
      callerIp: (request) => dependencies.callerIp(request),
    }).map((route) => ({ ...route, respond: guarded(route.respond) })),
    { method: 'POST', path: '/checkout/:external_id/currency', respond: form(choose) },
    { method: 'GET', path: '/checkout/:external_id/currency', respond: formAddress },
    { method: 'POST', path: '/checkout/:external_id/simulate', respond: form(simulate) },
    { method: 'GET', path: '/checkout/:external_id/simulate', respond: formAddress },
  ];
  return routes.map((route) => ({
    ...route,
    failed: (request, params) => message(request, params, { status: 500, text: 'awayText', wait: 5 }),
  }));
}

function problemOf({ code }: AppError): Problem {
  const status = HTTP_STATUS[code];
  if (code === 'RATES_UNAVAILABLE') return { status, text: 'problemRates' };
  if (code === 'UNAVAILABLE') return { status, text: 'problemNetwork' };
  const final = code === 'INVOICE_REJECTED' || code === 'INVALID_TRANSITION' || code === 'NOT_FOUND';
  return { status, text: final ? 'problemRejected' : 'problemOther' };
}
