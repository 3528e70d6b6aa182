/**
 * Works off a backlog in three overlapping steps: claiming what may start, making many attempts at a time, and writing down
 * finished ones in batches. A slow attempt delays nobody else, and no step waits for another to be through with everything.
 */
import type { Clock } from '../../ports/runtime/clock.ts';
import type { Timers } from '../../ports/runtime/timers.ts';

export interface Steps<Job, Outcome> {
  /** Takes the jobs that may start now: they are begun in this order (Pace, `begin`). */
  claim(about: ClaimAbout): Promise<readonly Job[]>;
  /** Jobs are known to wait, so that it is worth while to claim again at the next tick. */
  waiting(): boolean;
  attempt(job: Job): Promise<Outcome>;
  record(outcomes: readonly Outcome[]): Promise<void>;
}

export interface ClaimAbout {
  /** It is time to look for jobs that are not known yet. */
  readonly look: boolean;
  /** How late the last ticks came at most, in milliseconds. */
  readonly lateMs: number;
}

export interface Pace {
  readonly tickMs: number;
  /** How many attempts are under way before others wait, and how many more are begun at each step in which fewer than half of that ended. */
  readonly begin: { readonly most: number; readonly more: number; readonly everyMs: number };
  /** Claims before the next tick when this many attempts have ended since the last claim. */
  readonly claimAt: number;
  /** It looks for new jobs every so many ticks: they do not wait for the slowest of the old. */
  readonly lookEvery: number;
  /** Most outcomes written at once. */
  readonly record: number;
  /** So many outcomes are written at once, fewer at the second tick or when nothing else is under way. */
  readonly gather: number;
  /** Once it is told to stop, it waits this long for attempts, and leaves the others to themselves. */
  readonly graceMs: number;
}

/**
 * Answers how many jobs were attempted. When a step fails it starts nothing more, lets what runs come to its end, writes
 * the outcomes it has, and rejects with the first failure. `stop` ends it early, in the same order.
 */
export function runPipeline<Job, Outcome>(
  steps: Steps<Job, Outcome>,
  pace: Pace,
  { timers, clock, stop }: { timers: Timers; clock: Clock; stop?: AbortSignal },
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  /** Claimed, and to begin in this order. */
  const ready: Job[] = [];
  const finished: Outcome[] = [];
  let attempts = 0;
  let attempting = 0;
  let underWayMost = pace.begin.most;
  let endedInStep = 0;
  let endedSinceClaim = 0;
  let endedSinceLook = false;
  let claiming = false;
  let recording = false;
  let gatheredTicks = 0;
  let lateMs = 0;
  let ticksSinceLook = Number.POSITIVE_INFINITY;
  let failure: { readonly reason: unknown } | null = null;
  let abandoned = false;
  let over = false;
  let cancelTick: (() => void) | null = null;
  let cancelStep: (() => void) | null = null;
  let cancelGrace: (() => void) | null = null;
  const nowMs = () => clock.now().getTime();
  const ending = () => failure !== null || stop?.aborted === true;

  function goOn(ticked = false): void {
    if (over) return;
    if (!ending() && !claiming && mayClaim(ticked)) claim();
    if (!recording && mayRecord(ticked)) record();
    const isBusy = claiming || recording || ((attempting > 0 || ready.length > 0) && !abandoned);
    if (isBusy || (!ending() && steps.waiting())) tickLater();
    else finish();
  }

  function mayClaim(ticked: boolean): boolean {
    if (ticksSinceLook >= pace.lookEvery) return true;
    // The last look before the end comes after the last attempt: what is handed on meanwhile does not wait for the next run.
    if (attempting === 0 && endedSinceLook && !steps.waiting()) return true;
    return steps.waiting() && (ticked || endedSinceClaim >= pace.claimAt);
  }

  function mayRecord(ticked: boolean): boolean {
    if (finished.length === 0) return false;
    if (ticked) gatheredTicks += 1;
    return finished.length >= pace.gather || attempting === 0 || gatheredTicks >= 2;
  }

  function tickLater(): void {
    if (cancelTick !== null) return;
    const due = nowMs() + pace.tickMs;
    cancelTick = timers.after(pace.tickMs, () => {
      cancelTick = null;
      ticksSinceLook += 1;
      lateMs = Math.max(lateMs, nowMs() - due);
      goOn(true);
    });
  }

  function claim(): void {
    claiming = true;
    endedSinceClaim = 0;
    const isLast = attempting === 0 && endedSinceLook;
    const about: ClaimAbout = { look: isLast || ticksSinceLook >= pace.lookEvery, lateMs };
    if (about.look) {
      ticksSinceLook = 0;
      endedSinceLook = false;
    }
    lateMs = 0;
    steps
      .claim(about)
      .then((jobs) => {
        ready.push(...jobs);
        beginReady();
      }, fail)
      .finally(() => {
        claiming = false;
        goOn();
      });
  }

  /** Not all at once: of 200 webhooks under way each cost the process a third more than of 64 (bench row webhook-dispatcher). */
  function beginReady(): void {
    if (failure !== null || abandoned) ready.length = 0;
    while (attempting < underWayMost) {
      const job = ready.shift();
      if (job === undefined) break;
      attempt(job);
    }
    if (ready.length === 0) underWayMost = Math.max(pace.begin.most, attempting);
    else stepLater();
  }

  function stepLater(): void {
    if (cancelStep !== null) return;
    endedInStep = 0;
    cancelStep = timers.after(pace.begin.everyMs, () => {
      cancelStep = null;
      if (endedInStep < pace.begin.more / 2) underWayMost = attempting + pace.begin.more;
      beginReady();
    });
  }

  function attempt(job: Job): void {
    attempting += 1;
    attempts += 1;
    steps
      .attempt(job)
      .then((outcome) => finished.push(outcome), fail)
      .finally(() => {
        attempting -= 1;
        endedSinceClaim += 1;
        endedInStep += 1;
        endedSinceLook = true;
        beginReady();
        goOn();
      });
  }

  function record(): void {
    recording = true;
    gatheredTicks = 0;
    steps
      .record(finished.splice(0, pace.record))
      .catch(fail)
      .finally(() => {
        recording = false;
        goOn();
      });
  }

  function fail(reason: unknown): void {
    failure ??= { reason };
  }

  function onStop(): void {
    cancelGrace = timers.after(pace.graceMs, () => {
      abandoned = true;
      goOn();
    });
    goOn();
  }

  function finish(): void {
    over = true;
    cancelTick?.();
    cancelStep?.();
    cancelGrace?.();
    stop?.removeEventListener('abort', onStop);
    if (failure !== null) reject(failure.reason);
    else resolve(attempts);
  }

  stop?.addEventListener('abort', onStop);
  if (stop?.aborted === true) onStop();
  else goOn();
  return promise;
}
