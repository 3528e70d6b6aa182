/**
 * Works off a backlog in three overlapping steps: claiming what may start, making many attempts at
 * a time, and recording finished ones in batches. A slow attempt delays nobody else, and no step
 * waits until another has gone through everything.
 */
import type { Clock } from '../../ports/runtime/clock.ts';
import type { Timers } from '../../ports/runtime/timers.ts';

export interface Steps<Job, Outcome> {
  /** Claims the jobs that may start now. They begin in this order (Pace, `begin`). */
  claim(about: ClaimAbout): Promise<readonly Job[]>;
  /** Jobs are known to wait: another claim at the next tick is worth while. */
  waiting(): boolean;
  attempt(job: Job): Promise<Outcome>;
  record(outcomes: readonly Outcome[]): Promise<void>;
}

export interface ClaimAbout {
  /** It is time to look for jobs that are not known yet. */
  readonly look: boolean;
  /** The most by which the ticks since the last claim were late, in milliseconds. */
  readonly lateMs: number;
}

export interface Pace {
  readonly tickMs: number;
  /**
   * `most` attempts are under way before others wait. Every `everyMs`, `more` are added where fewer
   * than half as many ended meanwhile.
   */
  readonly begin: { readonly most: number; readonly more: number; readonly everyMs: number };
  /** It claims before the next tick when this many attempts have ended since the last claim. */
  readonly claimAt: number;
  /** It looks for new jobs every so many ticks: they do not wait for the slowest of the old. */
  readonly lookEvery: number;
  /** Most outcomes recorded at once. */
  readonly record: number;
  /**
   * So many outcomes are recorded at once; fewer at the second tick, or when nothing else is under
   * way.
   */
  readonly gather: number;
  /** After a stop it waits this long for attempts, and leaves the others to themselves. */
  readonly graceMs: number;
}

interface Outside {
  readonly timers: Timers;
  readonly clock: Clock;
  readonly stop?: AbortSignal;
}

/** A pipeline while it runs. Jobs and outcomes are passed on and never looked at. */
interface Run {
  readonly steps: Steps<unknown, unknown>;
  readonly pace: Pace;
  readonly outside: Outside;
  /** Settles the promise of the whole run. */
  readonly end: { readonly resolve: (attempts: number) => void; readonly reject: (reason: unknown) => void };
  readonly onStop: () => void;
  /** Claimed, to begin in this order. */
  readonly ready: unknown[];
  /** Ended, to be recorded. */
  readonly finished: unknown[];
  attempts: number;
  attempting: number;
  /** Most that may be under way at present. */
  attemptingMost: number;
  endedInStep: number;
  endedSinceClaim: number;
  hasEndedSinceLook: boolean;
  isClaiming: boolean;
  isRecording: boolean;
  /** Ticks at which outcomes were left to gather. */
  gatheredTicks: number;
  /** The latest tick since the last claim. */
  lateMs: number;
  ticksSinceLook: number;
  failure: { readonly reason: unknown } | null;
  /** The grace after a stop is over: what is under way still is not waited for. */
  abandoned: boolean;
  isOver: boolean;
  readonly cancel: { tick: (() => void) | null; step: (() => void) | null; grace: (() => void) | null };
}

/**
 * Answers how many jobs were attempted. When a step fails it starts nothing more, lets what runs
 * come to its end, records the outcomes it has, and rejects with the first failure. `stop` ends it
 * early, in the same order.
 */
export function runPipeline<Job, Outcome>(
  steps: Steps<Job, Outcome>,
  pace: Pace,
  outside: Outside,
): Promise<number> {
  const { promise, ...end } = Promise.withResolvers<number>();
  const run: Run = {
    steps,
    pace,
    outside,
    end,
    onStop: () => beginGrace(run),
    ready: [],
    finished: [],
    attempts: 0,
    attempting: 0,
    attemptingMost: pace.begin.most,
    endedInStep: 0,
    endedSinceClaim: 0,
    hasEndedSinceLook: false,
    isClaiming: false,
    isRecording: false,
    gatheredTicks: 0,
    lateMs: 0,
    ticksSinceLook: Number.POSITIVE_INFINITY,
    failure: null,
    abandoned: false,
    isOver: false,
    cancel: { tick: null, step: null, grace: null },
  };
  outside.stop?.addEventListener('abort', run.onStop);
  if (outside.stop?.aborted === true) run.onStop();
  else goOn(run);
  return promise;
}

const isEnding = ({ failure, outside }: Run): boolean => failure !== null || outside.stop?.aborted === true;

