/** A user's own account: password, second factors, recovery codes, sessions. */

import type { AccountFault, Accounts, StartedSession } from '../../../../app/accounts/accounts.ts';
import { isFreshSignIn, type Session } from '../../../../domain/accounts/session.ts';
import { PASSWORD_LENGTH_MIN } from '../../../../domain/accounts/user.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { jsonAnswer } from '../kit/answers.ts';
import type { DoneCode } from '../kit/done.ts';
import { formParts } from '../kit/form-parts.ts';
import { button, card, copyable, facts, instant, table, username } from '../kit/parts.ts';
import { qrImage } from '../kit/qr-image.ts';
import { type AccountCall, type ConsoleRoute, ofAccount } from '../kit/route.ts';
import { sessionCookie } from '../kit/session-cookie.ts';
import { problemOfFault } from './account-faults.ts';

export interface SecurityPages {
  readonly accounts: Accounts;
  readonly isSecure: boolean;
}

export function securityRoutes(of: SecurityPages): readonly ConsoleRoute[] {
  const { accounts } = of;
  const post = (path: string, answer: (call: AccountCall) => Promise<Response>): ConsoleRoute =>
    ofAccount('POST', `/account${path}`, answer);
  return [
    ofAccount('GET', '/account', (call) => accountPage(of, call)),
    post('/password', async (call) => {
      const { form, signedIn } = call;
      const given = { old: form.text('old'), password: form.text('password') };
      const done = await accounts.changePassword(signedIn, given);
      return done.ok ? renewed(of, call, done.value, 'password_changed') : accountPage(of, call, done.error);
    }),
    ofAccount('GET', '/account/codes', (call) =>
      call.signedIn.hasSecondFactor || isFreshSignIn(call.signedIn.session, call.now)
        ? codesPage(of, call)
        : accountPage(of, call, 'sign_in_again'),
    ),
    post('/codes', (call) => enableCodes(of, call)),
    post('/codes/remove', (call) => changed(of, call, 'codes_removed', accounts.disableCodes(call.signedIn))),
    post('/passkeys/options', async ({ signedIn }) => {
      const { options } = await accounts.beginPasskey(signedIn);
      return jsonAnswer(200, { options: JSON.parse(options) });
    }),
    post('/passkeys', async (call) => {
      const { form, signedIn } = call;
      const given = { answer: form.text('answer'), name: form.text('name') };
      const done = await accounts.addPasskey(signedIn, given);
      if (!done.ok) return accountPage(of, call, done.error);
      const { started, recoveryCodes } = done.value;
      return recoveryCodes === null
        ? renewed(of, call, started, 'passkey_added')
        : codesShown(of, call, { started, recoveryCodes });
    }),
    post('/passkeys/remove', (call) =>
      changed(of, call, 'passkey_removed', accounts.removePasskey(call.signedIn, call.form.text('id'))),
    ),
    post('/recovery', async (call) => {
      const done = await accounts.newRecoveryCodes(call.signedIn);
      return done.ok
        ? codesShown(of, call, { started: null, recoveryCodes: done.value })
        : accountPage(of, call, done.error);
    }),
    post('/sessions', (call) =>
      changed(of, call, 'session_ended', accounts.endSession(call.signedIn, call.form.optional('id'))),
    ),
  ];
}

async function changed(
  of: SecurityPages,
  call: AccountCall,
  code: DoneCode,
  doing: ReturnType<Accounts['disableCodes']>,
): Promise<Response> {
  const done = await doing;
  return done.ok ? call.shell.done(`${call.shell.home}/account`, code) : accountPage(of, call, done.error);
}

function renewed(
  of: SecurityPages,
  { shell }: AccountCall,
  started: StartedSession,
  code: DoneCode,
): Response {
  const response = shell.done(`${shell.home}/account`, code);
  response.headers.append('set-cookie', sessionCookie(started.token, of.isSecure));
  return response;
}

