/**
 * What one node may still be asked: calls a second and a day, as configured or as its refusals
 * taught. All that asks the node shares one budget, and the urgent goes first (safety.md R7). A
 * refusal stops all calls for as long as the node says.
 */
import type { NodeStanding, UsedOfDay } from '../../../../ports/chains/chain-nodes.ts';
import { type BudgetTime, type CallLog, callLog, systemTime } from './call-log.ts';
import { type LearntRate, lowerRate, nothingLearnt, RATE_MIN, raiseRate } from './learnt-rate.ts';
import { NodeLimited } from './node-errors.ts';
import { hasteNow, URGENCIES, type Urgency } from './urgency.ts';

export interface NodeBudget {
  /** How many calls fit into one request. */
  readonly callsAtOnce: number;
  /** Whether its calls are counted: a plan is configured, or the node refused some within a day. */
  readonly isMetered: boolean;
  /**
   * Resolves when so many calls may go out, at most `callsAtOnce`. Rejects with NodeLimited when
   * that takes too long.
   */
  take(calls: number): Promise<void>;
  /** The node answered so many calls, with so many bytes. */
  served(calls: number, bytes: number): void;
  /** The node refused calls because they were too many. */
  refused(refusal: NodeRefusal): void;
  /**
   * From when on the node may be asked, monotonic milliseconds. In the past if it may be asked now.
   */
  opensAt(): number;
  standing(): Pick<NodeStanding, 'used' | 'perSecond' | 'perDay'>;
  /** Adds what earlier processes used today. */
  recall(used: UsedOfDay): void;
}

export interface NodeRefusal {
  /** What the node itself said to wait, milliseconds; null when it said nothing. */
  readonly afterMs: number | null;
  /** Its allowance of a day or a month is used up. */
  readonly ofDay?: boolean;
}

/** A little more than a second: calls that leave evenly may arrive in a crowd. */
const WINDOW_MS = 1_050;
const DAY_MS = 86_400_000;
/** The share of a second's calls for blocks and audits. The rest is for heads and payouts. */
const PATIENT_SHARE = 0.75;
/** The shares of a day's calls. */
const SHARE_OF_DAY: Readonly<Record<Urgency, number>> = { payout: 1, head: 0.98, blocks: 0.95, audit: 0.8 };
/** How long a call waits for room. A suspended key rests for half a minute (TronGrid). */
const PATIENCE_MS: Readonly<Record<Urgency, number>> = {
  payout: 10_000,
  head: 10_000,
  blocks: 40_000,
  audit: 40_000,
};
const WITH_CHOICE_MS = 2_000;
const CALLS_AT_ONCE_MAX = 50;
/** Batches a second. Bigger ones would leave a part of each second unused. */
const REQUESTS_A_SECOND = 3;
/**
 * A refusal after so few calls in a second says nothing of the rate, except after so many in turn.
 */
const ASKED_LITTLE = 2;
const REFUSED_OFTEN = 3;
const LONGEST_WINDOW_MS = WINDOW_MS / RATE_MIN;
/** Pauses after a refusal, where the node names none. They double with each refusal in turn. */
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 60_000;
const PAUSE_OF_DAY_MS = 600_000;
const PAUSE_OF_DAY_MAX_MS = 3_600_000;
/** The longest pause that a node may name: its plan may be another one by then. */
const PAUSE_TOLD_MAX_MS = 3_600_000;

interface WaitingCalls {
  readonly calls: number;
  readonly urgency: Urgency;
  /** Monotonic milliseconds. */
  readonly until: number;
  go(): void;
  giveUp(error: NodeLimited): void;
}

interface BudgetOptions {
  readonly label: string;
  /** What the plan allows; null where that is not known. */
  readonly perSecond: number | null;
  readonly perDay: number | null;
  /** Whether there is a plan, with or without limits. Default false. */
  readonly hasPlan?: boolean;
  readonly time?: BudgetTime | undefined;
}

