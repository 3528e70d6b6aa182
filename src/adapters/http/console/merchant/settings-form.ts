/** The form of a merchant's settings: what counts where an invoice says nothing. */
import type { DeskFault, MerchantSettings } from '../../../../app/console/merchant-desk.ts';
import type { AssetCatalog } from '../../../../domain/catalog/asset.ts';
import { type FieldError, validationError } from '../../../../domain/errors.ts';
import { type Merchant, TOLERANCE_PPM_MAX } from '../../../../domain/merchants/merchant.ts';
import { formatUnits, parseDecimal, toUnits } from '../../../../domain/money/decimal.ts';
import { FEE_BEARERS, PERCENT_DECIMALS } from '../../../../domain/money/fee.ts';
import { WEBHOOK_FORMATS } from '../../../../domain/webhooks/webhook-format.ts';
import { checkWebhookUrl } from '../../../../domain/webhooks/webhook-url.ts';
import { LANGUAGES, MESSAGES } from '../../checkout/messages/languages.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { listed } from '../kit/form-body.ts';
import type { FormParts } from '../kit/form-parts.ts';
import { checkbox } from '../kit/parts.ts';
import type { OpenCall } from '../kit/route.ts';

export interface SettingsForm extends FormParts {
  /** What was typed, if the form was sent; else what is stored. */
  value(input: string, stored: string | null): string;
}

export function defaultFields(
  merchant: Merchant,
  { field, area, choice, value }: SettingsForm,
  payoutWebhooks: boolean,
): Markup {
  const { defaultTolerancePpm: tolerance, acceptedCoins, defaultWebhookFormat, checkoutLanguage } = merchant;
  const languages = LANGUAGES.map((one) => [one, MESSAGES[one].nativeName] as const);
  return html`${field('callback_url', 'Webhooks go to', { type: 'url', value: value('callback_url', merchant.callbackUrl), hint: 'An invoice may name another URL.' })}${checkbox('payout_webhooks', 'Also of payouts', { checked: payoutWebhooks })}${field(
    'tolerance',
    'A customer may pay less, percent',
    {
      inputmode: 'decimal',
      value: value('tolerance', tolerance === null ? null : formatUnits(tolerance, PERCENT_DECIMALS)),
      hint: 'At most 10. Empty: nothing less.',
    },
  )}${area('coins', 'Assets that customers may choose', {
    value: value('coins', (acceptedCoins ?? []).join('\n')),
    hint: 'usdt_tron, for example, one per line. Empty: all. Permanent addresses take every asset of their networks all the same.',
  })}${choice('format', 'Format of webhooks', [['', 'native_v2'], ...WEBHOOK_FORMATS.map((one) => [one, one] as const)], { chosen: value('format', defaultWebhookFormat) })}${choice('language', 'Language of the checkout', [['', 'English'], ...languages], { chosen: value('language', checkoutLanguage), hint: 'Where the browser names none that the page speaks.' })}`;
}

/** The form as a change, or every fault of it. */
export function settingsOf(
  { form }: Pick<OpenCall, 'form'>,
  catalog: AssetCatalog,
): MerchantSettings | DeskFault {
  const faults: FieldError[] = [];
  const callbackUrl = form.optional('callback_url');
  const urlFault = callbackUrl === null ? null : checkWebhookUrl(callbackUrl);
  if (urlFault !== null) faults.push({ field: 'callback_url', message: `is refused: ${urlFault}` });
  const tolerance = toleranceOf(form.optional('tolerance'));
  if (tolerance === 'malformed') faults.push({ field: 'tolerance', message: 'must be 0 to 10 percent' });
  const coins = listed(form.optional('coins'));
  for (const key of coins ?? [])
    if (!catalog.isListed(key)) faults.push({ field: 'coins', message: `${key} is not known` });
  const bearer = FEE_BEARERS.find((one) => one === form.text('fee_bearer'));
  if (faults.length > 0 || tolerance === 'malformed') return validationError(faults);
  return {
    ...{ callbackUrl, payoutWebhooks: form.isSet('payout_webhooks') },
    ...(bearer === undefined ? {} : { defaultFeeBearer: bearer }),
    ...{ defaultTolerancePpm: tolerance, acceptedCoins: coins },
    defaultWebhookFormat: WEBHOOK_FORMATS.find((one) => one === form.text('format')) ?? null,
    checkoutLanguage: LANGUAGES.find((one) => one === form.text('language')) ?? null,
  };
}

function toleranceOf(text: string | null): bigint | null | 'malformed' {
  if (text === null) return null;
  const given = parseDecimal(text);
  const ppm = given === null ? null : toUnits(given, PERCENT_DECIMALS);
  return ppm === null || ppm < 0n || ppm > TOLERANCE_PPM_MAX ? 'malformed' : ppm;
}
