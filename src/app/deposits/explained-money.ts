/**
 * What a contract paid is shown as payments by nodes that trace, and by the balance alone by others (safety.md E6). One database may
 * hear of both, from several instances or when blocks are read again: the payments count, unless an operator credited the balance.
 */
import { balanceKey, type Deposit, isTraced, outputKey } from '../../domain/deposits/deposit.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { type LifecycleNeeds, lockWithInvoice, markGone } from './deposit-lifecycle.ts';
import type { ObservedTransfer } from './observation.ts';

/** How money that a trace tells is named where balances tell of it. Null for what no trace tells. */
export const keyByBalance = ({ transfer, at: { chain, block } }: ObservedTransfer) =>
  block !== null && isTraced(transfer) ? balanceKey(chain, block.height, transfer.to) : null;

/**
 * Whether this is not recorded already as the other of the two. What is parked is withdrawn where payments explain it. To be called
 * with the cursor locked. `known`: by output, what is recorded of what `keyByBalance` names.
 */
export async function isNews(
  deps: LifecycleNeeds,
  repositories: Repositories,
  known: ReadonlyMap<string, Deposit>,
  observed: ObservedTransfer,
): Promise<boolean> {
  const { transfer, at } = observed;
  const { chain, block } = at;
  if (block !== null && transfer.kind === 'unexplained') {
    const { asset, to: address } = transfer;
    return !(await repositories.deposits.hasTraced({ chain, address, asset, block }));
  }
  const key = keyByBalance(observed);
  const parked = key === null ? undefined : known.get(outputKey(key));
  return parked === undefined || withdraw(deps, repositories, parked, block?.hash);
}

/** False where an operator credited it as money of this block. */
async function withdraw(
  deps: LifecycleNeeds,
  repositories: Repositories,
  parked: Deposit,
  hash: string | undefined,
): Promise<boolean> {
  const locked = await lockWithInvoice(repositories, parked);
  if (locked === null) return true;
  const { deposit, invoice } = locked;
  if (deposit.status === 'credited' && deposit.block?.hash === hash) return false;
  await markGone(deps, repositories, deposit, invoice);
  return true;
}
