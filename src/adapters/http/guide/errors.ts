/**
 * /docs/errors: each error code with its meaning, what to do, and whether to repeat the request.
 */
import { type ErrorCode, INVOICE_RULES, PAYOUT_RULES } from '../../../domain/errors.ts';
import { html, type Markup } from '../checkout/page/html.ts';
import { HTTP_STATUS, retryAfterSeconds } from '../kit/errors.ts';
import { exampleOf } from '../openapi/errors.ts';
import { code, defined, type GuidePage, joined, listed, said, section } from './frame.ts';

interface Advice {
  readonly means: string;
  readonly todo: string;
}

export const ADVICE: Readonly<Record<ErrorCode, Advice>> = {
  INVALID_JSON: { means: 'The body is not one JSON object.', todo: 'Send one, in UTF-8.' },
  INVALID_ID: {
    means: 'The id in the path is malformed.',
    todo: 'Use the `order_id` or `id` of a response, unchanged.',
  },
  MISSING_HEADER: {
    means: 'A required header is missing.',
    todo: 'Send a new UUIDv4 in `X-Uniq-Id` with each payout.',
  },
  INVALID_HEADER: {
    means: 'A header is malformed.',
    todo: 'Send a UUIDv4 in `X-Uniq-Id`, and 1 to 255 characters of printable ASCII in `Idempotency-Key`.',
  },
  INVOICE_REJECTED: {
    means: 'A business rule refuses the invoice. `details.rule` names it.',
    todo: 'Look up the rule below. Change the amount or the asset.',
  },
  PAYOUT_REJECTED: {
    means: 'A business rule refuses the payout. `details.rule` names it.',
    todo: 'Look up the rule below. Nothing was reserved or paid.',
  },
  SANDBOX_ONLY: {
    means: 'The request is possible in the sandbox only.',
    todo: 'Use the sandbox key and an invoice of the sandbox.',
  },
  INVALID_TRANSITION: {
    means: 'The current status of the resource does not allow the request.',
    todo: 'Read the resource and act on its status.',
  },
  NO_DESTINATION: {
    means: 'There is no URL for the webhook.',
    todo: 'Set `notify_url`, or ask the operator to set your `callback_url`.',
  },
  UNAUTHORIZED: {
    means: 'The API key is missing, unknown or no longer valid.',
    todo: 'Send the key in `x-api-key`. If it was replaced, use the new one.',
  },
  MERCHANT_INACTIVE: {
    means: 'Your account is paused or rejected, so live requests are refused.',
    todo: 'Contact the operator. The sandbox still works, unless your account was rejected.',
  },
  KYC_REQUIRED: {
    means: 'Your account is not verified yet.',
    todo: 'Contact the operator. The sandbox works before that.',
  },
  PAYOUTS_DISABLED: {
    means: 'Payouts are not allowed from your address (`details.ip`).',
    todo: 'Ask the operator to add it to `allowed_subnets`.',
  },
  NOT_FOUND: {
    means: 'The resource does not exist for this key.',
    todo: 'Check the id, and that the key is of the right environment: a sandbox key does not see live data.',
  },
  METHOD_NOT_ALLOWED: {
    means: 'The path does not have this method.',
    todo: 'Use a method of the `Allow` header.',
  },
  DUPLICATE: {
    means: 'This `X-Uniq-Id` was used within the last two hours. `details` has the payout or the batch.',
    todo: 'After a time-out: the first request succeeded, so read its payout. For another payout use a new UUID.',
  },
  IDEMPOTENCY_MISMATCH: {
    means: 'This `Idempotency-Key` was used for another request within the last 24 hours.',
    todo: 'Repeat that request unchanged, or use a new key for the new one.',
  },
  PAYLOAD_TOO_LARGE: { means: 'The body is too large.', todo: 'Send a batch in several requests.' },
  UNSUPPORTED_MEDIA_TYPE: {
    means: 'The `Content-Type` of the body is not JSON.',
    todo: 'Send `content-type: application/json`.',
  },
  VALIDATION_ERROR: {
    means: 'Fields are missing or invalid. `details` lists every one.',
    todo: 'Correct the fields. Each entry of `details` has a `field` and a `message`.',
  },
  RATE_LIMITED: {
    means:
      'Too many requests with this key, or without a valid key from your network. Or one of your long lists or replays is still running.',
    todo: 'Wait for the seconds of `Retry-After`. The `RateLimit` header reports in advance what is left.',
  },
  LIST_TOO_SLOW: {
    means: 'The list took too long.',
    todo: 'Use a shorter date range, filter by status or asset, or request an earlier page.',
  },
  RATES_UNAVAILABLE: {
    means: 'No fresh exchange rate is known.',
    todo: 'Repeat the request shortly. An amount in the asset itself may need no rate.',
  },
  UNAVAILABLE: {
    means: 'The service is temporarily unavailable.',
    todo: 'Repeat the request after `Retry-After`.',
  },
  INTERNAL_ERROR: {
    means: 'An internal error.',
    todo: 'The request may or may not have been carried out. Repeat it soon with the same `Idempotency-Key` or `X-Uniq-Id`. If the error persists, report `details.request_id` to the operator.',
  },
};

const ERROR_CODES = Object.keys(HTTP_STATUS) as ErrorCode[];

export function errors(): GuidePage {
  return {
    path: '/docs/errors',
    title: 'Errors',
    lead: 'What each `error.code` means, what to do about it, and whether to repeat the request.',
    content: joined([
      section('envelope', 'What a refusal looks like', [
        code(JSON.stringify(exampleOf('VALIDATION_ERROR')[1].value, null, 2)),
        listed([
          'Programs read `error.code`, and `error.details.rule` where it is present. `error.message` and `error.hint` are for people and may be reworded. The hint is the first fault of a `VALIDATION_ERROR`.',
          'After no response, a time-out or any 5xx: repeat the request with the same `Idempotency-Key` (payouts: the same `X-Uniq-Id`), with growing pauses. For 24 hours nothing is created twice. An `X-Uniq-Id` alone holds for two hours.',
          'Every response has an `X-Request-Id`. Write it to your log.',
        ]),
      ]),
      section('codes', 'Codes', [
        html`<ul class="index">${ERROR_CODES.map((each) => html`<li><a href="#${each}">${each}</a></li>`)}</ul>`,
        ...ERROR_CODES.map(entry),
      ]),
    ]),
  };
}

function entry(each: ErrorCode): Markup {
  const { means, todo } = ADVICE[each];
  return html`<section class="entry" aria-labelledby="${each}"><h3 id="${each}"><code>${each}</code> <span>HTTP ${String(HTTP_STATUS[each])}</span></h3>
<p>${said(means)}</p>
<p><b>What to do:</b> ${said(todo)}</p>
<p><b>Repeat it?</b> ${said(repeating(each))}</p>
${rulesOf(each)}</section>`;
}

export function repeating(each: ErrorCode): string {
  const seconds = retryAfterSeconds(each);
  if (seconds !== null)
    return `Yes, after \`Retry-After\` (at least ${seconds} s)${each === 'LIST_TOO_SLOW' ? ', and narrower' : ''}.`;
  if (each === 'INTERNAL_ERROR') return 'Yes, with the same key, after a pause.';
  return 'No: the same request is refused again.';
}

function rulesOf(each: ErrorCode): Markup | null {
  if (each === 'INVOICE_REJECTED') return defined(Object.entries(INVOICE_RULES));
  return each === 'PAYOUT_REJECTED' ? defined(Object.entries(PAYOUT_RULES)) : null;
}
