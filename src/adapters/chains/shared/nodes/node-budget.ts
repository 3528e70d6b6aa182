/**
 * What one node may still be asked: calls a second and a day, as configured or as its refusals taught. All that asks the node
 * shares one budget, the urgent before the rest (safety.md R7). A refusal stops all calls for as long as the node says and
 * lowers the rate; time without one raises it again.
 */
import type { NodeStanding, UsedOfDay } from '../../../../ports/chains/chain-nodes.ts';
import { type BudgetTime, callLog, systemTime } from './call-log.ts';
import { NodeLimited } from './node-errors.ts';
import { hasteNow, URGENCIES, type Urgency } from './urgency.ts';

export interface NodeBudget {
  /** How many calls fit into one request. */
  readonly callsAtOnce: number;
  /** Whether its calls are counted: its plan is configured, or it refused some within a day. */
  readonly isMetered: boolean;
  /** Resolves when so many calls may go out, at most `callsAtOnce`. Rejects with NodeLimited when that takes too long. */
  take(calls: number): Promise<void>;
  /** The node answered so many calls, with so many bytes. */
  served(calls: number, bytes: number): void;
  /** The node said that it is too much. */
  refused(refusal: Refusal): void;
  /** Monotonic milliseconds from which on it may be asked; in the past when it may be asked now. */
  opensAt(): number;
  standing(): Pick<NodeStanding, 'used' | 'perSecond' | 'perDay'>;
  /** What was used today by earlier processes, too. */
  recall(used: UsedOfDay): void;
}

export interface Refusal {
  /** What the node itself said to wait, milliseconds; null when it said nothing. */
  readonly afterMs: number | null;
  /** Its allowance of a day or a month is used up. */
  readonly ofDay?: boolean;
}

/** A little more than a second: what left evenly may arrive in a crowd. */
const WINDOW_MS = 1_050;
const DAY_MS = 86_400_000;
/** Of the calls of a second, what blocks and audits may take: the rest is for heads and payouts. */
const PATIENT_SHARE = 0.75;
/** Of the calls of a day likewise. */
const SHARE_OF_DAY: Readonly<Record<Urgency, number>> = { payout: 1, head: 0.98, blocks: 0.95, audit: 0.8 };
/** A suspended key waits half a minute (TronGrid). */
const PATIENCE_MS: Readonly<Record<Urgency, number>> = {
  payout: 10_000,
  head: 10_000,
  blocks: 40_000,
  audit: 40_000,
};
const WITH_CHOICE_MS = 2_000;
const CALLS_AT_ONCE_MAX = 50;
/** Of batches: bigger ones would leave a part of each second unused. */
const REQUESTS_A_SECOND = 3;
/** After a refusal, of the rate that was asked; of what was answered in the second before. */
const LOWERED_TO = 0.75;
const OF_ANSWERED = 0.9;
const LOWERED_AT_MOST_TO = 0.25;
const RATE_MIN = 0.5;
/** Who asked no more than this in the second before a refusal learns nothing from it, but from so many in turn. */
const ASKED_LITTLE = 2;
const REFUSED_OFTEN = 3;
const LONGEST_WINDOW_MS = WINDOW_MS / RATE_MIN;
/** Without a refusal the rate rises so much, in each so many milliseconds. */
const RAISED_BY = 0.1;
const RAISED_AT_LEAST_BY = 0.5;
const RAISE_EVERY_MS = 2_000;
/** The rate that was refused is not tried again for a while, which doubles with every refusal that follows an answer. */
const BELOW_REFUSED = 0.95;
const REMEMBERED_MS = 300_000;
const REMEMBERED_MAX_MS = 3_600_000;
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 60_000;
const PAUSE_OF_DAY_MS = 600_000;
const PAUSE_OF_DAY_MAX_MS = 3_600_000;
/** The plan may be another one by then, whatever the node said. */
const PAUSE_TOLD_MAX_MS = 3_600_000;

interface Waiting {
  readonly calls: number;
  readonly urgency: Urgency;
  /** Monotonic milliseconds. */
  readonly until: number;
  go(): void;
  giveUp(error: NodeLimited): void;
}

