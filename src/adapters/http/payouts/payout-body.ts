/**
 * Bodies of POST /payouts and /payouts/batch (decision 0002). A repeated key is refused, since
 * money depends on it.
 */
import { type Static, Type } from '@sinclair/typebox';
import type { PayoutInput } from '../../../app/application.ts';
import type { Asset } from '../../../domain/catalog/asset.ts';
import { FIAT_CURRENCIES, type FiatCurrency } from '../../../domain/catalog/fiat.ts';
import { FEE_BEARERS } from '../../../domain/money/fee.ts';
import { PAYOUTS_PER_BATCH } from '../../../domain/payouts/payout-acceptance.ts';
import type { ApiContext } from '../kit/call.ts';
import { isJsonObject } from '../kit/input/exact-json.ts';
import { amountIn, assetOf, fiatOf } from '../kit/input/fields.ts';
import { ExactDecimal, MAX_AMOUNT, OneOf, Text } from '../kit/input/schema.ts';
import type { Faults } from '../kit/input/validate.ts';
import { BATCH_LIMIT_BYTES, type BodyDefinition } from '../kit/route.ts';

const item = Type.Object({
  address: Text({
    minLength: 1,
    maxLength: 256,
    description: 'The destination address on the chain of `asset`.',
    examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
  }),
  amount: ExactDecimal({
    exclusiveMinimum: 0,
    maximum: MAX_AMOUNT,
    description:
      'The amount in `asset`, or in `fiat_currency` if it names a currency. It is read exactly: more decimals than the currency has are refused.',
  }),
  asset: Text({
    minLength: 1,
    maxLength: 64,
    description: 'An asset key such as `usdt_ethereum`, or a short form.',
    examples: ['usdt_ethereum'],
  }),
  chain: Type.Optional(
    Text({
      blank: 'absent',
      minLength: 1,
      maxLength: 64,
      description: 'The chain, if `asset` is a ticker only.',
      examples: ['ethereum'],
    }),
  ),
  fiat_currency: Type.Optional(
    Text({
      minLength: 1,
      maxLength: 16,
      description: `One of ${FIAT_CURRENCIES.join(', ')}: the amount is converted at the current rate. Without it, or with \`native\`, the amount is in the asset.`,
      examples: ['native', 'USD'],
    }),
  ),
  ref: Type.Optional(Text({ maxLength: 128, description: 'Your reference.' })),
  fee_bearer: Type.Optional(
    OneOf(FEE_BEARERS, {
      description:
        '`merchant` (default): the network fee is added to the amount. `client`: it is deducted from the amount.',
    }),
  ),
});

const batch = Type.Object({ items: Type.Array(item, { minItems: 1, maxItems: PAYOUTS_PER_BATCH }) });

const EXAMPLE = {
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  amount: 12.5,
  asset: 'usdt_ethereum',
  ref: 'withdrawal-7',
};

export const payoutBody: BodyDefinition<PayoutInput> = {
  schema: item,
  refuseRepeatedKeys: true,
  examples: {
    'In the asset': EXAMPLE,
    'In USD': { ...EXAMPLE, amount: 100, fiat_currency: 'USD', fee_bearer: 'client' },
  },
  read: (json, faults, context) => readPayout(json as Partial<Static<typeof item>>, '', faults, context),
};

export const batchBody: BodyDefinition<readonly PayoutInput[]> = {
  schema: batch,
  limitBytes: BATCH_LIMIT_BYTES,
  refuseRepeatedKeys: true,
  examples: { 'Two payouts': { items: [EXAMPLE, { ...EXAMPLE, amount: 3, ref: 'withdrawal-8' }] } },
  read(json, faults, context) {
    const items = Array.isArray(json.items) ? json.items : [];
    const inputs: PayoutInput[] = [];
    items.forEach((entry, index) => {
      if (!isJsonObject(entry)) return;
      const input = readPayout(entry as Partial<Static<typeof item>>, `items.${index}.`, faults, context);
      if (input) inputs.push(input);
    });
    return inputs;
  },
};

function readPayout(
  body: Partial<Static<typeof item>>,
  prefix: string,
  faults: Faults,
  { application }: ApiContext,
): PayoutInput | null {
  const fiatCurrency = readFiat(body.fiat_currency, `${prefix}fiat_currency`, faults);
  const asset = assetOf(body, { prefix, catalog: application.catalog }, faults);
  const amount = amountIn(amountCurrency(body, fiatCurrency, asset), body.amount, `${prefix}amount`, faults);
  if (body.address === undefined || amount === null || asset === null) return null;
  return {
    address: body.address,
    amount,
    asset,
    fiatCurrency,
    ref: body.ref ?? null,
    feeBearer: body.fee_bearer ?? null,
  };
}

function readFiat(given: string | undefined, field: string, faults: Faults): FiatCurrency | 'native' | null {
  return given?.toLowerCase() === 'native' ? 'native' : fiatOf(given, field, faults);
}

/** Null when the currency itself is invalid: its decimals are unknown. */
function amountCurrency(
  body: Partial<Static<typeof item>>,
  fiatCurrency: FiatCurrency | 'native' | null,
  asset: Asset | null,
): { fiat: FiatCurrency } | { asset: Asset } | null {
  if (fiatCurrency !== null && fiatCurrency !== 'native') return { fiat: fiatCurrency };
  const fiatIsFaulty = body.fiat_currency !== undefined && fiatCurrency === null;
  return asset === null || fiatIsFaulty ? null : { asset };
}
