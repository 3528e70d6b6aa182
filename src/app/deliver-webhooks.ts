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

/** At most 160 are claimed and not yet started: with 64 in flight they all start within three attempts. */
const PACE: Pace = { claim: 128, claimAt: 32, inFlight: 64, record: 256 };
/** Longer than three attempts (15 s each) and one's own, so that nobody else sends what is being sent. */
const LEASE_SECONDS = 60;
const SEALED_KEYS_KEPT = 10_000;

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

  function apiKey(sealed: string): string {
    const known = opened.get(sealed);
    if (known !== undefined) return known;
    if (opened.size >= SEALED_KEYS_KEPT) opened.clear();
    const key = deps.vault.open(sealed, API_KEY_CONTEXT);
    opened.set(sealed, key);
    return key;
  }

  function post(message: {
    url: string;
    body: string;
    apiKey: string;
    sandbox: boolean;
    id: string;
    attempt: number;
  }): Promise<WebhookOutcome> {
    const body = encoder.encode(message.body);
    return deps.webhookTransport.post({
      url: message.url,
      body,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': `Quittance-Webhook/${deps.version}`,
        'X-Service-Signature': deps.webhookSigner.sign(body, message.apiKey),
        'X-Service-Delivery': message.id,
        'X-Service-Attempt': String(message.attempt),
        ...(message.sandbox ? { 'X-Service-Sandbox': 'true' } : {}),
      },
    });
  }

  async function attempt(delivery: ClaimedDelivery): Promise<AttemptOutcome> {
    const outcome: WebhookOutcome =
      delivery.sealedKey === null
        ? { kind: 'failed', reason: 'the merchant has no API key to sign with' }
        : await post({ ...delivery, apiKey: apiKey(delivery.sealedKey) });
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
          claim: (limit) =>
            deps.webhookQueue.claim({ limit, now: deps.clock.now(), leaseSeconds: LEASE_SECONDS }),
          attempt,
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

    sendOnce: (message) => post({ ...message, attempt: 1 }),
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
