/** The responses of the checkout that are pages: an invoice, or a message in its place. */

import { AddressesNotDerived } from '../../../ports/chains/address-pool.ts';
import { StorageUnavailable } from '../../../ports/repositories.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import { networkOf } from '../kit/caller-ip.ts';
import type { RateLimiter } from '../kit/rate-limit.ts';
import type { PublicRoute } from '../kit/route.ts';
import { pageAssets } from './assets.ts';
import { externalIdOf } from './external-id.ts';
import type { FormProblem } from './forms.ts';
import { tillOf } from './links/till-cookie.ts';
import { frameIn, known, preferredLanguage, switchedLanguage } from './messages/language-of-request.ts';
import { pageAnswer } from './responses.ts';
import { type PageFrame, pagePath } from './view.ts';
import type { ReadView } from './view-reader.ts';

/** What the pages are made with. */
export interface Pages {
  /** Path of the checkout, as the customer's browser sees it. */
  readonly home: string;
  /** Public address that links begin with. */
  readonly checkoutUrl: string;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  readonly readView: ReadView;
  callerIp(request: Request): string | null;
}

type RespondPage = PublicRoute['respond'];
export type PathParams = Parameters<RespondPage>[1];

const rendering = () => import('./page/rendering.ts');

/**
 * Responds with a page when the rate limit, the database or missing addresses refuse the request.
 */
export function guarded(pages: Pages, respond: RespondPage): RespondPage {
  return async (request, params) => {
    const { limiter, clock } = pages;
    const wait = limiter.take(networkOf(pages.callerIp(request)), clock.now().getTime());
    if (wait !== null) return messagePage(pages, request, params, { status: 429, text: 'busyText', wait });
    try {
      return await respond(request, params);
    } catch (thrown) {
      const passes = thrown instanceof StorageUnavailable || thrown instanceof AddressesNotDerived;
      if (!passes) throw thrown;
      return messagePage(pages, request, params, { status: 503, text: 'awayText', wait: 5 });
    }
  };
}

/** The invoice's page, or a 404. `refused`: the form that was refused, and why. */
export async function invoicePage(
  pages: Pages,
  request: Request,
  params: PathParams,
  refused: { readonly problem: FormProblem; readonly form: URLSearchParams } | null = null,
): Promise<Response> {
  const id = externalIdOf(params);
  const frame = await frameOf(pages, request, refused?.form);
  const problem = refused === null ? null : frame.tongue.say(refused.problem.text);
  const view = id === null ? null : await pages.readView(frame, id, problem);
  if (view === null) return notFoundPage(pages, request);
  const page = await rendering();
  return pageAnswer(request, refused?.problem.status ?? 200, await page.invoicePage(view));
}

/** A message in place of the page, with a link to try again. `wait`: the seconds of Retry-After. */
export async function messagePage(
  pages: Pages,
  request: Request,
  params: PathParams,
  { status, text, wait }: FormProblem & { readonly wait: number },
): Promise<Response> {
  const [frame, page] = [await frameOf(pages, request), await rendering()];
  const id = externalIdOf(params);
  const path = id === null ? null : pagePath(pages.home, id, null);
  const { tongue } = frame;
  const shown = page.messagePage(frame, tongue.say('momentTitle'), tongue.say(text), path);
  return pageAnswer(request, status, shown, { 'retry-after': String(wait) });
}

export async function notFoundPage(pages: Pages, request: Request): Promise<Response> {
  const [frame, page] = [await frameOf(pages, request), await rendering()];
  const { tongue } = frame;
  const shown = page.messagePage(frame, tongue.say('notFoundTitle'), tongue.say('notFoundText'), null);
  return pageAnswer(request, 404, shown);
}

/** The language is that of `?lang=`, else of the form, else of the browser, else English. */
export async function frameOf(
  { home, checkoutUrl }: Pages,
  request: Request,
  form: URLSearchParams | null = null,
): Promise<PageFrame> {
  const [{ names }, { Translator }] = await Promise.all([pageAssets(), rendering()]);
  const switched = switchedLanguage(request.url) ?? known(form?.get('lang') ?? '');
  const named = switched ?? preferredLanguage(request.headers.get('accept-language'));
  const at = (name: string): string => `${home}/assets/page/${name}`;
  const assets = {
    ...{ style: at(names.style), script: at(names.script), icon: at(names.icon) },
    ...{ receipt: at(names.receipt), link: at(names.link), wallets: at(names.wallets) },
  };
  const till = tillOf(request, checkoutUrl);
  return frameIn(named, (language) => ({
    ...{ home, switched, assets, till, tongue: new Translator(language) },
  }));
}
