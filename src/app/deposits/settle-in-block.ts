/**
 * What the nodes say of a block, done to its deposits: they become final, and where the risk check
 * asks no service they are credited in the same transaction.
 */
import type { Deposit } from '../../domain/deposits/deposit.ts';
import { isDeferred } from '../../domain/invoices/invoice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { StorageUnavailable } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { hasEnded } from '../invoices/strand-payments.ts';
import { type LifecycleNeeds, markFinal } from './deposit-lifecycle.ts';
import { gatherWrites } from './gather-writes.ts';
import { settleDeposits, tellHeld, type Verdicts, verdictsOn } from './settle-deposit.ts';

export type FinalityNeeds = LifecycleNeeds & Pick<AppDependencies, 'unitOfWork' | 'riskScreener'>;

/** `left`: another block has replaced it. Else the payments that every node shows in it. */
export type BlockVerdict = 'left' | 'not yet' | ReadonlySet<string>;

/** A deposit may get another amount with another block. */
export const paymentKey = ({ id, units }: Deposit): string => `${id} ${units}`;

const NO_VERDICTS: Verdicts = new Map();

/**
 * Makes the deposits that every node shows final, or removes the block from deposits whose block
 * left the chain. What cannot be credited in the same transaction is left to screen-deposits.ts,
 * which also says why: a fault of one credit keeps no payment from being final.
 */
export async function settleInBlock(
  deps: FinalityNeeds,
  group: readonly Deposit[],
  hash: string,
  verdict: Exclude<BlockVerdict, 'not yet'>,
): Promise<void> {
  const paid = group.filter(({ invoiceId }) => invoiceId !== null);
  const shown = verdict === 'left' ? [] : paid.filter((deposit) => verdict.has(paymentKey(deposit)));
  const verdicts = deps.riskScreener.isLocal ? await verdictsOn(deps, shown) : NO_VERDICTS;
  try {
    await settleTogether(deps, group, hash, { verdict, verdicts });
  } catch (error) {
    const isAway = error instanceof StorageUnavailable && !error.isLate;
    if (isAway || verdicts.size === 0) throw error;
    await settleTogether(deps, group, hash, { verdict, verdicts: NO_VERDICTS });
  }
}

async function settleTogether(
  deps: FinalityNeeds,
  group: readonly Deposit[],
  hash: string,
  { verdict, verdicts }: { verdict: Exclude<BlockVerdict, 'not yet'>; verdicts: Verdicts },
): Promise<void> {
  const held = await deps.unitOfWork.run(async (repositories) => {
    const { gathered, flush } = gatherWrites(repositories);
    const invoiceIds = new Set(group.flatMap(({ invoiceId }) => invoiceId ?? []));
    const invoices = await gathered.invoices.lockFree([...invoiceIds]);
    const byId = new Map(invoices.map((invoice) => [invoice.id, invoice]));
    const final: Deposit[] = [];
    for (const deposit of await repositories.deposits.lockFree(group.map(({ id }) => id))) {
      if (deposit.status !== 'confirming' || deposit.block?.hash !== hash) continue;
      // Another transaction locked its invoice, or it got one since it was read
      // (earlier-choice.ts): the next poll finds it.
      const invoice = deposit.invoiceId === null ? null : byId.get(deposit.invoiceId);
      if (invoice === undefined) continue;
      if (verdict === 'left') await gathered.deposits.save({ ...deposit, block: null });
      // It may have lost its invoice since it was read (markBack), or may pay for something else
      // now.
      else if (verdict.has(paymentKey(deposit))) {
        await markFinal(deps, gathered, deposit, invoice);
        final.push(deposit);
      }
    }
    const told: Deposit[] = [];
    for (const [invoiceId, deposits] of Map.groupBy(final, (deposit) => deposit.invoiceId)) {
      const invoice = invoiceId === null ? undefined : byId.get(invoiceId);
      if (invoice === undefined || !canSettle(invoice, deposits, verdicts)) continue;
      told.push(...(await settleDeposits(deps, gathered, invoice, deposits, verdicts)).held);
    }
    await flush();
    return told;
  });
  tellHeld(deps, held);
}

/**
 * Whether these are all of the invoice's payments that wait for the risk check or for finality:
 * else one that is final and too small alone would stay behind.
 */
function canSettle(invoice: Invoice, deposits: readonly Deposit[], verdicts: Verdicts): boolean {
  const units = deposits.reduce((sum, deposit) => sum + deposit.units, 0n);
  const isWhole = invoice.funds.pendingUnits === units && deposits.every(({ id }) => verdicts.has(id));
  return isWhole && !hasEnded(invoice) && !isDeferred(invoice);
}
