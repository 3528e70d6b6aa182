/**
 * Lets a job tolerate unreachable nodes or signers: it logs that, and runs again when it is due.
 */
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { LogEvent } from '../../ports/runtime/log-events.ts';
import type { Logger } from '../../ports/runtime/logger.ts';
import { SignerUnavailable } from '../../ports/sending/signer.ts';

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
