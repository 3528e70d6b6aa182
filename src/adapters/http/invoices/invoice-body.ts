/** Body of POST /invoices (specification, "Invoices"; bounds of decision 0002). */
import { type Static, Type } from '@sinclair/typebox';
import type { CreateInvoiceInput } from '../../../app/application.ts';
import { FIAT_CURRENCIES } from '../../../domain/catalog/fiat.ts';
import { FEE_BEARERS, PERCENT_DECIMALS } from '../../../domain/money/fee.ts';
import type { JsonObject } from '../../../domain/money/json.ts';
import { WEBHOOK_FORMATS } from '../../../domain/webhooks/webhook-format.ts';
import { WEBHOOK_URL_LENGTH_MAX } from '../../../domain/webhooks/webhook-url.ts';
import type { ApiContext } from '../kit/call.ts';
import {
  amountIn,
  assetKeys,
  assetOf,
  boundedObject,
  fiatOf,
  ppmOf,
  webhookUrl,
  webLink,
} from '../kit/input/fields.ts';
import {
  charactersIn,
  ExactDecimal,
  Flag,
  FreeObject,
  MAX_AMOUNT,
  OneOf,
  Text,
  WholeNumber,
  whole,
} from '../kit/input/schema.ts';
import type { Faults } from '../kit/input/validate.ts';
import type { BodyDefinition } from '../kit/route.ts';

const coins = (description: string) =>
  Type.Optional(Type.Array(Text({ minLength: 1, maxLength: 64 }), { maxItems: 100, description }));
const url = (description: string) =>
  Type.Optional(
    Text({
      blank: 'absent',
      maxLength: WEBHOOK_URL_LENGTH_MAX,
      description,
      examples: ['https://shop.example/return'],
    }),
  );

const schema = Type.Object({
  amount: ExactDecimal({
    exclusiveMinimum: 0,
    maximum: MAX_AMOUNT,
    description:
      'The amount in `fiat_currency`. Without it the amount is in `asset`, and without both in USD. It is read exactly: more decimals than the currency has are refused.',
  }),
  fiat_currency: Type.Optional(
    Text({
      blank: 'absent',
      minLength: 1,
      maxLength: 16,
      description: `One of ${FIAT_CURRENCIES.join(', ')}.`,
      examples: ['USD'],
    }),
  ),
  asset: Type.Optional(
    Text({
      blank: 'absent',
      minLength: 1,
      maxLength: 64,
      description:
        'An asset key such as `usdt_tron`, or a short form. Without it the customer chooses on the checkout.',
      examples: ['usdt_tron'],
    }),
  ),
  chain: Type.Optional(
    Text({
      blank: 'absent',
      minLength: 1,
      maxLength: 64,
      description: 'The chain, if `asset` is a ticker only.',
      examples: ['tron'],
    }),
  ),
  extra: Type.Optional(
    Text({
      blank: 'absent',
      minLength: 1,
      maxLength: 64,
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      patternHint: 'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -',
      description: 'Your reference.',
      examples: ['order-1001'],
    }),
  ),
  notify_url: Type.Optional(
    Text({
      blank: 'absent',
      maxLength: WEBHOOK_URL_LENGTH_MAX,
      description: 'The URL for webhooks of this invoice.',
      examples: ['https://shop.example/webhooks'],
    }),
  ),
  ttl: Type.Optional(
    WholeNumber({
      minimum: 300,
      maximum: 86_400,
      description: 'Seconds until the invoice expires. Default: 3600.',
    }),
  ),
  metadata: Type.Optional(
    FreeObject({ description: 'Your own data, at most 16 KiB as JSON. It is returned unchanged.' }),
  ),
  title: Type.Optional(Text({ maxLength: 150 })),
  description: Type.Optional(Text({ maxLength: 500 })),
  underpay_tolerance: Type.Optional(
    ExactDecimal({
      minimum: 0,
      maximum: 10,
      maxDecimals: PERCENT_DECIMALS,
      description: 'The percentage of `amount` that may be missing.',
    }),
  ),
  accepted_coins: coins('The assets that the customer may choose from.'),
  excluded_coins: coins('The assets that the customer may not choose.'),
  on_paid_url: url('The checkout sends the customer there after the payment.'),
  on_cancel_url: url('The checkout links there for a customer who cancels.'),
  price_modifier: Type.Optional(
    ExactDecimal({
      minimum: -90,
      maximum: 90,
      maxDecimals: PERCENT_DECIMALS,
      description: 'The percentage that is added to the price.',
    }),
  ),
  payer_info: Type.Optional(
    FreeObject({
      description: 'Your data about the payer, at most 16 KiB as JSON.',
      properties: { email: { type: 'string' }, name: { type: 'string' }, ip: { type: 'string' } },
    }),
  ),
  billing_type: Type.Optional(
    OneOf(['STATIC', 'VARY'], {
      description:
        '`STATIC` (default) expects exactly `amount`. `VARY` is an open top-up, and required for permanent addresses.',
    }),
  ),
  fee_bearer: Type.Optional(
    OneOf(FEE_BEARERS, {
      description: 'Who pays the commission. Default: as configured for your account.',
    }),
  ),
  permanent_address: Type.Optional(
    Flag({
      description: 'Binds the invoice to the permanent address of `user_id` and the family of the asset.',
    }),
  ),
  user_id: Type.Optional(
    Text({
      blank: 'absent',
      minLength: 1,
      maxLength: 128,
      description: 'Your id of the user. Required with `permanent_address`.',
      examples: ['user-42'],
    }),
  ),
  webhook_format: Type.Optional(
    OneOf(WEBHOOK_FORMATS, {
      description:
        "The shape and signature of this invoice's webhooks. Default: `native_v2`. The other formats are for receivers that were written for another provider.",
      examples: ['nowpayments'],
    }),
  ),
});

