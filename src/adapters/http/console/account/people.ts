/** Users and roles: of a merchant, for it and for operators, or the operators. */

import type { AccountFault, Accounts } from '../../../../app/accounts/accounts.ts';
import {
  MERCHANT_ROLES,
  type MerchantRole,
  OPERATOR_ROLES,
  type OperatorRole,
} from '../../../../domain/accounts/role.ts';
import type { Invitation } from '../../../../domain/accounts/user.ts';
import { FIAT_DECIMALS } from '../../../../domain/catalog/fiat.ts';
import { validationError } from '../../../../domain/errors.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';
import type { Result } from '../../../../domain/result.ts';
import type { OperatorQueries } from '../../../../ports/operator-queries.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import type { DoneCode } from '../kit/done.ts';
import type { Form } from '../kit/form.ts';
import { type FormParts, formParts } from '../kit/form-parts.ts';
import { notFound } from '../kit/gate.ts';
import { badge, button, card, choice, copyable, instant, microUsd, table } from '../kit/parts.ts';
import type { AccountCall, ConsoleRoute, MerchantCall, OperatorCall } from '../kit/route.ts';
import { ofMerchant, ofOperator } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import { problemOfFault } from './account-faults.ts';
import { ROLE_NAMES } from './role-names.ts';

interface Side {
  /** Null: operators. */
  readonly merchantId: string | null;
  /** Path of the page. */
  readonly at: string;
  /** Operators' admins bring people back in, and end what somebody else may have opened. */
  readonly byOperator: boolean;
  readonly title: string;
}

type Act = (accounts: Accounts, call: AccountCall, side: Side) => Promise<Response>;
type Names = Pick<OperatorQueries, 'merchantNames'>;

export function peopleRoutes(accounts: Accounts, queries: Names): readonly ConsoleRoute[] {
  const actions = [
    ['/people/invite', invite],
    ['/people/invitations/withdraw', withdraw],
    ['/people/role', changeRole],
    ['/people/remove', remove],
  ] as const;
  const ofOperators = [...actions, ['/people/reset', reset], ['/people/sessions', endSessions]] as const;
  const atMerchant = (act: Act) => async (call: OperatorCall) => {
    const side = await sideOfMerchant(queries, call);
    return side === null ? notFound(call.shell) : act(accounts, call, side);
  };
  return [
    ofMerchant('users.manage', 'GET', '/people', (call) => page(accounts, call, ownSide(call))),
    ...actions.map(([path, act]) =>
      ofMerchant('users.manage', 'POST', path, (call) => act(accounts, call, ownSide(call))),
    ),
    ofOperator('operators.manage', 'GET', '/people', (call) => page(accounts, call, operatorsSide(call))),
    ...ofOperators.map(([path, act]) =>
      ofOperator('operators.manage', 'POST', path, (call) => act(accounts, call, operatorsSide(call))),
    ),
    ofOperator('merchants.manage', 'GET', '/merchants/:id/people', atMerchant(page)),
    ...ofOperators.map(([path, act]) =>
      ofOperator('merchants.manage', 'POST', `/merchants/:id${path}`, atMerchant(act)),
    ),
  ];
}

function ownSide({ base, desk }: MerchantCall): Side {
  const { id: merchantId } = desk.caller.merchant;
  return { merchantId, at: `${base}/people`, byOperator: false, title: 'Users and roles' };
}

function operatorsSide({ base }: OperatorCall): Side {
  return { merchantId: null, at: `${base}/people`, byOperator: true, title: 'Operators' };
}

/** Null: there is no such merchant. */
async function sideOfMerchant(queries: Names, { base, params }: OperatorCall): Promise<Side | null> {
  const { id = '' } = params;
  const name = (await queries.merchantNames([id])).get(id);
  if (name === undefined) return null;
  const at = `${base}/merchants/${id}/people`;
  return { merchantId: id, at, byOperator: true, title: `Users of ${name}` };
}

