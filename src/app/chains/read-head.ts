/**
 * Reads a chain's head for its watcher, and asks for the final block only as often as something
 * waits for it.
 */
import type { Chain } from '../../domain/catalog/chain.ts';
import type { ChainHead, ChainScanner } from '../../ports/chains/chain-scanner.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Milliseconds between questions for the final block while nothing waits for it. */
const FINALITY_MS = 60_000;

/** `at`: the present time. Throws ChainUnavailable if no node answers. */
export function headReader(
  { unitOfWork }: Pick<AppDependencies, 'unitOfWork'>,
  { chain, scanner }: { chain: Chain; scanner: ChainScanner },
): (at: Date) => Promise<ChainHead> {
  /**
   * When the final block was last asked for, by the gateway's clock; null before the first time.
   */
  let finalityAt: number | null = null;

  /** Incoming payments and own transfers: they are checked again and again until they are final. */
  const isWaitedFor = () =>
    unitOfWork.run(
      async ({ deposits, outgoing }) =>
        (await deposits.anyUnfinal(chain.name)) || (await outgoing.open(chain.name, 1)).length > 0,
    );

  return async (at) => {
    const isOld = finalityAt === null || Math.abs(at.getTime() - finalityAt) >= FINALITY_MS;
    const finality = isOld || (await isWaitedFor());
    const head = await scanner.head({ finality });
    if (finality) finalityAt = at.getTime();
    return head;
  };
}
