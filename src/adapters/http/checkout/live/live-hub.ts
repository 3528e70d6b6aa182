/**
 * Watches every open checkout of this process with one statement a second, and with none while no
 * page is open. An outage of the database ends no stream: the next tick asks again.
 */
import type { Application } from '../../../../app/application.ts';
import { StorageUnavailable } from '../../../../ports/repositories.ts';
import type { Clock } from '../../../../ports/runtime/clock.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';

/** An open page. */
export interface Viewer {
  readonly externalId: string;
  readonly since: Date;
  /** The last state that was sent to it. */
  told: string;
  tell(state: string): void;
  /** Keeps proxies from closing an idle connection. */
  beat(): void;
  end(): void;
}

export interface LiveHub {
  /** False once the hub is closed. */
  join(viewer: Viewer): boolean;
  leave(viewer: Viewer): void;
  /** Ends every stream and accepts no more. */
  close(): void;
}

export interface LivePace {
  readonly everyMs: number;
  /** Below the idle timeout of this server and of common proxies, which is 60 s. */
  readonly beatMs: number;
  /** A stream ends after this. A page that is still open connects again, and is counted again. */
  readonly longestMs: number;
}

/**
 * At most this many pages are notified in one tick, since each of them fetches itself. A chain that
 * starts or stops to lag changes thousands of pages together.
 */
const TOLD_AT_ONCE = 500;

const LIVE_PACE: LivePace = { everyMs: 1_000, beatMs: 20_000, longestMs: 4 * 3_600_000 };

export function liveHub(deps: {
  readonly liveStates: Application['liveStates'];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pace?: Partial<LivePace>;
}): LiveHub {
  const { liveStates, clock, logger } = deps;
  const pace = { ...LIVE_PACE, ...deps.pace };
  const viewers = new Set<Viewer>();
  let timer: ReturnType<typeof setInterval> | null = null;
  let beatAt = 0;
  let asking = false;
  let failing = false;
  let closed = false;

  function tick(): void {
    const now = clock.now().getTime();
    for (const viewer of viewers) if (now - viewer.since.getTime() >= pace.longestMs) viewer.end();
    if (now >= beatAt) {
      beatAt = now + pace.beatMs;
      for (const viewer of viewers) viewer.beat();
    }
    if (!asking) void ask();
  }

  async function ask(): Promise<void> {
    asking = true;
    // A page that joins during the query has a newer state than its result.
    const asked = [...viewers];
    try {
      const states = await liveStates([...new Set(asked.map(({ externalId }) => externalId))]);
      failing = false;
      let left = TOLD_AT_ONCE;
      for (const viewer of asked) {
        const state = states.get(viewer.externalId);
        if (state === undefined || state === viewer.told || !viewers.has(viewer)) continue;
        if (left === 0) break;
        left -= 1;
        viewer.told = state;
        viewer.tell(state);
      }
    } catch (error) {
      // The database client logs its own outage.
      if (!failing && !(error instanceof StorageUnavailable))
        logger.error('checkout.not_told', { error: String(error) });
      failing = true;
    } finally {
      asking = false;
    }
  }

  function rest(): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
  }

  return {
    join(viewer) {
      if (closed) return false;
      viewers.add(viewer);
      if (timer === null) {
        beatAt = clock.now().getTime() + pace.beatMs;
        timer = setInterval(tick, pace.everyMs);
      }
      return true;
    },
    leave(viewer) {
      viewers.delete(viewer);
      if (viewers.size === 0) rest();
    },
    close() {
      closed = true;
      for (const viewer of viewers) viewer.end();
      rest();
    },
  };
}
