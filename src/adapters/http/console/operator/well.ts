/** Is all well: one look for the operator on call. */
import type { ChainOverview, NodeBudget, WellFacts } from '../../../../app/console/operator-desk.ts';
import { HEALTH_STATES } from '../../../../domain/chains/chain-health.ts';
import { WAITING_REASONS, type WaitingCode } from '../../../../domain/payouts/waiting-reasons.ts';
import type { OpenCircuit } from '../../../../ports/webhooks/receiver-circuits.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { badge, card, grouped, instant, type Tone, table } from '../kit/parts.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import type { OperatorPages } from './operator-pages.ts';
import { wellActionRoutes, wellActions } from './well-actions.ts';

const RATES_OLD_S = 300;
const WEBHOOK_LATE_S = 300;
const RECONCILED_LATE_MS = 2 * 3_600_000;
const CIRCUITS_SHOWN = 20;
const NOTICES_SHOWN = 20;
const BACKUP_OLD_MS = 26 * 3_600_000;

export function wellRoutes(of: OperatorPages): readonly ConsoleRoute[] {
  return [
    ofOperator('operator.read', 'GET', '', (call) => wellPage(of, call)),
    ...wellActionRoutes(of, (call, problem) => wellPage(of, call, problem)),
  ];
}

async function wellPage(
  { desk, console, operatorQueries }: OperatorPages,
  call: OperatorCall,
  problem: Problem | null = null,
): Promise<Response> {
  const { shell, base, now } = call;
  const [facts, nodes, notices, newest] = await Promise.all([
    desk.isAllWell(),
    desk.nodes(),
    console.notices({ limit: NOTICES_SHOWN }),
    operatorQueries.newestBackup(),
  ]);
  const { circuits } = facts.webhooks;
  const checks = [...checksOf(facts, base), backup(newest?.at ?? null, now)];
  const worst = checks.some(({ tone }) => tone === 'bad')
    ? 'bad'
    : checks.some(({ tone }) => tone === 'warn')
      ? 'warn'
      : 'good';
  const body = html`<div id="well" data-renew>
<p class="message ${worst}" role="status">${VERDICTS[worst]}</p>
<div class="cards">${checks.map(({ title, text, tone, todo }) => card(title, html`<p>${badge(text, tone)}</p>${todo === null ? null : html`<p class="hint">${todo}</p>`}`))}</div>
${card('Alarms', noticesTable(notices))}
${card('Chains', chainsTable(facts.chains))}
${card('Nodes', nodesTable(nodes))}
${circuits.length === 0 ? null : card('Receivers that do not answer', circuitsTable(circuits.slice(0, CIRCUITS_SHOWN)))}
</div>${wellActions(call)}`;
  const status = problem === null ? 200 : 422;
  return shell.page({ title: 'Is all well', body, live: true, problem, status });
}

const VERDICTS = {
  good: 'All is well.',
  warn: 'Something needs a look.',
  bad: 'Something is wrong.',
} as const;

interface Check {
  readonly title: string;
  readonly text: string;
  readonly tone: Tone;
  /** What to do; null: nothing. */
  readonly todo: Markup | string | null;
}

function checksOf(facts: WellFacts, base: string): readonly Check[] {
  return [
    signing(facts, base),
    reconciliation(facts),
    rates(facts),
    webhooks(facts),
    queue('Held payouts', facts.payoutsHeld, html`<a href="${base}/queue">Decide on them</a>`),
    waiting(facts, base),
    queue(
      'Payments held by the risk check',
      facts.depositsHeld,
      html`<a href="${base}/queue">Decide on them</a>`,
    ),
    queue('Unmatched deposits', facts.strays, html`<a href="${base}/queue">Look at them</a>`),
    queue(
      'Approvals that wait',
      facts.approvalsWaiting,
      html`<a href="${base}/approvals?status=waiting">Decide on them</a>`,
    ),
  ];
}

function signing({ signingStopped }: WellFacts, base: string): Check {
  return signingStopped === null
    ? { title: 'Signing', text: 'on', tone: 'good', todo: null }
    : {
        title: 'Signing',
        text: 'stopped',
        tone: 'bad',
        todo: html`Since ${instant(signingStopped.at)}: ${signingStopped.note}. <a href="${base}/signing">Kill switch</a>`,
      };
}

function reconciliation({ reconciliation: run, at }: WellFacts): Check {
  const title = 'Books and chains';
  if (run === null)
    return { title, text: 'not compared yet', tone: 'warn', todo: 'A worker compares them within an hour.' };
  const wrong = run.faults + run.chains.reduce((sum, { differences }) => sum + differences, 0);
  if (!run.agree)
    return {
      ...{ title, text: `${wrong} differences`, tone: 'bad' },
      todo: html`Seen ${instant(run.at)}. Run <code>bun run reconcile</code>, and read docs/operations/incidents.md.`,
    };
  const isLate = at.getTime() - run.at.getTime() > RECONCILED_LATE_MS;
  return {
    ...{ title, text: 'agree', tone: isLate ? 'warn' : 'good' },
    todo: html`Compared ${instant(run.at)}.${isLate ? ' That is long ago: does a worker run?' : ''}`,
  };
}

function rates({ ratesAgeSeconds: age }: WellFacts): Check {
  if (age === null)
    return {
      title: 'Prices',
      text: 'none',
      tone: 'bad',
      todo: 'Live fiat prices are refused. Is the network open to the price sources?',
    };
  return { title: 'Prices', text: `${age} s old`, tone: age > RATES_OLD_S ? 'warn' : 'good', todo: null };
}

