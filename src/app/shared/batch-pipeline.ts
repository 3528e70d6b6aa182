/**
 * Processes a backlog in three overlapping steps: it claims jobs, attempts many at a time, and
 * records finished ones in batches. A slow attempt delays no other, and no step waits until another
 * has processed everything.
 */
import type { Clock } from '../../ports/runtime/clock.ts';
import type { Timers } from '../../ports/runtime/timers.ts';

export interface Steps<Job, Outcome> {
  /** Claims the jobs that may start now. They start in this order, at the pace of `begin`. */
  claim(about: ClaimAbout): Promise<readonly Job[]>;
  /** Whether known jobs wait, so that the next tick should claim again. */
  waiting(): boolean;
  attempt(job: Job): Promise<Outcome>;
  /** Told what was claimed and is not attempted, because the run ends. */
  leave(jobs: readonly Job[]): void;
  record(outcomes: readonly Outcome[]): Promise<void>;
}

export interface ClaimAbout {
  /** Whether to look for jobs that are not known yet. */
  readonly look: boolean;
  /** The longest delay of a tick since the last claim, in milliseconds. */
  readonly lateMs: number;
}

export interface Pace {
  readonly tickMs: number;
  /**
   * At first at most `most` attempts run at a time. Every `everyMs` the limit rises by `more` if
   * fewer than half as many ended meanwhile.
   */
  readonly begin: { readonly most: number; readonly more: number; readonly everyMs: number };
  /** Claims before the next tick when this many attempts have ended since the last claim. */
  readonly claimAt: number;
  /**
   * Looks for new jobs every so many ticks, so that they do not wait for the slowest earlier job.
   */
  readonly lookEvery: number;
  /** Most outcomes recorded in one batch. */
  readonly record: number;
  /**
   * Outcomes are recorded when this many have gathered; fewer are recorded at the second tick, or
   * when no attempt is running.
   */
  readonly gather: number;
  /** How long a stop waits for running attempts before it abandons them. */
  readonly graceMs: number;
}

interface PipelinePorts {
  readonly timers: Timers;
  readonly clock: Clock;
  readonly stop?: AbortSignal;
}

/** A running pipeline. It passes jobs and outcomes on and never reads them. */
interface PipelineRun {
  readonly steps: Steps<unknown, unknown>;
  readonly pace: Pace;
  readonly outside: PipelinePorts;
  /** Settles the promise of the whole run. */
  readonly end: { readonly resolve: (attempts: number) => void; readonly reject: (reason: unknown) => void };
  readonly onStop: () => void;
  /** Claimed jobs, in the order in which they start. */
  readonly ready: unknown[];
  /** Outcomes to record. */
  readonly finished: unknown[];
  attempts: number;
  attempting: number;
  /** Most attempts that may run at present. */
  attemptingMost: number;
  endedInStep: number;
  endedSinceClaim: number;
  hasEndedSinceLook: boolean;
  isClaiming: boolean;
  isRecording: boolean;
  /** Ticks at which outcomes were left to gather. */
  gatheredTicks: number;
  /** The longest delay of a tick since the last claim, in milliseconds. */
  lateMs: number;
  ticksSinceLook: number;
  failure: { readonly reason: unknown } | null;
  /** The grace after a stop has ended: running attempts are no longer waited for. */
  abandoned: boolean;
  isOver: boolean;
  readonly cancel: { tick: (() => void) | null; step: (() => void) | null; grace: (() => void) | null };
}

/**
 * Returns how many jobs were attempted. When a step fails, the pipeline starts nothing more, lets
 * running steps end, records their outcomes, and rejects with the first failure. `stop` ends it
 * early in the same order.
 */
export function runPipeline<Job, Outcome>(
  steps: Steps<Job, Outcome>,
  pace: Pace,
  outside: PipelinePorts,
): Promise<number> {
  const { promise, ...end } = Promise.withResolvers<number>();
  const run: PipelineRun = {
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

const isEnding = ({ failure, outside }: PipelineRun): boolean =>
  failure !== null || outside.stop?.aborted === true;

/** Starts whatever may start now. Called after each end of a step, and at each tick. */
function goOn(run: PipelineRun, ticked = false): void {
  if (run.isOver) return;
  if (!isEnding(run) && !run.isClaiming && mayClaim(run, ticked)) claim(run);
  if (!run.isRecording && mayRecord(run, ticked)) record(run);
  const { isClaiming, isRecording, attempting, ready, abandoned } = run;
  const isBusy = isClaiming || isRecording || ((attempting > 0 || ready.length > 0) && !abandoned);
  if (isBusy || (!isEnding(run) && run.steps.waiting())) tickLater(run);
  else finish(run);
}

function mayClaim(run: PipelineRun, ticked: boolean): boolean {
  const { pace, steps } = run;
  if (run.ticksSinceLook >= pace.lookEvery) return true;
  if (isLastLook(run) && !steps.waiting()) return true;
  return steps.waiting() && (ticked || run.endedSinceClaim >= pace.claimAt);
}

/**
 * The last look comes after the last attempt, so that jobs handed on meanwhile do not wait for the
 * next run.
 */
const isLastLook = ({ attempting, hasEndedSinceLook }: PipelineRun): boolean =>
  attempting === 0 && hasEndedSinceLook;

function mayRecord(run: PipelineRun, ticked: boolean): boolean {
  if (run.finished.length === 0) return false;
  if (ticked) run.gatheredTicks += 1;
  return run.finished.length >= run.pace.gather || run.attempting === 0 || run.gatheredTicks >= 2;
}

function tickLater(run: PipelineRun): void {
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

function claim(run: PipelineRun): void {
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
 * Starts a limited number: each of 200 webhooks at a time cost the process a third more than each
 * of 64 (bench row webhook-dispatcher).
 */
function beginReady(run: PipelineRun): void {
  const { ready, pace } = run;
  if (ready.length > 0 && (run.failure !== null || run.abandoned)) run.steps.leave(ready.splice(0));
  while (run.attempting < run.attemptingMost) {
    const job = ready.shift();
    if (job === undefined) break;
    attempt(run, job);
  }
  if (ready.length === 0) run.attemptingMost = Math.max(pace.begin.most, run.attempting);
  else stepLater(run);
}

function stepLater(run: PipelineRun): void {
  if (run.cancel.step !== null) return;
  const { more, everyMs } = run.pace.begin;
  run.endedInStep = 0;
  run.cancel.step = run.outside.timers.after(everyMs, () => {
    run.cancel.step = null;
    if (run.endedInStep < more / 2) run.attemptingMost = run.attempting + more;
    beginReady(run);
  });
}

function attempt(run: PipelineRun, job: unknown): void {
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

function record(run: PipelineRun): void {
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

function fail(run: PipelineRun, reason: unknown): void {
  run.failure ??= { reason };
}

/** The stop: running attempts have `graceMs` left. */
function beginGrace(run: PipelineRun): void {
  run.cancel.grace = run.outside.timers.after(run.pace.graceMs, () => {
    run.abandoned = true;
    goOn(run);
  });
  goOn(run);
}

function finish(run: PipelineRun): void {
  run.isOver = true;
  for (const cancel of Object.values(run.cancel)) cancel?.();
  run.outside.stop?.removeEventListener('abort', run.onStop);
  if (run.failure !== null) run.end.reject(run.failure.reason);
  else run.end.resolve(run.attempts);
}
