/** Signing in: password or passkey, the second factor, and the way out. */

import type {
  Accounts,
  SecondFactor,
  SignInRefusal,
  StartedSession,
} from '../../../../app/accounts/accounts.ts';
import { isGranted } from '../../../../domain/accounts/role.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { jsonAnswer } from '../kit/answers.ts';
import { button, field } from '../kit/parts.ts';
import { BACK } from '../kit/place.ts';
import {
  type AccountCall,
  type ConsoleRoute,
  type OpenCall,
  ofAccount,
  ofSecondFactor,
  open,
} from '../kit/route.ts';
import { sessionCookie } from '../kit/session-cookie.ts';
import { textOfFault } from './account-faults.ts';

export interface SignInPages {
  readonly accounts: Accounts;
  /** Cookies go over TLS only. */
  readonly isSecure: boolean;
  /** Anybody may open an account. */
  readonly isOpen: boolean;
}

export function signInRoutes(of: SignInPages): readonly ConsoleRoute[] {
  const { accounts } = of;
  return [
    ofAccount('GET', '', start),
    open('GET', '/sign-in', (call) => signInPage(of, call, null)),
    open('POST', '/sign-in', (call) => signIn(of, call)),
    open('POST', '/sign-in/passkey/options', async () => {
      const { options, ceremony } = await accounts.passkeyOptions();
      return jsonAnswer(200, { options: JSON.parse(options), ceremony });
    }),
    open('POST', '/sign-in/passkey', async (call) => {
      const { form, ip, userAgent } = call;
      const given = { ceremony: form.text('ceremony'), answer: form.text('answer') };
      const done = await accounts.signInByPasskey(given, { ip, userAgent });
      return done.ok ? entered(of, call, done.value) : signInPage(of, call, done.error);
    }),
    ofSecondFactor('GET', '/second-factor', (call) => secondFactorPage(of, call, null)),
    ofSecondFactor('POST', '/second-factor', async (call) => {
      const done = await accounts.confirmSecondFactor(call.signedIn, factorOf(call));
      return done.ok ? entered(of, call, done.value) : secondFactorPage(of, call, done.error);
    }),
    ofSecondFactor('POST', '/second-factor/options', async ({ signedIn }) => {
      const options = await accounts.secondFactorOptions(signedIn);
      return options === null ? jsonAnswer(404, {}) : jsonAnswer(200, { options: JSON.parse(options) });
    }),
    ofAccount('POST', '/sign-out', (call) => signOut(of, call)),
    ofSecondFactor('POST', '/leave', (call) => signOut(of, call)),
  ];
}

/** The first page that the user may open. */
function start({ signedIn, shell }: AccountCall): Response {
  const { home } = shell;
  if (signedIn.session.stage === 'enrolling') return shell.lead(`${home}/account?why=second-factor`);
  const { operatorRole } = signedIn.user;
  if (operatorRole !== null && isGranted(operatorRole, 'operator.read')) return shell.lead(`${home}/o`);
  const [first] = signedIn.memberships;
  return shell.lead(first === undefined ? `${home}/account` : `${home}/m/${first.merchantId}/live`);
}

function signInPage(
  of: SignInPages,
  { shell, query, form }: OpenCall,
  refusal: SignInRefusal | null,
): Response {
  const to = backOf(query.get('to') ?? form.text('to'));
  const hidden = html`<input type="hidden" name="to" value="${to}">`;
  const body = html`${shell.form(
    `${shell.home}/sign-in`,
    html`${hidden}${field('email', 'E-mail', { type: 'email', autocomplete: 'username', required: true, value: form.text('email') })}${field('password', 'Password', { type: 'password', autocomplete: 'current-password', required: true })}${button('Sign in')}`,
  )}
${passkeyForm(`${shell.home}/sign-in/passkey`, `${shell.home}/sign-in/passkey/options`, null, hidden)}
${of.isOpen ? html`<p><a href="${shell.home}/register">Open an account</a></p>` : null}
<p class="hint">Forgot your password? Ask whoever invited you for a new link.</p>`;
  const status = refusal === null ? 200 : refusal.code === 'wait' ? 429 : 401;
  const page = shell.page({
    status,
    title: 'Sign in',
    body,
    problem: refusal === null ? null : textOf(refusal),
  });
  if (refusal?.code === 'wait') page.headers.set('retry-after', String(refusal.waitSeconds));
  return page;
}

