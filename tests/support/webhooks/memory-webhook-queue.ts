/**
 * The webhook queue and the circuits of its receivers in memory: small, and held to the same
 * contract as PostgreSQL's.
 */
import {
  type Circuit,
  decideCircuit,
  holdsBack,
  isTurnToTry,
} from '../../../src/domain/webhooks/receiver-circuit.ts';
import { destinationOf } from '../../../src/domain/webhooks/webhook-url.ts';
import type { ReceiverCircuits } from '../../../src/ports/webhooks/receiver-circuits.ts';
import type {
  AttemptOutcome,
  ClaimedDelivery,
  WebhookQueue,
} from '../../../src/ports/webhooks/webhook-queue.ts';
import type { aDelivery } from '../builders.ts';

type Enqueued = ReturnType<typeof aDelivery>;

interface Row {
  readonly delivery: Enqueued;
  readonly destination: string;
  dueAt: Date;
  attempts: number;
  leasedUntil: Date | null;
  isDead: boolean;
}

export interface MemoryWebhookQueue extends WebhookQueue {
  readonly circuits: ReceiverCircuits;
  /** Every outcome that was recorded, in order. */
  readonly recorded: readonly AttemptOutcome[];
  enqueue(deliveries: readonly Enqueued[]): void;
  /** Deliveries that are neither delivered nor given up. */
  pending(): number;
}

