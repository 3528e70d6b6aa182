/**
 * Reads on which no credit depends. They must not block the scan: after some failed polls a range
 * is skipped with a warning.
 */
import {
  type BlockRange,
  ChainUnavailable,
  type ScannedBlock,
} from '../../../../ports/chains/chain-scanner.ts';
import type { LogEvent } from '../../../../ports/runtime/log-events.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';

const FAILURES_MOST = 10;

export interface SomeLooks {
  /** What `look` finds: empty where the range is skipped, null where it must be tried again. */
  at(range: BlockRange, look: Promise<readonly ScannedBlock[]>): Promise<readonly ScannedBlock[] | null>;
  /** Whether the range is skipped if it fails once more. */
  isLast(): boolean;
  /** Resets the count of failures: the result was stored. */
  done(): void;
}

/** `event`: the warning that names the skipped range. */
export function someLooks(options: { chain: string; logger: Logger; event: LogEvent<'warn'> }): SomeLooks {
  const { chain, logger, event } = options;
  /** Failures in a row for the present range. */
  let failures = 0;
  return {
    at: ({ from, to }, look) =>
      look.catch((error: unknown) => {
        if (!(error instanceof ChainUnavailable)) throw error;
        failures += 1;
        if (failures < FAILURES_MOST) return null;
        logger.warn(event, { chain, from, to, problem: error.message });
        return [];
      }),
    isLast: () => failures >= FAILURES_MOST - 1,
    done: () => {
      failures = 0;
    },
  };
}
