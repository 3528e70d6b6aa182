/** Bodies of POST and PATCH /links (decision 0037). */
import { type Static, Type } from '@sinclair/typebox';
import type { LinkChange, NewPaymentLink } from '../../../app/links/manage-links.ts';
import { FIAT_CURRENCIES, FIAT_DECIMALS } from '../../../domain/catalog/fiat.ts';
import {
  LINK_FIELDS,
  LINK_MODES,
  type LinkPicture,
  type LinkSettings,
  STOCK_MAX,
  SUGGESTIONS_MAX,
  TIPS_MAX,
} from '../../../domain/links/payment-link.ts';
import { LOGO_BYTES_MAX, logoHeader } from '../../../domain/merchants/brand.ts';
import { toUnits, withoutNoise } from '../../../domain/money/decimal.ts';
import type { ExactNumber } from '../../../domain/money/exact-number.ts';
import { WEBHOOK_URL_LENGTH_MAX } from '../../../domain/webhooks/webhook-url.ts';
import type { ApiContext } from '../kit/call.ts';
import { assetKeys, fiatOf, webhookUrl, webLink } from '../kit/input/fields.ts';
import { instantOf } from '../kit/input/list-query.ts';
import {
  Clearable,
  decimal,
  ExactDecimal,
  Flag,
  MAX_AMOUNT,
  Moment,
  OneOf,
  Text,
  WholeNumber,
  whole,
} from '../kit/input/schema.ts';
import type { Faults } from '../kit/input/validate.ts';
import type { BodyDefinition } from '../kit/route.ts';

const amount = (description: string) =>
  ExactDecimal({ exclusiveMinimum: 0, maximum: MAX_AMOUNT, description });
const url = (description: string) =>
  Text({
    minLength: 1,
    maxLength: WEBHOOK_URL_LENGTH_MAX,
    description,
    examples: ['https://shop.example/thanks'],
  });
/** Of base64, with some white space. */
const PICTURE_LENGTH_MAX = Math.ceil((LOGO_BYTES_MAX * 4) / 3) + 4_096;

