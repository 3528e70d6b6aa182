/**
 * The page of a refund: under /r with the token of its claim, and under the invoice's checkout
 * where that leads to it.
 */
import type { Application } from '../../../../app/application.ts';
import type { ClaimRefusal, RefundQuote } from '../../../../app/payouts/refunds/refund-order.ts';
import type { RefundClaim } from '../../../../domain/payouts/refund-claim.ts';
import type { Brand } from '../../../../ports/checkout/checkout-queries.ts';
import type { ClaimWithPayout } from '../../../../ports/payouts/refund-claim-repository.ts';
import { networkOf } from '../../kit/caller-ip.ts';
import { RateLimiter } from '../../kit/rate-limit.ts';
import type { PublicRoute } from '../../kit/route.ts';
import { externalIdOf } from '../external-id.ts';
import { type FormProblem, isOwnForm, readForm } from '../forms.ts';
import { frameOf, guarded, messagePage, notFoundPage, type Pages, type PathParams } from '../pages.ts';
import { pageAnswer, seeOther } from '../responses.ts';
import { pagePath } from '../view.ts';
import type { RefundView } from './refund-page.ts';

/** Forms of refunds that a network may send in a minute. */
const FORMS_PER_MINUTE = 20;
/** A page that waits for its payout is read again. */
const AGAIN_SECONDS = 20;

export interface RefundPages {
  readonly application: Application;
  readonly pages: Pages;
  brand(merchantId: string): Promise<Brand | null>;
  explorer(chain: string, txid: string): string | null;
}

interface FoundClaim extends ClaimWithPayout {
  readonly path: string;
  readonly back: string | null;
}

type Find = (params: PathParams) => Promise<FoundClaim | null>;

export function refundRoutes(of: RefundPages & { readonly isLimited: boolean }): readonly PublicRoute[] {
  const forms = new RateLimiter(of.isLimited ? FORMS_PER_MINUTE : 0);
  return [
    ...pageRoutes(of, forms, '/r/:token', byToken(of)),
    ...pageRoutes(of, forms, '/checkout/:external_id/refund', onCheckout(of)),
  ];
}

function byToken({ application, pages }: RefundPages): Find {
  return async ({ token = '' }) => {
    const found = await application.claimOfToken(token);
    const path = `${pages.home.slice(0, -'/checkout'.length)}/r/${token}`;
    return found === null ? null : { ...found, path, back: null };
  };
}

function onCheckout({ application: { queries }, pages }: RefundPages): Find {
  return async (params) => {
    const id = externalIdOf(params);
    const invoice = id === null ? null : await queries.invoiceByExternalId(id);
    const found = invoice === null ? null : await queries.checkoutClaim(invoice.id);
    if (invoice === null || found === null) return null;
    const back = pagePath(pages.home, invoice.externalId, null);
    return { ...found, path: `${back}/refund`, back };
  };
}

function pageRoutes(of: RefundPages, forms: RateLimiter, path: string, find: Find): readonly PublicRoute[] {
  const { pages } = of;
  const respond = (
    act: (found: FoundClaim, request: Request, params: PathParams) => Promise<Response>,
  ): PublicRoute['respond'] =>
    guarded(pages, async (request, params) => {
      const found = await find(params);
      return found === null ? notFoundPage(pages, request) : act(found, request, params);
    });
  return [
    {
      method: 'GET',
      path,
      respond: respond((found, request) => {
        const changes = new URL(request.url).searchParams.has('change');
        return shown(of, found, request, { ...AS_IT_IS, changes });
      }),
    },
    {
      method: 'POST',
      path,
      respond: respond((found, request, params) => {
        const wait = forms.take(networkOf(pages.callerIp(request)), pages.clock.now().getTime());
        return wait === null
          ? entered(of, found, request)
          : messagePage(pages, request, params, { status: 429, text: 'busyText', wait });
      }),
    },
  ];
}

/** What the page shows beside the claim itself. */
interface Shown {
  readonly form: URLSearchParams | null;
  readonly quote: RefundQuote | null;
  readonly changes: boolean;
  readonly problem: FormProblem | null;
}
const AS_IT_IS: Shown = { form: null, quote: null, changes: false, problem: null };

