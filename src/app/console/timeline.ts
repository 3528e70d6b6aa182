/**
 * Time lines of an invoice and of a payout, from what is stored: the ledger, the deposits, the
 * events with their webhooks, refunds, e-mails and signed transactions. What is not stored is
 * named.
 */
import {
  inOrder,
  PAYMENT_STEPS,
  PAYOUT_STEPS,
  type Timeline,
  type TimelineGap,
  type TimelineLine,
} from '../../domain/console/timeline.ts';
import { isFinal } from '../../domain/invoices/invoice.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import {
  type AttemptFact,
  type DeliveryFact,
  type EntryFact,
  FACTS_MAX,
  type InvoiceFacts,
  type PayoutFacts,
} from '../../ports/console/timeline-queries.ts';
import type { Scope } from '../../ports/list-queries.ts';
import type { AppDependencies } from '../dependencies.ts';

type Needs = Pick<AppDependencies, 'consoleQueries'>;

/** Null if the scope has no such invoice; with `scope` null, for operators, any invoice. */
export function invoiceTimeline({ consoleQueries }: Needs) {
  return async (scope: Scope | null, id: string): Promise<Timeline | null> => {
    const facts = await consoleQueries.invoiceFacts(scope, id);
    return facts && timelineOfInvoice(scope === null ? facts : withoutRemarks(facts));
  };
}

/** The same of a payout. */
export function payoutTimeline({ consoleQueries }: Needs) {
  return async (scope: Scope | null, id: string): Promise<Timeline | null> => {
    const facts = await consoleQueries.payoutFacts(scope, id);
    return facts && timelineOfPayout(scope === null ? facts : inMerchantsWords(facts));
  };
}

/** Why operators, or their wallet, keep a payout back is not for merchants. */
function inMerchantsWords(facts: PayoutFacts): PayoutFacts {
  const { held, waiting } = facts.payout;
  const payout = {
    ...facts.payout,
    held: held && { ...held, text: 'the operator looks at it' },
    waiting: waiting && { ...waiting, reason: 'for the network, or for money in the wallet' },
  };
  return { ...facts, payout };
}

/** Remarks of operators and of the risk check are not for merchants. */
function withoutRemarks(facts: InvoiceFacts): InvoiceFacts {
  const blank = (deposits: InvoiceFacts['deposits']) => deposits.map((one) => ({ ...one, note: null }));
  return { ...facts, deposits: blank(facts.deposits), unmatched: blank(facts.unmatched) };
}

export function timelineOfInvoice(facts: InvoiceFacts): Timeline {
  const { invoice, issued, deposits, unmatched, entries, deliveries, attempts, claims, refunds, mails } =
    facts;
  const { createdAt, expiresAt, initialAsset } = invoice;
  const lines: readonly TimelineLine[] = [
    { at: createdAt, code: 'created', asset: initialAsset },
    ...issued.map(
      ({ issuedAt, family, address }): TimelineLine => ({
        ...{ at: issuedAt ?? createdAt, code: 'address_given', family, address },
      }),
    ),
    ...deposits.map((deposit): TimelineLine => ({ at: deposit.firstSeenAt, code: 'payment_seen', deposit })),
    ...unmatched.map(
      (deposit): TimelineLine => ({ at: deposit.firstSeenAt, code: 'payment_unmatched', deposit }),
    ),
    ...entries.flatMap(paymentStep),
    ...statusLines(facts),
    ...webhookLines(deliveries, attempts),
    ...claims.flatMap((claim): readonly TimelineLine[] => [
      { at: claim.createdAt, code: 'refund_offered', claim },
      ...(claim.status === 'open' ? [] : [{ at: claim.updatedAt, code: 'refund_claim', claim } as const]),
    ]),
    ...refunds.flatMap(refundLines),
    ...mails.map((mail): TimelineLine => ({ at: mail.createdAt, code: 'mail', mail })),
    ...(isFinal(invoice) ? [] : [{ at: expiresAt, code: 'expires' } as const]),
  ];
  const gaps: readonly (readonly [TimelineGap, boolean])[] = [
    ['confirmations', deposits.length > 0 && !invoice.sandbox],
    ['choices', invoice.customerChooses],
    ['disappeared', deposits.some(({ status }) => status === 'dropped')],
    ['mail_sent', mails.some(({ status }) => status === 'sent')],
    ['decisions', deposits.some(({ status }) => status === 'rejected')],
    ['older', [deposits, unmatched, entries, deliveries, attempts, mails].some(isCut)],
  ];
  return { lines: inOrder(lines), unknown: known(gaps) };
}

