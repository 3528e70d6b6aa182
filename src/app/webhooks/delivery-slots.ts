/**
 * Who may have how many webhooks under way at once (safety W1). A lane is one merchant at one destination. Nobody can take all
 * places, because what one may have shrinks with what is free (dynamic thresholds, as switches share a buffer): in the process
 * half of what is free for a merchant whose receivers answer, a sixty-fourth where that is not known; at a destination as
 * much as is free of its window, or an eighth. Everybody may have one.
 * Pure: time and lateness come in with the calls.
 */
import type { DueLane, Lane } from '../../ports/webhooks/webhook-queue.ts';
import {
  type AttemptMet,
  DESTINATION_WINDOW,
  firstWindow,
  LANE_WINDOW,
  learnt,
  type Window,
  type WindowBounds,
} from './receiver-window.ts';

export interface DeliverySlots {
  /**
   * At most `most` places for the lanes, in rounds: one for each merchant, in the order in which its lanes are given. Takes
   * them until `giveBack`.
   */
  share(lanes: readonly DueLane[], most: number): readonly LaneShare[];
  /** Ends `count` places, with what became of the attempt where one was made. */
  giveBack(lane: Lane, count: number, met: AttemptMet | null, now: Date): void;
  /** Fits the number of places to what is wanted and what the process can take: `lateMs` is how late its timers fire. */
  adapt(lateMs: number): void;
  /** Forgets lanes that rest, so that memory stays bounded. */
  forget(now: Date): void;
  /** Grows with everything that may let `share` give more than the last time. */
  version(): number;
  figures(): SlotFigures;
}

export interface LaneShare {
  readonly lane: DueLane;
  readonly most: number;
}

export interface SlotFigures {
  readonly inFlight: number;
  readonly limit: number;
}

/** Parts of what is free that one lane may have at a destination, and one merchant in the process. */
const AT_DESTINATION = { trusted: 1, doubted: 1 / 8 };
const IN_PROCESS = { trusted: 1 / 2, doubted: 1 / 64 };
const PLACES_LEAST = 64;
const PLACES_MOST = 1_024;
/** Files that other parts of the process have open, and the part of the rest that webhooks under way may take. */
const OTHER_FILES = 512;
const PART_OF_FILES = 1 / 4;
const LATE_MS = { grow: 100, shrink: 250 };
const REST_MS = 60_000;
const KEPT_MOST = 4_096;

/** A lane, or a destination with all its lanes. */
interface Taken {
  inHand: number;
  window: Window;
  /** When it gave a place back last. */
  restsSince: number;
}

interface OfMerchant {
  inHand: number;
  /** Those at destinations that have not answered it lately. */
  doubted: number;
}

/** How many places there may be in a process that may open so many files; null where that is not known. */
export function webhookPlaces(filesMax: number | null): number {
  if (filesMax === null) return PLACES_LEAST;
  const places = Math.floor((filesMax - OTHER_FILES) * PART_OF_FILES);
  return Math.max(PLACES_LEAST, Math.min(PLACES_MOST, places));
}

