/**
 * Delivers webhooks: claims due deliveries with a lease, in turn over merchants and their
 * receivers, sends many at a time, writes outcomes in batches, and tells the circuits of receivers
 * that do not answer. At least once: a dispatcher that dies after sending is followed by another
 * attempt (specification, "Delivery" 3).
 */
import { boundedMap } from '../../domain/bounded-map.ts';
import type { WebhookFormat } from '../../domain/webhooks/webhook-format.ts';
import type { CircuitChange, MetDestination } from '../../ports/webhooks/receiver-circuits.ts';
import type { ClaimedDelivery } from '../../ports/webhooks/webhook-queue.ts';
import type { SigningKeys } from '../../ports/webhooks/webhook-signer.ts';
import type { WebhookOutcome } from '../../ports/webhooks/webhook-transport.ts';
import type { DeliveryReport } from '../application.ts';
import type { AppDependencies } from '../dependencies.ts';
import { type Pace, runPipeline } from '../shared/batch-pipeline.ts';
import { type AttemptNeeds, deliveryAttempts, type MadeAttempt } from './attempt-delivery.ts';
import { deliverySlots, type SlotFigures } from './delivery-slots.ts';
import { dueDeliveries, LEASE_SECONDS } from './due-deliveries.ts';
import type { AttemptMet } from './receiver-window.ts';

/**
 * Outcomes gather for some 50 ms: where they end a few at a time, a statement for each few took
 * PostgreSQL three times as long.
 */
const PACE: Pace = {
  begin: { most: 64, more: 32, everyMs: 5 },
  tickMs: 25,
  claimAt: 32,
  lookEvery: 10,
  record: 256,
  gather: 64,
  graceMs: 3_500,
};

const DESTINATIONS_KEPT = 10_000;

export type DeliveryNeeds = AttemptNeeds &
  Pick<AppDependencies, 'timers' | 'webhookQueue' | 'receiverCircuits' | 'webhookPlacesMost'>;

export interface WebhookDispatcher {
  /**
   * Delivers everything that is due and may go, and answers how many attempts were made. Once
   * `stopping` is aborted it begins nothing more; what is under way has some seconds, and is sent
   * again later where that is not enough.
   */
  run(stopping?: AbortSignal): Promise<number>;
  /**
   * Makes one attempt at a delivery right now; null when it ended already or another dispatcher has
   * it.
   */
  deliverNow(deliveryId: string): Promise<DeliveryReport | null>;
  /** Sends a body that belongs to no delivery (test notifications), signed with sealed keys. */
  sendOnce(message: {
    merchantId: string;
    url: string;
    format: WebhookFormat;
    body: string;
    keys: SigningKeys;
    sandbox: boolean;
    id: string;
  }): Promise<WebhookOutcome>;
  figures(): SlotFigures;
}

interface EndedAttempt extends MadeAttempt {
  /** There is a circuit to be told of an answer. */
  readonly troubled: boolean;
}

export function webhookDispatcher(deps: DeliveryNeeds): WebhookDispatcher {
  const slots = deliverySlots(deps.webhookPlacesMost);
  const attempts = deliveryAttempts(deps);
  const due = dueDeliveries(deps, slots);
  const answeredAt = boundedMap<string, number>(DESTINATIONS_KEPT);

  async function attempt(delivery: ClaimedDelivery): Promise<EndedAttempt> {
    const made = await attempts.make(delivery);
    if (isAnswer(made.met)) answeredAt.set(delivery.destination, made.outcome.sentAt.getTime());
    return { ...made, ...due.ended(delivery, made.met) };
  }

  async function record(ended: readonly EndedAttempt[]): Promise<void> {
    await deps.webhookQueue.record(ended.map(({ outcome }) => outcome));
    const met = metDestinations(
      ended,
      (destination) => answeredAt.get(destination) ?? Number.NEGATIVE_INFINITY,
    );
    for (const change of await deps.receiverCircuits.note(met)) {
      if (change.isOpen) due.forget(change.destination);
      tell(change);
    }
  }

  function tell({ destination, isOpen, reason, tryAt }: CircuitChange): void {
    if (isOpen) deps.logger.warn('webhook.receiver_silent', { destination, reason, tryAt });
    else deps.logger.info('webhook.receiver_answers', { destination });
  }

  return {
    run: (stopping) =>
      runPipeline(
        {
          claim({ look, lateMs }) {
            slots.adapt(lateMs);
            return due.claim(look);
          },
          waiting: due.waiting,
          attempt,
          leave: due.leave,
          record,
        },
        PACE,
        { ...deps, ...(stopping ? { stop: stopping } : {}) },
      ),

    async deliverNow(deliveryId) {
      const claimed = await deps.webhookQueue.claimOne(deliveryId, {
        now: deps.clock.now(),
        leaseSeconds: LEASE_SECONDS,
      });
      if (!claimed) return null;
      const made = await attempts.make(claimed);
      await record([{ ...made, troubled: false }]);
      const { outcome } = made;
      const delivered = outcome.next.state === 'delivered';
      const error =
        outcome.statusCode === null ? outcome.responseBody : `the receiver answered ${outcome.statusCode}`;
      return {
        url: claimed.url,
        delivered,
        statusCode: outcome.statusCode,
        error: delivered ? null : error,
      };
    },

    sendOnce: ({ keys, ...message }) => attempts.post({ ...message, attempt: 1, eventSeq: null }, keys),
    figures: slots.figures,
  };
}

/**
 * What the circuits have to know: which destinations were silent, and which of those in trouble
 * answered. An attempt that got no answer while another at the same destination got one says
 * nothing of the destination.
 */
function metDestinations(
  ended: readonly EndedAttempt[],
  answeredAt: (destination: string) => number,
): readonly MetDestination[] {
  const met = new Map<string, MetDestination>();
  for (const { outcome, met: attemptMet, troubled } of ended) {
    const { delivery, sentAt, responseBody } = outcome;
    const { destination } = delivery;
    const beganAt = sentAt.getTime() - attemptMet.tookMs;
    const answered = isAnswer(attemptMet) && troubled;
    const silent = attemptMet.answer === 'silent' && answeredAt(destination) < beganAt;
    if (!answered && !silent) continue;
    const before = met.get(destination) ?? { answered: false, silent: 0, merchants: [], reason: '' };
    met.set(destination, {
      destination,
      answered: answered || before.answered,
      silent: before.silent + (silent ? 1 : 0),
      merchants: silent ? [...before.merchants, delivery.merchantId] : before.merchants,
      at: sentAt,
      reason: silent ? responseBody : before.reason,
    });
  }
  return [...met.values()];
}

const isAnswer = ({ answer }: AttemptMet): boolean => answer === 'answered' || answer === 'busy';