/** `perSecond`, `perDay`: what the plan allows; null where that is not known. `hasPlan`: there is one, whatever it allows. */
export function nodeBudget(options: {
  label: string;
  perSecond: number | null;
  perDay: number | null;
  hasPlan?: boolean;
  time?: BudgetTime | undefined;
}): NodeBudget {
  const { label, perSecond, perDay, hasPlan = false, time = systemTime } = options;
  const sent = callLog(time, LONGEST_WINDOW_MS);
  const answered = callLog(time, WINDOW_MS);
  let used: UsedOfDay = nothingUsed(time);
  /** The most urgent first, and of these the one that came first. */
  let queue: readonly Waiting[] = [];
  let wakesAt = Number.POSITIVE_INFINITY;
  let closedUntil = Number.NEGATIVE_INFINITY;
  let refusedAt = Number.NEGATIVE_INFINITY;
  let refusedInTurn = 0;
  /** One of these refusals taught already. */
  let taughtInTurn = false;
  /** What refusals taught; infinite: nothing yet. */
  let learnt = Number.POSITIVE_INFINITY;
  let raisedAt = 0;
  let refusedRate = { rate: Number.POSITIVE_INFINITY, until: 0, forMs: REMEMBERED_MS };

  const noRoom = (): NodeLimited => new NodeLimited(`${label}: its limit leaves no room at present`);
  const rate = (): number => Math.min(perSecond ?? Number.POSITIVE_INFINITY, learnt);

  /** How many calls a window of which length takes. A rate under one a second makes the window longer. */
  function window(): { readonly ms: number; readonly most: number } {
    const allowed = rate();
    return allowed < 1 ? { ms: WINDOW_MS / allowed, most: 1 } : { ms: WINDOW_MS, most: Math.floor(allowed) };
  }

  function roomFor(urgency: Urgency): number {
    const { most } = window();
    const isPatient = urgency === 'blocks' || urgency === 'audit';
    return isPatient ? Math.max(1, Math.floor(most * PATIENT_SHARE)) : most;
  }

  /** Milliseconds until so many calls may go. */
  function waitFor({ calls, urgency }: Pick<Waiting, 'calls' | 'urgency'>): number {
    const closed = closedUntil - time.now();
    return closed > 0 ? closed : sent.untilRoom(calls, roomFor(urgency), window().ms);
  }

  function ofToday(): UsedOfDay {
    if (used.day !== dayOf(time)) used = nothingUsed(time);
    return used;
  }

  function send(calls: number): void {
    sent.add(calls);
    used = { ...ofToday(), calls: ofToday().calls + calls };
  }

  function pump(): void {
    for (;;) {
      const [first, ...rest] = queue;
      if (first === undefined) return;
      const wait = waitFor(first);
      if (wait > 0) {
        wakeIn(Math.min(wait, giveUpLate()));
        return;
      }
      queue = rest;
      send(first.calls);
      first.go();
    }
  }

  /** Gives up what cannot go in time; answers the milliseconds until another one may have to. */
  function giveUpLate(): number {
    const now = time.now();
    const late = queue.filter((each) => now + waitFor(each) > each.until);
    queue = queue.filter((each) => !late.includes(each));
    for (const each of late) each.giveUp(noRoom());
    return Math.min(...queue.map(({ until }) => until - now), Number.POSITIVE_INFINITY);
  }

  function wakeIn(ms: number): void {
    const at = time.now() + ms;
    if (!Number.isFinite(at) || at >= wakesAt) return;
    wakesAt = at;
    time.after(Math.ceil(ms), () => {
      wakesAt = Number.POSITIVE_INFINITY;
      pump();
    });
  }

  /** One refusal teaches; the others of the same moment say the same. */
  function learn(now: number): void {
    const asked = Math.min(rate(), Math.max(1, sent.within(WINDOW_MS)));
    const taught = Math.max(answered.within(WINDOW_MS) * OF_ANSWERED, asked * LOWERED_AT_MOST_TO);
    learnt = Math.max(RATE_MIN, Math.min(asked * LOWERED_TO, taught));
    raisedAt = now;
    // Without an answer in between they say nothing of a rate: the node is closed.
    if (taughtInTurn) return;
    taughtInTurn = true;
    const forMs = Math.min(
      REMEMBERED_MAX_MS,
      refusedRate.until === 0 ? REMEMBERED_MS : refusedRate.forMs * 2,
    );
    refusedRate = { rate: asked, until: now + forMs, forMs };
  }

  function rise(now: number): void {
    if (learnt === Number.POSITIVE_INFINITY || now - raisedAt < RAISE_EVERY_MS) return;
    raisedAt = now;
    const raised = learnt + Math.max(RAISED_AT_LEAST_BY, learnt * RAISED_BY);
    const most = now < refusedRate.until ? refusedRate.rate * BELOW_REFUSED : Number.POSITIVE_INFINITY;
    learnt = Math.max(learnt, Math.min(raised, most));
  }

  return {
    get callsAtOnce() {
      return Math.max(1, Math.min(CALLS_AT_ONCE_MAX, Math.floor(roomFor('blocks') / REQUESTS_A_SECOND)));
    },
    get isMetered() {
      return hasPlan || time.now() - refusedAt < DAY_MS;
    },
    async take(calls) {
      const { urgency, hasChoice } = hasteNow();
      if (perDay !== null && ofToday().calls + calls > perDay * SHARE_OF_DAY[urgency])
        throw new NodeLimited(`${label}: the calls of today are used up`);
      if (hasChoice && closedUntil > time.now()) throw noRoom();
      await new Promise<void>((go, giveUp) => {
        const until = time.now() + (hasChoice ? WITH_CHOICE_MS : PATIENCE_MS[urgency]);
        queue = [...queue, { calls, urgency, until, go, giveUp }].toSorted(byUrgency);
        pump();
      });
    },
    served(calls, bytes) {
      const now = time.now();
      answered.add(calls);
      used = { ...ofToday(), bytes: ofToday().bytes + bytes };
      if (closedUntil > now) return;
      refusedInTurn = 0;
      taughtInTurn = false;
      rise(now);
    },
    refused({ afterMs, ofDay = false }) {
      const now = time.now();
      refusedAt = now;
      used = { ...ofToday(), refusals: ofToday().refusals + 1 };
      if (closedUntil <= now) {
        refusedInTurn += 1;
        const tooFast = sent.within(WINDOW_MS) > ASKED_LITTLE || refusedInTurn >= REFUSED_OFTEN;
        if (tooFast && !ofDay) learn(now);
      }
      const [pause, most] = ofDay ? [PAUSE_OF_DAY_MS, PAUSE_OF_DAY_MAX_MS] : [PAUSE_MS, PAUSE_MAX_MS];
      const longer = Math.min(most, pause * 2 ** Math.min(refusedInTurn - 1, 10));
      closedUntil = Math.max(closedUntil, now + Math.min(afterMs ?? longer, PAUSE_TOLD_MAX_MS));
      giveUpLate();
    },
    opensAt: () => closedUntil,
    standing: () => ({
      used: ofToday(),
      perSecond: Number.isFinite(rate()) ? rate() : null,
      perDay,
    }),
    recall(earlier) {
      const { day, calls, refusals, bytes } = ofToday();
      if (earlier.day !== day) return;
      used = {
        day,
        calls: calls + earlier.calls,
        refusals: refusals + earlier.refusals,
        bytes: bytes + earlier.bytes,
      };
    },
  };
}

function byUrgency(a: Waiting, b: Waiting): number {
  return URGENCIES.indexOf(a.urgency) - URGENCIES.indexOf(b.urgency);
}

const dayOf = (time: BudgetTime): number => Math.floor(time.wall() / DAY_MS);

function nothingUsed(time: BudgetTime): UsedOfDay {
  return { day: dayOf(time), calls: 0, refusals: 0, bytes: 0 };
}
