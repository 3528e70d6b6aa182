/** The time line of an invoice or a payout, in words. */
import type { AssetCatalog } from '../../../domain/catalog/asset.ts';
import type { Timeline, TimelineGap, TimelineLine } from '../../../domain/console/timeline.ts';
import { html, type Markup } from '../checkout/page/html.ts';
import { amount, badge, card, copyable, instant, usd } from './kit/parts.ts';

export function timelineCard({ lines, unknown }: Timeline, catalog: AssetCatalog): Markup {
  return card(
    'What happened',
    html`<ol class="timeline">${lines.map(
      (line) => html`<li>${instant(line.at)}${textOf(line, catalog)}</li>`,
    )}</ol>${unknown.length === 0 ? null : html`<details><summary>What is not stored</summary><ul>${unknown.map((gap) => html`<li>${GAPS[gap]}</li>`)}</ul></details>`}`,
  );
}

/** Lines that are told by their code alone. */
const PLAIN = {
  expires: 'Its time ends.',
  nonce_taken: 'It got its place in the order of the wallet.',
  payment_final: 'The payment is final.',
  payment_taken_back: 'The chain took the payment back.',
  hold_ended: 'The payment is not held any more.',
} as const;
const MONEY = {
  payment_credited: 'Credited',
  credit_taken_back: 'The credit was taken back',
  payment_held: 'Held by the risk check',
  reserved: 'Taken from the balance',
  taken_again: 'Taken from the balance again',
  settled: 'Paid for good',
  unsettled: 'The chain took the payout back',
  returned: 'Given back to the balance',
  network_fee_charged: 'Network fee of a transaction without effect',
  network_fee_returned: 'That network fee was given back',
} as const;

const GAPS: Readonly<Record<TimelineGap, string>> = {
  confirmations: 'How the number of confirmations grew.',
  choices: 'When the customer changed between assets of one family.',
  disappeared: 'When a payment disappeared before it was final.',
  mail_sent: 'When an e-mail left: only when it was queued.',
  mined: 'When a block took the transaction: only when it was final.',
  decisions: 'Who released or held it: the audit log of the operators has that.',
  older: 'There is more than the newest rows shown here.',
};

function textOf(line: TimelineLine, catalog: AssetCatalog): Markup | string {
  const { code } = line;
  if (Object.hasOwn(PLAIN, code)) return PLAIN[code as keyof typeof PLAIN];
  if ('microUsd' in line) return moneyText(line);
  switch (line.code) {
    case 'created':
      return line.asset === null ? 'Created. The customer chooses the asset.' : `Created, in ${line.asset}.`;
    case 'address_given':
      return html`Address of ${line.family}: ${copyable(line.address)}`;
    case 'payment_seen':
    case 'payment_unmatched':
      return depositText(line, catalog);
    case 'status':
      return html`Status: ${badge(line.status, 'plain')}`;
    case 'webhook_attempt':
    case 'webhook_due':
    case 'webhook_given_up':
      return webhookText(line);
    default:
      return laterText(line, catalog);
  }
}

function moneyText({ code, microUsd }: Extract<TimelineLine, { microUsd: bigint }>): string {
  return code in MONEY
    ? `${MONEY[code as keyof typeof MONEY]}: ${usd(microUsd)}.`
    : PLAIN[code as keyof typeof PLAIN];
}

function depositText(
  { code, deposit }: Extract<TimelineLine, { code: 'payment_seen' | 'payment_unmatched' }>,
  catalog: AssetCatalog,
): Markup {
  const units = catalog.isListed(deposit.asset)
    ? amount(deposit.units, catalog.require(deposit.asset))
    : `${deposit.units} of ${deposit.asset}`;
  const what = code === 'payment_seen' ? 'Payment seen' : 'A payment that does not fit';
  return html`${what}: ${units} ${badge(deposit.status, 'plain')}<br>${copyable(deposit.txid)}`;
}

function webhookText(
  line: Extract<TimelineLine, { code: 'webhook_attempt' | 'webhook_due' | 'webhook_given_up' }>,
): Markup {
  if (line.code !== 'webhook_attempt') {
    const next = line.code === 'webhook_due' ? 'The next attempt of the webhook' : 'The webhook was given up';
    return html`${next} ${line.type} (${String(line.attempts)} attempts) ${line.url ?? ''}`;
  }
  const isTaken = line.statusCode !== null && line.statusCode >= 200 && line.statusCode < 300;
  const answer = line.statusCode === null ? 'no answer' : String(line.statusCode);
  return html`Webhook, attempt ${String(line.attempt)}: ${badge(answer, isTaken ? 'good' : 'bad')} ${line.url}${
    line.responseBody
      ? html`<details><summary>Answer</summary><pre>${line.responseBody}</pre></details>`
      : null
  }`;
}

function laterText(line: TimelineLine, catalog: AssetCatalog): Markup | string {
  switch (line.code) {
    case 'refund_offered':
    case 'refund_claim': {
      const { claim } = line;
      const what = line.code === 'refund_offered' ? 'A refund was offered' : 'The refund';
      return html`${what}: ${amount(claim.units, catalog.require(claim.asset))} ${badge(claim.status, 'plain')}`;
    }
    case 'refund_ordered':
    case 'refund_ended': {
      const { payout } = line;
      const what = line.code === 'refund_ordered' ? 'Refund ordered' : 'The refund ended';
      return html`${what}: ${amount(payout.sentUnits, catalog.require(payout.asset))} to ${payout.address} ${badge(payout.status, 'plain')}`;
    }
    case 'mail':
      return html`E-mail to the customer: ${line.mail.kind} ${badge(line.mail.status, 'plain')}`;
    case 'held':
      return html`Held: ${line.held.text}`;
    case 'waiting':
      return html`Waits: ${line.waiting.reason}`;
    case 'signed':
    case 'broadcast': {
      const kind = line.voids
        ? ' a transaction that moves nothing'
        : line.replaces
          ? ' one with a higher fee'
          : '';
      return html`${line.code === 'signed' ? 'Signed' : 'Sent to the network'}${kind}: ${copyable(line.txid)}`;
    }
    default:
      return line.code;
  }
}
