/**
 * The gate in front of every route of the console: rate limit, session, role, second factor, and
 * for a form its origin and code. What a role may not open answers as a path that does not exist
 * does, with the same bytes.
 */

import type { Accounts, SignedIn } from '../../../../app/accounts/accounts.ts';
import type { Application } from '../../../../app/application.ts';
import type { MerchantRole, OperatorRole } from '../../../../domain/accounts/role.ts';
import { ENVIRONMENTS } from '../../../../domain/environment.ts';
import type { Merchant } from '../../../../domain/merchants/merchant.ts';
import { StorageUnavailable } from '../../../../ports/repositories.ts';
import type { Clock } from '../../../../ports/runtime/clock.ts';
import { isOwnForm } from '../../checkout/forms.ts';
import { html } from '../../checkout/page/html.ts';
import { networkOf } from '../../kit/caller-ip.ts';
import { asId } from '../../kit/input/query.ts';
import type { PathParams } from '../../kit/path.ts';
import { RateLimiter } from '../../kit/rate-limit.ts';
import type { PublicRoute } from '../../kit/route.ts';
import { type Admission, admission } from './access.ts';
import { consoleAssets } from './assets.ts';
import { Form, readConsoleForm } from './form.ts';
import { liveKey, liveStates } from './live-state.ts';
import { BACK, merchantBase, type Place, type ShellParts } from './place.ts';
import type { AccountCall, ConsoleRoute, MerchantCall, OpenCall, OperatorCall } from './route.ts';
import { formCode, isFormCode, tokenOf } from './session-cookie.ts';
import { type Shell, shellOf } from './shell.ts';

export interface GateDependencies {
  readonly application: Pick<Application, 'queries'>;
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly ids: { uuid(): string };
  /** Public address of the service. The console is below it. */
  readonly baseUrl: string;
  readonly rateLimitPerMinute: number;
  callerIp(request: Request): string | null;
}

export interface Gate {
  /** Path of the console, as the browser sees it. */
  readonly home: string;
  readonly isSecure: boolean;
  guarded(route: ConsoleRoute): PublicRoute;
}

const USER_AGENT_CHARACTERS = 200;

export function consoleGate(deps: GateDependencies): Gate {
  const base = new URL(deps.baseUrl);
  const gate = {
    home: `${base.pathname.replace(/\/$/, '')}/console`,
    isSecure: base.protocol === 'https:',
    limiter: new RateLimiter(deps.rateLimitPerMinute),
    uuid: () => deps.ids.uuid(),
  };
  return {
    ...gate,
    guarded: (route) => ({
      method: route.method,
      path: `/console${route.path}`,
      respond: (request, params) => respond(deps, gate, { route, request, params }),
      failed: async (request) => {
        const shell = await shellFor(gate, request, null);
        return message(shell, 500, 'Something went wrong', 'It was noted. Try again in a moment.');
      },
    }),
  };
}

interface Opened {
  readonly home: string;
  readonly isSecure: boolean;
  readonly limiter: RateLimiter;
  uuid(): string;
}

interface Asked {
  readonly route: ConsoleRoute;
  readonly request: Request;
  readonly params: PathParams;
}

async function respond(deps: GateDependencies, gate: Opened, asked: Asked): Promise<Response> {
  const { request } = asked;
  const ip = deps.callerIp(request);
  const now = deps.clock.now();
  const wait = gate.limiter.take(networkOf(ip), now.getTime());
  if (wait !== null) {
    const shell = await shellFor(gate, request, null);
    const busy = message(shell, 429, 'Too many requests', `Wait ${wait} seconds, and try again.`);
    busy.headers.set('retry-after', String(wait));
    return busy;
  }
  try {
    return await admitted(deps, gate, asked, { ip, now });
  } catch (thrown) {
    if (!(thrown instanceof StorageUnavailable)) throw thrown;
    const shell = await shellFor(gate, request, null);
    return message(shell, 503, 'The database does not answer', 'Nothing was changed. Try again in a moment.');
  }
}

