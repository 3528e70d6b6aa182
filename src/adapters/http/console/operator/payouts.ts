/** Payouts of all merchants: the list, the page of one, and what operators decide about one. */

import { isGranted } from '../../../../domain/accounts/role.ts';
import { PAYOUT_STATUSES } from '../../../../domain/payouts/payout.ts';
import { html } from '../../checkout/page/html.ts';
import { asId } from '../../kit/input/query.ts';
import { foundCards } from '../found.ts';
import { acted, type Leading, ordered } from '../kit/acted.ts';
import type { DoneCode } from '../kit/done.ts';
import { notFound } from '../kit/gate.ts';
import { button, card, checkbox, choice, field } from '../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import { timelineCard } from '../timeline.ts';
import { namesOf } from './merchant-name.ts';
import type { OperatorPages } from './operator-pages.ts';
import { payoutForms, payoutTable, unknownTable, why } from './payout-table.ts';
import { linksOf } from './search.ts';

const SHOWN = 100;
const EVERY_STATE = { statuses: PAYOUT_STATUSES, held: false, waiting: false, merchantId: null } as const;

type QueuePage = (call: OperatorCall, problem: Problem) => Promise<Response>;

/** `queue`: the page that shows why an order of the queue was refused. */
export function payoutRoutesOfOperators(of: OperatorPages, queue: QueuePage): readonly ConsoleRoute[] {
  const { desk } = of;
  /** Back to where the form stood. */
  const lead = (call: OperatorCall, code: DoneCode): Leading => {
    const { id = '' } = call.params;
    return call.form.isSet('on_page')
      ? { at: `/payouts/${id}`, code, refused: (problem) => payoutPage(of, call, problem) }
      : { at: '/queue', code, refused: (problem) => queue(call, problem) };
  };
  const onPayout = (path: string, run: (call: OperatorCall, id: string) => Promise<Response>): ConsoleRoute =>
    ofOperator('queue.decide', 'POST', `/payouts/:id/${path}`, (call) => run(call, call.params.id ?? ''));
  return [
    ofOperator('operator.read', 'GET', '/payouts', (call) => listPage(of, call)),
    ofOperator('operator.read', 'GET', '/payouts/:id', (call) => payoutPage(of, call)),
    onPayout('hold', (call, id) =>
      acted(
        call,
        desk.holdPayout(call.seat, id, call.form.optional('reason') ?? 'by hand'),
        lead(call, 'held'),
      ),
    ),
    onPayout('release', (call, id) =>
      ordered(call, desk.releasePayout(call.seat, id, call.form.text('form_id')), lead(call, 'released')),
    ),
    onPayout('paid', (call, id) =>
      acted(call, desk.payoutPaidBy(call.seat, id, call.form.text('txid')), lead(call, 'saved')),
    ),
    onPayout('cancel', (call, id) => acted(call, desk.cancelPayout(call.seat, id), lead(call, 'cancelled'))),
    onPayout('retry', (call, id) => acted(call, desk.retryPayout(call.seat, id), lead(call, 'retried'))),
  ];
}

async function listPage(of: OperatorPages, call: OperatorCall): Promise<Response> {
  const { operatorQueries, catalog } = of;
  const { shell, base, query } = call;
  const status = PAYOUT_STATUSES.find((one) => one === query.get('status'));
  const merchant = query.get('merchant') ?? '';
  const rows = await operatorQueries.payouts({
    statuses: status === undefined ? PAYOUT_STATUSES : [status],
    ...{ held: query.has('held'), waiting: query.has('waiting') },
    ...{ merchantId: merchant === '' ? null : merchant, limit: SHOWN },
  });
  const nameOf = await namesOf(
    of,
    call,
    rows.map(({ payout }) => payout),
  );
  const states = PAYOUT_STATUSES.map((one) => [one, one] as const);
  const body = html`<form method="get" class="row">${choice('status', 'State', [['', 'all'], ...states], { chosen: status ?? '' })}${field('merchant', 'Id of the merchant', { value: merchant })}${checkbox('held', 'Only held ones', { checked: query.has('held') })}${checkbox('waiting', 'Only those that wait', { checked: query.has('waiting') })}${button('Filter', 'plain')}</form>
${payoutTable({ rows, catalog, shell, base, nameOf, may: false })}${rows.length === SHOWN ? html`<p class="hint">The newest ${String(SHOWN)}. Filter, or search in the cases, for others.</p>` : null}`;
  return shell.page({ title: 'Payouts', body });
}

async function payoutPage(
  of: OperatorPages,
  call: OperatorCall,
  problem: Problem | null = null,
): Promise<Response> {
  const { console, catalog, desk, operatorQueries } = of;
  const { shell, base, params, seat } = call;
  const id = asId(params.id ?? '');
  if (id === null) return notFound(shell);
  const [timeline, found, [row]] = await Promise.all([
    console.payoutTimeline(null, id),
    console.searchEverything(id),
    operatorQueries.payouts({ ...EVERY_STATE, id, limit: 1 }),
  ]);
  if (timeline === null || row === undefined) return notFound(shell);
  const unknown = await desk.unknownPayments([row.payout]);
  const onPage = html`<input type="hidden" name="on_page" value="on">`;
  const forms = isGranted(seat.role, 'queue.decide')
    ? payoutForms({ shell, base, catalog }, row, onPage)
    : null;
  const reason = why(row.payout);
  const body = html`${foundCards(found, await linksOf(of, call, found), catalog)}${
    reason === null ? null : card('Why it is not sent', reason)
  }${unknown.length === 0 ? null : card('Sent by the hot wallets, and not known here', unknownTable(unknown, { catalog, base }))}${
    forms === null ? null : card('Decide', forms)
  }${timelineCard(timeline, catalog)}<p><a href="${base}/audit?id=${id}">What operators did with it</a></p>`;
  return shell.page({
    ...{ title: `Payout ${id}`, body, problem },
    ...(problem === null ? {} : { status: 400 }),
  });
}
