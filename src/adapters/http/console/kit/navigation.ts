/** The navigation beside every page: the pages that the role may open, and the way out. */
import type { SignedIn } from '../../../../app/accounts/accounts.ts';
import {
  isGranted,
  type MerchantPermission,
  type OperatorPermission,
} from '../../../../domain/accounts/role.ts';
import { ENVIRONMENTS } from '../../../../domain/environment.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { roleAt } from './access.ts';
import { merchantBase, type ShellParts } from './place.ts';

const MERCHANT_PAGES: readonly (readonly [path: string, title: string, needs: MerchantPermission])[] = [
  ['', 'Overview', 'payments.read'],
  ['/payments', 'Payments', 'payments.read'],
  ['/search', 'Search', 'payments.read'],
  ['/attention', 'Needs attention', 'payments.read'],
  ['/create', 'Create', 'payments.create'],
  ['/links', 'Payment links', 'payments.read'],
  ['/balance', 'Balance and ledger', 'ledger.read'],
  ['/payouts', 'Payouts', 'payments.read'],
  ['/addresses', 'Permanent addresses', 'payments.read'],
  ['/approvals', 'Approvals', 'payments.read'],
  ['/settings', 'Settings', 'settings.read'],
  ['/people', 'Users', 'users.manage'],
];
const OPERATOR_PAGES: readonly (readonly [path: string, title: string, needs: OperatorPermission])[] = [
  ['', 'Is all well', 'operator.read'],
  ['/wallets', 'Hot wallets', 'operator.read'],
  ['/queue', 'Queue', 'operator.read'],
  ['/credits', 'Credit requests', 'operator.read'],
  ['/approvals', 'Approvals', 'operator.read'],
  ['/signing', 'Kill switch', 'operator.read'],
  ['/merchants', 'Merchants', 'operator.read'],
  ['/search', 'Cases', 'operator.read'],
  ['/audit', 'Audit log', 'audit.read'],
  ['/people', 'Operators', 'operators.manage'],
];

export function navigation(parts: ShellParts): Markup | null {
  const { signedIn, home, place } = parts;
  if (signedIn === null) return null;
  const path = new URL(parts.request.url).pathname;
  const isComplete = signedIn.session.stage === 'complete';
  return html`<header class="side">
<p class="brand"><a href="${home}">Quittance</a></p>
${isComplete ? merchantSwitch(signedIn, parts) : null}
${isComplete ? pages(signedIn, parts, path) : null}
<div class="own"><p>${signedIn.user.name === '' ? signedIn.user.email : signedIn.user.name}</p>
<a href="${home}/account"${current(path === `${home}/account`)}>Your account</a>
<form method="post" action="${home}/sign-out"><input type="hidden" name="code" value="${parts.formCode ?? ''}"><button class="quiet">Sign out</button></form></div>
</header>${place.area === 'merchant' && place.environment === 'sandbox' ? html`<aside class="banner" aria-label="Environment"><p>Sandbox: nothing here is real money.</p></aside>` : null}`;
}

function pages(signedIn: SignedIn, { home, place }: ShellParts, path: string): Markup | null {
  const listed =
    place.area === 'merchant'
      ? MERCHANT_PAGES.filter(([, , needs]) => allowed(roleAt(signedIn, place.merchantId), needs)).map(
          ([at, title]) => [`${merchantBase(home, place)}${at}`, title] as const,
        )
      : OPERATOR_PAGES.filter(([, , needs]) => allowed(signedIn.user.operatorRole, needs)).map(
          ([at, title]) => [`${home}/o${at}`, title] as const,
        );
  const isOpen = (at: string, nth: number): boolean =>
    place.area !== 'account' && (nth === 0 ? path === at : path.startsWith(at));
  if (listed.length === 0) return null;
  return html`<nav aria-label="Pages"><details class="menu"><summary>Menu</summary><ul>${listed.map(
    ([at, title], nth) => html`<li><a href="${at}"${current(isOpen(at, nth))}>${title}</a></li>`,
  )}</ul></details></nav>`;
}

/** Merchants of the user, and the switch between live and sandbox. */
function merchantSwitch({ memberships }: SignedIn, { home, place }: ShellParts): Markup | null {
  if (place.area !== 'merchant') {
    return html`<ul class="switch">${memberships.map(
      ({ merchantId, merchantName }) =>
        html`<li><a href="${home}/m/${merchantId}/live">${merchantName}</a></li>`,
    )}</ul>`;
  }
  const { merchantId, environment } = place;
  const others = memberships.filter((one) => one.merchantId !== merchantId);
  const name = memberships.find((one) => one.merchantId === merchantId)?.merchantName ?? '';
  return html`<p class="merchant">${name}</p>
<ul class="environments" aria-label="Environment">${ENVIRONMENTS.map(
    (one) =>
      html`<li><a href="${merchantBase(home, { ...place, environment: one })}"${current(one === environment)}>${one === 'live' ? 'Live' : 'Sandbox'}</a></li>`,
  )}</ul>${
    others.length === 0
      ? null
      : html`<details class="others"><summary>Other merchants</summary><ul>${others.map(
          (one) => html`<li><a href="${home}/m/${one.merchantId}/live">${one.merchantName}</a></li>`,
        )}</ul></details>`
  }`;
}

function allowed(
  role: Parameters<typeof isGranted>[0] | null,
  needs: Parameters<typeof isGranted>[1],
): boolean {
  return role !== null && isGranted(role, needs);
}

function current(is: boolean): Markup | null {
  return is ? html` aria-current="page"` : null;
}
