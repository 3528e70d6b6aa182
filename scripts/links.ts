/** `bun run links`: payment links of merchants. */
import { writeFileSync } from 'node:fs';
import QRCode from 'qrcode';
import { presentLink } from '../src/adapters/http/links/link-view.ts';
import { idIn } from '../src/app/audit/audited.ts';
import { changePaymentLink, createPaymentLink } from '../src/app/links/manage-links.ts';
import { appError } from '../src/domain/errors.ts';
import { LINK_MODES, LINKS_MAX, type PaymentLink } from '../src/domain/links/payment-link.ts';
import { err, ok } from '../src/domain/result.ts';
import type { Scope } from '../src/ports/list-queries.ts';
import type { Arguments } from './support/arguments.ts';
import { orRefuse, UsageError } from './support/failures.ts';
import { LINK_OPTIONS, linkSettings, NEW_LINK_OPTIONS } from './support/link-options.ts';
import {
  type Command,
  type CommandContext,
  type CommandReport,
  type Program,
  runProgram,
} from './support/program.ts';
import { facts, shownTime, table } from './support/table.ts';
import { fiatCurrency, id, oneOf } from './support/values.ts';

/** Pixels: enough for a poster. */
const QR_WIDTH = 1_024;
const SANDBOX = { sandbox: { help: 'in the sandbox' } } as const;
const QR = {
  qr: { value: 'FILE', help: 'also write a QR code of the page to FILE, which ends with .svg or .png' },
} as const;

const list: Command = {
  name: 'list',
  about: "Lists a merchant's payment links, newest first.",
  audits: [],
  positionals: ['merchant_id'],
  options: SANDBOX,
  examples: ['65f0c1d2e3a4b5c6d7e8f901'],
  read(args) {
    const scope = scopeOf(args);
    return async ({ service: { dependencies } }) => {
      const { rows } = await dependencies.queries.paymentLinks(scope, { page: 1, perPage: LINKS_MAX });
      const { checkoutUrl } = dependencies;
      return {
        json: { links: rows.map((link) => presentLink(link, checkoutUrl)) },
        text: table(
          [
            { title: 'ID', cell: ({ id: linkId }) => linkId },
            { title: 'CREATED', cell: ({ createdAt }) => shownTime(createdAt) },
            { title: 'MODE', cell: ({ mode }) => mode },
            { title: 'ACTIVE', cell: ({ active }) => (active ? 'yes' : 'no') },
            { title: 'TITLE', cell: ({ title }) => title },
            { title: 'URL', cell: ({ slug }) => `${checkoutUrl}/l/${slug}` },
          ],
          rows,
          { empty: 'no payment links' },
        ),
      };
    };
  },
};

const create: Command = {
  name: 'create',
  about: 'Creates a payment link. Without --amount the customer enters the amount.',
  audits: ['link.created'],
  positionals: ['merchant_id'],
  options: { ...NEW_LINK_OPTIONS, ...LINK_OPTIONS, ...QR, ...SANDBOX },
  examples: [
    '65f0c1d2e3a4b5c6d7e8f901 --title "Annual plan" --amount 25 --qr plan.svg',
    '65f0c1d2e3a4b5c6d7e8f901 --title "Keep us going" --mode donation --suggest 5 --suggest 10',
    '65f0c1d2e3a4b5c6d7e8f901 --title "Corner shop" --mode point_of_sale --currency EUR --tip 5 --tip 10',
  ],
  read(args) {
    const scope = scopeOf(args);
    const { title, ...settings } = linkSettings(args);
    if (title === undefined) throw new UsageError('--title is needed');
    const mode = args.read('mode', oneOf(LINK_MODES)) ?? 'payment';
    const slug = args.read('slug', slugOf);
    if (mode === 'point_of_sale' && slug !== null)
      throw new UsageError('--slug cannot be given: the URL of a point_of_sale is a secret');
    const asked = {
      ...settings,
      title,
      mode,
      slug,
      fiatCurrency: args.read('currency', fiatCurrency) ?? 'USD',
    };
    const qr = args.read('qr', qrFile);
    return async (context) => {
      const { acceptedCoins, ...rest } = asked;
      const coins = coinsOf(context, acceptedCoins);
      const made = await context.act(
        { action: 'link.created', subject: 'link' },
        (deps) => createPaymentLink(deps)(scope, { ...rest, ...coins }),
        { subjectOf: idIn() },
      );
      return shown(context, orRefuse(made), qr);
    };
  },
};