/** What is known of one node's budget. Times are monotonic milliseconds. */
interface NodeBudgetState extends Omit<BudgetOptions, 'time'> {
  readonly time: BudgetTime;
  readonly sent: CallLog;
  readonly answered: CallLog;
  readonly learnt: LearntRate;
  used: UsedOfDay;
  /** The most urgent first, and of these the one that came first. */
  queue: readonly WaitingCalls[];
  wakesAt: number;
  closedUntil: number;
  refusedAt: number;
  refusedInTurn: number;
}

export function nodeBudget(options: BudgetOptions): NodeBudget {
  const { perDay, hasPlan = false, time = systemTime } = options;
  const budget: NodeBudgetState = {
    ...options,
    time,
    sent: callLog(time, LONGEST_WINDOW_MS),
    answered: callLog(time, WINDOW_MS),
    learnt: nothingLearnt(),
    used: nothingUsed(time),
    queue: [],
    wakesAt: Number.POSITIVE_INFINITY,
    closedUntil: Number.NEGATIVE_INFINITY,
    refusedAt: Number.NEGATIVE_INFINITY,
    refusedInTurn: 0,
  };
  return {
    get callsAtOnce() {
      const room = Math.floor(roomFor(budget, 'blocks') / REQUESTS_A_SECOND);
      return Math.max(1, Math.min(CALLS_AT_ONCE_MAX, room));
    },
    get isMetered() {
      return hasPlan || time.now() - budget.refusedAt < DAY_MS;
    },
    take: (calls) => take(budget, calls),
    served: (calls, bytes) => served(budget, calls, bytes),
    refused: (refusal) => refused(budget, refusal),
    opensAt: () => budget.closedUntil,
    standing() {
      const perSecond = rateOf(budget);
      return {
        used: usedToday(budget),
        perSecond: Number.isFinite(perSecond) ? perSecond : null,
        perDay,
      };
    },
    recall: (used) => recall(budget, used),
  };
}

async function take(budget: NodeBudgetState, calls: number): Promise<void> {
  const { label, perDay, time } = budget;
  const { urgency, hasChoice } = hasteNow();
  if (perDay !== null && usedToday(budget).calls + calls > perDay * SHARE_OF_DAY[urgency])
    throw new NodeLimited(`${label}: the calls of today are used up`);
  if (hasChoice && budget.closedUntil > time.now()) throw noRoom(budget);
  await new Promise<void>((go, giveUp) => {
    const until = time.now() + (hasChoice ? WITH_CHOICE_MS : PATIENCE_MS[urgency]);
    budget.queue = [...budget.queue, { calls, urgency, until, go, giveUp }].toSorted(byUrgency);
    pump(budget);
  });
}

function served(budget: NodeBudgetState, calls: number, bytes: number): void {
  const now = budget.time.now();
  budget.answered.add(calls);
  const used = usedToday(budget);
  budget.used = { ...used, bytes: used.bytes + bytes };
  if (budget.closedUntil > now) return;
  budget.refusedInTurn = 0;
  raiseRate(budget.learnt, now);
}

function refused(budget: NodeBudgetState, { afterMs, ofDay = false }: NodeRefusal): void {
  const now = budget.time.now();
  budget.refusedAt = now;
  const used = usedToday(budget);
  budget.used = { ...used, refusals: used.refusals + 1 };
  // Only the first refusal of a moment counts: the others say the same.
  if (budget.closedUntil <= now) {
    budget.refusedInTurn += 1;
    const sent = budget.sent.within(WINDOW_MS);
    const tooFast = sent > ASKED_LITTLE || budget.refusedInTurn >= REFUSED_OFTEN;
    const asked = Math.min(rateOf(budget), Math.max(1, sent));
    if (tooFast && !ofDay)
      lowerRate(budget.learnt, { asked, answered: budget.answered.within(WINDOW_MS) }, now);
  }
  const [pause, most] = ofDay ? [PAUSE_OF_DAY_MS, PAUSE_OF_DAY_MAX_MS] : [PAUSE_MS, PAUSE_MAX_MS];
  const longer = Math.min(most, pause * 2 ** Math.min(budget.refusedInTurn - 1, 10));
  const closedUntil = now + Math.min(afterMs ?? longer, PAUSE_TOLD_MAX_MS);
  budget.closedUntil = Math.max(budget.closedUntil, closedUntil);
  giveUpLate(budget);
}