async function page(
  accounts: Accounts,
  { shell, form }: AccountCall,
  { merchantId, at, byOperator, title }: Side,
  { problem = null, url = null }: { problem?: Problem | null; url?: string | null } = {},
): Promise<Response> {
  const { users, invitations } = await accounts.people(merchantId);
  const roles = (merchantId === null ? OPERATOR_ROLES : MERCHANT_ROLES).map(
    (role) => [role, ROLE_NAMES[role]] as const,
  );
  const parts = formParts(problem);
  const untouched = formParts(null);
  /** The form of a user, or of an invitation (''): the one that was sent has what was typed. */
  const sent = (user: string): Form | null => (problem !== null && form.text('user') === user ? form : null);
  const partsOf = (user: string): FormParts => (sent(user) === null ? untouched : parts);
  const limitOf = (user: string, stored: bigint | null): Markup | null =>
    merchantId === null ? null : limitField(partsOf(user), user, sent(user)?.text('limit') ?? stored);
  const body = html`${url === null ? null : html`<div class="message good"><p>Pass this link on. It works once, for seven days.</p>${copyable(url)}</div>`}
${card(
  merchantId === null ? 'Operators' : 'Users',
  table(
    users,
    [
      { title: 'Name', cell: ({ name, email }) => html`${name}<br><small>${email}</small>` },
      {
        title: 'Second factor',
        cell: ({ hasSecondFactor }) => (hasSecondFactor ? badge('set up', 'good') : badge('none', 'warn')),
      },
      { title: 'Last seen', cell: ({ lastSeenAt }) => instant(lastSeenAt) ?? 'never' },
      {
        title: 'Role',
        cell: ({ id, role, refundLimitMicroUsd }) =>
          shell.form(
            `${at}/role`,
            html`<input type="hidden" name="user" value="${id}">${choice('role', 'Role', roles, { chosen: sent(id)?.text('role') ?? role, id: `role-${id}` })}${limitOf(id, refundLimitMicroUsd)}${button('Save', 'plain')}`,
            { class: 'inline' },
          ),
      },
      {
        title: '',
        cell: ({ id }) =>
          html`<div class="actions">${
            byOperator
              ? html`${shell.form(`${at}/reset`, html`<input type="hidden" name="user" value="${id}">${button('Link for a new password', 'plain')}`, { class: 'inline' })}${shell.form(`${at}/sessions`, html`<input type="hidden" name="user" value="${id}">${button('End its sessions', 'plain', 'End all sessions of this person?')}`, { class: 'inline' })}`
              : null
          }${shell.form(`${at}/remove`, html`<input type="hidden" name="user" value="${id}">${button('Remove', 'danger', 'Remove this person? All sessions of it end.')}`, { class: 'inline' })}</div>`,
      },
    ],
    { empty: 'Nobody.', caption: 'People' },
  ),
)}
${card('Invite', html`<p class="hint">${NOT_INDEPENDENT[merchantId === null ? 'operators' : 'merchant']}</p>${shell.form(`${at}/invite`, html`${partsOf('').field('email', 'E-mail', { type: 'email', required: true, autocomplete: 'off', value: sent('')?.text('email') ?? null })}${choice('role', 'Role', roles, { chosen: sent('')?.text('role') ?? null })}${limitOf('', null)}${button('Make a link')}`)}`)}
${card('Open invitations', openInvitations(shell, at, invitations))}`;
  return shell.page({
    title,
    body,
    status: problem === null ? 200 : 422,
    problem: parts.problem(),
  });
}

const NOT_INDEPENDENT = {
  merchant:
    'Where a second person has to approve, whom you invite cannot approve what you order, nor you what they order. Ask the operator to invite somebody independent of you.',
  operators:
    'Where a second person has to approve, whom you invite cannot approve what you order, nor you what they order. Somebody independent of you is made by bun run operator create.',
} as const;

/** `limit`: micro-USD, or what was typed. */
function limitField({ field }: FormParts, user: string, limit: bigint | string | null): Markup {
  return field('limit', 'Most of refunds in a day, USD', {
    id: user === '' ? 'limit' : `limit-${user}`,
    inputmode: 'decimal',
    value: typeof limit === 'bigint' ? formatUnits(limit, FIAT_DECIMALS) : limit,
    hint: 'What is above it waits for somebody else. Empty: no limit.',
  });
}

