/**
 * Nodes that trace report a contract's payments; others only report the changed balance (safety.md
 * E6). One database may get both, from several instances or when blocks are read again: then the
 * payments count, unless an operator credited the balance.
 */
import { balanceKey, type Deposit, isTraced, outputKey } from '../../domain/deposits/deposit.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { type LifecycleNeeds, lockWithInvoice, markGone } from './deposit-lifecycle.ts';
import type { ObservedTransfer } from './observation.ts';

/**
 * The key under which balances report money that a trace reports. Null for anything that traces do
 * not report.
 */
export const balanceKeyOf = ({ transfer, at: { chain, block } }: ObservedTransfer) =>
  block !== null && isTraced(transfer) ? balanceKey(chain, block.height, transfer.to) : null;

/**
 * Whether neither a trace nor a balance has recorded this money. An unexplained deposit is
 * withdrawn when traced payments explain it. Needs the locked cursor. `known`: recorded deposits of
 * `balanceKeyOf`, by output.
 */
export async function isUnrecorded(
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
  const key = balanceKeyOf(observed);
  const parked = key === null ? undefined : known.get(outputKey(key));
  return parked === undefined || withdraw(deps, repositories, parked, block?.hash);
}

/** False if an operator credited it as money of this block. */
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