export function timelineOfPayout(facts: PayoutFacts): Timeline {
  const { payout, entries, allocatedAt, signed, deliveries, attempts } = facts;
  const { createdAt, held, waiting } = payout;
  const lines: readonly TimelineLine[] = [
    { at: createdAt, code: 'created', asset: payout.asset },
    ...(held === null ? [] : [{ at: createdAt, code: 'held', held } as const]),
    ...entries.flatMap(payoutStep),
    ...allocatedAt.map((at): TimelineLine => ({ at, code: 'nonce_taken' })),
    ...signed.flatMap(({ txid, ordinal, voids, signedAt, broadcastAt }): readonly TimelineLine[] => {
      const about = { txid, voids, replaces: ordinal > 1 };
      const left = broadcastAt === null ? [] : [{ at: broadcastAt, code: 'broadcast', ...about } as const];
      return [{ at: signedAt, code: 'signed', ...about }, ...left];
    }),
    ...webhookLines(deliveries, attempts),
    ...statusEvents(deliveries),
    ...(payout.processedAt === null || isTold(deliveries, `payout.${payout.status}`)
      ? []
      : [
          {
            ...({ at: payout.processedAt, code: 'status', status: payout.status } as const),
            nth: deliveries.length,
          },
        ]),
    ...(waiting === null ? [] : [{ at: waiting.at, code: 'waiting', waiting } as const]),
  ];
  const gaps: readonly (readonly [TimelineGap, boolean])[] = [
    ['mined', payout.txid !== null && !payout.sandbox],
    ['decisions', held !== null || payout.released],
    ['older', [entries, allocatedAt, signed, deliveries, attempts].some(isCut)],
  ];
  return { lines: inOrder(lines), unknown: known(gaps) };
}

const isCut = ({ length }: readonly unknown[]): boolean => length >= FACTS_MAX;
const known = (gaps: readonly (readonly [TimelineGap, boolean])[]) =>
  gaps.flatMap(([gap, there]) => (there ? [gap] : []));

function paymentStep({ kind, depositId, at, microUsd }: EntryFact): readonly TimelineLine[] {
  const code = kind in PAYMENT_STEPS ? PAYMENT_STEPS[kind as keyof typeof PAYMENT_STEPS] : null;
  return code === null ? [] : [{ at, code, depositId, microUsd }];
}

function payoutStep({ kind, at, microUsd }: EntryFact): readonly TimelineLine[] {
  const code = kind in PAYOUT_STEPS ? PAYOUT_STEPS[kind as keyof typeof PAYOUT_STEPS] : null;
  return code === null ? [] : [{ at, code, microUsd }];
}

/** Every change that is an event, and the present status if that is none (expired, refunded). */
function statusLines({ invoice, deliveries }: InvoiceFacts): readonly TimelineLine[] {
  const { status, processedAt } = invoice;
  const told = statusEvents(deliveries);
  if (processedAt === null || isTold(deliveries, `invoice.${status}`)) return told;
  return [...told, { at: processedAt, code: 'status', status, nth: deliveries.length }];
}

const statusEvents = (deliveries: readonly DeliveryFact[]): readonly TimelineLine[] =>
  deliveries.flatMap(({ type, eventAt }, nth) =>
    eventAt === null ? [] : [{ at: eventAt, code: 'status', status: type.slice(type.indexOf('.') + 1), nth }],
  );

/** Whether an event says so: it is written in the transaction of the change. */
const isTold = (deliveries: readonly DeliveryFact[], wanted: string): boolean =>
  deliveries.some(({ type, eventAt }) => type === wanted && eventAt !== null);

function webhookLines(
  deliveries: readonly DeliveryFact[],
  attempts: readonly AttemptFact[],
): readonly TimelineLine[] {
  return [
    ...attempts.map(
      ({ sentAt, url, statusCode, responseBody, attempt }): TimelineLine => ({
        ...{ at: sentAt, code: 'webhook_attempt', url, statusCode, responseBody, attempt },
      }),
    ),
    ...deliveries.flatMap(({ queued, url, type }): readonly TimelineLine[] => {
      if (queued === null) return [];
      const { dueAt, deadAt, attempts: made } = queued;
      const about = { url, type, attempts: made };
      return [
        deadAt === null
          ? { at: dueAt, code: 'webhook_due', ...about }
          : { at: deadAt, code: 'webhook_given_up', ...about },
      ];
    }),
  ];
}

function refundLines(payout: Payout): readonly TimelineLine[] {
  const ended =
    payout.processedAt === null ? [] : [{ at: payout.processedAt, code: 'refund_ended', payout } as const];
  return [{ at: payout.createdAt, code: 'refund_ordered', payout }, ...ended];
}
