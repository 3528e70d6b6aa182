/**
 * The in-process scheduler: each second a croner tick starts the due jobs, each at most once at a
 * time. A tick only means "run what is due"; the jobs' own locks and leases make them safe on
 * several instances. It uses a monotonic clock, so that correcting a clock that was ahead does not
 * delay every job.
 */
import { Cron } from 'croner';
import type { Logger } from '../../ports/runtime/logger.ts';

export interface Job {
  readonly name: string;
  /** Due again this long after it ended; ticks come each second. */
  readonly everyMs: number;
  /** Calls `due` whenever the job should run before its interval, until `stopping` is aborted. */
  listen?(due: () => void, stopping: AbortSignal): void;
  /**
   * A failure is logged, and the job runs again when it is due: no run may depend on the one
   * before.
   */
  run(stopping: AbortSignal): Promise<void>;
  /** Jobs that become due when this one ends, for work that it passes on. */
  readonly handsOnTo?: readonly string[];
}

/** Earlier than every time: there is work for it now. */
const HANDED_ON = Number.NEGATIVE_INFINITY;

export interface Scheduler {
  start(): void;
  /** Starts nothing more, aborts running jobs, and waits for them for at most `graceMs`. */
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

  /** Also while it runs: the work may have arrived after its check. */
  function startNow(job: Job): void {
    dueAt.set(job.name, HANDED_ON);
    startIfDue(job);
  }

  async function runOnce(job: Job): Promise<void> {
    try {
      await job.run(stopping.signal);
    } catch (error) {
      // Being cut off by the stop is no failure.
      if (stopping.signal.aborted) return;
      deps.logger.error('job.failed', { job: job.name, error: describe(error) });
    }
    running.delete(job.name);
    // Work passed on to it while it ran may have arrived after its check.
    if (dueAt.get(job.name) === HANDED_ON) startIfDue(job);
    else dueAt.set(job.name, performance.now() + job.everyMs);
    for (const name of job.handsOnTo ?? []) {
      const next = byName.get(name);
      if (!next) throw new Error(`job ${job.name} hands on to ${name}, which does not exist`);
      startNow(next);
    }
  }

  let cron: Cron | null = null;

  return {
    start() {
      cron = new Cron('* * * * * *', { protect: true, catch: true }, () => {
        for (const job of jobs) startIfDue(job);
      });
      for (const job of jobs) job.listen?.(() => startNow(job), stopping.signal);
    },
    async stop(graceMs) {
      stopping.abort();
      cron?.stop();
      await Promise.race([Promise.all(running.values()), Bun.sleep(graceMs)]);
    },
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
