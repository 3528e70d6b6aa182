/**
 * Delivers webhooks: claims due deliveries with a lease, sends many at a time, writes outcomes in batches. At least once:
 * a dispatcher that dies after sending is followed by another attempt (specification, "Delivery" 3).
 */
import { retryDelaySeconds, verdictOf } from '../domain/webhook-verdict.ts';
import type { AttemptOutcome, ClaimedDelivery } from '../ports/webhook-queue.ts';
import type { WebhookOutcome } from '../ports/webhook-transport.ts';
import type { DeliveryReport } from './application.ts';
import type { AppDependencies } from './dependencies.ts';
import { type Pace, workOff } from './work-off.ts';

/**
 * At most 160 are claimed and not yet started: with 64 in flight they all start within three attempts. Outcomes gather for
 * 50 ms: where they end a few at a time, as over https, a statement for each few took PostgreSQL three times as long.
 */
const PACE: Pace = {
  claim: 128,
  claimAt: 32,
  inFlight: 64,
  record: 256,
  gather: 64,
  gatherMs: 50,
  againMs: 1_000,
};
/** Longer than three attempts (15 s each) and one's own, so that nobody else sends what is being sent. */
const LEASE_SECONDS = 60;
const SEALED_KEYS_KEPT = 10_000;
/** A merchant whose receiver took this long, or did not answer, has few deliveries in hand for a while. */
const SLOW_MS = 3_000;
const SPARING_MS = 600_000;
const SPARING_SHARE = 4;

export type DeliveryNeeds = Pick<
  AppDependencies,
  'clock' | 'ids' | 'logger' | 'webhookQueue' | 'webhookTransport' | 'webhookSigner' | 'vault' | 'version'
>;

export interface WebhookDispatcher {
  /** Delivers everything that is due and answers how many attempts were made. */
  run(): Promise<number>;
  /** Makes one attempt at a delivery right now; null when it ended already or another dispatcher has it. */
  deliverNow(deliveryId: string): Promise<DeliveryReport | null>;
  /** Sends a body that belongs to no delivery (test notifications). */
  sendOnce(message: {
    url: string;
    body: string;
    apiKey: string;
    sandbox: boolean;
    id: string;
  }): Promise<WebhookOutcome>;
}

export function webhookDispatcher(deps: DeliveryNeeds): WebhookDispatcher {
  const opened = new Map<string, string>();
  const encoder = new TextEncoder();
  const userAgent = `Quittance-Webhook/${deps.version}`;
  /** Deliveries claimed and not ended, by merchant; and until when a merchant is treated sparingly. */
  const inHand = new Map<string, number>();
  const sparedUntil = new Map<string, number>();

  async function claim(limit: number): Promise<readonly ClaimedDelivery[]> {
    const now = deps.clock.now();
    const sparing = new Map<string, number>();
    for (const [merchantId, until] of sparedUntil) {
      if (until <= now.getTime()) sparedUntil.delete(merchantId);
      else sparing.set(merchantId, Math.max(0, SPARING_SHARE - (inHand.get(merchantId) ?? 0)));
    }
    const claimed = await deps.webhookQueue.claim({ limit, now, leaseSeconds: LEASE_SECONDS, sparing });
    for (const { merchantId } of claimed) inHand.set(merchantId, (inHand.get(merchantId) ?? 0) + 1);
    return claimed;
  }

  async function attemptClaimed(delivery: ClaimedDelivery): Promise<AttemptOutcome> {
    const { merchantId } = delivery;
    const startedAt = deps.clock.now().getTime();
    const outcome = await attempt(delivery);
    const left = (inHand.get(merchantId) ?? 1) - 1;
    if (left === 0) inHand.delete(merchantId);
    else inHand.set(merchantId, left);
    const endedAt = outcome.sentAt.getTime();
    if (outcome.statusCode === null || endedAt - startedAt >= SLOW_MS)
      sparedUntil.set(merchantId, endedAt + SPARING_MS);
    else sparedUntil.delete(merchantId);
    return outcome;
  }

  function apiKey(sealed: string): string {
    const known = opened.get(sealed);
    if (known !== undefined) return known;
    if (opened.size >= SEALED_KEYS_KEPT) opened.clear();
    const key = deps.vault.open(sealed, API_KEY_CONTEXT);
    opened.set(sealed, key);
    return key;
  }

  function post(
    message: { url: string; body: string; sandbox: boolean; id: string; attempt: number },
    key: string,
  ): Promise<WebhookOutcome> {
    const body = encoder.encode(message.body);
    const headers: Record<string, string> = {
      'Content-Type': 'application/json',
      'User-Agent': userAgent,
      'X-Service-Signature': deps.webhookSigner.sign(body, key),
      'X-Service-Delivery': message.id,
      'X-Service-Attempt': String(message.attempt),
    };
    if (message.sandbox) headers['X-Service-Sandbox'] = 'true';
    return deps.webhookTransport.post({ url: message.url, body, headers });
  }

  /** Whatever fails is the failure of this one attempt: nothing that is wrong with a delivery stops the others. */
  async function send(delivery: ClaimedDelivery): Promise<WebhookOutcome> {
    if (delivery.sealedKey === null)
      return { kind: 'failed', reason: 'the merchant has no API key to sign with' };
    try {
      return await post(delivery, apiKey(delivery.sealedKey));
    } catch (error) {
      deps.logger.error('webhook.not_sent', { deliveryId: delivery.id, error: String(error) });
      return { kind: 'failed', reason: 'the gateway could not send it' };
    }
  }

  async function attempt(delivery: ClaimedDelivery): Promise<AttemptOutcome> {
    const outcome = await send(delivery);
    const sentAt = deps.clock.now();
    return {
      attemptId: deps.ids.id(),
      delivery,
      statusCode: outcome.kind === 'answered' ? outcome.status : null,
      responseBody: outcome.kind === 'answered' ? outcome.body : outcome.reason,
      sentAt,
      next: nextStep(outcome, delivery.attempt, sentAt),
    };
  }

  return {
    run: () =>
      workOff(
        {
          claim,
          attempt: attemptClaimed,
          record: (outcomes) => deps.webhookQueue.record(outcomes),
        },
        PACE,
      ),

    async deliverNow(deliveryId) {
      const claimed = await deps.webhookQueue.claimOne(deliveryId, {
        now: deps.clock.now(),
        leaseSeconds: LEASE_SECONDS,
      });
      if (!claimed) return null;
      const outcome = await attempt(claimed);
      await deps.webhookQueue.record([outcome]);
      const delivered = outcome.next.state === 'delivered';
      return {
        url: claimed.url,
        delivered,
        statusCode: outcome.statusCode,
        error: delivered ? null : failureText(outcome),
      };
    },

    sendOnce: ({ apiKey: key, ...message }) => post({ ...message, attempt: 1 }, key),
  };
}

/** The context under which API keys are sealed (ports/vault.ts). */
export const API_KEY_CONTEXT = 'api-key';

function nextStep(outcome: WebhookOutcome, attempt: number, sentAt: Date): AttemptOutcome['next'] {
  const verdict = outcome.kind === 'answered' ? verdictOf(outcome.status) : 'retry';
  if (verdict === 'delivered') return { state: 'delivered' };
  const delay = verdict === 'rejected' ? null : retryDelaySeconds(attempt);
  if (delay === null) return { state: 'dead' };
  return { state: 'pending', dueAt: new Date(sentAt.getTime() + delay * 1000) };
}

function failureText(outcome: AttemptOutcome): string {
  return outcome.statusCode === null ? outcome.responseBody : `the receiver answered ${outcome.statusCode}`;
}
