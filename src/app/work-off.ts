/**
 * Works off a backlog in three overlapping steps: claiming ahead, many attempts at a time, and writing down finished ones in
 * batches. A slow attempt delays nobody else, and no step waits for another to be through with everything.
 */
export interface Steps<Job, Outcome> {
  /** Takes up to `limit` jobs; fewer than that means that there are no more for the moment. */
  claim(limit: number): Promise<readonly Job[]>;
  attempt(job: Job): Promise<Outcome>;
  record(outcomes: readonly Outcome[]): Promise<void>;
}

export interface Pace {
  readonly claim: number;
  /** Claims more when this many are left to start. */
  readonly claimAt: number;
  readonly inFlight: number;
  /** Most outcomes written at once. */
  readonly record: number;
  /** So many outcomes are written at once, fewer after `gatherMs` milliseconds or when nothing else is under way. */
  readonly gather: number;
  readonly gatherMs: number;
  /** While attempts hang, it looks for new jobs after this many milliseconds: they do not wait for the slowest of the old. */
  readonly againMs: number;
}

/**
 * Answers how many jobs were attempted. When a step fails it starts nothing more, lets what runs come to its end, writes
 * the outcomes it has, and rejects with the first failure.
 */
export function workOff<Job, Outcome>(steps: Steps<Job, Outcome>, pace: Pace): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const waiting: Job[] = [];
  const finished: Outcome[] = [];
  let attempts = 0;
  let attempting = 0;
  let claiming = false;
  let recording = false;
  let noMore = false;
  let failure: { readonly reason: unknown } | null = null;
  let again: ReturnType<typeof setTimeout> | null = null;
  let gathering: ReturnType<typeof setTimeout> | null = null;

  function goOn(): void {
    if (failure === null) {
      if (!claiming && !noMore && waiting.length <= pace.claimAt) claim();
      while (attempting < pace.inFlight && waiting.length > 0) attempt(waiting.shift() as Job);
    }
    if (!recording && finished.length > 0) recordOrGather();
    if (noMore && attempting > 0 && failure === null) again ??= setTimeout(lookAgain, pace.againMs);
    if (claiming || recording || attempting > 0) return;
    if (again !== null) clearTimeout(again);
    if (failure !== null) reject(failure.reason);
    else resolve(attempts);
  }

  function lookAgain(): void {
    again = null;
    noMore = false;
    goOn();
  }

  function fail(reason: unknown): void {
    failure ??= { reason };
  }

  function claim(): void {
    claiming = true;
    steps
      .claim(pace.claim)
      .then((jobs) => {
        waiting.push(...jobs);
        noMore = jobs.length < pace.claim;
      }, fail)
      .finally(() => {
        claiming = false;
        goOn();
      });
  }

  function attempt(job: Job): void {
    attempting++;
    attempts++;
    steps
      .attempt(job)
      .then((outcome) => finished.push(outcome), fail)
      .finally(() => {
        attempting--;
        goOn();
      });
  }

  function recordOrGather(): void {
    if (finished.length >= pace.gather || attempting === 0) recordNow();
    else gathering ??= setTimeout(recordNow, pace.gatherMs);
  }

  function recordNow(): void {
    if (gathering !== null) clearTimeout(gathering);
    gathering = null;
    if (!recording) record(finished.splice(0, pace.record));
  }

  function record(outcomes: readonly Outcome[]): void {
    recording = true;
    steps
      .record(outcomes)
      .catch(fail)
      .finally(() => {
        recording = false;
        goOn();
      });
  }

  goOn();
  return promise;
}
