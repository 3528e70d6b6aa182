/** What the page of all that is well can do: webhooks once more, and a test notice. */
import { isGranted } from '../../../../domain/accounts/role.ts';
import { validationError } from '../../../../domain/errors.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { acted, type Leading } from '../kit/acted.ts';
import { dayOf } from '../kit/days.ts';
import type { DoneCode } from '../kit/done.ts';
import { button, card, field } from '../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import type { OperatorPages } from './operator-pages.ts';

/** `page`: it again, with why nothing was done. */
export function wellActionRoutes(
  { desk }: OperatorPages,
  page: (call: OperatorCall, problem: Problem) => Promise<Response>,
): readonly ConsoleRoute[] {
  const lead = (call: OperatorCall, code: DoneCode): Leading => ({
    ...{ at: '', code, refused: (problem) => page(call, problem) },
  });
  return [
    ofOperator('queue.decide', 'POST', '/webhooks/replay', (call) => {
      const text = call.form.optional('since');
      const since = dayOf(new URLSearchParams({ since: text ?? '' }), 'since', 'begins');
      if (text !== null && since === null)
        return page(
          call,
          validationError([{ field: 'since', message: 'must be a day, 2026-12-31 for example' }]),
        );
      return acted(call, desk.replayDead(call.seat, since), lead(call, 'webhooks_queued'));
    }),
    ofOperator('queue.decide', 'POST', '/notices/test', (call) =>
      acted(call, desk.tryNotices(call.seat), lead(call, 'notice_ordered')),
    ),
  ];
}

/** Beside what is renewed, so that nobody's typing is lost. */
export function wellActions({ shell, base, seat }: OperatorCall): Markup | null {
  if (!isGranted(seat.role, 'queue.decide')) return null;
  return html`${card(
    'Webhooks that were given up',
    shell.form(
      `${base}/webhooks/replay`,
      html`${field('since', 'Given up since', { type: 'date', hint: 'Empty: all.' })}${button('Send them again', 'plain', 'Send the present state of each invoice again?')}`,
      { class: 'row' },
    ),
  )}${card(
    'Do alarms arrive?',
    html`<p>A worker sends a test to everybody who gets alarms.</p>${shell.form(`${base}/notices/test`, button('Send a test', 'plain'))}`,
  )}`;
}