/** Begins whatever may begin now. Called after each thing that ends, and at each tick. */
function goOn(run: Run, ticked = false): void {
  if (run.isOver) return;
  if (!isEnding(run) && !run.isClaiming && mayClaim(run, ticked)) claim(run);
  if (!run.isRecording && mayRecord(run, ticked)) record(run);
  const { isClaiming, isRecording, attempting, ready, abandoned } = run;
  const isBusy = isClaiming || isRecording || ((attempting > 0 || ready.length > 0) && !abandoned);
  if (isBusy || (!isEnding(run) && run.steps.waiting())) tickLater(run);
  else finish(run);
}

function mayClaim(run: Run, ticked: boolean): boolean {
  const { pace, steps } = run;
  if (run.ticksSinceLook >= pace.lookEvery) return true;
  if (isLastLook(run) && !steps.waiting()) return true;
  return steps.waiting() && (ticked || run.endedSinceClaim >= pace.claimAt);
}

/**
 * The last look comes after the last attempt: what is handed on meanwhile does not wait for the
 * next run.
 */
const isLastLook = ({ attempting, hasEndedSinceLook }: Run): boolean => attempting === 0 && hasEndedSinceLook;

function mayRecord(run: Run, ticked: boolean): boolean {
  if (run.finished.length === 0) return false;
  if (ticked) run.gatheredTicks += 1;
  return run.finished.length >= run.pace.gather || run.attempting === 0 || run.gatheredTicks >= 2;
}

function tickLater(run: Run): void {
  if (run.cancel.tick !== null) return;
  const { timers, clock } = run.outside;
  const nowMs = () => clock.now().getTime();
  const due = nowMs() + run.pace.tickMs;
  run.cancel.tick = timers.after(run.pace.tickMs, () => {
    run.cancel.tick = null;
    run.ticksSinceLook += 1;
    run.lateMs = Math.max(run.lateMs, nowMs() - due);
    goOn(run, true);
  });
}

function claim(run: Run): void {
  const look = isLastLook(run) || run.ticksSinceLook >= run.pace.lookEvery;
  const about: ClaimAbout = { look, lateMs: run.lateMs };
  run.isClaiming = true;
  run.endedSinceClaim = 0;
  run.lateMs = 0;
  if (look) {
    run.ticksSinceLook = 0;
    run.hasEndedSinceLook = false;
  }
  run.steps
    .claim(about)
    .then(
      (jobs) => {
        run.ready.push(...jobs);
        beginReady(run);
      },
      (reason: unknown) => fail(run, reason),
    )
    .finally(() => {
      run.isClaiming = false;
      goOn(run);
    });
}

/**
 * Not all at once: of 200 webhooks under way each cost the process a third more than of 64 (bench
 * row webhook-dispatcher).
 */
function beginReady(run: Run): void {
  const { ready, pace } = run;
  if (run.failure !== null || run.abandoned) ready.length = 0;
  while (run.attempting < run.attemptingMost) {
    const job = ready.shift();
    if (job === undefined) break;
    attempt(run, job);
  }
  if (ready.length === 0) run.attemptingMost = Math.max(pace.begin.most, run.attempting);
  else stepLater(run);
}

function stepLater(run: Run): void {
  if (run.cancel.step !== null) return;
  const { more, everyMs } = run.pace.begin;
  run.endedInStep = 0;
  run.cancel.step = run.outside.timers.after(everyMs, () => {
    run.cancel.step = null;
    if (run.endedInStep < more / 2) run.attemptingMost = run.attempting + more;
    beginReady(run);
  });
}

function attempt(run: Run, job: unknown): void {
  run.attempting += 1;
  run.attempts += 1;
  run.steps
    .attempt(job)
    .then(
      (outcome) => run.finished.push(outcome),
      (reason: unknown) => fail(run, reason),
    )
    .finally(() => {
      run.attempting -= 1;
      run.endedSinceClaim += 1;
      run.endedInStep += 1;
      run.hasEndedSinceLook = true;
      beginReady(run);
      goOn(run);
    });
}

function record(run: Run): void {
  run.isRecording = true;
  run.gatheredTicks = 0;
  run.steps
    .record(run.finished.splice(0, run.pace.record))
    .catch((reason: unknown) => fail(run, reason))
    .finally(() => {
      run.isRecording = false;
      goOn(run);
    });
}

function fail(run: Run, reason: unknown): void {
  run.failure ??= { reason };
}

/** The stop: what is under way has `graceMs`. */
function beginGrace(run: Run): void {
  run.cancel.grace = run.outside.timers.after(run.pace.graceMs, () => {
    run.abandoned = true;
    goOn(run);
  });
  goOn(run);
}

function finish(run: Run): void {
  run.isOver = true;
  for (const cancel of Object.values(run.cancel)) cancel?.();
  run.outside.stop?.removeEventListener('abort', run.onStop);
  if (run.failure !== null) run.end.reject(run.failure.reason);
  else run.end.resolve(run.attempts);
}
