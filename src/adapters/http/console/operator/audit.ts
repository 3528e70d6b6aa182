/** The audit log: who did what, from where, and what it changed. */
import { AUDIT_SUBJECTS, type AuditEntry } from '../../../../domain/audit/audit-entry.ts';
import type { AuditFilter } from '../../../../ports/audit/audit-log.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { download } from '../kit/answers.ts';
import { dayOf } from '../kit/days.ts';
import { button, choice, field, grouped, instant, table } from '../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { OperatorPages } from './operator-pages.ts';

const SHOWN = 50;
/** Of a filter that no index has; the reader goes on from there. */
const TRIED = 10_000;

export function auditRoutes(of: OperatorPages): readonly ConsoleRoute[] {
  return [
    ofOperator('audit.read', 'GET', '/audit', (call) => auditPage(of, call)),
    ofOperator('audit.read', 'GET', '/audit.jsonl', (call) => exported(of, call)),
  ];
}

function filterOf(query: URLSearchParams): AuditFilter {
  return {
    merchantId: query.get('merchant') || null,
    subject: AUDIT_SUBJECTS.find((one) => one === query.get('subject')) ?? null,
    ...{ subjectId: query.get('id') || null, actor: query.get('actor') || null },
    action: query.get('action') || null,
    ...{ from: dayOf(query, 'from', 'begins'), to: dayOf(query, 'to', 'ends') },
  };
}

async function auditPage(
  { operatorQueries }: OperatorPages,
  { shell, query, base }: OperatorCall,
): Promise<Response> {
  const before = query.get('before');
  const page = { before, limit: SHOWN, looks: TRIED };
  const { entries, older } = await operatorQueries.auditPage(filterOf(query), page);
  const onward = new URLSearchParams(query);
  onward.set('before', older ?? '');
  const text = (name: string): string => query.get(name) ?? '';
  const body = html`<form method="get" class="row">${field('actor', 'Who', { value: text('actor') })}${field('action', 'Action', { value: text('action'), hint: 'payout, or payout.released' })}${choice('subject', 'Of', [['', 'all'], ...AUDIT_SUBJECTS.map((one) => [one, one] as const)], { chosen: text('subject') })}${field('id', 'Id', { value: text('id') })}${field('merchant', 'Merchant', { value: text('merchant') })}${field('from', 'From', { type: 'date', value: text('from') })}${field('to', 'To', { type: 'date', value: text('to') })}${button('Filter', 'plain')}</form>
<p><a href="${base}/audit.jsonl?${query.toString()}">Export as JSON lines</a></p>
${table(
  entries,
  [
    { title: 'When', cell: ({ at }) => instant(at) },
    {
      title: 'Who',
      cell: ({ actor }) =>
        html`${actor.name}<br><small>${actor.kind}${actor.ip === null ? '' : `, ${actor.ip}`}</small>`,
    },
    { title: 'What', cell: ({ action }) => action },
    { title: 'Of', cell: ({ subject, subjectId }) => html`${subject}<br><small>${subjectId ?? ''}</small>` },
    { title: 'Change', cell: changeOf },
  ],
  {
    empty: older === null ? 'No entry fits.' : `None of the newest ${grouped(String(TRIED))} fits.`,
    caption: 'Audit log',
  },
)}${older === null ? null : html`<nav class="pager" aria-label="Pages of the list"><a href="?${onward.toString()}">${entries.length < SHOWN ? 'Look among older ones' : 'Older'}</a></nav>`}`;
  return shell.page({ title: 'Audit log', body });
}

function changeOf({ before, after, note }: AuditEntry): Markup {
  const json = (value: AuditEntry['before']): string => JSON.stringify(value, null, 1);
  return html`${note ?? null}<details><summary>Before and after</summary><pre>${before === null ? 'nothing' : json(before)}</pre><pre>${after === null ? 'nothing' : json(after)}</pre></details>`;
}

/** In pieces, so that a long log takes no memory. Lines are those of `audit export --json`. */
async function exported({ desk }: OperatorPages, { query, seat }: OperatorCall): Promise<Response> {
  const pages = await desk.exportAuditLog(seat, filterOf(query));
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const page = await pages.next();
      if (page.done) controller.close();
      else for (const row of page.value) controller.enqueue(encoder.encode(`${JSON.stringify(row)}\n`));
    },
  });
  return download(body, { name: 'audit.jsonl', type: 'application/jsonl' });
}
