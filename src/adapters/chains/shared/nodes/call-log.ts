/** The times of past calls, as far back as the longest window reaches. */

/** The clock of a budget; replaced in tests. */
export interface BudgetTime {
  /** Monotonic, milliseconds. */
  now(): number;
  /** Unix, milliseconds. */
  wall(): number;
  after(ms: number, work: () => void): void;
}

export const systemTime: BudgetTime = {
  now: () => performance.now(),
  // The clock at the process's start and the time since then give the day of the budget.
  wall: () => performance.timeOrigin + performance.now(),
  after: (ms, work) => void setTimeout(work, ms).unref(),
};

export interface CallLog {
  add(calls: number): void;
  /** Calls of the last `ms` milliseconds. */
  within(ms: number): number;
  /**
   * Milliseconds until `calls` more fit into a window of `ms`, which has room for `room`. More
   * calls than that wait for an empty window.
   */
  untilRoom(calls: number, room: number, ms: number): number;
}

/** Calls so close together share one entry, so that thousands a second cost little time. */
const TOGETHER_MS = 10;

export function callLog(time: Pick<BudgetTime, 'now'>, longestMs: number): CallLog {
  const entries: { readonly at: number; calls: number }[] = [];

  function inLast(ms: number): typeof entries {
    const now = time.now();
    const first = entries.findIndex(({ at }) => now - at < ms);
    return first === -1 ? [] : entries.slice(first);
  }

  return {
    add(calls) {
      const now = time.now();
      while (entries[0] !== undefined && now - entries[0].at >= longestMs) entries.shift();
      const last = entries.at(-1);
      if (last !== undefined && now - last.at < TOGETHER_MS) last.calls += calls;
      else entries.push({ at: now, calls });
    },
    within: (ms) => inLast(ms).reduce((sum, { calls }) => sum + calls, 0),
    untilRoom(calls, room, ms) {
      const now = time.now();
      if (room === Number.POSITIVE_INFINITY) return 0;
      const recent = inLast(ms);
      let inWindow = recent.reduce((sum, each) => sum + each.calls, 0);
      let at = now;
      for (const entry of recent) {
        if (inWindow + calls <= room) break;
        inWindow -= entry.calls;
        at = entry.at + ms;
      }
      return at - now;
    },
  };
}
