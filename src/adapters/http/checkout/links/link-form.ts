/** The form of a payment link: what the customer enters, and why it is refused. */
import type { LinkRefusal, LinkRequest } from '../../../../app/links/link-order.ts';
import { FIAT_DECIMALS, minorDecimals } from '../../../../domain/catalog/fiat.ts';
import type { LinkField, PaymentLink } from '../../../../domain/links/payment-link.ts';
import { isEmailAddress } from '../../../../domain/merchants/brand.ts';
import { parseDecimal, toUnits } from '../../../../domain/money/decimal.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import { MAX_AMOUNT } from '../../kit/input/schema.ts';
import type { FormProblem } from '../forms.ts';

const MAX_MICROS = BigInt(MAX_AMOUNT) * 10n ** BigInt(FIAT_DECIMALS);
/** Characters of an answer. */
export const ANSWER_LENGTH_MAX = 100;

/** Refused: a required answer that is missing, and an e-mail address that is none. */
export function readOrder(
  link: PaymentLink,
  form: URLSearchParams,
): Result<Omit<LinkRequest, 'linkUrl' | 'language'>, FormProblem> {
  const answers: Partial<Record<LinkField, string>> = {};
  for (const field of link.fields) {
    const given = Array.from(oneLine(form.get(field) ?? ''))
      .slice(0, ANSWER_LENGTH_MAX)
      .join('');
    if (given !== '') answers[field] = given;
    const isFilled = field === 'email' ? isEmailAddress(given) : given !== '' || field === 'note';
    if (!isFilled) return err({ status: 422, text: 'problemFields' });
  }
  const entered = form.get('amount')?.trim();
  const tip = form.get('tip') ?? '0';
  if (!/^\d{1,3}$/.test(tip)) return err({ status: 422, text: 'problemAmount' });
  return ok({
    enteredMicros: amountMicros(entered === '' ? form.get('suggested') : entered, link),
    tipPercent: BigInt(tip),
    answers,
  });
}

/** Without U+0000 and other control characters: the API refuses them, and receivers may break. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim();
}

/**
 * In micros; null for what is no amount of the currency, or more than the API takes. A comma
 * separates decimals too, and the digits may be Arabic or Persian. Grouped digits are refused:
 * "1,000" has three decimals.
 */
function amountMicros(text: string | null | undefined, { fiatCurrency }: PaymentLink): bigint | null {
  const ascii = (text ?? '')
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .replace(/[,\u066b]/, '.');
  const digits = /^\d{1,16}(?:\.(\d+))?$/.exec(ascii);
  if (digits === null || (digits[1] ?? '').length > minorDecimals(fiatCurrency)) return null;
  const value = parseDecimal(ascii);
  const micros = value === null ? null : toUnits(value, FIAT_DECIMALS);
  return micros === null || micros > MAX_MICROS ? null : micros;
}

/** The refusal in the customer's words; null where the whole link is closed. */
export function problemOf(refusal: LinkRefusal): FormProblem | null {
  switch (refusal.why) {
    case 'amount':
    case 'tip':
      return { status: 422, text: 'problemAmount' };
    case 'busy':
      return { status: 429, text: 'busyText' };
    case 'rejected':
      return rejection(refusal.error.code, refusal.error.details);
    default:
      return null;
  }
}

function rejection(code: string, details: unknown): FormProblem {
  if (code === 'RATES_UNAVAILABLE') return { status: 503, text: 'problemRates' };
  const { rule } = (details ?? {}) as { readonly rule?: unknown };
  return rule === 'below_minimum'
    ? { status: 422, text: 'problemTooSmall' }
    : { status: 422, text: 'noCurrency', isStuck: true };
}
