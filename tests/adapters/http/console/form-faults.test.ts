/**
 * A form that is refused names its own inputs, in a sentence, at the input and above the form, and
 * keeps what was typed. Names of the API's fields are not for people.
 */
import { expect, test } from 'bun:test';
import type { ConsoleDependencies } from '../../../../src/adapters/http/console/console.ts';
import { formCode } from '../../../../src/adapters/http/console/kit/session-cookie.ts';
import { AssetCatalog } from '../../../../src/domain/catalog/asset.ts';
import { NEW_LINK } from '../../../../src/domain/links/payment-link.ts';
import { aMerchant, anInvoice, inStatus, NOW } from '../../../support/builders.ts';
import { consoleStage, OWN, type Person } from '../../../support/console/console-stage.ts';
import { elementsOf } from '../../../support/http/checkout-page.ts';

const OWNER: Person = { role: 'owner' };
const ADMIN: Person = { operatorRole: 'admin' };
const LINK = '0190f3a1b2c30a1b2c3d4e44';
const INVOICE = anInvoice(inStatus('success'));
const at = `/console/m/${OWN}/live`;
const refused = (code: string) => async () => ({ ok: false, error: code });

function stage() {
  const catalog = new AssetCatalog();
  const link = {
    ...{ ...NEW_LINK, id: LINK, title: 'Ticket', slug: 'ticket', mode: 'payment', fiatCurrency: 'EUR' },
    ...{ merchantId: OWN, sandbox: false, createdAt: NOW, updatedAt: NOW },
  };
  const listed = { hasLiveKey: true, hasSandboxKey: true, oldLiveKeyUntil: null, oldSandboxKeyUntil: null };
  const application = {
    ...{ catalog, isOffered: () => true, isEnabled: () => true },
    queries: {
      merchantById: async (id: string) => aMerchant({ id, callbackUrl: 'https://stored.example/' }),
      lastNumbers: async () => [],
      balance: async () => ({ incomeMicroUsd: 0n, payoutsMicroUsd: 0n, refundsMicroUsd: 0n }),
      paymentLink: async () => link,
      permanentAddresses: async () => ({ rows: [], total: 0 }),
      invoice: async () => INVOICE,
      checkoutPayments: async () => [],
      refundClaims: async () => [],
    },
    console: { invoiceTimeline: async () => null },
  };
  const keys = { keySince: null, olderKeyUntil: null, secretSince: null, olderSecretUntil: null };
  const brand = { name: 'Shop', accent: null, support: null, legalName: null, termsUrl: null };
  return consoleStage({
    application,
    merchantDesk: {
      keys: async () => keys,
      brand: async () => ({ ok: true, value: { ...brand, frameAncestors: [], logoDigest: null } }),
    },
    operatorQueries: {
      merchantPage: async () => [],
      merchant: async (id: string) => ({ ...aMerchant({ id }), ...listed }),
    },
    accounts: {
      people: async () => ({ users: [], invitations: [] }),
      invite: refused('email_malformed'),
      register: refused('name_missing'),
      changePassword: refused('wrong_password'),
      enableCodes: refused('wrong_code'),
      acceptInvitation: refused('password_too_short'),
      security: async () => ({ hasCodes: false, passkeys: [], recoveryCodesLeft: 0, sessions: [] }),
      beginCodes: async () => ({ secret: 'ABC', uri: 'otpauth://totp/a?secret=ABC' }),
      invitationOf: async () => ({
        ...{ invitation: { kind: 'invite', role: 'owner', email: 'kim@shop.example' }, merchantName: 'Shop' },
        isKnown: false,
      }),
    },
  } as unknown as Partial<ConsoleDependencies>);
}

