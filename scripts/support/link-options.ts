/** The settings of a payment link as options. `none` removes one. */
import type { LinkChange } from '../../src/app/links/manage-links.ts';
import { FIAT_DECIMALS } from '../../src/domain/catalog/fiat.ts';
import { LINK_FIELDS, LINK_MODES, STOCK_MAX } from '../../src/domain/links/payment-link.ts';
import { LOGO_BYTES_MAX } from '../../src/domain/merchants/brand.ts';
import { toUnits } from '../../src/domain/money/decimal.ts';
import { isWebLink } from '../../src/domain/web-link.ts';
import type { Arguments, OptionSpec } from './arguments.ts';
import { UsageError } from './failures.ts';
import { imageOf } from './image.ts';
import { instant, oneOf, positiveAmount, webhookUrl, wholeNumber } from './values.ts';

/** What cannot be changed later. */
export const NEW_LINK_OPTIONS = {
  mode: { value: 'MODE', help: `${LINK_MODES.join(', ')} (default: payment)` },
  currency: { value: 'CODE', help: 'fiat currency of the amounts (default: USD)' },
  slug: { value: 'SLUG', help: 'last part of the URL (default: random)' },
} as const satisfies Record<string, OptionSpec>;

export const LINK_OPTIONS = {
  title: { value: 'TEXT', help: 'what is paid for' },
  description: { value: 'TEXT', help: 'more about it' },
  picture: { value: 'FILE', help: `PNG, JPEG or WebP, up to ${LOGO_BYTES_MAX / 1024} KiB` },
  amount: { value: 'AMOUNT', help: 'fixed amount' },
  min: { value: 'AMOUNT', help: 'least that a customer may enter' },
  max: { value: 'AMOUNT', help: 'most that a customer may enter' },
  suggest: { value: 'AMOUNT', multiple: true, help: 'an amount that the page offers; may be repeated' },
  tip: { value: 'PERCENT', multiple: true, help: 'a tip that a till offers; may be repeated' },
  coin: { value: 'ASSET', multiple: true, help: 'an asset that the customer may choose; may be repeated' },
  field: {
    value: 'FIELD',
    multiple: true,
    help: `what the page asks: ${LINK_FIELDS.join(', ')}; may be repeated`,
  },
  expires: { value: 'TIME', help: 'when it stops to take payments (ISO 8601)' },
  stock: { value: 'COUNT', help: 'most payments' },
  'success-url': { value: 'URL', help: 'where the customer is led after the payment' },
  'notify-url': { value: 'URL', help: 'where webhooks of its invoices go' },
  extra: { value: 'TEXT', help: 'your reference: `extra` of its invoices' },
  ttl: { value: 'SECONDS', help: 'until an invoice of the link expires (default: 3600)' },
  active: { value: 'on|off', help: 'whether it takes payments' },
} as const satisfies Record<string, OptionSpec>;

/** What is left out stays. Coins are names that the catalog resolves later. */
export function linkSettings(args: Arguments): LinkChange {
  const given = {
    suggestedMicros: kept(args.readAll('suggest', orNone(micros))),
    tips: kept(
      args.readAll(
        'tip',
        orNone((text) => BigInt(wholeNumber(1, 100)(text))),
      ),
    ),
    fields: kept(args.readAll('field', orNone(oneOf(LINK_FIELDS)))),
    title: args.read('title', text(150)),
    ttlSeconds: args.read('ttl', wholeNumber(300, 86_400)),
    active: args.read('active', (value) => oneOf(['on', 'off'])(value) === 'on'),
  };
  const clearable = {
    description: args.read('description', wrapped(text(500))),
    picture: args.read('picture', wrapped(imageOf)),
    amountMicros: args.read('amount', wrapped(micros)),
    leastMicros: args.read('min', wrapped(micros)),
    mostMicros: args.read('max', wrapped(micros)),
    expiresAt: args.read('expires', wrapped(instant)),
    stock: args.read('stock', wrapped(wholeNumber(1, STOCK_MAX))),
    successUrl: args.read('success-url', wrapped(webLink)),
    notifyUrl: args.read('notify-url', wrapped(webhookUrl)),
    extra: args.read('extra', wrapped(reference)),
  };
  return {
    ...coins(args.readAll('coin', orNone(String))),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)),
    ...Object.fromEntries(
      Object.entries(clearable).flatMap(([name, value]) => (value === null ? [] : [[name, value.value]])),
    ),
  };
}

/** `none` as null. */
function orNone<Value>(read: (value: string) => Value): (value: string) => Value | null {
  return (value) => (value === 'none' ? null : read(value));
}

/** The same, told from an option that is absent. */
function wrapped<Value>(read: (value: string) => Value): (value: string) => { readonly value: Value | null } {
  return (value) => ({ value: orNone(read)(value) });
}

/** A single `none` empties the list; null where the option is absent. */
function kept<Item>(items: readonly (Item | null)[]): readonly Item[] | null {
  return items.length === 0 ? null : items.filter((item) => item !== null);
}

function coins(items: readonly (string | null)[]): Pick<LinkChange, 'acceptedCoins'> {
  const names = kept(items);
  return names === null ? {} : { acceptedCoins: names.length === 0 ? null : names };
}

function micros(value: string): bigint {
  const units = toUnits(positiveAmount(value), FIAT_DECIMALS);
  if (units === null) throw new UsageError(`has too many decimals: "${value}"`);
  return units;
}

function text(most: number): (value: string) => string {
  return (value) => {
    if (value === '' || Array.from(value).length > most)
      throw new UsageError(`must be 1 to ${most} characters`);
    return value;
  };
}

function reference(value: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(value))
    throw new UsageError(`must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -, got "${value}"`);
  return value;
}

function webLink(value: string): string {
  if (!isWebLink(value)) throw new UsageError(`must be an http(s) URL, got "${value}"`);
  return value;
}