function webhooks({ webhooks: { pending, oldestDueSeconds, circuits, dead } }: WellFacts): Check {
  const isLate = oldestDueSeconds > WEBHOOK_LATE_S;
  const parts = [
    ...(isLate ? [`the oldest is ${oldestDueSeconds} s late`] : []),
    ...(circuits.length > 0 ? [`${circuits.length} receivers do not answer`] : []),
    ...(dead > 0 ? [`${dead} were given up`] : []),
  ];
  return {
    title: 'Webhooks',
    text: parts.length === 0 ? `${grouped(String(pending))} in the queue` : parts.join(', '),
    tone: isLate ? 'bad' : parts.length > 0 ? 'warn' : 'good',
    todo: null,
  };
}

function queue(title: string, count: number, todo: Markup): Check {
  return { title, text: String(count), tone: count === 0 ? 'good' : 'warn', todo: count === 0 ? null : todo };
}

function waiting({ payoutsWaiting }: WellFacts, base: string): Check {
  const rows = Object.entries(payoutsWaiting).filter(([, count]) => count > 0);
  return {
    title: 'Payouts that wait',
    text: rows.length === 0 ? '0' : rows.map(([code, count]) => `${count} ${code}`).join(', '),
    tone: rows.length === 0 ? 'good' : 'warn',
    todo:
      rows.length === 0
        ? null
        : html`${rows.map(([code]) => html`${WAITING_REASONS[code as WaitingCode] ?? code}. `)}<a href="${base}/wallets">Hot wallets</a>`,
  };
}

function backup(at: Date | null, now: Date): Check {
  const title = 'Newest backup';
  const todo = html`<code>bun run backup</code> makes one; <code>bun run backup --note</code> records one of other tools.`;
  if (at === null) return { title, text: 'none', tone: 'warn', todo };
  const hours = Math.floor((now.getTime() - at.getTime()) / 3_600_000);
  const isOld = now.getTime() - at.getTime() > BACKUP_OLD_MS;
  return { title, text: `${hours} h old`, tone: isOld ? 'warn' : 'good', todo: isOld ? todo : null };
}

function noticesTable(notices: Awaited<ReturnType<OperatorPages['console']['notices']>>): Markup {
  return table(
    notices,
    [
      { title: 'State', cell: ({ status }) => badge(status, status === 'open' ? 'bad' : 'plain') },
      { title: 'What', cell: ({ what, subject }) => html`${what}<br><small>${subject}</small>` },
      { title: 'What to do', cell: ({ action }) => action },
      { title: 'Times', align: 'end', cell: ({ count }) => String(count) },
      { title: 'Sent', align: 'end', cell: sentText },
      { title: 'First', cell: ({ firstAt }) => instant(firstAt) },
      { title: 'Last', cell: ({ lastAt }) => instant(lastAt) },
    ],
    { empty: 'There were no alarms.', caption: 'Alarms' },
  );
}

/** To how many of those who get alarms. */
function sentText({
  sent,
  unsent,
  givenUp,
}: Awaited<ReturnType<OperatorPages['console']['notices']>>[number]): string {
  const all = sent + unsent + givenUp;
  return all === 0 ? 'to nobody' : `${sent} of ${all}`;
}

function chainsTable(chains: readonly ChainOverview[]): Markup {
  return table(
    chains,
    [
      { title: 'Chain', cell: ({ chain }) => chain },
      {
        title: 'State',
        cell: ({ standing }) =>
          standing === null
            ? badge('not known yet', 'plain')
            : html`${badge(standing.state, standing.state === 'ok' ? 'good' : standing.late ? 'bad' : 'warn')}<br><small>${HEALTH_STATES[standing.state]}</small>`,
      },
      {
        title: 'Lag',
        align: 'end',
        cell: ({ standing }) => (standing === null ? '' : `${standing.lagSeconds} s`),
      },
      { title: 'Read', align: 'end', cell: ({ height }) => (height === null ? '' : grouped(String(height))) },
      {
        title: 'Tip',
        align: 'end',
        cell: ({ tip }) => (tip === null ? 'not known yet' : grouped(String(tip))),
      },
      { title: 'A node answered', cell: ({ answeredAt }) => instant(answeredAt) ?? 'never' },
      { title: 'Fault', cell: ({ fault }) => (fault === null ? '' : badge(fault, 'bad')) },
    ],
    { empty: 'No chain is configured.', caption: 'Chains' },
  );
}

function nodesTable(nodes: readonly NodeBudget[]): Markup {
  return table(
    nodes,
    [
      { title: 'Chain', cell: ({ chain }) => chain },
      { title: 'Node', cell: ({ node }) => node },
      { title: 'State', cell: ({ state }) => badge(String(state), state === 'able' ? 'good' : 'warn') },
      {
        title: 'Calls today',
        align: 'end',
        cell: ({ callsToday, maxPerDay }) =>
          `${grouped(String(callsToday))}${maxPerDay === null ? '' : ` of ${grouped(String(maxPerDay))}`}`,
      },
      { title: 'Refused today', align: 'end', cell: ({ refusalsToday }) => String(refusalsToday) },
      {
        title: 'Stream',
        cell: ({ stream }) =>
          stream === null ? '' : stream ? badge('alive', 'good') : badge('silent', 'warn'),
      },
    ],
    { empty: 'No node is configured.', caption: 'Nodes' },
  );
}

function circuitsTable(circuits: readonly OpenCircuit[]): Markup {
  return table(
    circuits,
    [
      { title: 'Receiver', cell: ({ destination }) => destination },
      { title: 'Silent since', cell: ({ silentSince }) => instant(silentSince) },
      { title: 'Waiting', align: 'end', cell: ({ waiting: count }) => String(count) },
      { title: 'Merchants', align: 'end', cell: ({ merchants }) => String(merchants) },
      { title: 'Reason', cell: ({ reason }) => reason },
    ],
    { empty: '', caption: 'Receivers that do not answer' },
  );
}
