/**
 * What the nodes say of a block, done to its deposits: they become final, and where the risk check
 * asks no service they are credited in the same transaction.
 */
import type { Deposit } from '../../domain/deposits/deposit.ts';
import { isDeferred } from '../../domain/invoices/invoice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { isAway, type LockLimits } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { hasEnded } from '../invoices/strand-payments.ts';
import { SET_LOCKS } from '../shared/try-together.ts';
import { type LifecycleNeeds, markFinal } from './deposit-lifecycle.ts';
import { gatherWrites } from './gather-writes.ts';
import { settleDeposits, tellHeld, type Verdicts, verdictsOn } from './settle-deposit.ts';

export type FinalityNeeds = LifecycleNeeds & Pick<AppDependencies, 'unitOfWork' | 'riskScreener' | 'timers'>;

/** `left`: another block has replaced it. Else the payments that every node shows in it. */
export type BlockVerdict = 'left' | 'not yet' | ReadonlySet<string>;

/** A deposit may get another amount with another block. */
export const paymentKey = ({ id, units }: Deposit): string => `${id} ${units}`;

const NO_VERDICTS: Verdicts = new Map();

/** For the verdicts on a whole set. A list on a disk that hangs must not stop the chain's job. */
const SCREENED_WITHIN_MS = 1_000;

class RiskCheckLate extends Error {
  override readonly name = 'RiskCheckLate';
}

/**
 * Makes the deposits that every node shows final, or removes the block from deposits whose block
 * left the chain. What cannot be credited in the same transaction is left to screen-deposits.ts:
 * neither a fault of a credit or of the risk check, nor a balance that somebody has locked, keeps a
 * payment from being final. Throws StorageUnavailable.
 */
export async function settleInBlock(
  deps: FinalityNeeds,
  group: readonly Deposit[],
  hash: string,
  verdict: Exclude<BlockVerdict, 'not yet'>,
): Promise<void> {
  const paid = group.filter(({ invoiceId }) => invoiceId !== null);
  const shown = verdict === 'left' ? [] : paid.filter((deposit) => verdict.has(paymentKey(deposit)));
  if (deps.riskScreener.isLocal && shown.length > 0)
    try {
      const verdicts = await verdictsInTime(deps, shown);
      if (verdicts.size > 0) {
        await settleTogether(deps, group, hash, { verdict, verdicts, limits: SET_LOCKS });
        return;
      }
    } catch (error) {
      if (isAway(error)) throw error;
      deps.logger.warn('deposit.not_credited_at_once', {
        ...{ chain: shown[0]?.chain, payments: shown.length },
        ...{ code: codeOf(error), error: String(error) },
      });
    }
  await settleTogether(deps, group, hash, { verdict, verdicts: NO_VERDICTS });
}

/** Rejects with RiskCheckLate if they are not there in time; what hangs is not waited for. */
async function verdictsInTime(deps: FinalityNeeds, deposits: readonly Deposit[]): Promise<Verdicts> {
  const late = Promise.withResolvers<never>();
  const cancel = deps.timers.after(SCREENED_WITHIN_MS, () =>
    late.reject(new RiskCheckLate(`no verdict within ${SCREENED_WITHIN_MS} ms`)),
  );
  try {
    return await Promise.race([verdictsOn(deps, deposits), late.promise]);
  } finally {
    cancel();
  }
}

/** The database's SQLSTATE, where it has one. */
function codeOf(error: unknown): string {
  const { sqlState, name } = error as { readonly sqlState?: string; readonly name?: string };
  return sqlState ?? name ?? 'unknown';
}

interface Settling {
  readonly verdict: Exclude<BlockVerdict, 'not yet'>;
  readonly verdicts: Verdicts;
  readonly limits?: LockLimits;
}

async function settleTogether(
  deps: FinalityNeeds,
  group: readonly Deposit[],
  hash: string,
  { verdict, verdicts, limits }: Settling,
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
  }, limits);
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
