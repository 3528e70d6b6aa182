/**
 * Combines repeated log lines: a chain without a node logs once, and then ever less often with the
 * number of repetitions.
 */
import type { Clock } from '../../ports/runtime/clock.ts';
import { LOG_EVENTS, type LogEvent } from '../../ports/runtime/log-events.ts';
import type { Logger } from '../../ports/runtime/logger.ts';

type Fields = Parameters<Logger['info']>[1];

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** An event that did not occur for this long is logged as new. */
const FORGOTTEN_MS = 600_000;

interface RepeatedLine {
  readonly toldAt: number;
  readonly lastAt: number;
  readonly pauseMs: number;
  readonly untold: number;
}

/**
 * A logger that holds back repetitions, per chain, of events with `summed`. `times` counts those
 * since the last line.
 */
export function summedUp(
  logger: Logger,
  clock: Clock,
  known: Map<string, RepeatedLine> = new Map<string, RepeatedLine>(),
): Logger {
  /** The fields to log now; null: nothing is logged. */
  function due(event: LogEvent, fields: Fields): { readonly fields: Fields } | null {
    const entry = LOG_EVENTS[event];
    if (!('summed' in entry)) return { fields };
    const key = `${event} ${String(fields?.chain)}`;
    const now = clock.now().getTime();
    const before = known.get(key);
    if (before === undefined || Math.abs(now - before.lastAt) >= FORGOTTEN_MS) {
      known.set(key, { toldAt: now, lastAt: now, pauseMs: FIRST_PAUSE_MS, untold: 0 });
      return { fields };
    }
    const untold = before.untold + 1;
    if (Math.abs(now - before.toldAt) < before.pauseMs) {
      known.set(key, { ...before, lastAt: now, untold });
      return null;
    }
    const pauseMs = Math.min(before.pauseMs * 2, LONGEST_PAUSE_MS);
    known.set(key, { toldAt: now, lastAt: now, pauseMs, untold: 0 });
    return { fields: { ...fields, times: untold } };
  }

  return {
    info(event, fields) {
      const told = due(event, fields);
      if (told) logger.info(event, told.fields);
    },
    warn(event, fields) {
      const told = due(event, fields);
      if (told) logger.warn(event, told.fields);
    },
    error: (event, fields) => logger.error(event, fields),
    with: (fields) => summedUp(logger.with(fields), clock, known),
  };
}
