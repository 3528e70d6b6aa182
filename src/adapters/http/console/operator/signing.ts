/** The kill switch: nothing is signed on any chain while it is thrown. */

import { isGranted } from '../../../../domain/accounts/role.ts';
import { NOTE_LENGTH_MAX } from '../../../../domain/audit/audit-entry.ts';
import { html } from '../../checkout/page/html.ts';
import { acted } from '../kit/acted.ts';
import { button, card, field, instant } from '../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import type { OperatorPages } from './operator-pages.ts';

export function signingRoutes(of: OperatorPages): readonly ConsoleRoute[] {
  const refused = (call: OperatorCall) => (problem: Problem) => signingPage(of, call, problem);
  return [
    ofOperator('operator.read', 'GET', '/signing', (call) => signingPage(of, call)),
    ofOperator('signing.switch', 'POST', '/signing/stop', (call) =>
      acted(call, of.desk.stopSigning(call.seat, call.form.text('note')), {
        ...{ at: '/signing', code: 'signing_stopped', refused: refused(call) },
      }),
    ),
    ofOperator('signing.switch', 'POST', '/signing/start', (call) =>
      acted(call, of.desk.startSigning(call.seat), {
        ...{ at: '/signing', code: 'signing_started', refused: refused(call) },
      }),
    ),
  ];
}

async function signingPage(
  { operatorQueries }: OperatorPages,
  { shell, base, seat }: OperatorCall,
  problem: Problem | null = null,
): Promise<Response> {
  const stopped = await operatorQueries.signingStopped();
  const may = isGranted(seat.role, 'signing.switch');
  const state =
    stopped === null
      ? html`<p class="message good">Payouts, refunds and sweeps are signed.</p>`
      : html`<p class="message bad">Nothing is signed since ${instant(stopped.at)}: ${stopped.note}</p>`;
  const form =
    stopped === null
      ? shell.form(
          `${base}/signing/stop`,
          html`${field('note', 'Why', { required: true, maxLength: NOTE_LENGTH_MAX, hint: 'Shown to all operators.' })}${button('Stop all signing', 'danger', 'Stop signing on every chain, at once?')}`,
        )
      : shell.form(`${base}/signing/start`, button('Let it go on', 'main', 'Is the cause gone? Sign again?'));
  return shell.page({
    title: 'Kill switch',
    body: html`${state}<p>Payments are still seen and credited while it is thrown. What was broadcast cannot be taken back.</p>${may ? card('Change it', form) : null}`,
    problem,
    ...(problem === null ? {} : { status: 400 }),
  });
}
