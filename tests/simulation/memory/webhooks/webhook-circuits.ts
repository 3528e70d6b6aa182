/**
 * The circuits of webhooks' destinations in memory, as
 * src/adapters/postgres/webhooks/webhook-circuits.ts keeps them. The domain decides their changes.
 */
import { type Circuit, decideCircuit } from '../../../../src/domain/webhooks/receiver-circuit.ts';
import type {
  CircuitChange,
  MetDestination,
  OpenCircuit,
  ReceiverCircuits,
} from '../../../../src/ports/webhooks/receiver-circuits.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText, byTime } from '../store/orders.ts';

export function receiverCircuits(store: MemoryStore): ReceiverCircuits {
  const { webhookCircuits } = store.tables;
  return {
    note: async (met) =>
      met.length === 0 ? [] : store.write(() => met.flatMap((one) => noteOne(store, one) ?? [])),

    async beginTrials(destinations, { now, until }) {
      if (destinations.length === 0) return [];
      return store.write(() => {
        const due = webhookCircuits.where(
          ({ destination, tryAt }) =>
            tryAt !== null && tryAt.getTime() <= now.getTime() && destinations.includes(destination),
        );
        for (const circuit of due)
          webhookCircuits.update(circuit, { state: 'half_open', tryAt: until, changedAt: now });
        return due.map(({ destination }) => destination);
      });
    },

    forget: (before) =>
      store.write(() => {
        for (const circuit of webhookCircuits.where(({ changedAt }) => changedAt < before))
          webhookCircuits.delete(circuit);
      }),

    open: async (limit) => openCircuits(store, limit),
  };
}

function noteOne({ tables }: MemoryStore, met: MetDestination): CircuitChange | null {
  const { destination, at, reason } = met;
  const before = tables.webhookCircuits.find(destination) ?? null;
  const after = decideCircuit(
    before,
    met.answered
      ? { type: 'answered' }
      : { type: 'silent', attempts: met.silent, merchants: met.merchants, at },
  );
  if (after !== null) {
    const { state, silences, failedTrials, tryAt } = after;
    const merchants = [...after.merchants];
    const changes = { state, silences, failedTrials, tryAt, merchants, changedAt: at, reason };
    tables.webhookCircuits.insertOrUpdate({ destination, silentSince: at, ...changes }, () => changes);
  } else if (before !== null) tables.webhookCircuits.delete(before);
  const isOpen = isShut(after);
  return isShut(before) === isOpen ? null : { destination, isOpen, tryAt: after?.tryAt ?? null, reason };
}

function openCircuits({ tables }: MemoryStore, limit: number): readonly OpenCircuit[] {
  return tables.webhookCircuits
    .where(isShut)
    .sort((a, b) => byTime(a.silentSince, b.silentSince) || byText(a.destination, b.destination))
    .slice(0, limit)
    .map(({ destination, state, silences, failedTrials, tryAt, silentSince, reason }) => {
      const waiting = tables.webhookQueue.where(
        (queued) => queued.deadAt === null && queued.destination === destination,
      );
      return {
        ...{ destination, state, silences, failedTrials, tryAt, silentSince, reason },
        waiting: waiting.length,
        merchants: new Set(waiting.map(({ merchantId }) => merchantId)).size,
      };
    });
}

function isShut(circuit: Pick<Circuit, 'state'> | null): boolean {
  return circuit !== null && circuit.state !== 'closed';
}
