/**
 * Pending transfers, as a chain's source reports them: bounded work per poll, however many wait.
 */
import type { Chain } from '../../domain/catalog/chain.ts';
import { outputKey } from '../../domain/deposits/deposit.ts';
import type { ChainScanner, Transfer } from '../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../ports/chains/watch-list.ts';
import type { AppDependencies } from '../dependencies.ts';
import { warnIfUnavailable } from '../shared/tolerate-outage.ts';

/** Null if the source does not report them at present, or was not asked: blocks are still read. */
export async function readPending(
  deps: Pick<AppDependencies, 'logger'>,
  { chain, scanner, watch }: { chain: Chain; scanner: ChainScanner; watch: WatchList },
): Promise<readonly Transfer[] | null> {
  let pending: readonly Transfer[] | null = null;
  await warnIfUnavailable(deps.logger, { chain: chain.name, event: 'chain.pending_unreadable' }, async () => {
    pending = await scanner.pending(watch);
  });
  return pending;
}

/**
 * The `pending` transfers that are not recorded as waiting: the others have no news from poll to
 * poll.
 */
export async function unrecorded(
  deps: Pick<AppDependencies, 'unitOfWork'>,
  chain: Chain,
  pending: readonly Transfer[],
): Promise<readonly Transfer[]> {
  if (pending.length === 0) return pending;
  const waiting = await deps.unitOfWork.run((repositories) => repositories.deposits.withoutBlock(chain.name));
  const recorded = new Map(
    waiting
      .filter(({ status }) => status === 'confirming')
      .map((deposit) => [outputKey(deposit), deposit.units] as const),
  );
  return pending.filter((transfer) => recorded.get(outputKey(transfer)) !== transfer.units);
}