async function shown(
  of: RefundPages,
  found: FoundClaim,
  request: Request,
  { form, quote, changes, problem }: Shown,
): Promise<Response> {
  const { application, pages } = of;
  const { claim } = found;
  const [asked, brand, { refundPage, refundStage }] = await Promise.all([
    frameOf(pages, request, form),
    of.brand(claim.merchantId),
    import('../page/rendering.ts'),
  ]);
  const frame = asked.spokenBy(brand);
  const now = pages.clock.now();
  const stage = refundStage({ claim, quote, changes, now });
  const reference = stage === 'over' || problem !== null ? await referenceOf(of, claim) : null;
  const view: RefundView = {
    ...{ ...frame, ...found, brand, reference, changes, quote, now },
    asset: application.catalog.require(claim.asset),
    partsOf: application.partsOf,
    entered: enteredIn(form),
    problem: problem === null ? null : frame.tongue.say(problem.text),
    explorer: explorerOf(of, found),
  };
  const again = stage === 'confirmed' || stage === 'sent' ? { refresh: String(AGAIN_SECONDS) } : {};
  const status = problem?.status ?? (stage === 'over' ? 410 : 200);
  return pageAnswer(request, status, refundPage(view), again);
}

/** Of the invoice, as its checkout shows it. */
async function referenceOf({ application }: RefundPages, claim: RefundClaim): Promise<string> {
  const { invoiceId } = claim;
  const invoice = invoiceId === null ? null : await application.queries.invoice(claim, invoiceId);
  return invoice?.extra ?? invoiceId ?? claim.id;
}

function enteredIn(form: URLSearchParams | null): RefundView['entered'] {
  return { address: form?.get('address') ?? '', tag: form?.get('tag') ?? '' };
}

function explorerOf({ application, explorer }: RefundPages, { claim, payout }: FoundClaim): string | null {
  if (claim.sandbox || payout === null || payout.txid === null) return null;
  return explorer(application.catalog.require(claim.asset).chain, payout.txid);
}

/** The first step shows what arrives, the second confirms it. */
async function entered(of: RefundPages, found: FoundClaim, request: Request): Promise<Response> {
  const { application, pages } = of;
  const form = await readForm(request);
  const [claimId, address] = [found.claim.id, recipientIn(form)];
  const show = (changed: Partial<Shown>) =>
    shown(of, found, request, { ...AS_IT_IS, form, changes: true, ...changed });
  const check = async (problem: FormProblem | null): Promise<Response> => {
    const quoted = await application.quoteRefund(claimId, address);
    return show(quoted.ok ? { quote: quoted.value, problem } : { problem: PROBLEMS[quoted.error.why] });
  };
  if (!isOwnForm(request, pages.checkoutUrl))
    return show({ problem: { status: 403, text: 'problemForeign' } });
  if (form.get('step') !== 'confirm') return check(null);
  const seenUnits = BigInt(/^\d{1,78}$/.exec(form.get('seen') ?? '')?.[0] ?? '0');
  const done = await application.confirmRefund(claimId, { address, seenUnits });
  if (!done.ok)
    return done.error.why === 'changed'
      ? check(PROBLEMS.changed)
      : show({ problem: PROBLEMS[done.error.why] });
  const { switched } = await frameOf(pages, request, form);
  return seeOther(switched === null ? found.path : `${found.path}?lang=${switched}`);
}

/** The address as payouts take it; a destination tag follows it (XRP). */
function recipientIn(form: URLSearchParams): string {
  const address = (form.get('address') ?? '').trim().slice(0, 256);
  const tag = (form.get('tag') ?? '').trim();
  return tag === '' ? address : `${address}:${tag}`;
}

const PROBLEMS: Readonly<Record<ClaimRefusal['why'], FormProblem>> = {
  over: { status: 410, text: 'refundOverText' },
  sent: { status: 409, text: 'problemRefundSent' },
  address: { status: 422, text: 'problemRefundAddress' },
  too_small: { status: 422, text: 'problemRefundSmall' },
  later: { status: 503, text: 'problemRefundLater' },
  changed: { status: 409, text: 'problemRefundChanged' },
};