async function signIn(of: SignInPages, call: OpenCall): Promise<Response> {
  const { form, ip, userAgent } = call;
  const given = { email: form.text('email'), password: form.text('password') };
  const done = await of.accounts.signIn(given, { ip, userAgent });
  return done.ok ? entered(of, call, done.value) : signInPage(of, call, done.error);
}

/** Leads on, with the new session's cookie. */
export function entered(
  { isSecure }: Pick<SignInPages, 'isSecure'>,
  { shell, form, query }: OpenCall,
  { token, session }: StartedSession,
): Response {
  const to = backOf(query.get('to') ?? form.text('to'));
  const next =
    session.stage === 'password'
      ? `${shell.home}/second-factor${to === '' ? '' : `?to=${encodeURIComponent(to)}`}`
      : `${shell.home}${to}`;
  const response = shell.lead(
    session.stage === 'enrolling' ? `${shell.home}/account?why=second-factor` : next,
  );
  response.headers.append('set-cookie', sessionCookie(token, isSecure));
  return response;
}

async function secondFactorPage(
  { accounts }: SignInPages,
  { shell, signedIn, query, form }: AccountCall,
  refusal: SignInRefusal | null,
): Promise<Response> {
  if (!signedIn.hasSecondFactor) return shell.lead(`${shell.home}/account?why=second-factor`);
  const hasPasskeys = await accounts.hasPasskeys(signedIn);
  const to = html`<input type="hidden" name="to" value="${backOf(query.get('to') ?? form.text('to'))}">`;
  const action = `${shell.home}/second-factor`;
  const body = html`<p>Your second factor is needed to go on.</p>
${shell.form(action, html`${to}${field('factor', 'Code of your authenticator app', { autocomplete: 'one-time-code', inputmode: 'numeric', maxLength: 8 })}${button('Go on')}`)}
${hasPasskeys ? passkeyForm(action, `${action}/options`, shell.codeField, to) : null}
<details><summary>Use a recovery code</summary>${shell.form(action, html`${to}${field('recovery', 'Recovery code', { autocomplete: 'off' })}${button('Go on', 'plain')}`)}</details>
${shell.form(`${shell.home}/leave`, button('Sign out', 'plain'))}`;
  return shell.page({
    status: refusal === null ? 200 : refusal.code === 'wait' ? 429 : 401,
    title: 'Second factor',
    body,
    problem: refusal === null ? null : refusal.code === 'wait' ? textOf(refusal) : textOfFault('wrong_code'),
  });
}

function factorOf({ form }: AccountCall): SecondFactor {
  const answer = form.text('answer');
  if (answer !== '') return { kind: 'passkey', answer };
  const recovery = form.text('recovery');
  return recovery === '' ? { kind: 'code', code: form.text('factor') } : { kind: 'recovery', code: recovery };
}

async function signOut(
  { accounts, isSecure }: SignInPages,
  { shell, signedIn }: AccountCall,
): Promise<Response> {
  await accounts.signOut(signedIn);
  const response = shell.done(`${shell.home}/sign-in`, 'signed_out');
  response.headers.append('set-cookie', sessionCookie(null, isSecure));
  return response;
}

/** Hidden until the script finds that the browser knows passkeys. */
function passkeyForm(action: string, options: string, code: Markup | null, more: Markup | null): Markup {
  return html`<form method="post" action="${action}">${code}${more}<input type="hidden" name="answer"><input type="hidden" name="ceremony"><button hidden data-passkey="get" data-options="${options}">Use a passkey</button><p data-passkey-says role="alert"></p></form>`;
}

function textOf(refusal: SignInRefusal): string {
  return refusal.code === 'wait'
    ? `Too many tries. Wait ${refusal.waitSeconds} seconds.`
    : 'The e-mail address or the password is wrong.';
}

function backOf(given: string): string {
  return BACK.test(given) ? given : '';
}
