/**
 * The lanes that were found due and may have more, and whose turn it is: of the merchants first,
 * and of the lanes of each.
 */
import type { DueLane, Lane } from '../../ports/webhooks/webhook-queue.ts';
import { keyOf } from './delivery-slots.ts';

export interface KnownLanes {
  /** Keeps the lane, or what is new about it, unless too many are kept. */
  learn(lane: DueLane): void;
  unlearn(lane: Lane): void;
  /** Those of all merchants at a destination. */
  unlearnAll(destination: string): void;
  /** Whose last turn is longest ago comes first. */
  inTurn(): readonly DueLane[];
  /** They were given a place. */
  noteTurns(lanes: readonly Lane[]): void;
  /** By the lane's key (delivery-slots.ts). */
  isTroubled(key: string): boolean;
  size(): number;
  /** Grows with each lane that was not known. */
  seen(): number;
}

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

export function knownLanes(): KnownLanes {
  const known = new Map<string, KnownLane>();
  const merchants = new Map<string, KnownMerchant>();
  let turn = 0;
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

  function noteTurns(lanes: readonly Lane[]): void {
    turn += 1;
    for (const lane of lanes) {
      const [seen, merchant] = [known.get(keyOf(lane)), merchants.get(lane.merchantId)];
      if (seen !== undefined) seen.turn = turn;
      if (merchant !== undefined) merchant.turn = turn;
    }
  }

  return {
    learn,
    unlearn,
    unlearnAll(destination) {
      for (const { lane } of known.values()) if (lane.destination === destination) unlearn(lane);
    },
    inTurn,
    noteTurns,
    isTroubled: (key) => known.get(key)?.lane.troubled ?? false,
    size: () => known.size,
    seen: () => lanesSeen,
  };
}