async function admitted(
  deps: GateDependencies,
  gate: Opened,
  { route, request, params }: Asked,
  { ip, now }: { ip: string | null; now: Date },
): Promise<Response> {
  const found = await admissionOf(deps, gate, { route, request, params }, now);
  const { signedIn, token, decided, place, merchant } = found;
  if (!decided.admitted) return turnedAway(gate, request, { why: decided.why, signedIn, token });
  const changes = route.method === 'POST';
  const session = signedIn === null || token === null ? null : { signedIn, token };
  // The path and the query as they were sent.
  if (request.url.includes('%00')) return unreadable(await shellFor(gate, request, session));
  const states = changes || place === null ? null : await statesOf(deps, place, now);
  const shell = await shellFor(gate, request, session, {
    ...{ place: place ?? { area: 'account' }, liveStates: states },
  });
  const form = changes ? await readConsoleForm(request) : new Form(new URLSearchParams());
  if (form === null) return message(shell, 413, 'The form is too large', 'Send less at a time.');
  if (form.isMalformed) return unreadable(shell);
  if (changes && !isOwn(deps, { route, request, form, token }))
    return message(
      shell,
      403,
      'The form was not sent from this page',
      'Open the page again, and send it once more.',
    );
  const open: OpenCall = {
    ...{ request, params, form, now, ip, shell },
    query: new URL(request.url).searchParams,
    userAgent: request.headers.get('user-agent')?.slice(0, USER_AGENT_CHARACTERS) ?? null,
  };
  return answered(route, open, { signedIn, role: decided.role, merchant, place, home: gate.home });
}

/** Whose request it is, and whether the route is open to them. */
async function admissionOf(
  deps: GateDependencies,
  gate: Opened,
  { route, request, params }: Asked,
  now: Date,
) {
  const token = tokenOf(request, gate.isSecure);
  const signedIn = token === null ? null : await deps.accounts.sessionOf(token);
  const place = placeOf(route, params);
  const merchantId = place?.area === 'merchant' ? place.merchantId : null;
  const changes = route.method === 'POST';
  const hidden: Admission = { admitted: false, why: signedIn === null ? 'sign_in' : 'hidden' };
  const decided = place === null ? hidden : admission(route.access, signedIn, { changes, merchantId, now });
  const isOpen = decided.admitted && merchantId !== null;
  const merchant = isOpen ? await deps.application.queries.merchantById(merchantId) : null;
  return { token, signedIn, place, merchant, decided: isOpen && merchant === null ? hidden : decided };
}

/** Whether the form was sent by a page of this session. */
function isOwn(
  { baseUrl }: GateDependencies,
  { route, request, form, token }: Pick<Asked, 'route' | 'request'> & { form: Form; token: string | null },
): boolean {
  if (!isOwnForm(request, baseUrl)) return false;
  if (token === null || route.access.of === 'open') return true;
  return isFormCode(form.optional('code') ?? request.headers.get('x-form-code'), token);
}

function answered(
  route: ConsoleRoute,
  open: OpenCall,
  found: {
    signedIn: SignedIn | null;
    role: MerchantRole | OperatorRole | null;
    merchant: Merchant | null;
    place: Place | null;
    home: string;
  },
): Response | Promise<Response> {
  const { signedIn, merchant, place, home } = found;
  if (route.access.of === 'open')
    return (route as Extract<ConsoleRoute, { access: { of: 'open' } }>).answer(open);
  if (signedIn === null) throw new Error('an admitted request has no session');
  const call: AccountCall = {
    ...open,
    // The audit log names the address of this request, not that of the sign-in.
    signedIn: { ...signedIn, session: { ...signedIn.session, ip: open.ip } },
    actor: { kind: 'user', userId: signedIn.user.id, name: signedIn.user.email, ip: open.ip },
  };
  const run = route.answer as (call: AccountCall) => Response | Promise<Response>;
  if (place?.area === 'operator') {
    const seat = { actor: call.actor, userId: signedIn.user.id, role: found.role as OperatorRole };
    const operator: OperatorCall = { ...call, seat, base: `${home}/o` };
    return run(operator);
  }
  if (place?.area !== 'merchant' || merchant === null) return run(call);
  return run(merchantCall(call, { merchant, place, home, role: found.role as MerchantRole }));
}

