/** The wall clock of this machine. */
import type { Clock } from '../../ports/runtime/clock.ts';

export const systemClock: Clock = { now: () => new Date() };
