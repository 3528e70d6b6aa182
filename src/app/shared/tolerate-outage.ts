/**
 * Tolerates unreachable nodes or signers: a job logs that, and runs again when it is due. Work on
 * many items goes on with those that the nodes can be asked about.
 */
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { LogEvent } from '../../ports/runtime/log-events.ts';
import type { Logger } from '../../ports/runtime/logger.ts';
import { SignerUnavailable } from '../../ports/sending/signer.ts';
import { inLanes } from './in-lanes.ts';

/** Rethrows any other failure of `work`. */
export async function warnIfUnavailable(
  logger: Logger,
  { chain, event }: { chain: string; event: LogEvent<'warn'> },
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ChainUnavailable || error instanceof SignerUnavailable)) throw error;
    logger.warn(event, { chain, reason: error.message });
  }
}

/** Adds a ChainUnavailable of `work` to `failures`. Rethrows any other failure. */
export async function pastOutage(failures: ChainUnavailable[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    failures.push(error);
  }
}

/**
 * Runs `work` for each item, a bounded number at a time. Returns why the nodes could not be asked
 * about some: that may concern a single item, so the others are asked about all the same.
 */
export async function eachPastOutages<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<ChainUnavailable[]> {
  const failures: ChainUnavailable[] = [];
  await inLanes(items, (item) => pastOutage(failures, () => work(item)));
  return failures;
}