/** What is sent; and of an input the beginning of what is said at it. */
const FORMS: readonly (readonly [
  path: string,
  by: Person | null,
  sent: Readonly<Record<string, string>>,
  says: Readonly<Record<string, string>>,
])[] = [
  [
    `${at}/create`,
    OWNER,
    { amount: 'much', ttl: '5', extra: 'a b', title: 'Tea', description: 'Green', email: 'kim' },
    { amount: '“Amount” must', ttl: '“Ends after, seconds” must', extra: '“Order reference” must' },
  ],
  [
    `${at}/links/new`,
    OWNER,
    {
      title: 'Tea',
      amount: 'much',
      min_amount: '-1',
      success_url: 'home',
      accepted_coins: 'gold',
      slug: 'x',
    },
    {
      ...{
        amount: '“Amount” must',
        min_amount: '“Least amount” must',
        slug: '“Last part of its address” must',
      },
      success_url: '“Leads to, after the payment” must',
      accepted_coins: '“Assets that the customer may choose” is refused',
    },
  ],
  [
    `${at}/links/${LINK}`,
    OWNER,
    { title: 'Tea', amount: 'much', stock: 'all', description: 'Green' },
    { amount: '“Amount” must', stock: '“Most payments” must' },
  ],
  [
    `${at}/payouts/new`,
    OWNER,
    { asset: 'usdt_ethereum', address: '0xabc', amount: 'much', fiat_currency: 'native', ref: 'r-1' },
    { amount: '“Amount” must' },
  ],
  [
    `${at}/addresses`,
    OWNER,
    { user_id: 'x'.repeat(129), family: 'evm', notify_url: 'home' },
    { user_id: '“Your id of the user” must', notify_url: '“Webhooks go to” is refused' },
  ],
  [
    `${at}/settings`,
    OWNER,
    { callback_url: 'ftp://nowhere', tolerance: '11', coins: 'gold', format: 'heleket', language: 'de' },
    {
      callback_url: '“Webhooks go to” is refused',
      tolerance: '“A customer may pay less, percent” must',
      coins: '“Assets that customers may choose” gold',
    },
  ],
  [`${at}/settings/subnets`, OWNER, { subnets: 'home' }, { subnets: '“Addresses or CIDR ranges” names' }],
  [`${at}/settings/approvals`, OWNER, { limit: 'much' }, { limit: '“Above, USD” must' }],
  [
    `${at}/settings/brand`,
    OWNER,
    { name: 'x'.repeat(81), support: 'nobody', terms_url: 'home', legal_name: 'Shop Ltd' },
    { name: '“Name” must', support: '“Customers get help at” must', terms_url: '“Terms” must' },
  ],
  [
    `${at}/people/invite`,
    OWNER,
    { email: 'kim', role: 'support', limit: '5' },
    { email: 'This is no e-mail address.' },
  ],
  [
    `${at}/people/invite`,
    OWNER,
    { email: 'kim@shop.example', role: 'support', limit: 'much' },
    { limit: '“Most of refunds in a day, USD” must' },
  ],
  [
    `${at}/refunds`,
    OWNER,
    { invoice: INVOICE.id, subject: 'surplus', amount: 'much', fee_bearer: 'merchant' },
    { amount: '“Amount, in the asset that was paid” must' },
  ],
  [
    '/console/o/merchants',
    ADMIN,
    { name: 'Shop', commission: 'much', callback_url: 'https://shop.example/' },
    { commission: '“Commission, percent” must' },
  ],
  [
    `/console/o/merchants/${OWN}`,
    ADMIN,
    { name: 'Shop', commission: '0.75', callback_url: 'ftp://nowhere', status: 'paused' },
    { callback_url: '“Webhooks go to” is refused' },
  ],
  ['/console/register', null, { merchant: '', email: 'kim@shop.example' }, { merchant: 'Give a name.' }],
  ['/console/i/abc', null, { name: 'Kim', password: 'short' }, { password: 'The password needs' }],
  ['/console/account/password', OWNER, { old: 'wrong', password: 'x' }, { old: 'The present password' }],
  ['/console/account/codes', OWNER, { factor: '123456' }, { factor: 'That was not right' }],
];
/** Never sent back. */
const SECRETS = new Set(['password', 'old', 'factor']);

test.each(FORMS)('%s says at each input what is wrong, and keeps the rest', async (path, by, sent, says) => {
  const body = new URLSearchParams({ code: formCode('a'.repeat(43)), ...sent }).toString();
  const answer = await stage().ask('POST', path, by, { body });
  expect([400, 422]).toContain(answer.status);
  const text = (await answer.text()).replaceAll('&quot;', '"');
  const inputs = elementsOf(text, 'input, select, textarea').map(({ attributes }) => attributes);
  const texts = new Map(
    [...text.matchAll(/<span class="fault" id="([^"]+)">([^<]*)</g)].map(([, id = '', of = '']) => [id, of]),
  );
  const wrong = inputs.filter((input) => input['aria-invalid'] === 'true');
  expect(wrong.map(({ name }) => name ?? '').toSorted()).toEqual(Object.keys(says).toSorted());
  const alert = /role="alert">.*?<\/div>/s.exec(text)?.[0] ?? '';
  for (const { id = '', name = '', 'aria-describedby': by_ = '' } of wrong) {
    const said = texts.get(by_.split(' ').at(-1) ?? '') ?? '';
    expect([name, said.startsWith(says[name] ?? '?') ? '' : said]).toEqual([name, '']);
    expect([alert, alert.includes(`<a href="#${id}">${said}`)]).toEqual([alert, true]);
  }
  expect(alert).not.toMatch(/<b>|[a-z]_[a-z]+ (?:must|is)/);
  for (const [name, value] of Object.entries(sent)) {
    if (name === 'invoice' || SECRETS.has(name)) continue;
    expect([name, kept(text, name, value)]).toEqual([name, true]);
  }
});

/** Whether an input of that name has the value. */
function kept(text: string, name: string, value: string): boolean {
  const shown = (of: string) => Bun.escapeHTML(of);
  return (
    new RegExp(`<input [^>]*name="${name}"[^>]* value="${RegExp.escape(shown(value))}"`).test(text) ||
    new RegExp(`name="${name}"[^>]*>${RegExp.escape(shown(value))}</textarea>`).test(text) ||
    new RegExp(
      `<select [^>]*name="${name}"[^>]*>(?:(?!</select>).)*<option value="${RegExp.escape(value)}" selected`,
      's',
    ).test(text) ||
    (value === '' && new RegExp(`<input [^>]*name="${name}"`).test(text))
  );
}