async function accountPage(
  { accounts }: SecurityPages,
  { shell, signedIn, query }: AccountCall,
  fault: AccountFault | null = null,
): Promise<Response> {
  if (fault === 'confirm_needed') return shell.lead(`${shell.home}/second-factor?to=/account`);
  const security = await accounts.security(signedIn);
  const at = `${shell.home}/account`;
  const { field, problem } = formParts(fault === null ? null : problemOfFault(fault));
  const lacks = !security.hasCodes && security.passkeys.length === 0;
  const body = html`${
    lacks && query.get('why') === 'second-factor'
      ? html`<p class="message warn">Set up a second factor to go on: what moves money needs one, and so does every operator.</p>`
      : null
  }
${card(
  'You',
  facts([
    ['E-mail', signedIn.user.email],
    ['Name', signedIn.user.name],
  ]),
)}
${card(
  'Second factor',
  html`<p>${lacks ? 'None is set up.' : 'It is set up.'}</p><div class="actions">${
    security.hasCodes
      ? shell.form(
          `${at}/codes/remove`,
          button('Remove the authenticator app', 'danger', 'Remove the authenticator app?'),
          { class: 'inline' },
        )
      : html`<a class="button" href="${at}/codes">Set up an authenticator app</a>`
  }</div>${shell.form(
    `${at}/passkeys`,
    html`${field('name', 'Name of the new passkey', { maxLength: 60, hint: 'Your phone or laptop, for example.' })}<input type="hidden" name="answer"><button hidden data-passkey="create" data-options="${at}/passkeys/options">Add a passkey</button><p data-passkey-says role="alert"></p>`,
  )}${table(
    security.passkeys,
    [
      { title: 'Passkey', cell: ({ name }) => name },
      { title: 'Added', cell: ({ createdAt }) => instant(createdAt) },
      { title: 'Last used', cell: ({ lastUsedAt }) => instant(lastUsedAt) ?? 'never' },
      {
        title: '',
        cell: ({ id }) =>
          shell.form(
            `${at}/passkeys/remove`,
            html`<input type="hidden" name="id" value="${id}">${button('Remove', 'danger', 'Remove this passkey?')}`,
            { class: 'inline' },
          ),
      },
    ],
    { empty: 'No passkeys.', caption: 'Passkeys' },
  )}`,
)}
${
  lacks
    ? null
    : card(
        'Recovery codes',
        html`<p>${String(security.recoveryCodesLeft)} left. Each opens your account once, without your second factor.</p>${shell.form(`${at}/recovery`, button('Make new codes', 'plain', 'The old codes end. Make new ones?'))}`,
      )
}
${card(
  'Password',
  shell.form(
    `${at}/password`,
    html`${username(signedIn.user.email)}${field('old', 'Present password', { type: 'password', autocomplete: 'current-password', required: true })}${field('password', 'New password', { type: 'password', autocomplete: 'new-password', required: true, hint: `At least ${PASSWORD_LENGTH_MIN} characters.` })}${button('Change the password')}`,
  ),
)}
${card('Sessions', sessions(shell, security.sessions, signedIn.session))}`;
  return shell.page({
    title: 'Your account',
    body,
    status: fault === null ? 200 : 422,
    problem: problem(),
  });
}

function sessions(shell: AccountCall['shell'], all: readonly Session[], present: Session): Markup {
  const action = `${shell.home}/account/sessions`;
  return html`${table(
    all,
    [
      { title: 'Browser', cell: ({ userAgent }) => userAgent ?? 'unknown' },
      { title: 'Address', cell: ({ ip }) => ip ?? 'unknown' },
      { title: 'Begun', cell: ({ createdAt }) => instant(createdAt) },
      { title: 'Last seen', cell: ({ lastSeenAt }) => instant(lastSeenAt) },
      {
        title: '',
        cell: ({ id }) =>
          id === present.id
            ? 'this one'
            : shell.form(
                action,
                html`<input type="hidden" name="id" value="${id}">${button('End', 'danger')}`,
                { class: 'inline' },
              ),
      },
    ],
    { empty: 'No sessions.', caption: 'Sessions' },
  )}${all.length > 1 ? shell.form(action, button('End all others', 'danger', 'End all other sessions?')) : null}`;
}

async function codesPage(
  { accounts }: SecurityPages,
  { shell, signedIn }: AccountCall,
  fault: AccountFault | null = null,
): Promise<Response> {
  const { secret, uri } = await accounts.beginCodes(signedIn);
  const { field, problem } = formParts(fault === null ? null : problemOfFault(fault));
  const body = html`<ol class="steps"><li>Scan this code with your authenticator app, or type its secret.</li><li>Type the six digits that the app shows.</li></ol>
<p><img class="qr" alt="QR code of the secret" src="${await qrImage(uri)}"></p>
<p>${copyable(secret)}</p>
${shell.form(`${shell.home}/account/codes`, html`${field('factor', 'Six digits', { inputmode: 'numeric', autocomplete: 'one-time-code', maxLength: 8, required: true })}${button('Set up')}`)}`;
  return shell.page({
    title: 'Set up an authenticator app',
    body,
    status: fault === null ? 200 : 422,
    problem: problem(),
  });
}

async function enableCodes(of: SecurityPages, call: AccountCall): Promise<Response> {
  const done = await of.accounts.enableCodes(call.signedIn, call.form.text('factor'));
  if (!done.ok) return codesPage(of, call, done.error);
  const { started, recoveryCodes } = done.value;
  return recoveryCodes === null
    ? renewed(of, call, started, 'codes_enabled')
    : codesShown(of, call, { started, recoveryCodes });
}

/** Shown once, with the new session's cookie. */
function codesShown(
  { isSecure }: SecurityPages,
  { shell }: AccountCall,
  { started, recoveryCodes }: { started: StartedSession | null; recoveryCodes: readonly string[] },
): Response {
  const body = html`<p class="message warn">These codes are shown only now. Each opens your account once, if you lose your second factor.</p>
<ul class="codes">${recoveryCodes.map((code) => html`<li>${code}</li>`)}</ul>
<p><a href="${shell.home}">I have stored them</a></p>`;
  const response = shell.page({ title: 'Recovery codes', body });
  if (started !== null) response.headers.append('set-cookie', sessionCookie(started.token, isSecure));
  return response;
}
