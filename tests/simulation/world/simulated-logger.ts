/** The log of simulated processes: bugs are kept, since none may happen whatever the faults are. */
import type { Logger } from '../../../src/ports/runtime/logger.ts';

export interface ErrorLog {
  readonly logger: Logger;
  /** Texts of errors that no fault explains. */
  readonly unexpected: ReadonlyMap<string, number>;
  note(text: string): void;
}

/** What faults of the simulation, and the outages that they look like, are told with. */
const EXPECTED = /simulated|Unavailable/;

export function collectedErrors(): ErrorLog {
  const unexpected = new Map<string, number>();
  function note(text: string): void {
    if (EXPECTED.test(text)) return;
    unexpected.set(text, (unexpected.get(text) ?? 0) + 1);
  }
  const logger: Logger = {
    info: () => undefined,
    warn: () => undefined,
    error: (event, fields = {}) => {
      if ('error' in fields) note(`${event} ${String(fields.error)}`);
    },
    with: () => logger,
  };
  return { logger, unexpected, note };
}