/** @param placesMost at least 64 (webhookPlaces) */
export function deliverySlots(placesMost: number): DeliverySlots {
  const lanes = new Map<string, Taken & Lane>();
  const destinations = new Map<string, Taken>();
  let limit = PLACES_LEAST;
  let inFlight = 0;
  let wanting = false;
  let version = 0;

  function laneOf({ merchantId, destination }: Lane): Taken & Lane {
    return setDefault(lanes, keyOf({ merchantId, destination }), () => ({
      ...{ merchantId, destination },
      ...nothingTaken(LANE_WINDOW),
    }));
  }

  const destinationOf = (lane: Lane): Taken =>
    setDefault(destinations, lane.destination, () => nothingTaken(DESTINATION_WINDOW));

  function ofMerchants(): Map<string, OfMerchant> {
    const merchants = new Map<string, OfMerchant>();
    for (const { merchantId, inHand, window } of lanes.values()) {
      const merchant = setDefault(merchants, merchantId, () => ({ inHand: 0, doubted: 0 }));
      merchant.inHand += inHand;
      if (!window.trusted) merchant.doubted += inHand;
    }
    return merchants;
  }

  /** Whether the lane may have one more; notes when only more places in all would help. */
  function mayHaveMore({ lane, taken, there }: Candidate, merchant: OfMerchant): boolean {
    if (lane.trial && there.inHand > 0) return false;
    const { trusted } = taken.window;
    const freeThere = there.window.most - there.inHand;
    if (freeThere <= 0 || taken.inHand >= taken.window.most) return false;
    const partThere = trusted ? AT_DESTINATION.trusted : AT_DESTINATION.doubted;
    if (taken.inHand > 0 && taken.inHand >= freeThere * partThere) return false;
    const free = limit - inFlight;
    const overShare = merchant.inHand > 0 && merchant.inHand >= free * IN_PROCESS.trusted;
    const overDoubt = !trusted && merchant.doubted > 0 && merchant.doubted >= free * IN_PROCESS.doubted;
    if (free > 0 && !overShare && !overDoubt) return true;
    wanting = true;
    return false;
  }

  function take({ taken, there }: Candidate, merchant: OfMerchant): void {
    inFlight += 1;
    taken.inHand += 1;
    there.inHand += 1;
    merchant.inHand += 1;
    if (!taken.window.trusted) merchant.doubted += 1;
  }

  return {
    share(due, most) {
      wanting = false;
      let left = most;
      const merchants = ofMerchants();
      const given = new Map<DueLane, number>();
      let rotation = byMerchant(
        due.map((lane) => ({ lane, taken: laneOf(lane), there: destinationOf(lane) })),
      );
      while (rotation.length > 0 && left > 0) {
        rotation = rotation.filter(([merchantId, queue]) => {
          if (left === 0) return false;
          const merchant = setDefault(merchants, merchantId, () => ({ inHand: 0, doubted: 0 }));
          const index = queue.findIndex((candidate) => mayHaveMore(candidate, merchant));
          const next = queue[index];
          if (next === undefined) return false;
          // Who may have no more now may have none for the rest of the rounds.
          queue.splice(0, index + 1);
          queue.push(next);
          take(next, merchant);
          left -= 1;
          given.set(next.lane, (given.get(next.lane) ?? 0) + 1);
          return true;
        });
      }
      return [...given].map(([lane, count]) => ({ lane, most: count }));
    },

    giveBack(lane, count, met, now) {
      inFlight -= count;
      version += 1;
      for (const [taken, bounds] of [
        [laneOf(lane), LANE_WINDOW],
        [destinationOf(lane), DESTINATION_WINDOW],
      ] as const) {
        taken.inHand -= count;
        taken.restsSince = now.getTime();
        if (met !== null) taken.window = learnt(taken.window, met, bounds);
      }
      if (met?.answer === 'exhausted') limit = Math.max(1, Math.floor(limit / 2));
    },

    adapt(lateMs) {
      const before = limit;
      if (lateMs > LATE_MS.shrink) limit = Math.max(PLACES_LEAST, Math.floor(limit * 0.7));
      else if (wanting && lateMs < LATE_MS.grow) limit = Math.min(placesMost, limit * 2);
      else if (!wanting && inFlight < limit / 8) limit = Math.max(PLACES_LEAST, Math.floor(limit / 2));
      if (limit > before) version += 1;
    },

    forget(now) {
      for (const kept of [lanes, destinations]) {
        const isCrowded = kept.size > KEPT_MOST;
        for (const [key, { inHand, restsSince }] of kept)
          if (inHand === 0 && (isCrowded || now.getTime() - restsSince > REST_MS)) kept.delete(key);
      }
    },

    version: () => version,
    figures: () => ({ inFlight, limit }),
  };
}

interface Candidate {
  readonly lane: DueLane;
  readonly taken: Taken;
  readonly there: Taken;
}

/** A queue of lanes for each merchant, in the order given. */
function byMerchant(candidates: readonly Candidate[]): [string, Candidate[]][] {
  const queues = new Map<string, Candidate[]>();
  for (const candidate of candidates) setDefault(queues, candidate.lane.merchantId, () => []).push(candidate);
  return [...queues];
}

function nothingTaken(bounds: WindowBounds): Taken {
  return { inHand: 0, window: firstWindow(bounds), restsSince: 0 };
}

function setDefault<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** Neither part holds a space. */
export function keyOf({ merchantId, destination }: Lane): string {
  return `${merchantId} ${destination}`;
}
