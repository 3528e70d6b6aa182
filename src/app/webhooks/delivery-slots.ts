/**
 * How many webhooks a merchant and a receiver may have under way at once (safety W1). A lane is one
 * merchant at one destination. The bounds are dynamic thresholds, as switches share a buffer: they
 * shrink with what is free, so nobody takes all places. A merchant has at most half of what is free
 * in the process, or a sixty-fourth while its receivers do not answer in time. A lane has at most
 * what is free of its destination's window, or an eighth of that. One place is everybody's. Pure:
 * time and lateness come in with the calls.
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
   * Reserves at most `most` places for the lanes, in rounds: one for each merchant, in the order in
   * which its lanes are given. `giveBack` ends the reservation.
   */
  share(lanes: readonly DueLane[], most: number): readonly LaneShare[];
  /** Ends `count` places, with what became of the attempt where one was made. */
  giveBack(lane: Lane, count: number, met: AttemptMet | null, now: Date): void;
  /**
   * Fits the number of places to demand and to what the process can take: `lateMs` is how late its
   * timers fire.
   */
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

/** Shares of what is free: of one lane at its destination, and of one merchant in the process. */
const AT_DESTINATION = { trusted: 1, untrusted: 1 / 8 };
const IN_PROCESS = { trusted: 1 / 2, untrusted: 1 / 64 };
const PLACES_LEAST = 64;
const PLACES_MOST = 1_024;
/**
 * Files that other parts of the process have open, and the share of the rest that webhooks under
 * way may take.
 */
const OTHER_FILES = 512;
const SHARE_OF_FILES = 1 / 4;
const LATE_MS = { grow: 100, shrink: 250 };
const REST_MS = 60_000;
const KEPT_MOST = 4_096;

/** The places of a lane, or of a destination with all its lanes. */
interface HeldSlots {
  inFlight: number;
  window: Window;
  /** When it last gave a place back, in milliseconds. */
  restsSince: number;
}

interface HeldByMerchant {
  inFlight: number;
  /** Those at destinations that do not answer it in time. */
  untrusted: number;
}

/** What is under way, and how many places there are. */
interface SlotsState {
  readonly lanes: Map<string, HeldSlots & Lane>;
  readonly destinations: Map<string, HeldSlots>;
  readonly placesMost: number;
  /**
   * Places at present: from PLACES_LEAST to `placesMost`, and fewer after the process ran out of
   * sockets.
   */
  limit: number;
  inFlight: number;
  /** The last `share` would have given more, had there been more places. */
  isShort: boolean;
  version: number;
}

/**
 * How many places there may be in a process that may open so many files; null where that is not
 * known.
 */
export function webhookPlaces(filesMax: number | null): number {
  if (filesMax === null) return PLACES_LEAST;
  const places = Math.floor((filesMax - OTHER_FILES) * SHARE_OF_FILES);
  return Math.max(PLACES_LEAST, Math.min(PLACES_MOST, places));
}

/** @param placesMost at least 64 (webhookPlaces) */
export function deliverySlots(placesMost: number): DeliverySlots {
  const slots: SlotsState = {
    lanes: new Map(),
    destinations: new Map(),
    placesMost,
    limit: PLACES_LEAST,
    inFlight: 0,
    isShort: false,
    version: 0,
  };
  return {
    share: (lanes, most) => share(slots, lanes, most),
    giveBack: (lane, count, met, now) => giveBack(slots, lane, count, { met, now }),
    adapt: (lateMs) => adapt(slots, lateMs),
    forget: (now) => forget(slots, now),
    version: () => slots.version,
    figures: () => ({ inFlight: slots.inFlight, limit: slots.limit }),
  };
}

function share(slots: SlotsState, due: readonly DueLane[], most: number): readonly LaneShare[] {
  slots.isShort = false;
  let left = most;
  const merchants = heldByMerchants(slots);
  const given = new Map<DueLane, number>();
  let rotation = byMerchant(
    due.map((lane) => ({ lane, atLane: laneOf(slots, lane), atDestination: destinationOf(slots, lane) })),
  );
  while (rotation.length > 0 && left > 0) {
    rotation = rotation.filter(([merchantId, queue]) => {
      if (left === 0) return false;
      const merchant = setDefault(merchants, merchantId, nothingHeldByMerchant);
      const index = queue.findIndex((candidate) => mayHaveMore(slots, candidate, merchant));
      const next = queue[index];
      if (next === undefined) return false;
      // Who may have no more now may have none for the rest of the rounds.
      queue.splice(0, index + 1);
      queue.push(next);
      reserve(slots, next, merchant);
      left -= 1;
      given.set(next.lane, (given.get(next.lane) ?? 0) + 1);
      return true;
    });
  }
  return [...given].map(([lane, count]) => ({ lane, most: count }));
}

