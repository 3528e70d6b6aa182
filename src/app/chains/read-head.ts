/** Reads the head of a chain for whoever follows it, and asks what is final only as often as somebody waits for that. */
import type { Chain } from '../../domain/catalog/chain.ts';
import type { ChainHead, ChainScanner } from '../../ports/chains/chain-scanner.ts';
import type { AppDependencies } from '../dependencies.ts';

/** What is final is asked so often, milliseconds, also while nothing waits for it. */
const FINALITY_MS = 60_000;

/** `at`: the present. Throws ChainUnavailable when no node answers. */
export function headReader(
  { unitOfWork }: Pick<AppDependencies, 'unitOfWork'>,
  { chain, scanner }: { chain: Chain; scanner: ChainScanner },
): (at: Date) => Promise<ChainHead> {
  /** When it was asked what is final, by our clock; null before the first time. */
  let finalityAt: number | null = null;

  /** Payments to us, and transfers of ours: until they are final, they are looked at again and again. */
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
