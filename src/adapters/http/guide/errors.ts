/**
 * /docs/errors: each error code with its meaning, what to do, and whether to repeat the request.
 */
import { type ErrorCode, INVOICE_RULES, PAYOUT_RULES } from '../../../domain/errors.ts';
import { html, type Markup } from '../checkout/page/html.ts';
import { ERROR_CODES, ERRORS } from '../kit/error-table.ts';
import { retryAfterSeconds } from '../kit/errors.ts';
import { exampleOf } from '../openapi/errors.ts';
import { code, defined, type GuidePage, joined, listed, said, section } from './frame.ts';

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
  const { status, means, todo } = ERRORS[each];
  return html`<section class="entry" aria-labelledby="${each}"><h3 id="${each}"><code>${each}</code> <span>HTTP ${String(status)}</span></h3>
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
