/**
 * The lanes of the queue in memory (a merchant's deliveries to one destination), page by page as
 * src/adapters/postgres/webhooks/webhook-lanes.ts walks over them.
 */
import { isOnPage } from '../../../../src/adapters/postgres/webhooks/webhook-lanes.ts';
import { holdsBack, isTurnToTry } from '../../../../src/domain/webhooks/receiver-circuit.ts';
import type { DueLane, Lane, WebhookQueue } from '../../../../src/ports/webhooks/webhook-queue.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText, byTime } from '../store/orders.ts';

export type QueueRow = NonNullable<ReturnType<MemoryStore['tables']['webhookQueue']['find']>>;

export const isFree = ({ leasedUntil }: QueueRow, now: Date): boolean =>
  leasedUntil === null || leasedUntil.getTime() <= now.getTime();

const isDue = (queued: QueueRow, now: Date): boolean =>
  queued.deadAt === null && queued.dueAt.getTime() <= now.getTime() && isFree(queued, now);

export function byDueTime(a: QueueRow, b: QueueRow): number {
  return byTime(a.dueAt, b.dueAt) || byText(a.deliveryId, b.deliveryId);
}

/** The deliveries of a lane that are due and free, oldest due first, at most `most`. */
export function dueIn({ tables }: MemoryStore, lane: Lane, most: number, now: Date): readonly QueueRow[] {
  return tables.webhookQueue
    .by('merchantId', lane.merchantId)
    .filter((queued) => queued.destination === lane.destination && isDue(queued, now))
    .sort(byDueTime)
    .slice(0, most);
}

/** Whether the lane's circuit holds its merchant's deliveries back. */
export function isHeld({ tables }: MemoryStore, { merchantId, destination }: Lane): boolean {
  const circuit = tables.webhookCircuits.find(destination);
  return circuit !== undefined && holdsBack(circuit, merchantId);
}

export function dueLanes(
  store: MemoryStore,
  { now, walk, merchants, lanesEach }: Parameters<WebhookQueue['dueLanes']>[0],
): Awaited<ReturnType<WebhookQueue['dueLanes']>> {
  const waiting = lanesOfMerchants(store, walk.afterMerchant, now);
  const ids = [...waiting.keys()].sort(byText).slice(0, merchants);
  const afterMerchant = ids[merchants - 1] ?? null;
  const lanes: DueLane[] = [];
  const within = new Map(
    [...walk.within].filter(([merchantId]) => !isOnPage(merchantId, walk.afterMerchant, afterMerchant)),
  );
  for (const merchantId of ids) {
    const isDueAt = waiting.get(merchantId) ?? new Map<string, boolean>();
    const after = walk.within.get(merchantId) ?? '';
    const destinations = [...isDueAt.keys()]
      .filter((destination) => byText(destination, after) > 0)
      .sort(byText)
      .slice(0, lanesEach);
    for (const destination of destinations) {
      const lane = isDueAt.get(destination) ? dueLane(store, { merchantId, destination }, now) : null;
      if (lane !== null) lanes.push(lane);
    }
    const last = destinations[lanesEach - 1];
    if (last !== undefined) within.set(merchantId, last);
  }
  return { lanes, walk: { afterMerchant, within } };
}

/** Of each merchant after this one: its destinations, and whether something is due there. */
function lanesOfMerchants(
  { tables }: MemoryStore,
  after: string | null,
  now: Date,
): Map<string, Map<string, boolean>> {
  const waiting = new Map<string, Map<string, boolean>>();
  for (const queued of tables.webhookQueue.all()) {
    const { merchantId, destination } = queued;
    if (queued.deadAt !== null || (after !== null && byText(merchantId, after) <= 0)) continue;
    const lanes = waiting.get(merchantId) ?? new Map<string, boolean>();
    if (lanes.size === 0) waiting.set(merchantId, lanes);
    if (lanes.get(destination) !== true) lanes.set(destination, isDue(queued, now));
  }
  return waiting;
}

/** Null while its circuit is open, and no trial of this merchant is due. */
function dueLane({ tables }: MemoryStore, lane: Lane, now: Date): DueLane | null {
  const circuit = tables.webhookCircuits.find(lane.destination);
  const trial = circuit !== undefined && holdsBack(circuit, lane.merchantId);
  if (trial && !isTurnToTry(circuit, lane.merchantId, now)) return null;
  return { ...lane, troubled: circuit !== undefined, trial };
}
