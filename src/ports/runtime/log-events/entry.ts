/**
 * What one kind of log line says: to a program (its event and level), to people (its text), and to
 * the operator who reads the docs.
 */
export type LogEventEntry = InfoEntry | WarnEntry | ErrorEntry;

interface SummedEvent {
  /**
   * Repetitions of the same chain are summed up: `times` counts those since the line before
   * (app/shared/summed-log.ts).
   */
  readonly summed?: true;
}

interface DescribedEvent {
  /** For people: nothing may compare it. */
  readonly text: string;
  /** What is the case, in docs/operations/alerts.md. */
  readonly meaning: string;
  /** What the operator does about it, in docs/operations/alerts.md. */
  readonly action: string;
}

/** One without a meaning stands in no table of the docs. */
type InfoEntry = { readonly level: 'info' } & SummedEvent & (DescribedEvent | Pick<DescribedEvent, 'text'>);

interface WarnEntry extends DescribedEvent, SummedEvent {
  readonly level: 'warn';
}

interface ErrorEntry extends DescribedEvent {
  readonly level: 'error';
  /**
   * An alarm: somebody is to be woken. The line has `page: true`, and its text begins with ALARM.
   */
  readonly page?: true;
  /**
   * Of an alarm: the event that reports its end. Both name the same chain and asset, or neither.
   */
  readonly over?: string;
}

export function isAlarm(entry: LogEventEntry): boolean {
  return entry.level === 'error' && entry.page === true;
}

/** The line's `msg`: an alarm is seen as one even where only the text is shown. */
export function textOf(entry: LogEventEntry): string {
  return isAlarm(entry) ? `ALARM: ${entry.text}` : entry.text;
}
