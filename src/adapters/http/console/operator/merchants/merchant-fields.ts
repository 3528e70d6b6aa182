/** Fields of a merchant's forms that making one and changing one share. */
import { type AppError, validationError } from '../../../../../domain/errors.ts';
import type { MerchantStatus } from '../../../../../domain/merchants/merchant.ts';
import { parseDecimal, toUnits } from '../../../../../domain/money/decimal.ts';
import { PERCENT_DECIMALS } from '../../../../../domain/money/fee.ts';
import { checkWebhookUrl } from '../../../../../domain/webhooks/webhook-url.ts';
import type { Tone } from '../../kit/parts.ts';
import type { OperatorCall } from '../../kit/route.ts';

export const MERCHANT_TONES: Readonly<Record<MerchantStatus, Tone>> = {
  active: 'good',
  paused: 'warn',
  pending_verification: 'calm',
  rejected: 'bad',
};

export const invalid = (field: string, message: string): AppError => validationError([{ field, message }]);

/** What is wrong with the merchant's name, or with where its webhooks go. */
export function placeFault({ form }: Pick<OperatorCall, 'form'>): AppError | null {
  if (form.optional('name') === null) return invalid('name', 'is missing');
  const callbackUrl = form.optional('callback_url');
  const fault = callbackUrl === null ? null : checkWebhookUrl(callbackUrl);
  return fault === null ? null : invalid('callback_url', `is refused: ${fault}`);
}

/** Millionths; null where nothing was given. */
export function percentOf(text: string | null): bigint | null | 'malformed' {
  if (text === null) return null;
  const given = parseDecimal(text);
  const ppm = given === null ? null : toUnits(given, PERCENT_DECIMALS);
  return ppm === null || ppm < 0n || ppm >= 1_000_000n ? 'malformed' : ppm;
}
