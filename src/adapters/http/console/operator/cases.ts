/** One payment or payout of any merchant, for the operator. */
import { html } from '../../checkout/page/html.ts';
import { foundCards } from '../found.ts';
import { notFound } from '../kit/gate.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import { timelineCard } from '../timeline.ts';
import type { OperatorPages } from './operator-pages.ts';
import { linksOf } from './search.ts';

export function caseRoutes(of: OperatorPages): readonly ConsoleRoute[] {
  return [
    ofOperator('operator.read', 'GET', '/payments/:id', (call) => casePage(of, call, 'Payment')),
    ofOperator('operator.read', 'GET', '/payouts/:id', (call) => casePage(of, call, 'Payout')),
  ];
}

async function casePage(
  { console, catalog }: OperatorPages,
  { shell, base, params }: OperatorCall,
  title: 'Payment' | 'Payout',
): Promise<Response> {
  const { id = '' } = params;
  if (!/^[0-9a-f]{24}$/.test(id)) return notFound(shell);
  const [timeline, found] = await Promise.all([
    title === 'Payment' ? console.invoiceTimeline(null, id) : console.payoutTimeline(null, id),
    console.searchEverything(id),
  ]);
  if (timeline === null) return notFound(shell);
  const body = html`${foundCards(found, linksOf(base), catalog)}${timelineCard(timeline, catalog)}<p><a href="${base}/audit?id=${id}">What operators did with it</a></p>`;
  return shell.page({ title: `${title} ${id}`, body });
}