const TITLE = Text({
  minLength: 1,
  maxLength: 150,
  description: 'What is paid for.',
  examples: ['Annual plan'],
});
const SETTINGS = {
  description: Clearable(Text({ minLength: 1, maxLength: 500 })),
  picture: Clearable(
    Text({
      minLength: 1,
      maxLength: PICTURE_LENGTH_MAX,
      description: `A PNG, JPEG or WebP picture in base64, of at most ${LOGO_BYTES_MAX / 1024} KiB.`,
    }),
  ),
  amount: Clearable(amount('In `fiat_currency`. Without it the customer enters the amount.')),
  min_amount: Clearable(amount('The least that a customer may enter.')),
  max_amount: Clearable(amount('The most that a customer may enter.')),
  suggested_amounts: Type.Array(amount('An amount that the page offers.'), { maxItems: SUGGESTIONS_MAX }),
  tips: Type.Array(WholeNumber({ minimum: 1, maximum: 100 }), {
    maxItems: TIPS_MAX,
    description: 'Tips in percent that a `point_of_sale` offers.',
  }),
  accepted_coins: Clearable(
    Type.Array(Text({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems: 100,
      description: 'The assets that the customer may choose from.',
    }),
  ),
  expires_at: Clearable(Moment({ description: 'When the link stops to take payments.' })),
  stock: Clearable(
    WholeNumber({ minimum: 1, maximum: STOCK_MAX, description: 'The most payments it takes.' }),
  ),
  fields: Type.Array(OneOf(LINK_FIELDS), {
    maxItems: LINK_FIELDS.length,
    description: 'What the page asks. `name` and `email` must be filled in then. They are in `payer_info`.',
  }),
  success_url: Clearable(url('The checkout leads the customer there after the payment.')),
  notify_url: Clearable(url('The URL for webhooks of its invoices.')),
  extra: Clearable(
    Text({
      minLength: 1,
      maxLength: 64,
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      patternHint: 'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -',
      description: 'Your reference: `extra` of its invoices.',
    }),
  ),
  ttl: WholeNumber({
    minimum: 300,
    maximum: 86_400,
    description: 'Seconds until an invoice of the link expires. Default: 3600.',
  }),
  active: Flag({ description: 'Whether the link takes payments. Default: true.' }),
};
const OPTIONAL = Type.Partial(Type.Object(SETTINGS)).properties;

const newSchema = Type.Object({
  title: TITLE,
  mode: Type.Optional(
    OneOf(LINK_MODES, {
      description: 'Default: `payment`. `donation`: the page says "donate". `point_of_sale`: a till.',
    }),
  ),
  fiat_currency: Type.Optional(
    Text({
      blank: 'absent',
      minLength: 1,
      maxLength: 16,
      description: `One of ${FIAT_CURRENCIES.join(', ')}. Default: USD.`,
    }),
  ),
  slug: Type.Optional(
    Text({
      blank: 'absent',
      minLength: 3,
      maxLength: 64,
      pattern: '^[a-z0-9][a-z0-9-]{2,63}$',
      patternHint: 'must be 3 to 64 characters of a-z, 0-9 and -',
      description: 'The last part of its URL. Default: a random one. Not for a `point_of_sale`.',
      examples: ['annual-plan'],
    }),
  ),
  ...OPTIONAL,
});
const changeSchema = Type.Object({ title: Type.Optional(TITLE), ...OPTIONAL });

export const newLinkBody: BodyDefinition<NewPaymentLink> = {
  schema: newSchema,
  examples: {
    'Fixed amount': { title: 'Annual plan', amount: 25, fiat_currency: 'USD', fields: ['email'] },
    Donation: { title: 'Keep us going', mode: 'donation', suggested_amounts: [5, 10, 25], min_amount: 1 },
    Till: { title: 'Corner shop', mode: 'point_of_sale', fiat_currency: 'EUR', tips: [5, 10, 15] },
  },
  read(json, faults, context) {
    const body = json as Partial<Static<typeof newSchema>>;
    const fiatCurrency = fiatOf(body.fiat_currency ?? 'USD', 'fiat_currency', faults);
    const mode = body.mode ?? 'payment';
    if (mode === 'point_of_sale' && body.slug !== undefined)
      faults.add('slug', 'must be absent: the URL of a point_of_sale is a secret');
    const { title, ...settings } = settingsOf(body, faults, context);
    if (title === undefined || fiatCurrency === null || !faults.isEmpty) return null;
    return { title, mode, fiatCurrency, slug: body.slug ?? null, ...settings };
  },
};

export const linkChangeBody: BodyDefinition<LinkChange> = {
  schema: changeSchema,
  examples: {
    'No more payments': { active: false },
    'Another amount, and no more end': { amount: 30, expires_at: null },
  },
  read: (json, faults, context) => settingsOf(json as LinkBody, faults, context),
};

type LinkBody = Partial<Static<typeof changeSchema>>;
type GivenNumber = ExactNumber | number;

/** The settings that the body names. Null removes one. */
function settingsOf(body: LinkBody, faults: Faults, { application }: ApiContext): LinkChange {
  const micros = (field: string) => (given: GivenNumber) => microsOf(given, field, faults);
  const { catalog } = application;
  return {
    ...named('title', body.title, itself),
    ...named('description', body.description, itself),
    ...named('picture', body.picture, (base64) => pictureOf(base64, faults)),
    ...named('amountMicros', body.amount, micros('amount')),
    ...named('leastMicros', body.min_amount, micros('min_amount')),
    ...named('mostMicros', body.max_amount, micros('max_amount')),
    ...named('suggestedMicros', body.suggested_amounts, (each) =>
      present(each).map(micros('suggested_amounts')),
    ),
    ...named('tips', body.tips, (each) => present(each).map((percent) => decimal(percent).digits)),
    ...named('acceptedCoins', body.accepted_coins, (keys) =>
      assetKeys(keys, { field: 'accepted_coins', catalog }, faults),
    ),
    ...named('expiresAt', body.expires_at, (moment) => instantOf(moment, 'expires_at', faults)),
    ...named('stock', body.stock, whole),
    ...named('fields', body.fields, (fields) => [...new Set(fields)]),
    ...named('successUrl', body.success_url, (link) => webLink(link, 'success_url', faults)),
    ...named('notifyUrl', body.notify_url, (link) => webhookUrl(link, 'notify_url', faults)),
    ...named('extra', body.extra, itself),
    ...named('ttlSeconds', body.ttl, whole),
    ...named('active', body.active, itself),
  };
}

const itself = <Value>(value: Value): Value => value;
/** Without the items that failed the schema: they are null then (validate.ts). */
const present = <Item>(items: readonly (Item | null)[]): readonly Item[] =>
  items.filter((item) => item !== null);

function named<Name extends keyof LinkSettings, Given>(
  name: Name,
  given: Given | null | undefined,
  read: (given: Given) => LinkSettings[Name],
): LinkChange {
  return given === undefined ? {} : { [name]: given === null ? null : read(given) };
}

/** Of the fraction that a currency has, the use case decides. */
function microsOf(given: GivenNumber, field: string, faults: Faults): bigint {
  const value = withoutNoise(decimal(given), FIAT_DECIMALS);
  if (value === null) faults.add(field, 'has too many decimals');
  return value === null ? 0n : (toUnits(value, FIAT_DECIMALS) ?? 0n);
}

function pictureOf(base64: string, faults: Faults): LinkPicture | null {
  const bytes = new Uint8Array(Buffer.from(base64, 'base64'));
  const header = logoHeader(bytes);
  if (typeof header !== 'string') return { type: header.type, bytes };
  faults.add('picture', header);
  return null;
}
