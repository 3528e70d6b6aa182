/**
 * Claims deliveries in turn over merchants and their destinations: keeps the lanes that are known
 * to have something due until a claim finds less there than it may take, looks for new ones, and
 * takes from each as many as it may have under way (delivery-slots.ts). Of a lane that an open
 * circuit holds back it takes one, where this process was the one to begin the trial.
 */
import type { ClaimedDelivery, LaneWalk } from '../../ports/webhooks/webhook-queue.ts';
import type { AppDependencies } from '../dependencies.ts';
import { type DeliverySlots, keyOf, type LaneShare } from './delivery-slots.ts';
import { knownLanes } from './known-lanes.ts';
import type { AttemptMet } from './receiver-window.ts';

export interface DueDeliveries {
  /** What may be sent now; with `look`, new lanes are looked for first. */
  claim(look: boolean): Promise<readonly ClaimedDelivery[]>;
  /** Lanes are known that may have more, or were not looked at yet. */
  waiting(): boolean;
  /**
   * Gives the place of a claimed delivery back; answers whether there is a circuit to be told of an
   * answer.
   */
  ended(delivery: ClaimedDelivery, met: AttemptMet): { readonly troubled: boolean };
  /**
   * Gives the places of deliveries back that no attempt is made at: others may have them once the
   * lease has lapsed.
   */
  leave(deliveries: readonly ClaimedDelivery[]): void;
  /**
   * Takes nothing more for a destination before its lanes are found due again: its circuit opened.
   */
  forget(destination: string): void;
}

/**
 * How long a delivery is ours, and how long before it is said again that it still is. No attempt
 * takes half of it.
 */
export const LEASE_SECONDS = 30;
const RENEW_MS = 10_000;
/** More at once would leave the others waiting for the statement. */
const CLAIM_MOST = 256;
const PAGE = { merchants: 500, lanesEach: 32 };
const BEGINNING: LaneWalk = { afterMerchant: null, within: new Map() };

interface InHand {
  readonly delivery: ClaimedDelivery;
  readonly troubled: boolean;
  leasedAt: number;
}

export function dueDeliveries(
  deps: Pick<AppDependencies, 'clock' | 'webhookQueue' | 'receiverCircuits'>,
  slots: DeliverySlots,
): DueDeliveries {
  const known = knownLanes();
  const inHand = new Map<string, InHand>();
  let walk = BEGINNING;
  /** What was known when there was nothing to share: until that changes there is nothing again. */
  let sharedOut = '';

  /** A page of the walk over all lanes. */
  async function lookOn(now: Date): Promise<void> {
    if (walk.afterMerchant === null) slots.forget(now);
    const page = await deps.webhookQueue.dueLanes({ now, walk, ...PAGE });
    walk = page.walk;
    for (const lane of page.lanes) known.learn(lane);
  }

  async function renew(now: Date): Promise<void> {
    const old = [...inHand.values()].filter(({ leasedAt }) => now.getTime() - leasedAt >= RENEW_MS);
    for (const held of old) held.leasedAt = now.getTime();
    await deps.webhookQueue.renew(
      old.map(({ delivery }) => delivery),
      leaseFrom(now),
    );
  }

  /** The shares without the trials that another process is making. */
  async function withTrials(shares: readonly LaneShare[], now: Date): Promise<readonly LaneShare[]> {
    const trials = shares.filter(({ lane }) => lane.trial).map(({ lane }) => lane.destination);
    const begun = await deps.receiverCircuits.beginTrials(trials, { now, until: leaseFrom(now) });
    return shares.filter(({ lane }) => !lane.trial || begun.includes(lane.destination));
  }

  async function claimShares(shares: readonly LaneShare[], now: Date): Promise<readonly ClaimedDelivery[]> {
    const left = new Map(shares.map((share) => [keyOf(share.lane), share.most]));
    try {
      const mine = await withTrials(shares, now);
      const claimed = await deps.webhookQueue.claim({
        lanes: mine.map(({ lane, most }) => ({ ...lane, most })),
        now,
        leaseSeconds: LEASE_SECONDS,
      });
      for (const delivery of claimed) {
        const key = keyOf(delivery);
        left.set(key, (left.get(key) ?? 0) - 1);
        const troubled = known.isTroubled(key);
        inHand.set(delivery.id, { delivery, troubled, leasedAt: now.getTime() });
      }
      return claimed;
    } finally {
      for (const { lane } of shares) {
        const unused = left.get(keyOf(lane)) ?? 0;
        if (unused > 0) slots.giveBack(lane, unused, null, now);
        if (unused > 0 || lane.trial) known.unlearn(lane);
      }
    }
  }

  return {
    async claim(look) {
      const now = deps.clock.now();
      await renew(now);
      if (look || walk.afterMerchant !== null) await lookOn(now);
      const version = `${slots.version()} ${known.seen()}`;
      if (version === sharedOut) return [];
      const shares = slots.share(known.inTurn(), CLAIM_MOST);
      if (shares.length === 0) sharedOut = version;
      known.noteTurns(shares.map(({ lane }) => lane));
      return shares.length === 0 ? [] : claimShares(shares, now);
    },

    waiting: () => known.size() > 0 || walk.afterMerchant !== null,

    ended(delivery, met) {
      slots.giveBack(delivery, 1, met, deps.clock.now());
      return { troubled: takenOut(inHand, delivery)?.troubled ?? false };
    },

    leave(deliveries) {
      for (const delivery of deliveries) {
        takenOut(inHand, delivery);
        slots.giveBack(delivery, 1, null, deps.clock.now());
      }
    },

    forget(destination) {
      known.unlearnAll(destination);
    },
  };
}

function takenOut(inHand: Map<string, InHand>, { id }: ClaimedDelivery): InHand | undefined {
  const held = inHand.get(id);
  inHand.delete(id);
  return held;
}

function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + LEASE_SECONDS * 1_000);
}