export function memoryWebhookQueue(): MemoryWebhookQueue {
  const rows = new Map<string, Row>();
  /** What is neither delivered nor given up, by merchant and destination. */
  const lanesOf = new Map<string, Map<string, Row[]>>();
  const circuits = new Map<string, Circuit & { silentSince: Date; changedAt: Date; reason: string }>();
  const recorded: AttemptOutcome[] = [];
  const isShut = (destination: string) => (circuits.get(destination)?.state ?? 'closed') !== 'closed';
  const isHeld = (merchantId: string, destination: string) => {
    const circuit = circuits.get(destination);
    return circuit !== undefined && holdsBack(circuit, merchantId);
  };
  const mayTry = (merchantId: string, destination: string, now: Date) => {
    const circuit = circuits.get(destination);
    return circuit !== undefined && isTurnToTry(circuit, merchantId, now);
  };
  const isFree = ({ isDead, leasedUntil }: Row, now: Date) =>
    !isDead && (leasedUntil === null || leasedUntil <= now);
  const isDue = (row: Row, now: Date) => isFree(row, now) && row.dueAt <= now;
  const alive = () => [...lanesOf.values()].flatMap((ofMerchant) => [...ofMerchant.values()].flat());
  const byDue = (a: Row, b: Row) =>
    a.dueAt.getTime() - b.dueAt.getTime() || (a.delivery.id < b.delivery.id ? -1 : 1);

  function add(row: Row): void {
    rows.set(row.delivery.id, row);
    const { merchantId } = row.delivery;
    const ofMerchant = lanesOf.get(merchantId) ?? new Map<string, Row[]>();
    lanesOf.set(merchantId, ofMerchant);
    const lane = ofMerchant.get(row.destination);
    if (lane === undefined) ofMerchant.set(row.destination, [row]);
    else lane.push(row);
  }

  function remove(row: Row): void {
    row.isDead = true;
    const { merchantId } = row.delivery;
    const ofMerchant = lanesOf.get(merchantId);
    const left = ofMerchant?.get(row.destination)?.filter((other) => other !== row) ?? [];
    if (left.length > 0) ofMerchant?.set(row.destination, left);
    else ofMerchant?.delete(row.destination);
    if (ofMerchant?.size === 0) lanesOf.delete(merchantId);
  }

  function lease(row: Row, now: Date, leaseSeconds: number): ClaimedDelivery {
    row.attempts += 1;
    row.leasedUntil = new Date(now.getTime() + leaseSeconds * 1_000);
    const { id, invoiceId, merchantId, sandbox, url, foreign, body } = row.delivery;
    const sent = foreign ?? { format: 'native_v2', body };
    const { destination, attempts: attempt } = row;
    const keys = { current: 'sealed', other: null, secrets: [] };
    const told = { id, invoiceId, eventSeq: null, merchantId, destination, sandbox, url: url ?? '', ...sent };
    return { ...told, attempt, keys };
  }

  return {
    recorded,
    enqueue(deliveries) {
      for (const delivery of deliveries) {
        const destination = destinationOf(delivery.url ?? '');
        const { dueAt } = delivery;
        add({ delivery, destination, dueAt, attempts: 0, leasedUntil: null, isDead: false });
      }
    },
    pending: () => alive().length,

    async dueLanes({ now, walk, merchants, lanesEach }) {
      const after = walk.afterMerchant ?? '';
      const page = [...lanesOf.keys()]
        .filter((id) => id > after)
        .toSorted()
        .slice(0, merchants);
      const within = new Map([...walk.within].filter(([id]) => !page.includes(id)));
      const due = page.flatMap((merchantId) => {
        const ofMerchant = lanesOf.get(merchantId) ?? new Map<string, Row[]>();
        const resume = walk.within.get(merchantId) ?? '';
        const seen = [...ofMerchant.keys()]
          .filter((to) => to > resume)
          .toSorted()
          .slice(0, lanesEach);
        if (seen.length === lanesEach) within.set(merchantId, seen.at(-1) ?? '');
        return seen
          .filter((to) => !isHeld(merchantId, to) || mayTry(merchantId, to, now))
          .filter((to) => ofMerchant.get(to)?.some((row) => isDue(row, now)))
          .map((destination) => ({
            ...{
              merchantId,
              destination,
              trial: isHeld(merchantId, destination),
              troubled: circuits.has(destination),
            },
          }));
      });
      const afterMerchant = page.length === merchants ? (page.at(-1) ?? null) : null;
      return { lanes: due, walk: { afterMerchant, within } };
    },

    async claim({ lanes, now, leaseSeconds }) {
      return lanes.flatMap(({ merchantId, destination, most, trial }) =>
        (lanesOf.get(merchantId)?.get(destination) ?? [])
          .filter((row) => isDue(row, now) && (trial || !isHeld(merchantId, destination)))
          .toSorted(byDue)
          .slice(0, most)
          .map((row) => lease(row, now, leaseSeconds)),
      );
    },

    async claimOne(id, { now, leaseSeconds }) {
      const row = rows.get(id);
      return row !== undefined && isFree(row, now) ? lease(row, now, leaseSeconds) : null;
    },

    async renew(deliveries, until) {
      for (const { id, attempt } of deliveries) {
        const row = rows.get(id);
        if (row?.attempts === attempt && row.leasedUntil !== null) row.leasedUntil = until;
      }
    },

    async record(outcomes) {
      for (const outcome of outcomes) {
        recorded.push(outcome);
        const row = rows.get(outcome.delivery.id);
        if (row === undefined || row.isDead || row.attempts !== outcome.delivery.attempt) continue;
        row.leasedUntil = null;
        if (outcome.next.state === 'pending') row.dueAt = outcome.next.dueAt;
        else remove(row);
      }
    },

    async giveUpHeldBack({ before, now, limit }) {
      const held = alive().filter(
        (row) => isFree(row, now) && row.dueAt < before && isHeld(row.delivery.merchantId, row.destination),
      );
      const ended = held.toSorted(byDue).slice(0, limit);
      for (const row of ended) remove(row);
      return ended.length;
    },

    logTest: async () => undefined,

    circuits: {
      async note(met) {
        return met.flatMap(({ destination, answered, silent, merchants, at, reason }) => {
          const before = circuits.get(destination) ?? null;
          const wasShut = isShut(destination);
          const event = answered
            ? ({ type: 'answered' } as const)
            : ({ type: 'silent', attempts: silent, merchants, at } as const);
          const after = decideCircuit(before, event);
          if (after === null) circuits.delete(destination);
          else
            circuits.set(destination, {
              ...after,
              silentSince: before?.silentSince ?? at,
              changedAt: at,
              reason,
            });
          const isOpen = isShut(destination);
          return isOpen === wasShut ? [] : [{ destination, isOpen, tryAt: after?.tryAt ?? null, reason }];
        });
      },

      async beginTrials(destinations, { now, until }) {
        return destinations.filter((destination) => {
          const circuit = circuits.get(destination);
          const tried = circuit ? decideCircuit(circuit, { type: 'trial', at: now, until }) : null;
          if (circuit === undefined || tried === null || tried === circuit) return false;
          circuits.set(destination, { ...circuit, ...tried, changedAt: now });
          return true;
        });
      },

      async forget(before) {
        for (const [destination, { changedAt }] of circuits)
          if (changedAt < before) circuits.delete(destination);
      },

      async open(limit) {
        return [...circuits]
          .filter(([destination]) => isShut(destination))
          .toSorted(([, a], [, b]) => a.silentSince.getTime() - b.silentSince.getTime())
          .slice(0, limit)
          .map(([destination, { changedAt: _changedAt, ...circuit }]) => {
            const waiting = alive().filter((row) => row.destination === destination);
            const merchants = new Set(waiting.map(({ delivery }) => delivery.merchantId));
            return { ...circuit, destination, waiting: waiting.length, merchants: merchants.size };
          });
      },
    },
  };
}