const show: Command = {
  name: 'show',
  about: 'Shows a payment link with its URL and its HTML button.',
  audits: [],
  positionals: ['merchant_id', 'link_id'],
  options: { ...QR, ...SANDBOX },
  examples: ['65f0c1d2e3a4b5c6d7e8f901 65f0c1d2e3a4b5c6d7e8f902 --qr link.png'],
  read(args) {
    const scope = scopeOf(args);
    const linkId = args.readPositional('link_id', id);
    const qr = args.read('qr', qrFile);
    return async (context) => {
      const link = await context.service.dependencies.queries.paymentLink(scope, linkId);
      const found = link === null ? err(appError('NOT_FOUND', 'No such payment link.')) : ok(link);
      return shown(context, orRefuse(found), qr);
    };
  },
};

const set: Command = {
  name: 'set',
  about:
    'Changes a payment link. Settings without an option keep their value; `none` removes one. Invoices that are open stay open.',
  audits: ['link.changed'],
  positionals: ['merchant_id', 'link_id'],
  options: { ...LINK_OPTIONS, ...SANDBOX },
  examples: [
    '65f0c1d2e3a4b5c6d7e8f901 65f0c1d2e3a4b5c6d7e8f902 --active off',
    '65f0c1d2e3a4b5c6d7e8f901 65f0c1d2e3a4b5c6d7e8f902 --amount 30 --expires none',
  ],
  read(args) {
    const scope = scopeOf(args);
    const linkId = args.readPositional('link_id', id);
    const { acceptedCoins, ...change } = linkSettings(args);
    return async (context) => {
      const coins = coinsOf(context, acceptedCoins);
      const changed = await context.act({ action: 'link.changed', subject: 'link', id: linkId }, (deps) =>
        changePaymentLink(deps)(scope, linkId, { ...change, ...coins }),
      );
      return shown(context, orRefuse(changed), null);
    };
  },
};

function scopeOf(args: Arguments): Scope {
  return { merchantId: args.readPositional('merchant_id', id), sandbox: args.isSet('sandbox') };
}

/** Full asset keys of the given names. */
function coinsOf(
  { service: { dependencies } }: CommandContext,
  names: readonly string[] | null | undefined,
): { readonly acceptedCoins?: readonly string[] | null } {
  if (names === undefined) return {};
  if (names === null) return { acceptedCoins: null };
  return {
    acceptedCoins: names.map((name) => {
      const found = dependencies.catalog.resolve(name);
      if (!('asset' in found)) throw new UsageError(`--coin ${found.message}`);
      return found.asset.key;
    }),
  };
}

async function shown(
  { service: { dependencies } }: CommandContext,
  link: PaymentLink,
  qr: string | null,
): Promise<CommandReport> {
  const view = presentLink(link, dependencies.checkoutUrl);
  if (qr !== null) await writeQr(qr, view.url);
  return {
    json: view,
    text: facts([
      ['link', `${link.id}  ${link.title}`],
      ['page', view.url],
      ['mode', `${link.mode}${link.active ? '' : ', not active'}`],
      ['button', view.button_html],
      ...(qr === null ? [] : [['QR code', qr] as const]),
    ]),
  };
}

async function writeQr(path: string, url: string): Promise<void> {
  const bytes = path.endsWith('.svg')
    ? await QRCode.toString(url, { type: 'svg', margin: 4 })
    : await QRCode.toBuffer(url, { width: QR_WIDTH, margin: 4 });
  writeFileSync(path, bytes);
}

function qrFile(text: string): string {
  if (!/\.(?:svg|png)$/.test(text)) throw new UsageError(`must end with .svg or .png, got "${text}"`);
  return text;
}

function slugOf(text: string): string {
  if (!/^[a-z0-9][a-z0-9-]{2,63}$/.test(text))
    throw new UsageError(`must be 3 to 64 characters of a-z, 0-9 and -, got "${text}"`);
  return text;
}

export const program: Program = {
  name: 'links',
  about: 'Payment links: pages that open invoices without a shop.',
  commands: [list, create, show, set],
};

if (import.meta.main) await runProgram(program);
