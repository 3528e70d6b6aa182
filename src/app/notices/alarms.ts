/** The alarms among the log events, and the events that report the end of one. */
import { isAlarm, type LogEventEntry } from '../../ports/runtime/log-events/entry.ts';
import { LOG_EVENTS } from '../../ports/runtime/log-events.ts';

const ENTRIES: readonly (readonly [string, LogEventEntry])[] = Object.entries(LOG_EVENTS);
const BY_EVENT: ReadonlyMap<string, LogEventEntry> = new Map(ENTRIES);

export const ALARM_EVENTS: readonly string[] = ENTRIES.flatMap(([event, entry]) =>
  isAlarm(entry) ? [event] : [],
);

/** The alarm that each of these events ends. */
export const ENDED_BY: ReadonlyMap<string, string> = new Map(
  ENTRIES.flatMap(([event, entry]) => {
    const over = endOf(entry);
    return over === null ? [] : [[over, event] as const];
  }),
);

/** Null for an alarm without one, and for an event of another version. */
export function endOf(entry: LogEventEntry | null): string | null {
  return entry?.level === 'error' ? (entry.over ?? null) : null;
}

/** Null for an event of another version. */
export function entryOf(event: string): LogEventEntry | null {
  return BY_EVENT.get(event) ?? null;
}