function merchantCall(
  call: AccountCall,
  {
    merchant,
    place,
    home,
    role,
  }: { merchant: Merchant; place: Extract<Place, { area: 'merchant' }>; home: string; role: MerchantRole },
): MerchantCall {
  const { environment } = place;
  const membership = call.signedIn.memberships.find((one) => one.merchantId === merchant.id);
  return {
    ...call,
    ...{ environment, base: merchantBase(home, place) },
    desk: {
      ...{ actor: call.actor, userId: call.signedIn.user.id, role },
      caller: {
        ...{ merchant, environment },
        scope: { merchantId: merchant.id, sandbox: environment === 'sandbox' },
      },
      refundLimitMicroUsd: membership?.refundLimitMicroUsd ?? null,
    },
  };
}

/** For the page, whichever it follows. */
async function statesOf(deps: GateDependencies, place: Place, now: Date): Promise<ShellParts['liveStates']> {
  const keys = [liveKey(place, 'changes'), liveKey(place, 'invoices')].filter((key) => key !== null);
  return keys.length === 0 ? null : liveStates(deps.application, keys, now);
}

/** Null for a path that names no merchant or environment. */
function placeOf({ access }: ConsoleRoute, params: PathParams): Place | null {
  if (access.of === 'operator') return { area: 'operator' };
  if (access.of !== 'merchant') return { area: 'account' };
  const merchantId = asId(params.merchant ?? '');
  const environment = ENVIRONMENTS.find((one) => one === params.environment);
  return environment === undefined || merchantId === null
    ? null
    : { area: 'merchant', merchantId, environment };
}

async function turnedAway(
  gate: Opened,
  request: Request,
  found: {
    why: Extract<Admission, { admitted: false }>['why'];
    signedIn: SignedIn | null;
    token: string | null;
  },
): Promise<Response> {
  const { home } = gate;
  const session =
    found.signedIn !== null && found.token !== null ? { signedIn: found.signedIn, token: found.token } : null;
  const shell = await shellFor(gate, request, session);
  const path = new URL(request.url).pathname.slice('/console'.length);
  const back = request.method === 'GET' && BACK.test(path) ? `?to=${encodeURIComponent(path)}` : '';
  switch (found.why) {
    case 'sign_in':
      return shell.lead(`${home}/sign-in${back}`);
    case 'second_factor':
    case 'confirm':
      return shell.lead(`${home}/second-factor${back}`);
    case 'enrol':
      return shell.lead(`${home}/account?why=second-factor`);
    case 'hidden':
      return notFound(shell);
  }
}

function unreadable(shell: Shell): Response {
  return message(shell, 400, 'That cannot be read', 'It has a character that no text has.');
}

export function notFound(shell: Shell): Response {
  return message(shell, 404, 'Not found', 'There is no such page, or it is not yours to open.');
}

function message(shell: Shell, status: number, title: string, text: string): Response {
  return shell.page({
    status,
    title,
    body: html`<p>${text}</p><p><a href="${shell.home}">To the start</a></p>`,
  });
}

async function shellFor(
  gate: Opened,
  request: Request,
  session: { readonly signedIn: SignedIn; readonly token: string } | null,
  at: Pick<ShellParts, 'place' | 'liveStates'> = { place: { area: 'account' }, liveStates: null },
): Promise<Shell> {
  const { names } = await consoleAssets();
  return shellOf({
    ...{ request, ...at, home: gate.home, assets: names, uuid: gate.uuid },
    signedIn: session?.signedIn ?? null,
    formCode: session === null ? null : formCode(session.token),
  });
}
