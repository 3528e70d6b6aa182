/** One payment of any merchant, for the operator: what happened, and giving money back. */
import { isGranted } from '../../../../domain/accounts/role.ts';
import { html } from '../../checkout/page/html.ts';
import { asId } from '../../kit/input/query.ts';
import { foundCards } from '../found.ts';
import { notFound } from '../kit/gate.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import { timelineCard } from '../timeline.ts';
import { caseForms, caseRefundRoutes } from './case-refunds.ts';
import type { OperatorPages } from './operator-pages.ts';
import { linksOf } from './search.ts';

export function caseRoutes(of: OperatorPages): readonly ConsoleRoute[] {
  return [
    ofOperator('operator.read', 'GET', '/payments/:id', (call) => casePage(of, call)),
    ...caseRefundRoutes(of, (call, problem) => casePage(of, call, problem)),
  ];
}

async function casePage(
  of: OperatorPages,
  call: OperatorCall,
  problem: Problem | null = null,
): Promise<Response> {
  const { console, catalog } = of;
  const { shell, base, params, seat } = call;
  const id = asId(params.id ?? '');
  if (id === null) return notFound(shell);
  const [timeline, found] = await Promise.all([
    console.invoiceTimeline(null, id),
    console.searchEverything(id),
  ]);
  if (timeline === null) return notFound(shell);
  const may = isGranted(seat.role, 'queue.decide');
  const body = html`${foundCards(found, await linksOf(of, call, found), catalog)}${may ? caseForms(call, timeline, id) : null}${timelineCard(timeline, catalog)}<p><a href="${base}/audit?id=${id}">What operators did with it</a></p>`;
  return shell.page({
    ...{ title: `Payment ${id}`, body, problem },
    ...(problem === null ? {} : { status: 400 }),
  });
}
