/** Removes attempts, events and replays in memory, as PostgreSQL does. */
import type { Stream } from '../../../../src/adapters/postgres/schema/merchants.ts';
import type { WebhookRetention } from '../../../../src/ports/webhooks/webhook-retention.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';

type DeliveryRow = NonNullable<ReturnType<MemoryStore['tables']['webhookDeliveries']['find']>>;

interface Numbered {
  readonly stays: boolean;
  remove(): void;
}

export function webhookRetention({ tables }: MemoryStore): WebhookRetention {
  const { counters, webhookAttempts, webhookDeliveries, webhookQueue } = tables;

  /** The oldest of each list, as long as none of them stays. */
  function removeOldest(
    stream: Stream,
    limit: number,
    rowAt: (merchantId: string, sandbox: boolean, number: bigint) => Numbered | null,
  ): number {
    let gone = 0;
    for (const counter of counters.by('stream', stream)) {
      let removed = counter.removed;
      while (removed < counter.value && gone < limit) {
        const row = rowAt(counter.merchantId, counter.sandbox, removed + 1n);
        if (row === null || row.stays) break;
        row.remove();
        removed += 1n;
        gone += 1;
      }
      if (removed > counter.removed) counters.update(counter, { removed });
    }
    return gone;
  }

  function isNeeded({ id, invoiceId }: DeliveryRow, before: Date): boolean {
    const queued = webhookQueue.find(id);
    if (queued !== undefined && (queued.deadAt === null || queued.deadAt >= before)) return true;
    return webhookAttempts
      .by('deliveryId', id)
      .some((attempt) => attempt.invoiceId === null || attempt.invoiceId === invoiceId);
  }

  function removeDelivery(delivery: DeliveryRow): void {
    const queued = webhookQueue.find(delivery.id);
    if (queued !== undefined) webhookQueue.delete(queued);
    webhookDeliveries.delete(delivery);
  }

  return {
    removeAttempts: async ({ from, before }, limit) =>
      removeOldest('notifications', limit, (merchantId, sandbox, number) => {
        const attempt = webhookAttempts
          .by('merchantId', merchantId)
          .find((row) => row.sandbox === sandbox && row.seq === number);
        if (attempt === undefined) return null;
        return {
          stays: attempt.sentAt >= before || attempt.sentAt < from,
          remove: () => webhookAttempts.delete(attempt),
        };
      }),

    removeEvents: async ({ from, before }, limit) =>
      removeOldest('events', limit, (merchantId, sandbox, number) => {
        const event = webhookDeliveries
          .by('merchantId', merchantId)
          .find((row) => row.sandbox === sandbox && row.eventAt !== null && row.eventSeq === number);
        if (event === undefined || event.eventAt === null) return null;
        const stays = event.eventAt >= before || event.eventAt < from || isNeeded(event, before);
        return { stays, remove: () => removeDelivery(event) };
      }),

    async removeReplays({ from, before }, limit) {
      const [first, bound] = [from, before].map((time) => time.getTime().toString(16).padStart(12, '0'));
      const gone = webhookDeliveries
        .where(
          (row) =>
            row.eventAt === null &&
            row.id >= (first ?? '') &&
            row.id < (bound ?? '') &&
            !isNeeded(row, before),
        )
        .sort((a, b) => byText(a.id, b.id))
        .slice(0, limit);
      gone.forEach(removeDelivery);
      return gone.length;
    },
  };
}
