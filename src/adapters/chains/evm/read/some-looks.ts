/**
 * Looks that nothing credited depends on: what cannot be looked at must not hold it up, so a range is tried at some polls, and
 * then left with a warning.
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
  /** What `look` finds: nothing where the range is left, null where it is to be tried again. */
  at(range: BlockRange, look: Promise<readonly ScannedBlock[]>): Promise<readonly ScannedBlock[] | null>;
  /** Whether the range is left when it cannot be looked at now. */
  isLast(): boolean;
  /** What was found is taken. */
  done(): void;
}

/** `event`: the warning that tells which range was left. */
export function someLooks(options: { chain: string; logger: Logger; event: LogEvent<'warn'> }): SomeLooks {
  const { chain, logger, event } = options;
  /** In a row, of the range that is looked at. */
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