type InvoiceBody = Partial<Static<typeof schema>>;

export const invoiceBody: BodyDefinition<CreateInvoiceInput> = {
  schema,
  examples: {
    'Fixed price in USD': { amount: 25, fiat_currency: 'USD', asset: 'usdt_tron', extra: 'order-1001' },
    'The customer chooses the currency': {
      amount: 99.9,
      fiat_currency: 'EUR',
      title: 'Annual plan',
      accepted_coins: ['btc_bitcoin', 'usdt_ethereum'],
      on_paid_url: 'https://shop.example/thanks',
    },
    'Top-up of a permanent address': {
      amount: 10,
      asset: 'usdt_tron',
      billing_type: 'VARY',
      permanent_address: true,
      user_id: 'user-42',
    },
  },
  read: readInvoice,
};

function readInvoice(
  json: JsonObject,
  faults: Faults,
  { application }: ApiContext,
): CreateInvoiceInput | null {
  const body = json as InvoiceBody;
  const { catalog } = application;
  const fiat = fiatOf(body.fiat_currency, 'fiat_currency', faults);
  const asset = assetOf(body, { prefix: '', catalog }, faults);
  const amount = amountIn(amountCurrency(body, fiat, asset), body.amount, 'amount', faults);
  checkPermanent(body, faults);
  checkPayer(body.payer_info, faults);
  const input = {
    fiatCurrency: fiat,
    asset,
    ttlSeconds: body.ttl === undefined ? null : whole(body.ttl),
    billingType: body.billing_type ?? null,
    feeBearer: body.fee_bearer ?? null,
    tolerancePpm: ppmOf(body.underpay_tolerance),
    priceModifierPpm: ppmOf(body.price_modifier),
    acceptedCoins: assetKeys(body.accepted_coins, { field: 'accepted_coins', catalog }, faults),
    excludedCoins: assetKeys(body.excluded_coins, { field: 'excluded_coins', catalog }, faults),
    details: {
      extra: body.extra ?? null,
      title: body.title ?? null,
      description: body.description ?? null,
      notifyUrl: webhookUrl(body.notify_url, 'notify_url', faults),
      onPaidUrl: webLink(body.on_paid_url, 'on_paid_url', faults),
      onCancelUrl: webLink(body.on_cancel_url, 'on_cancel_url', faults),
      metadata: boundedObject(body.metadata, 'metadata', faults),
      payerInfo: boundedObject(body.payer_info, 'payer_info', faults),
    },
    webhookFormat: body.webhook_format ?? null,
    permanentAddress: body.permanent_address ?? false,
    userId: body.user_id ?? null,
  };
  return amount === null || !faults.isEmpty ? null : { ...input, amount };
}

/** Null when the currency itself is invalid: its decimals are unknown. */
function amountCurrency(
  body: InvoiceBody,
  fiat: CreateInvoiceInput['fiatCurrency'],
  asset: CreateInvoiceInput['asset'],
) {
  if (body.fiat_currency !== undefined) return fiat === null ? null : { fiat };
  if (body.asset !== undefined) return asset === null ? null : { asset };
  return { fiat: 'USD' as const };
}

function checkPermanent(body: InvoiceBody, faults: Faults): void {
  if (body.permanent_address !== true) return;
  if (body.billing_type !== 'VARY') faults.add('billing_type', 'must be VARY when permanent_address is true');
  if (body.user_id === undefined) faults.add('user_id', 'is required when permanent_address is true');
}

function checkPayer(payer: JsonObject | undefined, faults: Faults): void {
  for (const [key, maxLength] of [
    ['email', 254],
    ['name', 150],
    ['ip', 45],
  ] as const) {
    const value = payer?.[key];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') faults.add(`payer_info.${key}`, 'must be a string');
    else if (charactersIn(value) > maxLength)
      faults.add(`payer_info.${key}`, `must have at most ${maxLength} characters`);
  }
}
