/** What the page of all that is well can do: webhooks once more, and a test notice. */
import { isGranted } from '../../../../domain/accounts/role.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { acted } from '../kit/acted.ts';
import { dayOf } from '../kit/days.ts';
import { button, card, field } from '../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { OperatorPages } from './operator-pages.ts';

/** `page`: it again, where nothing was done. */
export function wellActionRoutes(
  { desk }: OperatorPages,
  page: (call: OperatorCall) => Promise<Response>,
): readonly ConsoleRoute[] {
  return [
    ofOperator('queue.decide', 'POST', '/webhooks/replay', (call) => {
      const given = new URLSearchParams({ since: call.form.text('since') });
      return acted(call, desk.replayDead(call.seat, dayOf(given, 'since', 'begins')), {
        ...{ at: '', code: 'webhooks_queued', refused: () => page(call) },
      });
    }),
    ofOperator('queue.decide', 'POST', '/notices/test', (call) =>
      acted(call, desk.tryNotices(call.seat), {
        ...{ at: '', code: 'notice_ordered', refused: () => page(call) },
      }),
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
