/** The risk check: every final payment passes it before it is credited (network outside, then one transaction per invoice). */
import type { Deposit } from '../domain/deposit.ts';
import { isDeferred } from '../domain/invoice.ts';
import type { Invoice } from '../domain/invoice-record.ts';
import { type InvoiceToScreen, type Repositories, StorageUnavailable } from '../ports/repositories.ts';
import type { RiskVerdict } from '../ports/risk-screener.ts';
import type { AppDependencies } from './dependencies.ts';
import { hasEnded, type LifecycleNeeds, strand } from './deposit-lifecycle.ts';
import { creditPrice, postHold, postIncome } from './deposit-postings.ts';
import { applyEvents } from './invoice-events.ts';
import { pricedAssets, priceWatch } from './price-watch.ts';

export type ScreenNeeds = LifecycleNeeds & Pick<AppDependencies, 'unitOfWork' | 'riskScreener'>;

/** Invoices of one page, and of those how many are in the hands of the risk check at a time. */
const PAGE = 200;
const AT_ONCE = 8;
/** Deposits of one invoice in one transaction: thousands (safety.md U5) must not outlast its deadline. */
const DEPOSITS_AT_ONCE = 50;

/**
 * Screens and credits whatever is due and answers how many invoices moved. One that cannot be settled (a provider that is
 * away, a fault) waits for the next run and holds up no other. One without a fresh price is not looked at (safety.md P1).
 */
export function screenDeposits(deps: ScreenNeeds): (stopping?: AbortSignal) => Promise<number> {
  const watch = priceWatch(deps);
  return async (stopping) => {
    let moved = 0;
    const priced = pricedAssets(deps);
    await watch(priced);
    let after: InvoiceToScreen | null = null;
    for (;;) {
      const page: readonly InvoiceToScreen[] = await deps.unitOfWork.run((repositories) =>
        repositories.deposits.invoicesToScreen({ limit: PAGE, after, priced }),
      );
      const waiting = [...page];
      const work = async () => {
        for (let next = waiting.shift(); next && !stopping?.aborted; next = waiting.shift())
          if (await screenSafely(deps, next.invoiceId)) moved += 1;
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      after = page.at(-1) ?? null;
      if (page.length < PAGE || stopping?.aborted) return moved;
    }
  };
}

async function screenSafely(deps: ScreenNeeds, invoiceId: string): Promise<boolean> {
  try {
    return await screenInvoice(deps, invoiceId);
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error;
    deps.logger.error('invoice.not_settled', { invoiceId, error: String(error) });
    return false;
  }
}

async function screenInvoice(deps: ScreenNeeds, invoiceId: string): Promise<boolean> {
  const verdicts = await verdictsFor(deps, invoiceId);
  return deps.unitOfWork.run(async (repositories) => {
    const invoice = await repositories.invoices.lock(invoiceId);
    if (!invoice) return false;
    if (hasEnded(invoice)) {
      await strand(repositories, [invoice.id]);
      return true;
    }
    if (isDeferred(invoice)) return false;
    let current = invoice;
    for (const deposit of await repositories.deposits.lockOfInvoice(invoiceId, ['arrived'])) {
      const verdict = verdicts.get(deposit.id);
      if (verdict) current = await settle(deps, repositories, current, deposit, verdict);
    }
    if (current === invoice) return false;
    if (hasEnded(current)) await strand(repositories, [current.id]);
    return true;
  });
}

/** What the risk check says, by deposit; the largest are asked about first. */
async function verdictsFor(deps: ScreenNeeds, invoiceId: string): Promise<ReadonlyMap<string, RiskVerdict>> {
  const arrived = await deps.unitOfWork.run((repositories) =>
    repositories.deposits.lockOfInvoice(invoiceId, ['arrived']),
  );
  const largest = arrived
    .toSorted((a, b) => (a.units === b.units ? 0 : a.units > b.units ? -1 : 1))
    .slice(0, DEPOSITS_AT_ONCE);
  const verdicts = new Map<string, RiskVerdict>();
  for (const deposit of largest) {
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

async function settle(
  deps: ScreenNeeds,
  repositories: Repositories,
  invoice: Invoice,
  deposit: Deposit,
  verdict: RiskVerdict,
): Promise<Invoice> {
  const at = deps.clock.now();
  const price = creditPrice(deps, deps.catalog.require(deposit.asset), deposit.sandbox);
  // It became too old just now: price-watch.ts tells of it.
  if (price === null) return invoice;
  if (verdict.kind === 'hit') {
    await repositories.deposits.save({ ...deposit, status: 'held', note: verdict.reason });
    await postHold(deps, repositories, deposit, price);
    deps.logger.error('deposit.high_risk', {
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
