/**
 * Merchants, their receivers and a dispatcher in virtual time, run as the worker runs it: once a
 * second.
 */
import { webhookFormats } from '../../../src/adapters/webhooks/formats/webhook-formats.ts';
import { type DeliveryNeeds, webhookDispatcher } from '../../../src/app/webhooks/deliver-webhooks.ts';
import type { WebhookOutcome } from '../../../src/ports/webhooks/webhook-transport.ts';
import { aDelivery, anId } from '../builders.ts';
import { type LogLine, memoryLogger } from '../runtime/memory-logger.ts';
import { virtualTime } from '../runtime/virtual-time.ts';
import { memoryWebhookQueue } from './memory-webhook-queue.ts';

/**
 * What a receiver does: answers after a while, refuses at once, or says nothing until the attempt's
 * time is over.
 */
export type Receiver =
  | { readonly kind: 'answers'; readonly ms: number; readonly status?: number }
  | { readonly kind: 'refuses' }
  | { readonly kind: 'hangs' };

export interface SentWebhook {
  readonly id: string;
  readonly url: string;
  readonly attempt: number;
  readonly dueMs: number;
  readonly beganMs: number;
}

export const ATTEMPT_MS = 15_000;
const SECOND_MS = 1_000;

/** @param replaced parts of every dispatcher in place of the world's */
export function deliveryWorld(replaced: Partial<DeliveryNeeds> = {}) {
  const time = virtualTime();
  const queue = memoryWebhookQueue();
  const receivers = new Map<string, Receiver>();
  const sent: SentWebhook[] = [];
  const dueAt = new Map<string, number>();
  const logs: LogLine[] = [];
  const underWay = { now: 0, most: 0, byHost: new Map<string, number>(), mostOf: new Map<string, number>() };

  const after = (ms: number, outcome: WebhookOutcome) =>
    new Promise<WebhookOutcome>((resolve) => time.timers.after(ms, () => resolve(outcome)));

  function answerOf(url: string): Promise<WebhookOutcome> {
    const receiver = receivers.get(url) ?? receivers.get(new URL(url).host);
    if (receiver === undefined) throw new Error(`nobody receives ${url}`);
    if (receiver.kind === 'refuses') return after(1, { kind: 'failed', reason: 'connection refused' });
    if (receiver.kind === 'hangs') return after(ATTEMPT_MS, { kind: 'failed', reason: 'no answer in time' });
    return after(receiver.ms, { kind: 'answered', status: receiver.status ?? 200, body: 'ok' });
  }

  /** A dispatcher of its own process; several share the queue. */
  const dispatcher = (own: Partial<DeliveryNeeds> = {}) =>
    webhookDispatcher({
      clock: time,
      timers: time.timers,
      logger: memoryLogger(logs),
      version: '0',
      ids: {
        id: anId,
        uuid: () => '',
        checkoutId: () => '',
        apiKey: () => '',
        webhookSecret: () => '',
        secretToken: () => '',
      },
      vault: { seal: (text) => text, open: (text) => text, lookupHash: (text) => text, mac: (text) => text },
      webhookFormats,
      webhookSigner: { sign: () => 'signature', signStandard: () => 'v1,signature' },
      webhookHeaderPrefixes: [],
      webhookQueue: queue,
      receiverCircuits: queue.circuits,
      webhookPlacesMost: 1_024,
      webhookTransport: {
        async post({ url, headers }) {
          const id = headers['X-Service-Delivery'] ?? '';
          const attempt = Number(headers['X-Service-Attempt']);
          sent.push({ id, url, attempt, dueMs: dueAt.get(id) ?? 0, beganMs: time.elapsedMs() });
          const { host } = new URL(url);
          underWay.now += 1;
          underWay.most = Math.max(underWay.most, underWay.now);
          underWay.byHost.set(host, (underWay.byHost.get(host) ?? 0) + 1);
          underWay.mostOf.set(host, Math.max(underWay.mostOf.get(host) ?? 0, underWay.byHost.get(host) ?? 0));
          const outcome = await answerOf(url);
          underWay.now -= 1;
          underWay.byHost.set(host, (underWay.byHost.get(host) ?? 0) - 1);
          return outcome;
        },
      },
      ...{ ...replaced, ...own },
    });

  /** Runs the job every second, as the scheduler does, until it is stopped. */
  function work(): { stop(): void } {
    const one = dispatcher();
    const stopping = new AbortController();
    const again = () => {
      if (stopping.signal.aborted) return;
      void one.run(stopping.signal).then(() => time.timers.after(SECOND_MS, again));
    };
    again();
    return { stop: () => stopping.abort() };
  }

  return {
    time,
    queue,
    receivers,
    sent,
    logs,
    underWay,
    dispatcher,
    work,
    /** Queues `count` webhooks of a merchant, due now. */
    enqueue(merchantId: string, url: string, count: number): readonly string[] {
      const deliveries = Array.from({ length: count }, () =>
        aDelivery({ merchantId, invoiceId: anId(), invoiceVersion: null, url, dueAt: time.now() }),
      );
      for (const { id } of deliveries) dueAt.set(id, time.elapsedMs());
      queue.enqueue(deliveries);
      return deliveries.map(({ id }) => id);
    },
  };
}
