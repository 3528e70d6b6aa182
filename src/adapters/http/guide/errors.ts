/** /docs/errors: each code of the API with what it means, what to do, and whether repeating helps. */
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
    means: 'The id in the path is none of ours.',
    todo: 'Use the `order_id` of our answer, unchanged.',
  },
  MISSING_HEADER: {
    means: 'The call needs a header that is not there.',
    todo: 'Payouts need a fresh UUIDv4 in `X-Uniq-Id`.',
  },
  INVALID_HEADER: {
    means: 'A header is there and has the wrong form.',
    todo: '`X-Uniq-Id` is a UUIDv4; `Idempotency-Key` has 1 to 255 printable characters.',
  },
  INVOICE_REJECTED: {
    means: 'A rule of the business refuses the invoice; `details.rule` names it.',
    todo: 'Go by the rule, below. Change amount or asset.',
  },
  PAYOUT_REJECTED: {
    means: 'A rule of the business refuses the payout; `details.rule` names it.',
    todo: 'Go by the rule, below. Nothing was reserved or paid.',
  },
  SANDBOX_ONLY: {
    means: 'Only the sandbox can do that.',
    todo: 'Call with the sandbox key, on an invoice of the sandbox.',
  },
  INVALID_TRANSITION: {
    means: 'The status that the resource has now does not allow it.',
    todo: 'Read the resource, and decide anew.',
  },
  NO_DESTINATION: {
    means: 'There is no URL that a webhook could go to.',
    todo: 'Set `notify_url`, or ask the operator to set your `callback_url`.',
  },
  UNAUTHORIZED: {
    means: 'The API key is missing, unknown or ended.',
    todo: 'Send the key in `x-api-key`. If it was changed, use the new one.',
  },
  MERCHANT_INACTIVE: {
    means: 'Your account is paused or closed for live requests.',
    todo: 'Ask the operator. The sandbox still works, unless you were rejected.',
  },
  KYC_REQUIRED: {
    means: 'Your account is not verified yet.',
    todo: 'Ask the operator. The sandbox works meanwhile.',
  },
  PAYOUTS_DISABLED: {
    means: 'Payouts are not allowed from the address that you call from (`details.ip`).',
    todo: 'Ask the operator to add it to `allowed_subnets`.',
  },
  NOT_FOUND: {
    means: 'There is no such resource for this key.',
    todo: 'Check the id, and whether the key is of the same environment: sandbox and live do not see each other.',
  },
  METHOD_NOT_ALLOWED: { means: 'The path takes other methods.', todo: 'Use one of the `Allow` header.' },
  DUPLICATE: {
    means: 'This `X-Uniq-Id` was used within two hours; `details` names what it made.',
    todo: 'After a time-out: all is well, read what was made. For another payout take a fresh UUID.',
  },
  IDEMPOTENCY_MISMATCH: {
    means: 'This `Idempotency-Key` was used for another request within 24 hours.',
    todo: 'Repeat that request unchanged, or take a fresh key for the new one.',
  },
  PAYLOAD_TOO_LARGE: { means: 'The body is too large.', todo: 'Send less: a batch in several parts.' },
  UNSUPPORTED_MEDIA_TYPE: {
    means: 'The body is not called JSON.',
    todo: 'Send `content-type: application/json`.',
  },
  VALIDATION_ERROR: {
    means: 'Fields are missing or wrong; `details` lists every one.',
    todo: 'Mend the fields. `field` and `message` of each say how.',
  },
  RATE_LIMITED: {
    means:
      'Too many requests of this key, or without a good key from your network; or a long list or a replay of yours is still being made.',
    todo: 'Wait for `Retry-After`. The `RateLimit` header tells early what is left.',
  },
  LIST_TOO_SLOW: {
    means: 'The list took too long.',
    todo: 'Narrow it: shorter dates, a status, an asset, an earlier page.',
  },
  RATES_UNAVAILABLE: {
    means: 'No fresh exchange rate is known.',
    todo: 'Try again shortly. An amount in the asset itself may need no rate.',
  },
  UNAVAILABLE: {
    means: 'The service is away for a moment.',
    todo: 'Repeat the request after `Retry-After`.',
  },
  INTERNAL_ERROR: {
    means: 'A fault of ours.',
    todo: 'Whether the request was carried out is not known: repeat it soon with the same `Idempotency-Key` or `X-Uniq-Id`. If it stays, tell the operator `details.request_id`.',
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
          'Let programs go by `error.code`, and by `error.details.rule` where there is one. `error.message` and `error.hint`, the first fault of a `VALIDATION_ERROR`, are for people and may be reworded.',
          'No answer at all, a time-out, or any 5xx: repeat with the same `Idempotency-Key` (payouts: the same `X-Uniq-Id`), with growing pauses. Nothing is made twice for 24 hours (by an `X-Uniq-Id` alone: for two).',
          'Every answer has an `X-Request-Id`. Keep it in your log.',
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