function recall(budget: NodeBudgetState, earlier: UsedOfDay): void {
  const { day, calls, refusals, bytes } = usedToday(budget);
  if (earlier.day !== day) return;
  budget.used = {
    day,
    calls: calls + earlier.calls,
    refusals: refusals + earlier.refusals,
    bytes: bytes + earlier.bytes,
  };
}

const noRoom = ({ label }: NodeBudgetState): NodeLimited =>
  new NodeLimited(`${label}: its limit leaves no room at present`);

/** Calls a second; infinite while no limit is known. */
const rateOf = ({ perSecond, learnt }: NodeBudgetState): number =>
  Math.min(perSecond ?? Number.POSITIVE_INFINITY, learnt.perSecond);

/**
 * The length of a window, and the calls that fit into it. A rate under one a second makes it
 * longer.
 */
function windowOf(budget: NodeBudgetState): { readonly ms: number; readonly most: number } {
  const allowed = rateOf(budget);
  return allowed < 1 ? { ms: WINDOW_MS / allowed, most: 1 } : { ms: WINDOW_MS, most: Math.floor(allowed) };
}

function roomFor(budget: NodeBudgetState, urgency: Urgency): number {
  const { most } = windowOf(budget);
  const isPatient = urgency === 'blocks' || urgency === 'audit';
  return isPatient ? Math.max(1, Math.floor(most * PATIENT_SHARE)) : most;
}

/** Milliseconds until so many calls may go. */
function waitFor(
  budget: NodeBudgetState,
  { calls, urgency }: Pick<WaitingCalls, 'calls' | 'urgency'>,
): number {
  const closed = budget.closedUntil - budget.time.now();
  return closed > 0 ? closed : budget.sent.untilRoom(calls, roomFor(budget, urgency), windowOf(budget).ms);
}

function usedToday(budget: NodeBudgetState): UsedOfDay {
  if (budget.used.day !== dayOf(budget.time)) budget.used = nothingUsed(budget.time);
  return budget.used;
}

/**
 * Lets calls go while there is room for the first of the queue. Comes back when there may be again.
 */
function pump(budget: NodeBudgetState): void {
  for (;;) {
    const [first, ...rest] = budget.queue;
    if (first === undefined) return;
    const wait = waitFor(budget, first);
    if (wait > 0) {
      wakeIn(budget, Math.min(wait, giveUpLate(budget)));
      return;
    }
    budget.queue = rest;
    budget.sent.add(first.calls);
    const used = usedToday(budget);
    budget.used = { ...used, calls: used.calls + first.calls };
    first.go();
  }
}

/** Rejects what cannot go in time. Returns the milliseconds until the next one may be too late. */
function giveUpLate(budget: NodeBudgetState): number {
  const now = budget.time.now();
  const late = budget.queue.filter((each) => now + waitFor(budget, each) > each.until);
  budget.queue = budget.queue.filter((each) => !late.includes(each));
  for (const each of late) each.giveUp(noRoom(budget));
  return Math.min(...budget.queue.map(({ until }) => until - now), Number.POSITIVE_INFINITY);
}

function wakeIn(budget: NodeBudgetState, ms: number): void {
  const at = budget.time.now() + ms;
  if (!Number.isFinite(at) || at >= budget.wakesAt) return;
  budget.wakesAt = at;
  budget.time.after(Math.ceil(ms), () => {
    budget.wakesAt = Number.POSITIVE_INFINITY;
    pump(budget);
  });
}

function byUrgency(a: WaitingCalls, b: WaitingCalls): number {
  return URGENCIES.indexOf(a.urgency) - URGENCIES.indexOf(b.urgency);
}

const dayOf = (time: BudgetTime): number => Math.floor(time.wall() / DAY_MS);

function nothingUsed(time: BudgetTime): UsedOfDay {
  return { day: dayOf(time), calls: 0, refusals: 0, bytes: 0 };
}
