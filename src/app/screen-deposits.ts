/** The risk check: every final payment passes it before it is credited (network outside, then one transaction per invoice). */
import type { Deposit } from '../domain/deposit.ts';
import { isDeferred, isFinal } from '../domain/invoice.ts';
import type { Invoice } from '../domain/invoice-record.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { RiskVerdict } from '../ports/risk-screener.ts';
import type { AppDependencies } from './dependencies.ts';
import { type LifecycleNeeds, strand } from './deposit-lifecycle.ts';
import { postHold, postIncome, usdPrice } from './deposit-postings.ts';
import { applyEvents } from './invoice-events.ts';

export type ScreenNeeds = LifecycleNeeds & Pick<AppDependencies, 'unitOfWork' | 'riskScreener'>;

/** Screens and credits up to `limit` invoices; answers how many were settled. A provider that is away leaves them waiting. */
export function screenDeposits(deps: ScreenNeeds): (limit: number) => Promise<number> {
  return async (limit) => {
    const ids = await deps.unitOfWork.run((repositories) => repositories.deposits.invoicesToScreen(limit));
    let settled = 0;
    for (const id of ids) {
      if (await screenInvoice(deps, id)) settled += 1;
    }
    return settled;
  };
}

async function screenInvoice(deps: ScreenNeeds, invoiceId: string): Promise<boolean> {
  const arrived = await deps.unitOfWork.run((repositories) =>
    repositories.deposits.lockOfInvoice(invoiceId, ['arrived']),
  );
  const verdicts = new Map<string, RiskVerdict>();
  for (const deposit of arrived) {
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
      deps.logger.warn('the risk check is away: a payment waits', {
        depositId: deposit.id,
        reason: verdict.reason,
      });
      continue;
    }
    verdicts.set(deposit.id, verdict);
  }
  if (verdicts.size === 0) return false;
  return deps.unitOfWork.run(async (repositories) => {
    const invoice = await repositories.invoices.lock(invoiceId);
    if (!invoice || isDeferred(invoice)) return false;
    const deposits = await repositories.deposits.lockOfInvoice(invoiceId, ['arrived']);
    let current = invoice;
    let settled = false;
    for (const deposit of deposits) {
      const verdict = verdicts.get(deposit.id);
      if (!verdict) continue;
      const next = await settle(deps, repositories, current, deposit, verdict);
      settled ||= next !== current;
      current = next;
    }
    if (settled && isFinal(current) && current.status !== 'high_risk') await strand(repositories, current);
    return settled;
  });
}

async function settle(
  deps: ScreenNeeds,
  repositories: Repositories,
  invoice: Invoice,
  deposit: Deposit,
  verdict: RiskVerdict,
): Promise<Invoice> {
  const at = deps.clock.now();
  const price = usdPrice(deps, deps.catalog.require(deposit.asset), deposit.sandbox);
  if (price === null) {
    deps.logger.warn('no exchange rate to value a payment with: it waits', { depositId: deposit.id });
    return invoice;
  }
  if (verdict.kind === 'hit') {
    await repositories.deposits.save({ ...deposit, status: 'held', note: verdict.reason });
    await postHold(deps, repositories, deposit, price);
    deps.logger.error('ALARM: the risk check holds a payment', {
      depositId: deposit.id,
      invoiceId: invoice.id,
      reason: verdict.reason,
    });
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
