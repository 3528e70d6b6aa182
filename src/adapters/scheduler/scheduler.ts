/**
 * The in-process dispatcher: a croner tick each second starts what is due, each job at most once at a time. A tick only
 * says "run what is due"; what makes jobs safe on several instances are the locks and leases inside them. It reckons by a clock that
 * only goes forward: one that was ahead and is set right must not keep every job waiting.
 */
import { Cron } from 'croner';
import type { Logger } from '../../ports/runtime/logger.ts';

export interface Job {
  readonly name: string;
  /** Due again this long after it ended; ticks come each second. */
  readonly everyMs: number;
  /** Calls `due` whenever there is a reason to run before its time, until `stopping` is aborted. */
  listen?(due: () => void, stopping: AbortSignal): void;
  /** A failure is logged and the job runs again when it is due: nothing that a job does may depend on its last run. */
  run(stopping: AbortSignal): Promise<void>;
  /** Jobs that are due at once when this one ends, for work that it hands on. */
  readonly handsOnTo?: readonly string[];
}

/** Due before every time: there is work for it now. */
const HANDED_ON = Number.NEGATIVE_INFINITY;

export interface Scheduler {
  start(): void;
  /** Starts nothing more, tells what runs to end, and waits for that for at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export function scheduler(jobs: readonly Job[], deps: { logger: Logger }): Scheduler {
  const dueAt = new Map(jobs.map((job) => [job.name, 0]));
  const running = new Map<string, Promise<void>>();
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const stopping = new AbortController();

  function startIfDue(job: Job): void {
    if (stopping.signal.aborted || running.has(job.name)) return;
    if ((dueAt.get(job.name) ?? 0) > performance.now()) return;
    dueAt.set(job.name, Number.POSITIVE_INFINITY);
    running.set(job.name, runOnce(job));
  }

  /** Also where it runs: what there is to do may have come after it looked. */
  function startNow(job: Job): void {
    dueAt.set(job.name, HANDED_ON);
    startIfDue(job);
  }

  async function runOnce(job: Job): Promise<void> {
    try {
      await job.run(stopping.signal);
    } catch (error) {
      // What it was cut off from at the end is no fault.
      if (stopping.signal.aborted) return;
      deps.logger.error('job.failed', { job: job.name, error: describe(error) });
    }
    running.delete(job.name);
    // What was handed on to it while it ran may have come after it looked.
    if (dueAt.get(job.name) === HANDED_ON) startIfDue(job);
    else dueAt.set(job.name, performance.now() + job.everyMs);
    for (const name of job.handsOnTo ?? []) {
      const next = byName.get(name);
      if (!next) throw new Error(`job ${job.name} hands on to ${name}, which does not exist`);
      startNow(next);
    }
  }

  const cron = new Cron('* * * * * *', { paused: true, protect: true, catch: true }, () => {
    for (const job of jobs) startIfDue(job);
  });

  return {
    start() {
      cron.resume();
      for (const job of jobs) job.listen?.(() => startNow(job), stopping.signal);
    },
    async stop(graceMs) {
      stopping.abort();
      cron.stop();
      await Promise.race([Promise.all(running.values()), Bun.sleep(graceMs)]);
    },
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
