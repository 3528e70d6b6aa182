/** Merchants' requests to credit unmatched deposits. */

import { isGranted } from '../../../../domain/accounts/role.ts';
import { NOTE_LENGTH_MAX } from '../../../../domain/audit/audit-entry.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { acted } from '../kit/acted.ts';
import { amount, button, card, copyable, field, instant, pageOf, pager, table } from '../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import { namesOf } from './merchant-name.ts';
import type { OperatorPages } from './operator-pages.ts';

const PER_PAGE = 50;

export function creditRoutes(of: OperatorPages): readonly ConsoleRoute[] {
  const decide = (decision: 'grant' | 'decline'): ConsoleRoute =>
    ofOperator('queue.decide', 'POST', `/credits/:id/${decision}`, (call) => {
      const { form, params, seat } = call;
      const request = params.id ?? '';
      const answer = form.optional('answer');
      const doing =
        decision === 'grant'
          ? of.desk.grantCredit(seat, request, answer)
          : of.desk.declineCredit(seat, request, answer);
      return acted(call, doing, {
        ...{ at: '/credits', code: decision === 'grant' ? 'credited' : 'declined' },
        refused: (problem) => creditsPage(of, call, problem),
      });
    });
  return [
    ofOperator('operator.read', 'GET', '/credits', (call) => creditsPage(of, call)),
    decide('grant'),
    decide('decline'),
  ];
}

async function creditsPage(
  of: OperatorPages,
  call: OperatorCall,
  problem: Problem | null = null,
): Promise<Response> {
  const { console, catalog } = of;
  const { shell, base, seat, query } = call;
  const page = pageOf(query);
  const list = await console.creditQueue({ page, perPage: PER_PAGE });
  const may = isGranted(seat.role, 'queue.decide');
  const names = await namesOf(
    of,
    call,
    list.rows.map(({ request }) => request),
  );
  const forms = (id: string): Markup => {
    const answer = field('answer', 'Answer', { id: `answer-${id}`, maxLength: NOTE_LENGTH_MAX });
    return html`<div class="actions">${shell.form(`${base}/credits/${id}/grant`, button('Credit', 'plain', 'Credit it to the merchant?'), { class: 'inline' })}${shell.form(`${base}/credits/${id}/decline`, html`${answer}${button('Decline', 'danger')}`, { class: 'inline' })}</div>`;
  };
  const body = card(
    'Requests',
    html`${table(
      list.rows,
      [
        {
          title: 'Amount',
          cell: ({ deposit }) =>
            catalog.isListed(deposit.asset)
              ? amount(deposit.units, catalog.require(deposit.asset))
              : `${deposit.units} ${deposit.asset}`,
        },
        { title: 'Transaction', cell: ({ deposit }) => copyable(deposit.txid) },
        {
          title: 'Merchant',
          cell: ({ request }) => names(request),
        },
        {
          title: 'Why',
          cell: ({ request }) =>
            html`${request.reason}<br><small>${request.requestedBy}<br>${instant(request.createdAt)}</small>`,
        },
        { title: '', cell: ({ request }) => (may ? forms(request.id) : null) },
      ],
      { empty: 'No merchant asks for a credit.', caption: 'Requests' },
    )}${pager({ page, perPage: PER_PAGE, total: list.total }, query)}`,
  );
  return shell.page({
    ...{ title: 'Credits that merchants ask for', body, problem },
    ...(problem === null ? {} : { status: 400 }),
  });
}
