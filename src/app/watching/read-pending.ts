/** What waits for a block, as the source of a chain tells it: bounded work for each poll, however much waits. */
import type { Chain } from '../../domain/catalog/chain.ts';
import { outputKey } from '../../domain/deposits/deposit.ts';
import type { ChainScanner, Transfer } from '../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../ports/chains/watch-list.ts';
import type { AppDependencies } from '../dependencies.ts';
import { warnIfUnavailable } from '../shared/tolerate-outage.ts';

/** Null when the source does not tell at the moment, or was not asked: blocks are read all the same. */
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

/** Those of `pending` that are not recorded as waiting: there is nothing new about the others, poll after poll. */
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
