/** The options of `merchant set` for what counts where an invoice or a browser says nothing. */
import { FIAT_DECIMALS } from '../../src/domain/catalog/fiat.ts';
import {
  LANGUAGE_TAG,
  type MerchantDefaults,
  TOLERANCE_PPM_MAX,
} from '../../src/domain/merchants/merchant.ts';
import { formatUnits, parseDecimal, toUnits } from '../../src/domain/money/decimal.ts';
import { PERCENT_DECIMALS } from '../../src/domain/money/fee.ts';
import { WEBHOOK_FORMATS } from '../../src/domain/webhooks/webhook-format.ts';
import type { Arguments } from './arguments.ts';
import { UsageError } from './failures.ts';
import { oneOf, percentPpm } from './values.ts';

export const DEFAULT_OPTIONS = {
  tolerance: {
    value: 'PERCENT|none',
    help: 'default of invoices without underpay_tolerance, at most 10',
  },
  coins: {
    value: 'KEYS|all',
    help: 'coins of invoices without asset, accepted_coins and excluded_coins: keys with commas between them',
  },
  'webhook-format': { value: 'FORMAT|none', help: 'default of invoices without webhook_format' },
  language: {
    value: 'TAG|none',
    help: "language of the checkout where the browser's languages are none of its own",
  },
  'approval-above': {
    value: 'USD|none',
    help: 'refunds and payouts of the console above this need a second person',
  },
} as const;

/** The word that removes a setting, or its value. */
function orNone<Value>(
  word: string,
  read: (text: string) => Value,
): (text: string) => { value: Value | null } {
  return (text) => ({ value: text === word ? null : read(text) });
}

export function defaultsIn(args: Arguments): Partial<MerchantDefaults> {
  const tolerance = args.read('tolerance', orNone('none', tolerancePpm));
  const coins = args.read('coins', orNone('all', assetKeys));
  const format = args.read('webhook-format', orNone('none', oneOf(WEBHOOK_FORMATS)));
  const language = args.read('language', orNone('none', languageTag));
  const approval = args.read('approval-above', orNone('none', microUsd));
  return {
    ...(tolerance === null ? {} : { defaultTolerancePpm: tolerance.value }),
    ...(coins === null ? {} : { acceptedCoins: coins.value }),
    ...(format === null ? {} : { defaultWebhookFormat: format.value }),
    ...(language === null ? {} : { checkoutLanguage: language.value }),
    ...(approval === null ? {} : { approvalAboveMicroUsd: approval.value }),
  };
}

function tolerancePpm(text: string): bigint {
  const ppm = percentPpm(text);
  if (ppm > TOLERANCE_PPM_MAX) throw new UsageError('must be at most 10');
  return ppm;
}

/** Whether the catalog has them depends on CONFIG_FILE: invoices ignore those that it has not. */
function assetKeys(text: string): readonly string[] {
  const keys = [...new Set(text.split(',').map((key) => key.trim().toLowerCase()))];
  for (const key of keys)
    if (!/^[a-z0-9]+_[a-z0-9]+$/.test(key))
      throw new UsageError(`must be asset keys such as usdt_tron, got "${key}"`);
  return keys;
}

function languageTag(text: string): string {
  if (!LANGUAGE_TAG.test(text)) throw new UsageError('must be the tag of a language, such as de or zh-Hant');
  return text;
}

function microUsd(text: string): bigint {
  const decimal = parseDecimal(text);
  const micros = decimal === null ? null : toUnits(decimal, FIAT_DECIMALS);
  if (micros === null || micros < 0n) throw new UsageError('must be an amount of US dollars');
  return micros;
}

const shownPercent = (ppm: bigint | null) => (ppm === null ? null : formatUnits(ppm, PERCENT_DECIMALS));
const shownUsd = (micros: bigint | null) => (micros === null ? null : formatUnits(micros, FIAT_DECIMALS));

export function defaultsJson(defaults: MerchantDefaults) {
  return {
    default_tolerance_percent: shownPercent(defaults.defaultTolerancePpm),
    accepted_coins: defaults.acceptedCoins,
    default_webhook_format: defaults.defaultWebhookFormat,
    checkout_language: defaults.checkoutLanguage,
    approval_above_usd: shownUsd(defaults.approvalAboveMicroUsd),
  };
}

export function defaultFacts(defaults: MerchantDefaults): readonly (readonly [string, string])[] {
  const tolerance = shownPercent(defaults.defaultTolerancePpm);
  const approval = shownUsd(defaults.approvalAboveMicroUsd);
  return [
    ['tolerance', tolerance === null ? 'none' : `${tolerance} %`],
    ['coins', defaults.acceptedCoins?.join(' ') ?? 'all'],
    ['webhook format', defaults.defaultWebhookFormat ?? 'native_v2'],
    ['language', defaults.checkoutLanguage ?? "the browser's, else en"],
    ['second person', approval === null ? 'never' : `above ${approval} USD`],
  ];
}
