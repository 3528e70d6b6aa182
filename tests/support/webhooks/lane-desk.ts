/** Shorthands of the contracts of the webhook queue's lanes and of their circuits. */
import { afterAll, beforeAll, expect } from 'bun:test';
import type { UnitOfWork } from '../../../src/ports/repositories.ts';
import type { ReceiverCircuits } from '../../../src/ports/webhooks/receiver-circuits.ts';
import type { NewDelivery } from '../../../src/ports/webhooks/webhook-outbox.ts';
import type {
  AttemptOutcome,
  ClaimedDelivery,
  Lane,
  LaneWalk,
  WebhookQueue,
} from '../../../src/ports/webhooks/webhook-queue.ts';
import { aDelivery, aMerchant, anId, anInvoice, NOW } from '../builders.ts';

export interface OpenedLanes {
  readonly webhookQueue: WebhookQueue;
  readonly receiverCircuits: ReceiverCircuits;
  /** The id of a merchant of its own for a test. */
  merchant(): Promise<string>;
  enqueue(deliveries: readonly NewDelivery[]): Promise<void>;
  close(): Promise<void>;
}

/** Lanes of a storage, where each delivery has an invoice of its own. */
export function lanesOn({
  unitOfWork,
  ...ports
}: Pick<OpenedLanes, 'webhookQueue' | 'receiverCircuits' | 'close'> & {
  unitOfWork: UnitOfWork;
}): OpenedLanes {
  return {
    ...ports,
    async merchant() {
      const merchant = aMerchant();
      await unitOfWork.run((repositories) => repositories.merchants.insert(merchant));
      return merchant.id;
    },
    enqueue: (deliveries) =>
      unitOfWork.run(async (repositories) => {
        for (const delivery of deliveries) {
          const { merchantId } = delivery;
          const id = delivery.invoiceId ?? '';
          await repositories.invoices.insert(anInvoice({ id, merchantId }));
          await repositories.webhooks.enqueue(delivery);
        }
      }),
  };
}

export const LEASE_SECONDS = 30;
export const BEGINNING: LaneWalk = { afterMerchant: null, within: new Map() };

let hosts = 0;

/** Opens once for the enclosing `describe`, and closes after it. */
export function laneDesk(open: () => Promise<OpenedLanes>) {
  let opened: OpenedLanes | null = null;
  beforeAll(async () => {
    opened = await open();
  }, 60_000);
  afterAll(() => opened?.close());
  const storage = (): OpenedLanes => {
    if (opened === null) throw new Error('the storage under test is not open');
    return opened;
  };
  const destinationOfHost = (host: string) => `https://${host}:443`;
  const pageOf = (walk: LaneWalk, now: Date, page: { merchants: number; lanesEach: number }) =>
    storage().webhookQueue.dueLanes({ now, walk, ...page });

  return {
    queue: () => storage().webhookQueue,
    circuits: () => storage().receiverCircuits,
    merchant: () => storage().merchant(),
    destinationOfHost,
    pageOf,

    /** A host that no other test knows. */
    aHost(): string {
      hosts += 1;
      return `h${hosts}.example`;
    },

    lane: (merchantId: string, host: string): Lane => ({ merchantId, destination: destinationOfHost(host) }),

    ids: (deliveries: readonly ClaimedDelivery[]) => deliveries.map(({ id }) => id).toSorted(),

    async enqueued(merchantId: string, host: string, count: number, dueAt = NOW): Promise<readonly string[]> {
      const url = `https://${host}/hook`;
      const deliveries = Array.from({ length: count }, () =>
        aDelivery({ merchantId, invoiceId: anId(), invoiceVersion: null, url, dueAt }),
      );
      await storage().enqueue(deliveries);
      return deliveries.map(({ id }) => id).toSorted();
    },

    /** The due lanes of these merchants that one page with room for everybody shows. */
    async dueOf(merchantIds: readonly string[], now = NOW) {
      const { lanes, walk } = await pageOf(BEGINNING, now, { merchants: 10_000, lanesEach: 1_000 });
      expect(walk).toEqual(BEGINNING);
      return lanes.filter(({ merchantId }) => merchantIds.includes(merchantId));
    },

    claim(wanted: readonly (Lane & { most: number; trial?: boolean })[], now = NOW) {
      const lanes = wanted.map((one) => ({ trial: false, ...one }));
      return storage().webhookQueue.claim({ lanes, now, leaseSeconds: LEASE_SECONDS });
    },

    async outcome(delivery: ClaimedDelivery | undefined, next: AttemptOutcome['next']): Promise<void> {
      if (delivery === undefined) throw new Error('nothing was claimed');
      const about = { statusCode: null, responseBody: '', sentAt: NOW };
      await storage().webhookQueue.record([{ attemptId: anId(), delivery, ...about, next }]);
    },

    /** Attempts at a host, as its circuit hears of them; none that was silent is an answer. */
    met(host: string, silent: number, merchants: readonly string[] = [], at = NOW) {
      const about = { answered: silent === 0, silent, merchants, at, reason: 'no answer in time' };
      return storage().receiverCircuits.note([{ destination: destinationOfHost(host), ...about }]);
    },
  };
}
