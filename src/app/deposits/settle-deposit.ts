/** What the risk check means for a deposit: credited, or held. */
import type { Deposit } from '../../domain/deposits/deposit.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { RiskVerdict } from '../../ports/deposits/risk-screener.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { applyEvents } from '../invoices/invoice-events.ts';
import type { LifecycleNeeds } from './deposit-lifecycle.ts';
import { creditPrice, postHold, postIncome } from './deposit-postings.ts';

export type VerdictNeeds = Pick<AppDependencies, 'riskScreener' | 'logger'>;

/** By deposits' ids. */
export type Verdicts = ReadonlyMap<string, RiskVerdict>;

/** The verdicts by deposit, requested in order. */
export async function verdictsOn(deps: VerdictNeeds, deposits: readonly Deposit[]): Promise<Verdicts> {
  const verdicts = new Map<string, RiskVerdict>();
  for (const deposit of deposits) {
    const verdict = await deps.riskScreener.screen({
      depositId: deposit.id,
      chain: deposit.chain,
      asset: deposit.asset,
      txid: deposit.txid,
      from: deposit.addressFrom,
      to: deposit.address,
      units: deposit.units,
      sandbox: deposit.sandbox,
    });
    if (verdict.kind === 'unavailable') {
      deps.logger.warn('deposit.risk_check_away', {
        depositId: deposit.id,
        reason: verdict.reason,
      });
      continue;
    }
    verdicts.set(deposit.id, verdict);
  }
  return verdicts;
}

/**
 * Credits or holds those deposits of an invoice that have a verdict, all locked as the invoice is.
 * Without a fresh price nothing changes, and the same invoice is returned. `held`: with the reason
 * as their note.
 */
export async function settleDeposits(
  deps: LifecycleNeeds,
  repositories: Repositories,
  invoice: Invoice,
  deposits: readonly Deposit[],
  verdicts: Verdicts,
): Promise<{ readonly invoice: Invoice; readonly held: readonly Deposit[] }> {
  let current = invoice;
  const held: Deposit[] = [];
  for (const deposit of deposits) {
    const verdict = verdicts.get(deposit.id);
    if (!verdict) continue;
    const next = await settle(deps, repositories, current, deposit, verdict);
    if (next !== current && verdict.kind === 'hit') held.push({ ...deposit, note: verdict.reason });
    current = next;
  }
  return { invoice: current, held };
}

async function settle(
  deps: LifecycleNeeds,
  repositories: Repositories,
  invoice: Invoice,
  deposit: Deposit,
  verdict: RiskVerdict,
): Promise<Invoice> {
  const at = deps.clock.now();
  const price = creditPrice(deps, deps.catalog.require(deposit.asset), deposit.sandbox);
  // Its price became too old just now: price-watch.ts logs that.
  if (price === null) return invoice;
  if (verdict.kind === 'hit') {
    await repositories.deposits.save({ ...deposit, status: 'held', note: verdict.reason });
    await postHold(deps, repositories, deposit, price);
    return applyEvents(deps, repositories, invoice, [{ type: 'payment_held', units: deposit.units, at }]);
  }
  await repositories.deposits.save({ ...deposit, status: 'credited' });
  await postIncome(deps, repositories, {
    deposit,
    invoice,
    grossBefore: invoice.funds.creditedUnits,
    priceE18: price,
  });
  return applyEvents(deps, repositories, invoice, [{ type: 'payment_credited', units: deposit.units, at }]);
}

/** Tells the operator, once the transaction is through. */
export function tellHeld({ logger }: Pick<LifecycleNeeds, 'logger'>, held: readonly Deposit[]): void {
  for (const { id: depositId, invoiceId, note: reason } of held)
    logger.error('deposit.high_risk', { depositId, invoiceId, reason });
}
