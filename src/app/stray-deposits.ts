/** What an operator decides about money that waits: crediting a stray deposit, releasing or rejecting a held one. */
import type { Deposit } from '../domain/deposit.ts';
import { type AppError, appError } from '../domain/errors.ts';
import { creditedOf } from '../domain/fee.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { AppDependencies } from './dependencies.ts';
import { type LifecycleNeeds, lockWithInvoice } from './deposit-lifecycle.ts';
import { compensate, postCredit, postIncome, usdPrice } from './deposit-postings.ts';
import { applyEvents } from './invoice-events.ts';
import { runOrRollBack } from './rolled-back.ts';

type Needs = LifecycleNeeds & Pick<AppDependencies, 'unitOfWork'>;

/** Credits a stray deposit to the merchant whose address it was paid to, less the merchant's commission. No invoice changes. */
export function creditStray(deps: Needs): (depositId: string) => Promise<Result<Deposit, AppError>> {
  return (depositId) =>
    runOrRollBack(deps.unitOfWork, async (repositories) => {
      const deposit = await repositories.deposits.lock(depositId);
      if (!deposit) return err(appError('NOT_FOUND', `No such deposit: ${depositId}`));
      if (deposit.status !== 'stray') {
        return err(appError('INVALID_TRANSITION', `The deposit is ${deposit.status}, not stray.`));
      }
      return creditWithoutInvoice(deps, repositories, deposit);
    });
}

async function creditWithoutInvoice(
  deps: Needs,
  repositories: Repositories,
  deposit: Deposit,
): Promise<Result<Deposit, AppError>> {
  const merchant = await repositories.merchants.find(deposit.merchantId);
  const asset = deps.catalog.require(deposit.asset);
  const price = usdPrice(deps, asset, deposit.sandbox);
  if (!merchant) throw new Error('a deposit without its merchant');
  if (price === null) return err(appError('RATES_UNAVAILABLE', `No exchange rate of ${asset.key} is known.`));
  const creditedUnits = creditedOf(deposit.units, {
    bearer: 'merchant',
    commissionPpm: merchant.commissionPpm,
    baseUnits: 1n,
    dueUnits: 1n,
  });
  const credited: Deposit = { ...deposit, status: 'credited' };
  await repositories.deposits.save(credited);
  await postCredit(deps, repositories, deposit, { creditedUnits, priceE18: price, currency: 'USD' });
  if (deposit.invoiceId !== null) {
    const invoice = await repositories.invoices.lock(deposit.invoiceId);
    if (invoice) {
      await applyEvents(deps, repositories, invoice, [
        { type: 'payment_credited', units: deposit.units, at: deps.clock.now() },
      ]);
    }
  }
  return ok(credited);
}

/** The operator found a held payment good: it is credited, and its invoice becomes what the money says, with a webhook. */
export function releaseHeld(deps: Needs): (depositId: string) => Promise<Result<Deposit, AppError>> {
  return (depositId) =>
    runOrRollBack(deps.unitOfWork, async (repositories) => {
      const held = await lockHeld(repositories, depositId);
      if (!held.ok) return held;
      const { deposit, invoice } = held.value;
      const price = usdPrice(deps, deps.catalog.require(deposit.asset), deposit.sandbox);
      if (price === null)
        return err(appError('RATES_UNAVAILABLE', `No exchange rate of ${deposit.asset} is known.`));
      await repositories.deposits.save({ ...deposit, status: 'credited' });
      await compensate(deps, repositories, deposit, ['hold']);
      await postIncome(deps, repositories, {
        deposit,
        invoice,
        grossBefore: invoice.funds.creditedUnits,
        priceE18: price,
      });
      await applyEvents(deps, repositories, invoice, [
        { type: 'hold_released', units: deposit.units, at: deps.clock.now() },
      ]);
      return ok({ ...deposit, status: 'credited' });
    });
}

/** The operator found a held payment bad: the money stays on the held account and the invoice stays high_risk. */
export function rejectHeld(
  deps: Needs,
): (depositId: string, reason: string) => Promise<Result<Deposit, AppError>> {
  return (depositId, reason) =>
    runOrRollBack(deps.unitOfWork, async (repositories) => {
      const held = await lockHeld(repositories, depositId);
      if (!held.ok) return held;
      const rejected: Deposit = { ...held.value.deposit, status: 'rejected', note: reason };
      await repositories.deposits.save(rejected);
      return ok(rejected);
    });
}

async function lockHeld(repositories: Repositories, depositId: string) {
  const known = await repositories.deposits.lock(depositId);
  if (!known) return err(appError('NOT_FOUND', `No such deposit: ${depositId}`));
  const locked = await lockWithInvoice(repositories, known);
  if (locked?.deposit.status !== 'held' || locked.invoice === null) {
    return err(appError('INVALID_TRANSITION', `The deposit is ${known.status}, not held.`));
  }
  return ok({ deposit: locked.deposit, invoice: locked.invoice });
}
