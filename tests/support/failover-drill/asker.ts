/** Requests of a drill, and how each was answered: with a success, refused with 503, or wrongly. */
import type { Answer, TestService } from '../test-service.ts';

/** Every request must be answered or refused within this time. */
const ANSWERED_MS = 5_000;
const GIVE_UP_MS = 60_000;

export interface Asked {
  readonly requests: number;
  readonly acknowledged: number;
  /** 503 UNAVAILABLE in the envelope: what a caller may be told while the database is away. */
  readonly refused: number;
  /** Anything else: another status, another shape, a cut connection. */
  readonly wrong: readonly string[];
  readonly slowestMs: number;
  /** Requests that took longer than ANSWERED_MS. */
  readonly hung: number;
}

export interface Asker {
  /** Null where the answer was no success; a pause is made then, as clients do. */
  ask(...request: Parameters<TestService['call']>): Promise<Answer | null>;
  wrong(what: string): void;
  asked(): Asked;
}

export function asker(it: Pick<TestService, 'call'>): Asker {
  const tally = { requests: 0, acknowledged: 0, refused: 0, slowestMs: 0, hung: 0 };
  const faults = new Map<string, number>();
  const wrong = (what: string) => {
    faults.set(what, (faults.get(what) ?? 0) + 1);
  };
  return {
    wrong,
    async ask(...request) {
      const began = performance.now();
      const answer = await Promise.race([
        it.call(...request).catch((error: unknown) => String(error)),
        Bun.sleep(GIVE_UP_MS).then(() => 'no answer at all'),
      ]);
      const tookMs = Math.round(performance.now() - began);
      tally.requests += 1;
      tally.slowestMs = Math.max(tally.slowestMs, tookMs);
      if (tookMs > ANSWERED_MS) tally.hung += 1;
      if (typeof answer !== 'string' && answer.status < 300) {
        tally.acknowledged += 1;
        return answer;
      }
      if (typeof answer !== 'string' && answer.status === 503) tally.refused += 1;
      else wrong(typeof answer === 'string' ? answer : `${answer.status} ${JSON.stringify(answer.body)}`);
      await Bun.sleep(10);
      return null;
    },
    asked: () => ({
      ...tally,
      wrong: [...faults].map(([what, times]) => `${times} x ${what.slice(0, 200)}`),
    }),
  };
}
