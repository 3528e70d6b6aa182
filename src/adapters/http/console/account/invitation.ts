/** Links for new users: invitations, new passwords, and registration where it is open. */

import type { AccountFault, Accounts } from '../../../../app/accounts/accounts.ts';
import { PASSWORD_LENGTH_MIN } from '../../../../domain/accounts/user.ts';
import { html } from '../../checkout/page/html.ts';
import { formParts } from '../kit/form-parts.ts';
import { button, username } from '../kit/parts.ts';
import { type AccountCall, type ConsoleRoute, type OpenCall, ofAccount, open } from '../kit/route.ts';
import { problemOfFault, textOfFault } from './account-faults.ts';
import { ROLE_NAMES } from './role-names.ts';
import { entered } from './sign-in.ts';

export interface InvitationPages {
  readonly accounts: Accounts;
  readonly isSecure: boolean;
  readonly isOpen: boolean;
}

export function invitationRoutes(of: InvitationPages): readonly ConsoleRoute[] {
  const { accounts, isOpen } = of;
  const routes: readonly ConsoleRoute[] = [
    open('GET', '/i/:token', (call) => linkPage(of, call)),
    open('POST', '/i/:token', (call) => accept(of, call)),
    ofAccount('GET', '/i/:token/join', (call) => joinPage(of, call)),
    ofAccount('POST', '/i/:token/join', async (call) => {
      const done = await accounts.joinByInvitation(call.signedIn, call.params.token ?? '');
      return done.ok ? call.shell.lead(call.shell.home) : joinPage(of, call, done.error);
    }),
  ];
  if (!isOpen) return routes;
  return [
    ...routes,
    open('GET', '/register', (call) => registerPage(call)),
    open('POST', '/register', async (call) => {
      const { form, ip, userAgent, shell } = call;
      const given = { email: form.text('email'), merchantName: form.text('merchant') };
      const done = await accounts.register(given, { ip, userAgent });
      return done.ok ? shell.done(`${shell.home}/sign-in`, 'registered') : registerPage(call, done.error);
    }),
  ];
}

async function linkPage(
  { accounts }: InvitationPages,
  { shell, params, form }: OpenCall,
  fault: AccountFault | null = null,
): Promise<Response> {
  const { token = '' } = params;
  const found = await accounts.invitationOf(token);
  if (found === null) return overPage(shell);
  const { invitation, merchantName, isKnown } = found;
  const at = `${shell.home}/i/${token}`;
  const isReset = invitation.kind === 'reset';
  const what = invitation.role === null ? '' : ROLE_NAMES[invitation.role];
  const where = merchantName ?? 'this gateway';
  const intro = isReset
    ? html`<p>Set a new password for ${invitation.email}. Your second factors are removed: set them up again.</p>`
    : html`<p>You are invited to ${where}, as ${what}. You will sign in as ${invitation.email}.</p>`;
  if (isKnown && !isReset) {
    const body = html`${intro}<p>You have an account already. <a href="${at}/join">Sign in and join</a></p>`;
    return shell.page({ title: 'Invitation', body });
  }
  const { field, problem } = formParts(fault === null ? null : problemOfFault(fault));
  const body = html`${intro}${shell.form(
    at,
    html`${username(invitation.email)}${isReset ? null : field('name', 'Your name', { required: true, autocomplete: 'name', value: form.text('name') })}${field('password', 'Password', { type: 'password', autocomplete: 'new-password', required: true, hint: `At least ${PASSWORD_LENGTH_MIN} characters.` })}${button('Go on')}`,
  )}`;
  return shell.page({
    title: isReset ? 'New password' : 'Invitation',
    body,
    status: fault === null ? 200 : 422,
    problem: problem(),
  });
}

async function accept(of: InvitationPages, call: OpenCall): Promise<Response> {
  const { form, params, ip, userAgent } = call;
  const given = { token: params.token ?? '', name: form.text('name'), password: form.text('password') };
  const done = await of.accounts.acceptInvitation(given, { ip, userAgent });
  return done.ok ? entered(of, call, done.value) : linkPage(of, call, done.error);
}

async function joinPage(
  { accounts }: InvitationPages,
  { shell, params }: AccountCall,
  fault: AccountFault | null = null,
): Promise<Response> {
  const { token = '' } = params;
  const found = await accounts.invitationOf(token);
  if (found === null) return overPage(shell);
  const { invitation, merchantName } = found;
  const role = invitation.role === null ? '' : ROLE_NAMES[invitation.role];
  return shell.page({
    title: 'Invitation',
    status: fault === null ? 200 : 422,
    problem: fault === null ? null : textOfFault(fault),
    body: html`<p>Join ${merchantName ?? 'this gateway'} as ${role}.</p>${shell.form(`${shell.home}/i/${token}/join`, button('Join'))}`,
  });
}

function overPage(shell: OpenCall['shell']): Response {
  return shell.page({
    status: 410,
    title: 'The link is over',
    body: html`<p>${textOfFault('link_over')}</p>`,
  });
}

function registerPage({ shell, form }: OpenCall, fault: AccountFault | null = null): Response {
  const { field, problem } = formParts(fault === null ? null : problemOfFault(fault), { name: 'merchant' });
  const body = html`<p>You get a link by e-mail. The sandbox works at once; live payments after verification.</p>${shell.form(
    `${shell.home}/register`,
    html`${field('merchant', 'Name of your business', { required: true, maxLength: 100, value: form.text('merchant') })}${field('email', 'E-mail', { type: 'email', required: true, autocomplete: 'email', value: form.text('email') })}${button('Send me the link')}`,
  )}`;
  return shell.page({
    title: 'Open an account',
    status: fault === null ? 200 : 422,
    problem: problem(),
    body,
  });
}
