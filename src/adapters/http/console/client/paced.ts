/**
 * Renewals of a page, bounded however often it hears of changes: at most one a second, never two at
 * once, and a slow server is asked for a tenth of the time at most. A change is never missed: one
 * that comes too soon is shown with the next renewal.
 */

const RENEW_EVERY_MS = 1_000;
/** The pause after a renewal, in times of what it took. */
const REST = 10;

interface Pace {
  /** Milliseconds; never decreases. */
  now(): number;
  after(ms: number, act: () => void): void;
}

const REAL: Pace = {
  now: () => performance.now(),
  after: (ms, act) => void setTimeout(act, ms),
};

export function paced(act: () => Promise<unknown>, { now, after }: Pace = REAL): () => void {
  let state: 'resting' | 'waiting' | 'busy' = 'resting';
  let wantedAgain = false;
  let nextAt = now();

  async function run(): Promise<void> {
    state = 'busy';
    const began = now();
    // What the server refused is shown with the next change.
    await act().catch(() => undefined);
    nextAt = began + Math.max(RENEW_EVERY_MS, (now() - began) * REST);
    state = 'resting';
    if (!wantedAgain) return;
    wantedAgain = false;
    want();
  }

  function want(): void {
    if (state === 'busy') wantedAgain = true;
    if (state !== 'resting') return;
    const wait = nextAt - now();
    if (wait <= 0) {
      void run();
      return;
    }
    state = 'waiting';
    after(wait, () => void run());
  }
  return want;
}
