/** Approvals by a second person: the list and the page of one, for merchants and for operators. */
import type { DeskFault, Done } from '../../../app/console/merchant-desk.ts';
import {
  APPROVAL_STATUSES,
  type Approval,
  type ApprovalRefusal,
  isOpen,
} from '../../../domain/accounts/approval.ts';
import { NOTE_LENGTH_MAX } from '../../../domain/audit/audit-entry.ts';
import { html, type Markup } from '../checkout/page/html.ts';
import { asId } from '../kit/input/query.ts';
import type { DoneCode } from './kit/done.ts';
import { notFound } from './kit/gate.ts';
import { button, card, facts, field, instant, table, usd } from './kit/parts.ts';
import type { AccountCall } from './kit/route.ts';
import { APPROVAL_NAMES, approvalBadge } from './kit/words.ts';
import { orderFacts } from './order-facts.ts';

const SHOWN = 100;

/** The approvals of a merchant, or the operators': a desk bound to whose request it is. */
export interface ApprovalDesk {
  /** Path of the merchant's or the operators' pages, and of this one. */
  readonly base: string;
  readonly at: string;
  /** Who counts as independent there. */
  readonly independent: string;
  list(filter: { statuses: readonly Approval['status'][]; limit: number }): Promise<readonly Approval[]>;
  find(id: string): Promise<Approval | null>;
  whyNot(approval: Approval): Promise<ApprovalRefusal | null>;
  approve(id: string): Done<unknown>;
  refuse(id: string, note: string | null): Done<unknown>;
  withdraw(id: string): Done<unknown>;
}

export async function approvalsPage({ shell, query }: AccountCall, of: ApprovalDesk): Promise<Response> {
  const status = APPROVAL_STATUSES.find((one) => one === query.get('status'));
  const rows = await of.list({ statuses: status === undefined ? [] : [status], limit: SHOWN });
  const body = html`<ul class="chips"><li><a href="?"${current(status === undefined)}>all</a></li>${APPROVAL_STATUSES.map((one) => html`<li><a href="?status=${one}"${current(status === one)}>${one}</a></li>`)}</ul><div id="approvals" data-renew>${table(
    rows,
    [
      { title: 'What', cell: ({ id, kind }) => html`<a href="${of.at}/${id}">${APPROVAL_NAMES[kind]}</a>` },
      { title: 'State', cell: ({ status: state }) => approvalBadge(state) },
      { title: 'Worth', align: 'end', cell: ({ amountMicroUsd }) => worth(amountMicroUsd) },
      { title: 'Requested by', cell: ({ requestedByName }) => requestedByName },
      { title: 'Decided by', cell: ({ decidedByName }) => decidedByName ?? '' },
      { title: 'Requested', cell: ({ createdAt }) => instant(createdAt) },
    ],
    { empty: 'Nothing was ordered here.', caption: 'Approvals' },
  )}</div>`;
  return shell.page({ title: 'Approvals', body, live: true });
}

function current(is: boolean): Markup | null {
  return is ? html` aria-current="true"` : null;
}

export async function approvalPage(
  { shell, params, now, signedIn }: AccountCall,
  of: ApprovalDesk,
  problem: DeskFault | null = null,
): Promise<Response> {
  const id = asId(params.id ?? '');
  const approval = id === null ? null : await of.find(id);
  if (approval === null) return notFound(shell);
  const open = isOpen(approval, now);
  const why = open ? await of.whyNot(approval) : null;
  const at = `${of.at}/${approval.id}`;
  const body = html`${card('Details', factsOf(approval))}${card('Order', orderFacts(approval, of.base))}${open ? decisions(shell, of, { at, why }) : null}${
    open && approval.requestedBy === signedIn.user.id
      ? shell.form(`${at}/withdraw`, button('Withdraw it', 'danger'))
      : null
  }`;
  return shell.page({
    title: APPROVAL_NAMES[approval.kind],
    body,
    problem: problem?.message ?? null,
    ...(problem === null ? {} : { status: 400 }),
  });
}

/** What this user can do, or why not. */
function decisions(
  shell: AccountCall['shell'],
  { independent }: ApprovalDesk,
  { at, why }: { at: string; why: ApprovalRefusal | null },
): Markup {
  const inline = { class: 'inline' };
  const approve = shell.form(
    `${at}/approve`,
    button('Approve', 'main', 'Approve it? It is carried out at once.'),
    inline,
  );
  const note = field('note', 'Why not', { maxLength: NOTE_LENGTH_MAX });
  const refuse = shell.form(`${at}/refuse`, html`${note}${button('Refuse', 'danger')}`, inline);
  if (why === null) return html`<div class="actions">${approve}${refuse}</div>`;
  const whom = why === 'not_independent' ? ` ${independent}` : '';
  return html`<p>${WHY[why]}${whom}</p>${REFUSABLE.has(why) ? refuse : null}`;
}

/** Carries a decision out, and shows the approval. */
export async function decide(
  call: AccountCall,
  of: ApprovalDesk,
  decision: 'approve' | 'refuse' | 'withdraw',
): Promise<Response> {
  const { id = '' } = call.params;
  const done = await (decision === 'refuse' ? of.refuse(id, call.form.optional('note')) : of[decision](id));
  return done.ok ? call.shell.done(`${of.at}/${id}`, DECIDED[decision]) : approvalPage(call, of, done.error);
}

const DECIDED: Readonly<Record<'approve' | 'refuse' | 'withdraw', DoneCode>> = {
  approve: 'approved',
  refuse: 'refused',
  withdraw: 'withdrawn',
};
const WHY: Readonly<Record<ApprovalRefusal, string>> = {
  over: 'It was decided already, or its time is over.',
  own: 'You ordered it: somebody else has to approve it.',
  not_own: 'Only the person who ordered it can withdraw it.',
  requester_gone: 'Whoever ordered it has no role here any more.',
  not_permitted: 'Your role, or your limit of refunds within a day, does not reach so far.',
  not_independent: 'One of you invited the other, or the same person invited both of you.',
};
/** Whoever cannot approve it for that reason can still refuse it. */
const REFUSABLE: ReadonlySet<ApprovalRefusal> = new Set(['requester_gone', 'not_independent']);

function factsOf(approval: Approval): Markup {
  return facts([
    ['State', approvalBadge(approval.status)],
    ['Worth', approval.amountMicroUsd === null ? null : usd(approval.amountMicroUsd)],
    ['Requested by', approval.requestedByName],
    ['Requested', instant(approval.createdAt)],
    ['Ends', approval.status === 'waiting' ? instant(approval.expiresAt) : null],
    ['Decided by', approval.decidedByName],
    ['Decided', instant(approval.decidedAt)],
    ['Why it was refused', approval.note],
    ['Why it failed', approval.failure?.message ?? null],
    ['Ended', instant(approval.endedAt)],
  ]);
}

function worth(amountMicroUsd: bigint | null): string {
  return amountMicroUsd === null ? '' : usd(amountMicroUsd);
}