function openInvitations(shell: AccountCall['shell'], at: string, open: readonly Invitation[]): Markup {
  return table(
    open,
    [
      { title: 'E-mail', cell: ({ email }) => email },
      { title: 'Role', cell: ({ role }) => (role === null ? 'new password' : ROLE_NAMES[role]) },
      { title: 'Ends', cell: ({ expiresAt }) => instant(expiresAt) },
      {
        title: '',
        cell: ({ id }) =>
          shell.form(
            `${at}/invitations/withdraw`,
            html`<input type="hidden" name="id" value="${id}">${button('Withdraw', 'danger')}`,
            { class: 'inline' },
          ),
      },
    ],
    { empty: 'None.', caption: 'Open invitations' },
  );
}

async function invite(accounts: Accounts, call: AccountCall, side: Side): Promise<Response> {
  const wanted = roleOf(call, side);
  if ('message' in wanted) return page(accounts, call, side, { problem: wanted });
  const { merchantId } = side;
  const email = call.form.text('email');
  return linked(accounts, call, side, await accounts.invite(call.signedIn, { email, merchantId, ...wanted }));
}

async function reset(accounts: Accounts, call: AccountCall, side: Side): Promise<Response> {
  return linked(accounts, call, side, await accounts.resetLink(call.signedIn, call.form.text('user')));
}

async function withdraw(accounts: Accounts, call: AccountCall, side: Side): Promise<Response> {
  const { merchantId } = side;
  const invitationId = call.form.text('id');
  const made = await accounts.withdrawInvitation(call.signedIn, { merchantId, invitationId });
  return ended(accounts, call, side, { made, code: 'withdrawn' });
}

async function changeRole(accounts: Accounts, call: AccountCall, side: Side): Promise<Response> {
  const wanted = roleOf(call, side);
  if ('message' in wanted) return page(accounts, call, side, { problem: wanted });
  const made = await accounts.changeRole(call.signedIn, { ...personOf(call, side), ...wanted });
  return ended(accounts, call, side, { made, code: 'saved' });
}

async function remove(accounts: Accounts, call: AccountCall, side: Side): Promise<Response> {
  const made = await accounts.removePerson(call.signedIn, personOf(call, side));
  return ended(accounts, call, side, { made, code: 'removed' });
}

async function endSessions(accounts: Accounts, call: AccountCall, side: Side): Promise<Response> {
  const made = await accounts.endSessionsOf(call.signedIn, personOf(call, side));
  return ended(accounts, call, side, { made, code: 'sessions_ended' });
}

/** Whom a form is about. */
function personOf({ form }: AccountCall, { merchantId }: Side) {
  return { merchantId, userId: form.text('user') };
}

/** Shows the link that was made, or says why there is none. */
function linked(
  accounts: Accounts,
  call: AccountCall,
  side: Side,
  made: Result<{ readonly url: string }, AccountFault>,
): Promise<Response> {
  return page(
    accounts,
    call,
    side,
    made.ok ? { url: made.value.url } : { problem: problemOfFault(made.error) },
  );
}

/** Back at the list, which says that it was done; or the list with why it was not. */
async function ended(
  accounts: Accounts,
  call: AccountCall,
  side: Side,
  { made, code }: { made: Result<unknown, AccountFault>; code: DoneCode },
): Promise<Response> {
  return made.ok
    ? call.shell.done(side.at, code)
    : page(accounts, call, side, { problem: problemOfFault(made.error) });
}

/** The role and the limit of a form, or what is wrong with them. */
function roleOf(
  { form }: AccountCall,
  { merchantId }: Side,
): { role: MerchantRole | OperatorRole; refundLimitMicroUsd: bigint | null } | Problem {
  const roles: readonly (MerchantRole | OperatorRole)[] =
    merchantId === null ? OPERATOR_ROLES : MERCHANT_ROLES;
  const role = roles.find((one) => one === form.text('role'));
  const limit = form.optional('limit');
  const refundLimitMicroUsd = limit === null ? null : microUsd(limit);
  if (role === undefined) return problemOfFault('not_found');
  return limit !== null && refundLimitMicroUsd === null
    ? validationError([{ field: 'limit', message: 'must be an amount of USD' }])
    : { role, refundLimitMicroUsd };
}
