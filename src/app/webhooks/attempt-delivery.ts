/** One attempt at a delivery: signs its body, posts it, and says what follows from the answer. */
import { boundedMap } from '../../domain/bounded-map.ts';
import { unreachable } from '../../domain/result.ts';
import type { WebhookFormat } from '../../domain/webhooks/webhook-format.ts';
import { retryDelaySeconds, verdictOf } from '../../domain/webhooks/webhook-verdict.ts';
import type { AttemptOutcome, ClaimedDelivery } from '../../ports/webhooks/webhook-queue.ts';
import type { SigningKeys } from '../../ports/webhooks/webhook-signer.ts';
import type { WebhookOutcome } from '../../ports/webhooks/webhook-transport.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { AttemptMet } from './receiver-window.ts';
import { webhookHeaders } from './webhook-headers.ts';

export type AttemptNeeds = Pick<
  AppDependencies,
  | 'clock'
  | 'ids'
  | 'logger'
  | 'webhookTransport'
  | 'webhookFormats'
  | 'webhookSigner'
  | 'webhookHeaderPrefixes'
  | 'vault'
  | 'version'
>;

export interface MadeAttempt {
  readonly outcome: AttemptOutcome;
  readonly met: AttemptMet;
}

export interface DeliveryAttempts {
  /** Never throws: whatever is wrong with a delivery is the failure of this one attempt. */
  make(delivery: ClaimedDelivery): Promise<MadeAttempt>;
  /**
   * Sends a body that belongs to no delivery, signed with sealed keys. Rejects when they cannot be
   * opened.
   */
  post(message: WebhookMessage, keys: SigningKeys): Promise<WebhookOutcome>;
}

export interface WebhookMessage {
  readonly merchantId: string;
  readonly url: string;
  readonly format: WebhookFormat;
  /** In that format, without a signature. */
  readonly body: string;
  readonly sandbox: boolean;
  readonly id: string;
  readonly attempt: number;
  readonly eventSeq: number | null;
}

/** The contexts under which API keys and webhook secrets are sealed (ports/runtime/vault.ts). */
export const API_KEY_CONTEXT = 'api-key';
export const WEBHOOK_SECRET_CONTEXT = 'webhook-secret';
/** Keys and secrets of some ten thousand merchants. */
const OPENED_KEPT = 20_000;
/** Answers by which a receiver asks for less. */
const TOO_MANY_REQUESTS = 429;
const SERVER_ERRORS = 500;

export function deliveryAttempts(deps: AttemptNeeds): DeliveryAttempts {
  const opened = boundedMap<string, string>(OPENED_KEPT);
  const encoder = new TextEncoder();
  const headersOf = webhookHeaders(deps);

  function open(sealed: string, context: string): string {
    const known = opened.get(sealed);
    if (known !== undefined) return known;
    const key = deps.vault.open(sealed, context);
    opened.set(sealed, key);
    return key;
  }

  const openedKeys = ({ current, other, secrets }: SigningKeys): SigningKeys => ({
    current: open(current, API_KEY_CONTEXT),
    other: other === null ? null : open(other, API_KEY_CONTEXT),
    secrets: secrets.map((secret) => open(secret, WEBHOOK_SECRET_CONTEXT)),
  });

  async function post(message: WebhookMessage, sealed: SigningKeys): Promise<WebhookOutcome> {
    const keys = openedKeys(sealed);
    const at = deps.clock.now();
    const dressed = deps.webhookFormats.dress({ ...message, at }, keys);
    const body = encoder.encode(dressed.body);
    const headers = {
      ...dressed.headers,
      ...headersOf({ ...message, body, at }, keys),
    };
    return deps.webhookTransport.post({ url: message.url, body, headers });
  }

  async function send(delivery: ClaimedDelivery): Promise<WebhookOutcome> {
    if (delivery.keys === null)
      return { kind: 'refused', reason: 'the merchant has no API key to sign with' };
    const { body } = delivery;
    if (body === null) {
      deps.logger.error('webhook.not_sent', { deliveryId: delivery.id, error: 'its stored body is damaged' });
      return { kind: 'refused', reason: 'the gateway could not read it' };
    }
    try {
      return await post({ ...delivery, body }, delivery.keys);
    } catch (error) {
      deps.logger.error('webhook.not_sent', { deliveryId: delivery.id, error: String(error) });
      return { kind: 'refused', reason: 'the gateway could not send it' };
    }
  }

  return {
    post,

    async make(delivery) {
      const beganAt = deps.clock.now();
      const answer = await send(delivery);
      const sentAt = deps.clock.now();
      return {
        outcome: {
          attemptId: deps.ids.id(),
          delivery,
          statusCode: answer.kind === 'answered' ? answer.status : null,
          responseBody: answer.kind === 'answered' ? answer.body : answer.reason,
          sentAt,
          next: nextStep(answer, delivery, sentAt),
        },
        met: { answer: metBy(answer), tookMs: sentAt.getTime() - beganAt.getTime() },
      };
    },
  };
}

function metBy(answer: WebhookOutcome): AttemptMet['answer'] {
  switch (answer.kind) {
    case 'answered':
      return answer.status === TOO_MANY_REQUESTS || answer.status >= SERVER_ERRORS ? 'busy' : 'answered';
    case 'failed':
      return 'silent';
    case 'refused':
      return 'none';
    case 'unsent':
      return 'exhausted';
    default:
      return unreachable(answer);
  }
}

function nextStep(
  answer: WebhookOutcome,
  { attempt, keys }: ClaimedDelivery,
  sentAt: Date,
): AttemptOutcome['next'] {
  const verdict = answer.kind === 'answered' ? verdictOf(answer.status) : 'retry';
  if (verdict === 'delivered') return { state: 'delivered' };
  // While two keys sign, a receiver may refuse what is signed by the one that it does not have yet,
  // or no more.
  const isFinal = verdict === 'rejected' && keys?.other == null;
  const delay = isFinal ? null : retryDelaySeconds(attempt);
  if (delay === null) return { state: 'dead' };
  return { state: 'pending', dueAt: new Date(sentAt.getTime() + delay * 1000) };
}