/** Whether the lane may have one more; notes when only more places in all would help. */
function mayHaveMore(
  slots: SlotsState,
  { lane, atLane, atDestination }: LaneCandidate,
  merchant: HeldByMerchant,
): boolean {
  if (lane.trial && atDestination.inFlight > 0) return false;
  const trust = atLane.window.trusted ? 'trusted' : 'untrusted';
  const freeThere = atDestination.window.most - atDestination.inFlight;
  if (freeThere <= 0 || atLane.inFlight >= atLane.window.most) return false;
  if (isAbove(atLane.inFlight, freeThere * AT_DESTINATION[trust])) return false;
  const free = slots.limit - slots.inFlight;
  const isOverShare =
    isAbove(merchant.inFlight, free * IN_PROCESS.trusted) ||
    (trust === 'untrusted' && isAbove(merchant.untrusted, free * IN_PROCESS.untrusted));
  if (free > 0 && !isOverShare) return true;
  slots.isShort = true;
  return false;
}

/** Whether nothing more is left of a share; one place always is. */
const isAbove = (inFlight: number, shareOfFree: number): boolean => inFlight > 0 && inFlight >= shareOfFree;

function reserve(
  slots: SlotsState,
  { atLane, atDestination }: LaneCandidate,
  merchant: HeldByMerchant,
): void {
  slots.inFlight += 1;
  atLane.inFlight += 1;
  atDestination.inFlight += 1;
  merchant.inFlight += 1;
  if (!atLane.window.trusted) merchant.untrusted += 1;
}

function giveBack(
  slots: SlotsState,
  lane: Lane,
  count: number,
  { met, now }: { met: AttemptMet | null; now: Date },
): void {
  slots.inFlight -= count;
  slots.version += 1;
  for (const [held, bounds] of [
    [laneOf(slots, lane), LANE_WINDOW],
    [destinationOf(slots, lane), DESTINATION_WINDOW],
  ] as const) {
    held.inFlight -= count;
    held.restsSince = now.getTime();
    if (met !== null) held.window = learnt(held.window, met, bounds);
  }
  if (met?.answer === 'exhausted') slots.limit = Math.max(1, Math.floor(slots.limit / 2));
}

function adapt(slots: SlotsState, lateMs: number): void {
  const { limit, isShort, inFlight, placesMost } = slots;
  if (lateMs > LATE_MS.shrink) slots.limit = Math.max(PLACES_LEAST, Math.floor(limit * 0.7));
  else if (isShort && lateMs < LATE_MS.grow) slots.limit = Math.min(placesMost, limit * 2);
  else if (!isShort && inFlight < limit / 8) slots.limit = Math.max(PLACES_LEAST, Math.floor(limit / 2));
  if (slots.limit > limit) slots.version += 1;
}

function forget({ lanes, destinations }: SlotsState, now: Date): void {
  for (const kept of [lanes, destinations]) {
    const isCrowded = kept.size > KEPT_MOST;
    for (const [key, { inFlight, restsSince }] of kept)
      if (inFlight === 0 && (isCrowded || now.getTime() - restsSince > REST_MS)) kept.delete(key);
  }
}

interface LaneCandidate {
  readonly lane: DueLane;
  readonly atLane: HeldSlots;
  readonly atDestination: HeldSlots;
}

/** A queue of lanes for each merchant, in the order given. */
function byMerchant(candidates: readonly LaneCandidate[]): [string, LaneCandidate[]][] {
  const queues = new Map<string, LaneCandidate[]>();
  for (const candidate of candidates) setDefault(queues, candidate.lane.merchantId, () => []).push(candidate);
  return [...queues];
}

function laneOf({ lanes }: SlotsState, { merchantId, destination }: Lane): HeldSlots & Lane {
  return setDefault(lanes, keyOf({ merchantId, destination }), () => ({
    merchantId,
    destination,
    ...nothingHeld(LANE_WINDOW),
  }));
}

function destinationOf({ destinations }: SlotsState, { destination }: Lane): HeldSlots {
  return setDefault(destinations, destination, () => nothingHeld(DESTINATION_WINDOW));
}

function heldByMerchants({ lanes }: SlotsState): Map<string, HeldByMerchant> {
  const merchants = new Map<string, HeldByMerchant>();
  for (const { merchantId, inFlight, window } of lanes.values()) {
    const merchant = setDefault(merchants, merchantId, nothingHeldByMerchant);
    merchant.inFlight += inFlight;
    if (!window.trusted) merchant.untrusted += inFlight;
  }
  return merchants;
}

const nothingHeld = (bounds: WindowBounds): HeldSlots => ({
  inFlight: 0,
  window: firstWindow(bounds),
  restsSince: 0,
});
const nothingHeldByMerchant = (): HeldByMerchant => ({ inFlight: 0, untrusted: 0 });

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
