/** The timers of this process. */
import type { Timers } from '../../ports/runtime/timers.ts';

export const systemTimers: Timers = {
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
