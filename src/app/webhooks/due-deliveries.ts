/**
 * Claims deliveries in turn over merchants and their destinations: keeps the lanes that are known to have something due until a
 * claim finds less there than it may take, looks for new ones, and takes from each as many as it may have under way
 * (delivery-slots.ts). Of a lane that an open circuit holds back it takes one, where this process was the one to begin the trial.
 */
import type { ClaimedDelivery, DueLane, Lane, LaneWalk } from '../../ports/webhooks/webhook-queue.ts';
import type { AppDependencies } from '../dependencies.ts';
import { type DeliverySlots, keyOf, type LaneShare } from './delivery-slots.ts';
import type { AttemptMet } from './receiver-window.ts';

export interface DueDeliveries {
  /** What may be sent now; with `look`, new lanes are looked for first. */
  claim(look: boolean): Promise<readonly ClaimedDelivery[]>;
  /** Lanes are known that may have more, or were not looked at yet. */
  waiting(): boolean;
  /** Gives the place of a claimed delivery back; answers whether there is a circuit to be told of an answer. */
  ended(delivery: ClaimedDelivery, met: AttemptMet): { readonly troubled: boolean };
  /** Takes nothing more for a destination before its lanes are found due again: its circuit opened. */
  forget(destination: string): void;
}

/** How long a delivery is ours, and how long before it is said again that it still is. No attempt takes half of it. */
export const LEASE_SECONDS = 30;
const RENEW_MS = 10_000;
/** More at once would leave the others waiting for the statement. */
const CLAIM_MOST = 256;
const PAGE = { merchants: 500, lanesEach: 32 };
const BEGINNING: LaneWalk = { afterMerchant: null, within: new Map() };

interface KnownLane {
  readonly lane: DueLane;
  /** The claim in which it was given a place last. */
  turn: number;
}

interface KnownMerchant {
  lanes: number;
  turn: number;
}

/** Lanes that are kept of one merchant, and of one where many are kept in all. */
const KNOWN = { each: 512, inAll: 10_000, eachWhenMany: 32 };

interface InHand {
  readonly delivery: ClaimedDelivery;
  readonly troubled: boolean;
  leasedAt: number;
}

export function dueDeliveries(
  deps: Pick<AppDependencies, 'clock' | 'webhookQueue' | 'receiverCircuits'>,
  slots: DeliverySlots,
): DueDeliveries {
  const known = new Map<string, KnownLane>();
  const merchants = new Map<string, KnownMerchant>();
  const inHand = new Map<string, InHand>();
  let walk = BEGINNING;
  let turn = 0;
  /** What was known when there was nothing to share: until that changes there is nothing again. */
  let sharedOut = '';
  let lanesSeen = 0;

  function learn(lane: DueLane): void {
    const key = keyOf(lane);
    const merchant = merchants.get(lane.merchantId) ?? { lanes: 0, turn: 0 };
    const seen = known.get(key);
    const room = known.size < KNOWN.inAll ? KNOWN.each : KNOWN.eachWhenMany;
    if (seen === undefined && merchant.lanes >= room) return;
    if (seen === undefined) {
      merchant.lanes += 1;
      lanesSeen += 1;
    }
    merchants.set(lane.merchantId, merchant);
    known.set(key, { lane, turn: seen?.turn ?? 0 });
  }

  function unlearn(lane: Lane): void {
    if (!known.delete(keyOf(lane))) return;
    const merchant = merchants.get(lane.merchantId);
    if (merchant === undefined) return;
    merchant.lanes -= 1;
    if (merchant.lanes === 0) merchants.delete(lane.merchantId);
  }

  /** Merchants in the order of their last turns, and so are the lanes of each. */
  function inTurn(): readonly DueLane[] {
    const merchantTurn = ({ lane }: KnownLane) => merchants.get(lane.merchantId)?.turn ?? 0;
    return [...known.values()]
      .toSorted((a, b) => merchantTurn(a) - merchantTurn(b) || a.turn - b.turn)
      .map(({ lane }) => lane);
  }

  function noteTurns(shares: readonly LaneShare[]): void {
    turn += 1;
    for (const { lane } of shares) {
      const [seen, merchant] = [known.get(keyOf(lane)), merchants.get(lane.merchantId)];
      if (seen !== undefined) seen.turn = turn;
      if (merchant !== undefined) merchant.turn = turn;
    }
  }

  /** A page of the walk over all lanes. */
  async function lookOn(now: Date): Promise<void> {
    if (walk.afterMerchant === null) slots.forget(now);
    const page = await deps.webhookQueue.dueLanes({ now, walk, ...PAGE });
    walk = page.walk;
    for (const lane of page.lanes) learn(lane);
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
        const troubled = known.get(key)?.lane.troubled ?? false;
        inHand.set(delivery.id, { delivery, troubled, leasedAt: now.getTime() });
      }
      return claimed;
    } finally {
      for (const { lane } of shares) {
        const unused = left.get(keyOf(lane)) ?? 0;
        if (unused > 0) slots.giveBack(lane, unused, null, now);
        if (unused > 0 || lane.trial) unlearn(lane);
      }
    }
  }

  return {
    async claim(look) {
      const now = deps.clock.now();
      await renew(now);
      if (look || walk.afterMerchant !== null) await lookOn(now);
      const version = `${slots.version()} ${lanesSeen}`;
      if (version === sharedOut) return [];
      const shares = slots.share(inTurn(), CLAIM_MOST);
      if (shares.length === 0) sharedOut = version;
      noteTurns(shares);
      return shares.length === 0 ? [] : claimShares(shares, now);
    },

    waiting: () => known.size > 0 || walk.afterMerchant !== null,

    ended(delivery, met) {
      const troubled = inHand.get(delivery.id)?.troubled ?? false;
      inHand.delete(delivery.id);
      slots.giveBack(delivery, 1, met, deps.clock.now());
      return { troubled };
    },

    forget(destination) {
      for (const { lane } of known.values()) if (lane.destination === destination) unlearn(lane);
    },
  };
}

function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + LEASE_SECONDS * 1_000);
}
